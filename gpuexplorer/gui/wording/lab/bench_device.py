"""BenchDevice: all that the lab shows of one device, and how it is put together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.memory import MEMORY_FREE, MEMORY_TOTAL, MEMORY_USED
from gpuexplorer.gui.wording.cards.faces import Shown
from gpuexplorer.lab.events import Device, Hello, Memory
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.latest import Reading

_NO_CARD = "No card of this computer has this number for PyTorch."


@dataclass(frozen=True, slots=True)
class BenchDevice:
    """None among the bytes: it cannot be told, or the device was not used yet."""

    name: str  # as PyTorch calls it: "cpu", "cuda:0", "meta"
    label: str  # "TITAN RTX"
    chip: str  # the card's number in this window; "H" for the host, empty for others
    colour: int | None = None
    card: CardId | None = None
    usable: bool = True
    reason: str = ""  # why it cannot be used, or what is special about it; a sentence
    total_bytes: int | None = None
    free_bytes: int | None = None
    context_bytes: int | None = None  # what PyTorch pays before the first tensor
    cache_bytes: int | None = None  # what PyTorch keeps, its tensors included
    tensor_bytes: int | None = None
    unnamed_bytes: int = 0  # of the tensors: what stands under no name of the shelf
    others_bytes: int | None = None  # other programs
    modelled: bool = False

    @property
    def is_card(self) -> bool:
        return self.card is not None

    @property
    def is_host(self) -> bool:
        return self.name == "cpu"


def bench_devices(
    ledger: Ledger,
    cards: Sequence[Shown],
    readings: Mapping[CardId, Reading | None],
    host: tuple[str, Reading],
    visible: Sequence[int] | None,
) -> Sequence[BenchDevice]:
    """`host` is its name and reading; `visible` the cards' indices that the lab may see.

    Before a worker has said what it offers, what can be expected of it by the cards.
    """
    if ledger.hello is None:
        expected = _expected(cards, visible)
        devices = [_of_host(Device("cpu", ""), ledger, host)]
        devices += [
            _of_card(Device(f"cuda:{number}", each.card.name), each, ledger, readings)
            for number, each in enumerate(expected)
        ]
        return [*devices, *_unseen(cards, expected, readings, ledger, visible)]
    found = [_found(each, ledger, cards, readings, host) for each in ledger.hello.devices]
    seen = {each.card for each in found}
    left = [each for each in cards if each.card.id not in seen]
    return [*found, *_left_out(left, ledger, ledger.hello, readings, visible)]


def bare_uuid(text: str) -> str:
    """NVML says GPU- before it, PyTorch does not."""
    return text.lower().removeprefix("gpu-").removeprefix("mig-")


def _expected(cards: Sequence[Shown], visible: Sequence[int] | None) -> Sequence[Shown]:
    if visible is not None:
        by_index = {each.card.index: each for each in cards}
        return [by_index[index] for index in visible if index in by_index]
    usable = [each for each in cards if each.card.cuda_index is not None]
    return sorted(usable, key=lambda each: each.card.cuda_index or 0)


def _unseen(
    cards: Sequence[Shown],
    expected: Sequence[Shown],
    readings: Mapping[CardId, Reading | None],
    ledger: Ledger,
    visible: Sequence[int] | None,
) -> Sequence[BenchDevice]:
    left = [each for each in cards if each not in expected]
    return _left_out(left, ledger, None, readings, visible)


def _found(
    device: Device,
    ledger: Ledger,
    cards: Sequence[Shown],
    readings: Mapping[CardId, Reading | None],
    host: tuple[str, Reading],
) -> BenchDevice:
    if device.name == "cpu":
        return _of_host(device, ledger, host)
    shown = _match(device, cards)
    if shown is not None:
        return _of_card(device, shown, ledger, readings)
    kind = device.name.partition(":")[0]
    reason = device.reason or (_NO_CARD if kind == "cuda" else "")
    return BenchDevice(
        device.name,
        device.label,
        "",
        usable=device.usable,
        reason=reason,
        total_bytes=device.total_bytes,
    )


def _match(device: Device, cards: Sequence[Shown]) -> Shown | None:
    """By the UUID. Without one only a single card can be meant."""
    wanted = bare_uuid(device.uuid)
    if not wanted:
        only = len(cards) == 1 and device.name == "cuda:0" and device.usable
        return cards[0] if only else None
    for each in cards:
        for one in (each, *each.instances):
            if bare_uuid(str(one.card.id)) == wanted:
                return one
    return None


def _of_host(device: Device, ledger: Ledger, host: tuple[str, Reading]) -> BenchDevice:
    name, reading = host
    total, used = reading.values.get(MEMORY_TOTAL), reading.values.get(MEMORY_USED)
    free = reading.values.get(MEMORY_FREE)
    if free is None and total is not None and used is not None:
        free = total - used
    held = {
        part.storage: part.bytes
        for thing in ledger.things.values()
        for part in thing.holds
        if part.device == "cpu"
    }
    return BenchDevice(
        "cpu",
        name or device.label,
        "H",
        total_bytes=_whole(total),
        free_bytes=_whole(free),
        tensor_bytes=sum(held.values()),
        others_bytes=_others(total, free, sum(held.values())),
    )


def _of_card(
    device: Device,
    shown: Shown,
    ledger: Ledger,
    readings: Mapping[CardId, Reading | None],
) -> BenchDevice:
    card = shown.card
    reading = readings.get(card.id)
    values = {} if reading is None else reading.values
    known = values.get(MEMORY_TOTAL)
    total = known or float(device.total_bytes or 0) or float(card.memory_bytes or 0)
    used = values.get(MEMORY_USED)
    memory = ledger.memory.get(device.name)
    # Of a card that was not used yet, only the driver can tell.
    free = None if used is None else total - used
    if memory is not None:
        total = memory.total_bytes or total
        free = memory.free_bytes if memory.free_bytes is not None else free
    return BenchDevice(
        device.name,
        card.name,
        shown.number,
        shown.colour,
        card.id,
        device.usable,
        device.reason or _numbering(device.name, shown),
        _whole(total),
        _whole(free),
        0 if memory is None else memory.context_bytes,
        0 if memory is None else memory.reserved_bytes,
        0 if memory is None else memory.tensors_bytes,
        ledger.unnamed_bytes(device.name),
        _others(total, free, _ours(memory)),
        modelled=card.simulated,
    )


def _numbering(name: str, shown: Shown) -> str:
    """PyTorch and the driver may count the same cards in another order."""
    number = name.partition(":")[2]
    if not number or number == shown.number:
        return ""
    return f"PyTorch's {name} is card {shown.number} of nvidia-smi and of this window."


def _left_out(
    left: Sequence[Shown],
    ledger: Ledger,
    hello: Hello | None,
    readings: Mapping[CardId, Reading | None],
    visible: Sequence[int] | None,
) -> Sequence[BenchDevice]:
    """Cards that this PyTorch cannot use stand there still, with the reason."""
    found = []
    for shown in left:
        hidden = visible is not None and shown.card.index not in visible
        whole = _of_card(Device("", shown.card.name), shown, ledger, readings)
        found.append(
            BenchDevice(
                "",
                whole.label,
                whole.chip,
                whole.colour,
                whole.card,
                usable=False,
                reason=_why_left_out(hello, hidden=hidden),
                total_bytes=whole.total_bytes,
                free_bytes=whole.free_bytes,
                others_bytes=whole.others_bytes,
                modelled=whole.modelled,
            )
        )
    return found


def _why_left_out(hello: Hello | None, *, hidden: bool) -> str:
    if hidden:
        return "It is not among the cards that the lab may see."
    if hello is not None and hello.build == "CPU":
        return "Your PyTorch is a build for the processor only."
    if hello is not None:
        return "This PyTorch does not offer it."
    return "CUDA gives it no number."


def _ours(memory: Memory | None) -> int:
    if memory is None:
        return 0
    return (memory.reserved_bytes or 0) + (memory.context_bytes or 0)


def _others(total: float | None, free: float | None, ours: int) -> int | None:
    if total is None or free is None:
        return None
    return max(0, round(total - free) - ours)


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)
