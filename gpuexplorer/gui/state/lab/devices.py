"""BenchDevice: all that the lab shows of one device, how it is put together, and which card of
this window PyTorch means by it, which is never guessed.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MEMORY_FREE, MEMORY_TOTAL, MEMORY_USED
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.lab.events import Device, Hello
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.pythons import TorchBuild, suits
from gpuexplorer.lab.simulated_cards import context_bytes
from gpuexplorer.remote.stream import made_up
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.session import Session

_NOT_READ = Message(
    "None of the cards that this window reads is the one that PyTorch means by it."
)
_OTHER_MAKER = Message(
    "It works; this window reads no cards of its maker, so that nothing is plotted."
)


@dataclass(frozen=True, slots=True)
class Match:
    """`why` there is no card, or what is to be known about this one.

    `one_of`: it may be any of so many, since this PyTorch reports no UUID.
    """

    card: Shown | None = None
    why: Message = NOTHING
    one_of: int = 0


def matches(hello: Hello, cards: Sequence[Shown]) -> Mapping[str, Match]:
    """For each device that is on a card, under its name; by the UUID.

    An older PyTorch reports none. Then a card can be meant only where it is the only one, or
    the only one that is called so.
    """
    offered = [each for each in hello.devices if each.name.partition(":")[0] in _ON_CARDS]
    if hello.build.startswith("ROCm"):
        return {each.name: Match(why=_OTHER_MAKER) for each in offered}
    return {each.name: _match(each, offered, cards) for each in offered}


def stands_for_none(device: Device) -> bool:
    """A PyTorch without cards says why of a "cuda:0" that it has not."""
    return not device.usable and not device.uuid and device.capability is None


def bare_uuid(text: str) -> str:
    """NVML says GPU- before it, PyTorch does not."""
    return text.lower().removeprefix("gpu-").removeprefix("mig-")


_ON_CARDS = ("cuda", "xpu", "mps")


def _match(device: Device, offered: Sequence[Device], cards: Sequence[Shown]) -> Match:
    if not device.name.startswith("cuda"):
        return Match(why=_OTHER_MAKER)
    if stands_for_none(device):
        return Match()
    if device.uuid:
        every = [(one, each) for each in cards for one in (each, *each.instances)]
        wanted = bare_uuid(device.uuid)
        meant = [pair for pair in every if bare_uuid(str(pair[0].card.id)) == wanted]
        for one, card in meant:
            return _whole_or_instance(device, card) if one is card else Match(one)
        return Match(why=_NOT_READ)
    nameless = [each for each in offered if not each.uuid]
    called = [each for each in cards if each.card.name == device.label]
    twins = [each for each in nameless if each.label == device.label]
    for ours, theirs in ((cards, nameless), (called, twins)):
        if len(ours) == len(theirs) == 1:
            return _whole_or_instance(device, ours[0])
    if not called:
        return Match(why=_NOT_READ)
    why = Message(
        "This PyTorch reports no UUID, and {cards} cards here are called {label}: it is not "
        "known which of them {name} is.",
        cards=len(called),
        label=device.label,
        name=device.name,
    )
    return Match(why=why, one_of=len(called))


def _whole_or_instance(device: Device, shown: Shown) -> Match:
    """PyTorch may name the card of the one instance that it was given."""
    if len(shown.instances) < 2:
        return Match((*shown.instances, shown)[0])
    why = Message(
        "{name} is one of the {instances} instances of card {number}; PyTorch does not say "
        "which.",
        name=device.name,
        instances=len(shown.instances),
        number=shown.number,
    )
    return Match(shown, why)


_OTHER_PYTHON = Message("Choose another Python of the lab, or install another PyTorch into it.")


Reason = tuple[Message, Message]  # why, and what to do about it; empty where nothing is said


def _left_out(
    shown: Shown,
    hello: Hello | None,
    found: Sequence[Match],
    cards: Sequence[Shown],
    driver: str | None,
    *,
    hidden: bool,
) -> Reason:
    """For a card that is none of PyTorch's devices. `found` are those that are."""
    if hidden:
        return (
            Message("It is not among the cards that the lab may see."),
            Message("Release the cards, then choose it among the visible ones."),
        )
    if hello is None:
        why = shown.card.cuda_reason
        said = Message("CUDA gives it no number.")
        if why:
            said = Message("CUDA gives it no number ({why}).", why=why)
        return said, Message("When the lab has started, PyTorch says more.")
    if hello.build == "CPU":
        why = Message("Your PyTorch is a build for the processor only.")
        return why, _advice(hello, cards, driver)
    if not hello.build.startswith("CUDA"):
        why = Message("This PyTorch is built for {build}.", build=hello.build)
        return why, _advice(hello, cards, driver)
    for each in hello.devices:
        if stands_for_none(each):
            return each.reason, each.way_out
    if shown.instances:
        return (
            Message("It is split: CUDA uses its instances only, one at a time."),
            Message(
                "Start GPU Explorer with CUDA_VISIBLE_DEVICES set to the UUID of an instance."
            ),
        )
    if any(each.one_of for each in found):
        return (
            Message("It may be one of PyTorch's cards; this PyTorch does not say which."),
            Message("A newer PyTorch does."),
        )
    return Message("This PyTorch does not offer it."), _OTHER_PYTHON


