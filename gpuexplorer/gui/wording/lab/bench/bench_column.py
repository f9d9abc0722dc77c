"""ColumnFace: what stands at the head, beside and at the foot of one device's column."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from gpuexplorer.core.metric import Unit
from gpuexplorer.core.units import USUAL, Quantity, Units, measure, memory, plain
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_STEPS = (1, 2, 4, 5, 6, 8, 10)
_MOST_TICKS = 5
_ROOM = 1.1
_LEAST = 0.25


class Level(Enum):
    """One stretch of a gauge, and how it is filled."""

    TENSORS = "tensors"
    CACHE = "cache"
    CONTEXT = "context"
    OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Stretch:
    """Shares of the whole, from below."""

    level: Level
    share: float


@dataclass(frozen=True, slots=True)
class Row:
    """One line at the foot; `amount` None: it is not known."""

    level: Level
    label: str
    amount: Quantity | None
    indented: bool = False
    short: str = ""  # the label where it is narrow


@dataclass(frozen=True, slots=True)
class ColumnFace:
    """Nothing in it but what is written and drawn."""

    device: str
    title: str
    label: str
    chip: str
    colour: int | None
    host: bool
    usable: bool
    computes: bool  # else it only takes copies
    free: Quantity | None
    no_free: str  # in its place
    total_bytes: int | None
    stretches: tuple[Stretch, ...]  # the lowest first
    ticks: tuple[tuple[float, str], ...]  # where, as a share of the whole
    rows: tuple[Row, ...]
    reason: str = ""
    way_out: str = ""
    footnotes: tuple[str, ...] = ()  # at falling length

    @property
    def facts(self) -> tuple[str, ...]:
        """What it is, what is free on it, and what stands at its foot."""
        free = tr("{amount} free", amount=self.free) if self.free else self.no_free
        rows = [f"{each.label} {each.amount or tr('not known')}" for each in self.rows]
        return tuple(each for each in (self.label, free, *rows) if each)

    @property
    def lines(self) -> tuple[str, ...]:
        """One below the other, on asking."""
        return tuple(each for each in (*self.facts, self.reason, self.way_out) if each)

    @property
    def spoken(self) -> str:
        said = (f"{', '.join(self.facts)}.", self.reason, self.way_out)
        return " ".join(each for each in said if each)


def column_face(
    device: BenchDevice, units: Units, footnotes: tuple[str, ...] = ()
) -> ColumnFace:
    total = device.total_bytes
    meta = device.name == "meta"
    return ColumnFace(
        device.name,
        device.name or tr("Card {number}", number=device.chip),
        device.label.removeprefix("NVIDIA "),
        device.chip,
        device.colour,
        device.is_host,
        device.usable,
        device.computes,
        None if device.free_bytes is None else memory(device.free_bytes, units),
        tr("shapes without values") if meta else tr("free memory is not known"),
        total,
        _stretches(device),
        _ticks(total, units) if total else (),
        () if meta else tuple(_rows(device, units)),
        tr(device.reason),
        tr(device.way_out),
        footnotes,
    )


def _stretches(device: BenchDevice) -> tuple[Stretch, ...]:
    total = device.total_bytes
    if not total:
        return ()
    tensors = device.tensor_bytes or 0
    rest = max(0, (device.cache_bytes or 0) - tensors)
    found = (
        (Level.OTHERS, device.others_bytes or 0),
        (Level.CONTEXT, device.context_bytes or 0),
        (Level.CACHE, rest),
        (Level.TENSORS, tensors),
    )
    return tuple(Stretch(level, size / total) for level, size in found if size)


def _rows(device: BenchDevice, units: Units) -> Sequence[Row]:
    def amount(size: int | None) -> Quantity | None:
        return None if size is None else memory(size, units)

    others = Row(Level.OTHERS, tr("Others"), amount(device.others_bytes))
    if device.is_host:
        return (Row(Level.TENSORS, tr("Tensors"), amount(device.tensor_bytes)), others)
    if not device.usable:
        return (others,)
    return (
        Row(Level.CACHE, tr("Cache"), amount(device.cache_bytes)),
        Row(
            Level.TENSORS,
            tr("Tensors in it"),
            amount(device.tensor_bytes),
            indented=True,
            short=tr("Tensors"),
        ),
        Row(Level.CONTEXT, tr("Context"), amount(device.context_bytes)),
        others,
    )


def _ticks(total: int, units: Units) -> tuple[tuple[float, str], ...]:
    """From 0, in even steps that are easy to read, and none above the whole."""
    scale = measure(Unit.BYTES, total, units)
    most = scale.shown(total)
    size = 1.0
    while size * 10 <= most / _MOST_TICKS:
        size *= 10
    steps = [each * size for each in _STEPS if most / (each * size) <= _MOST_TICKS - 0.5]
    step = steps[0] if steps else 10 * size
    for each in steps:
        # Where one of them ends where the scale does, that one is easiest to read.
        if most / each >= 2 and abs(most / each - round(most / each)) < 0.001:
            step = each
            break
    count = int(most / step + 0.001) + 1
    return tuple((scale.value(at * step) / total, plain(at * step)) for at in range(count))


def memory_reach(most: float, total: float | None, units: Units = USUAL) -> float:
    """The next round figure above the most that was seen, and never beyond the card."""
    one = 1e9 if units.decimal_memory else float(1 << 30)
    reach = _LEAST * one
    while reach < most * _ROOM:
        reach *= 2
    return min(reach, total) if total else reach


def reach_words(reach: float, units: Units = USUAL) -> str:
    """ "4 GiB", without the digits that a round figure does not need."""
    shown = memory(reach, units)
    number = shown.number
    if "." in number:
        number = number.rstrip("0").rstrip(".")
    return f"{number} {shown.unit}"
