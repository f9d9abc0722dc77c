"""BenchDevice: all that the lab shows of one device, and how it is put together."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.metrics import MEMORY_FREE, MEMORY_TOTAL, MEMORY_USED, MetricId
from gpuexplorer.core.words import NOTHING, Message, tr
from gpuexplorer.gui.cards.faces import Shown
from gpuexplorer.gui.state.lab.card_match import (
    Match,
    Reason,
    left_out,
    lost,
    matches,
    stands_for_none,
    without_kernels,
)
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.lab.events import Device, Hello, Memory
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.facts import Reading


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
    hello, on_host = ledger.hello, partial(_of_host, ledger=ledger, host=host)
    on_card = partial(_of_card, ledger=ledger, readings=readings)
    meant: Mapping[str, Match] = {}
    if hello is None:
        found = [on_host(Device("cpu", ""))]
        for number, each in enumerate(_expected(cards, visible)):
            found.append(on_card(Device(f"cuda:{number}", each.card.name), each, done_at))
    else:
        found, meant = [], matches(hello, cards)
        for device in hello.devices:
            match = meant.get(device.name, Match())
            if match.card is not None:
                shown = on_card(device, match.card, done_at)
                found.append(_as_matched(shown, device, match, hello, cards, driver))
            elif device.name == "cpu":
                found.append(on_host(device))
            elif not (cards and stands_for_none(device)):
                found.append(_other(device, match))
    seen = {each.card for each in found}
    for each in cards:
        if not seen.intersection(one.card.id for one in (each, *each.instances)):
            # A card that this PyTorch cannot use stands there still, with the reason.
            hidden = visible is not None and each.card.index not in visible
            why = left_out(each, hello, list(meant.values()), cards, driver, hidden=hidden)
            found.append(_unusable(on_card(Device("", each.card.name), each), why))
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


def _as_matched(
    found: BenchDevice,
    device: Device,
    match: Match,
    hello: Hello,
    cards: Sequence[Shown],
    driver: str | None,
) -> BenchDevice:
    """What is to be known of it beside its numbers."""
    if found.way_out:  # it is lost
        return found
    if not device.usable and device.capability is not None:
        # Copies work: it can be chosen for them, and PyTorch has the last word.
        way_out = without_kernels(hello, cards, driver)
        return replace(
            found, usable=True, computes=False, reason=device.reason, way_out=way_out
        )
    return replace(found, reason=match.why) if match.why else found


def _of_host(device: Device, ledger: Ledger, host: tuple[str, Reading]) -> BenchDevice:
    name, reading = host
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
    device: Device,
    shown: Shown,
    done_at: float = math.inf,
    *,
    ledger: Ledger,
    readings: Mapping[CardId, Reading | None],
) -> BenchDevice:
    card = shown.card
    reading = readings.get(card.id)
    values = {} if reading is None else reading.values
    known = values.get(MEMORY_TOTAL)
    total = known or float(device.total_bytes or 0) or float(card.memory_bytes or 0)
    memory = ledger.memory.get(device.name)
    # Of a card that was not used yet, only the driver can tell.
    free = _free(values, total)
    if memory is not None:
        total = memory.total_bytes or total
        newer = reading is not None and reading.at > done_at and free is not None
        if memory.free_bytes is not None and not newer:
            free = memory.free_bytes
    gone = lost(CardState.WORKING if reading is None else reading.state)
    return BenchDevice(
        device.name,
        card.name,
        shown.number,
        shown.colour,
        card.id,
        usable=device.usable and not gone.why,
        reason=gone.why or device.reason or _numbering(device.name, shown),
        way_out=gone.way_out,
        total_bytes=_whole(total),
        free_bytes=_whole(free),
        context_bytes=0 if memory is None else memory.context_bytes,
        cache_bytes=0 if memory is None else memory.reserved_bytes,
        tensor_bytes=0 if memory is None else memory.tensors_bytes,
        others_bytes=_others(total, free, _ours(memory)),
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


def _unusable(whole: BenchDevice, because: Reason) -> BenchDevice:
    return replace(
        whole,
        usable=False,
        reason=because.why,
        way_out=because.way_out,
        context_bytes=None,
        cache_bytes=None,
        tensor_bytes=None,
    )


def _label(device: Device) -> str:
    """A card's name stays as it is."""
    return tr(device.label) if isinstance(device.label, Message) else device.label


def _free(values: Mapping[MetricId, float], total: float) -> float | None:
    """The driver keeps a part for itself, which is neither used nor free."""
    free, used = values.get(MEMORY_FREE), values.get(MEMORY_USED)
    return free if free is not None or used is None else total - used


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


Devices = Mapping[str, BenchDevice]  # by PyTorch's names now, and by the cards' UUIDs


def chip_of(device: str, devices: Devices, card: str = "") -> Chip:
    """H for the host; the number of a card in its colour. The card it was then counts."""
    known = devices.get(card or device)
    if known is not None:
        return Chip(known.chip or device, known.colour)
    return Chip("H" if device == "cpu" else device.partition(":")[2] or device, None)