_LOST: Mapping[CardState, Reason] = {
    CardState.UNLISTED: (
        Message("The driver no longer lists this card: nothing on it answers any more."),
        Message("Release the cards. It can be used again when the driver lists it."),
    ),
    CardState.LOST: (
        Message("The driver has lost this card: nothing on it answers any more."),
        Message("Release the cards. Often only a restart of the computer brings it back."),
    ),
}


def _advice(hello: Hello, cards: Sequence[Shown], driver: str | None) -> Message:
    kind, _, version = hello.build.partition(" ")
    build = TorchBuild(hello.torch, version if kind == "CUDA" else None)
    suited = suits(build, [each.card for each in cards], driver)
    if suited.install:
        return Message(
            "Install PyTorch built for CUDA {cuda} into this Python, or choose another Python "
            "of the lab.",
            cuda=suited.install,
        )
    return suited.do or _OTHER_PYTHON


@dataclass(frozen=True, slots=True)
class BenchDevice:
    """None among the bytes: it cannot be told, or the device was not used yet."""

    name: str  # as PyTorch calls it: "cpu", "cuda:0", "meta"
    label: str  # "TITAN RTX"
    chip: str  # the card's number in this window; "H" for the host, empty for others
    colour: int | None = None
    card: CardId | None = None
    usable: bool = True
    computes: bool = True  # else it only takes copies
    reason: Message = NOTHING  # why it cannot be used, or what is special about it
    way_out: Message = NOTHING  # what to do about that
    total_bytes: int | None = None
    free_bytes: int | None = None
    context_bytes: int | None = None  # what PyTorch pays before the first tensor
    cache_bytes: int | None = None  # what PyTorch keeps, its tensors included
    tensor_bytes: int | None = None
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
    done_at: float = math.inf,
    driver: str | None = None,
) -> Sequence[BenchDevice]:
    """`host` is its name and reading; `visible` the cards' indices that the lab may see;
    `done_at` when the ledger's memory was told: a newer reading knows better what is free;
    `driver` is its version.

    Before a worker has said what it offers, what can be expected of it by the cards.
    """
    hello = ledger.hello

    def on_card(device: Device, shown: Shown, at: float = math.inf) -> BenchDevice:
        return _of_card(device, shown, ledger, readings.get(shown.card.id), at)

    meant: Mapping[str, Match] = {}
    found: list[BenchDevice] = []
    if hello is None:
        found.append(_of_host(Device("cpu", ""), ledger, *host))
        for number, each in enumerate(_expected(cards, visible)):
            found.append(on_card(Device(f"cuda:{number}", each.card.name), each, done_at))
    else:
        meant = matches(hello, cards)
        for device in hello.devices:
            match = meant.get(device.name, Match())
            if match.card is not None:
                shown = on_card(device, match.card, done_at)
                if not shown.way_out:  # else it is lost
                    why = device.reason or match.why or shown.reason
                    shown = replace(shown, reason=why)
                    if not device.usable and device.capability is not None:
                        # Copies work: it can be chosen for them; PyTorch has the last word.
                        way_out = _advice(hello, cards, driver)
                        shown = replace(shown, usable=True, computes=False, way_out=way_out)
                found.append(shown)
            elif device.name == "cpu":
                found.append(_of_host(device, ledger, *host))
            elif not (cards and stands_for_none(device)):
                found.append(_other(device, match))
    seen = {each.card for each in found}
    for each in cards:
        if not seen.intersection(one.card.id for one in (each, *each.instances)):
            # A card that this PyTorch cannot use stands there still, with the reason.
            hidden = visible is not None and each.card.index not in visible
            why, way_out = _left_out(
                each, hello, list(meant.values()), cards, driver, hidden=hidden
            )
            found.append(
                replace(
                    on_card(Device("", each.card.name), each),
                    usable=False,
                    reason=why,
                    way_out=way_out,
                    context_bytes=None,
                    cache_bytes=None,
                    tensor_bytes=None,
                )
            )
    return found


def _expected(cards: Sequence[Shown], visible: Sequence[int] | None) -> Sequence[Shown]:
    if visible is not None:
        by_index = {each.card.index: each for each in cards}
        return [by_index[index] for index in visible if index in by_index]
    usable = [each for each in cards if each.card.cuda_index is not None]
    return sorted(usable, key=lambda each: each.card.cuda_index or 0)


def _other(device: Device, match: Match) -> BenchDevice:
    return BenchDevice(
        device.name,
        _label(device),
        "",
        usable=device.usable,
        reason=device.reason or match.why,
        way_out=device.way_out,
        total_bytes=device.total_bytes,
    )


def _of_host(device: Device, ledger: Ledger, name: str, reading: Reading) -> BenchDevice:
    total, used = reading.values.get(MEMORY_TOTAL), reading.values.get(MEMORY_USED)
    free = reading.values.get(MEMORY_FREE)
    if free is None and total is not None and used is not None:
        free = total - used
    held = ledger.held_bytes("cpu")
    return BenchDevice(
        "cpu",
        name or _label(device),
        "H",
        total_bytes=_whole(total),
        free_bytes=_whole(free),
        tensor_bytes=held,
        others_bytes=_others(total, free, held),
    )


def _of_card(
    device: Device, shown: Shown, ledger: Ledger, reading: Reading | None, done_at: float
) -> BenchDevice:
    card, memory = shown.card, ledger.memory.get(device.name)
    values = {} if reading is None else reading.values
    total = values.get(MEMORY_TOTAL) or device.total_bytes or float(card.memory_bytes or 0)
    # The driver keeps a part for itself, which is neither used nor free. Of a card that was
    # not used yet, only it can tell.
    free, used = values.get(MEMORY_FREE), values.get(MEMORY_USED)
    if free is None and used is not None:
        free = total - used
    ours = 0
    if memory is not None:
        total = memory.total_bytes or total
        newer = reading is not None and reading.at > done_at and free is not None
        if memory.free_bytes is not None and not newer:
            free = memory.free_bytes
        ours = (memory.reserved_bytes or 0) + (memory.context_bytes or 0)
    gone, way_out = _LOST.get(
        CardState.WORKING if reading is None else reading.state, (NOTHING, NOTHING)
    )
    return BenchDevice(
        device.name,
        card.name,
        shown.number,
        shown.colour,
        card.id,
        usable=device.usable and not gone,
        reason=gone or device.reason or _numbering(device.name, shown),
        way_out=way_out,
        total_bytes=_whole(total),
        free_bytes=_whole(free),
        context_bytes=0 if memory is None else memory.context_bytes,
        cache_bytes=0 if memory is None else memory.reserved_bytes,
        tensor_bytes=0 if memory is None else memory.tensors_bytes,
        others_bytes=_others(total, free, ours),
        modelled=card.simulated,
    )


def _numbering(name: str, shown: Shown) -> Message:
    """PyTorch and the driver may count the same cards in another order."""
    number = name.partition(":")[2]
    if not number or number == shown.number:
        return NOTHING
    return Message(
        "PyTorch's {name} is card {number} of nvidia-smi and of this window.",
        name=name,
        number=shown.number,
    )


def _label(device: Device) -> str:
    """A card's name stays as it is."""
    return tr(device.label) if isinstance(device.label, Message) else device.label


def _others(total: float | None, free: float | None, ours: int) -> int | None:
    if total is None or free is None:
        return None
    return max(0, round(total - free) - ours)


def _whole(value: float | None) -> int | None:
    return None if value is None else round(value)


Devices = Mapping[str, BenchDevice]  # by PyTorch's names now, and by the cards' UUIDs


def chip_of(device: str, devices: Devices, card: str = "") -> Chip:
    """H for the host; the number of a card in its colour. The card it was then counts."""
    known = devices.get(card or device)
    if known is not None:
        return Chip(known.chip or device, known.colour)
    return Chip("H" if device == "cpu" else device.partition(":")[2] or device, None)


def lab_devices(
    machine: MachineState,
    ledger: Ledger,
    visible: Sequence[int] | None,
    done_at: float,
    worker: int | None,
) -> Sequence[BenchDevice]:
    """What PyTorch offers, with the cards that it cannot use behind. `worker`: its process."""
    cards = machine.cards()
    every = [one for each in cards for one in (each, *each.instances)]
    readings = {each.card.id: machine.session.reading(each.card.id) for each in every}
    host = (machine.session.host.name, machine.host_reading())
    driver = machine.session.source.driver_version
    # Not where pids are those of another namespace.
    real = ledger.hello is not None and not ledger.hello.simulated
    if ledger.hello is not None and real and not machine.session.stream.elsewhere:
        meant = matches(ledger.hello, cards)
        known = {name: each.card.card.id for name, each in meant.items() if each.card}
        find_contexts(ledger, known, machine.session.process_book, worker, done_at)
    return bench_devices(ledger, cards, readings, host, visible, done_at, driver)


def lost_devices(
    machine: MachineState, devices: Callable[[], Sequence[BenchDevice]]
) -> tuple[str, ...]:
    """By PyTorch's names. `devices` is asked only where a card is lost."""
    readings = {each.card.id: machine.session.reading(each.card.id) for each in machine.cards()}
    lost = {
        card
        for card, reading in readings.items()
        if reading is not None and reading.state in (CardState.LOST, CardState.UNLISTED)
    }
    if not lost:
        return ()
    return tuple(each.name for each in devices() if each.card in lost and each.name)


def find_contexts(
    ledger: Ledger,
    cards: Mapping[str, CardId],
    book: ProcessBook,
    worker: int | None,
    done_at: float,
) -> None:
    """By the driver's figure for the worker's process, where it was told since the last cell
    was done; `cards` by the names of devices.
    """
    if worker is None or ledger.unfinished:
        return
    held = {
        each.process.card: each.process.values.get(ProcessFigure.MEMORY)
        for each in book.living()
        if each.process.pid == worker and each.resolved
    }
    for device, memory in tuple(ledger.memory.items()):
        card = cards.get(device)
        told, whole = card and book.looked_at(card), card and held.get(card)
        if told and whole and told > done_at and memory.reserved_bytes is not None:
            context = max(0, round(whole) - memory.reserved_bytes)
            ledger.memory[device] = replace(memory, context_bytes=context)


def expected_contexts(session: Session, devices: Sequence[BenchDevice]) -> Mapping[str, int]:
    """By device, of those not used yet. Simulated cards tell it; real ones learn it from an
    equal card that was used.
    """
    seen = {each.label: each.context_bytes for each in devices if each.context_bytes}
    expected = {
        each.name: seen[each.label] or 0
        for each in devices
        if each.name and not each.context_bytes and each.label in seen
    }
    backend = made_up(session.backend)
    if backend is not None:
        models = {
            card.id: backend.machine.spec.cards[card.index].model
            for card in session.cards()
            if card.index < len(backend.machine.spec.cards)
        }
        expected |= {
            each.name: context_bytes(models[each.card])
            for each in devices
            if each.name and each.card in models and not each.context_bytes
        }
    return expected
