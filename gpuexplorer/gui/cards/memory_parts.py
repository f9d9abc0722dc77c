"""MemoryPicture: a card's memory as one stacked bar: whose it is, as far as anybody tells."""

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.units import Quantity, Units, part_of_memory
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.figure import Figure, figure, memory_face
from gpuexplorer.telemetry.facts import Reading

# Readings of programs and of the whole are not of the same instant.
_SAME = 1 / 1000
_NAMES_SAID = 3


class PartKind(Enum):
    """What a part is, and so how it is drawn."""

    PROGRAMS = mark("Programs")  # used by programs that name themselves
    USED = mark("Used")  # used, and nobody told by whom
    RESERVED = mark("Reserved")
    FREE = mark("Free")
    UNEXPLAINED = mark("Not explained")  # in none of the driver's figures


class MemoryUser(NamedTuple):
    """One program on the card; None where its memory is not told."""

    name: str
    memory_bytes: float | None


class Slice(NamedTuple):
    """What one program has of a part."""

    name: str
    share: float
    amount: Quantity


class MemoryPart(NamedTuple):
    """One stretch of the bar with its entry below it. Shares are of the whole bar."""

    kind: PartKind
    label: str
    amount: Quantity
    share: float
    remark: str
    slices: tuple[Slice, ...] = ()

    @property
    def spoken(self) -> str:
        return tr(
            "{label} {amount}, {remark}",
            label=self.label,
            amount=self.amount,
            remark=self.remark,
        )


class MemoryPicture(NamedTuple):
    """The bar and its words. Without a figure, `sentence` says why there is none."""

    figure: Figure
    parts: tuple[MemoryPart, ...] = ()
    sentence: str = ""

    @property
    def spoken(self) -> str:
        used = tr("{amount} used", amount=self.figure.value)
        said = [f"{each}." for each in (used, *(part.spoken for part in self.parts))]
        return " ".join([*(said if self.figure.known else ()), self.sentence]).rstrip()


def memory_picture(
    card: Card,
    reading: Reading,
    programs: Sequence[MemoryUser] | None,
    units: Units,
    host: Reading | None = None,
) -> MemoryPicture:
    """`programs` is None where nobody can tell who uses the card. The driver's figures are
    drawn as they are: where they do not add up, nothing is made up to fill the gap. `host` is
    the computer's memory, for itself and for a chip that works in it.
    """
    reading = host or reading
    values, used_by, free_for = reading.values, tr("by whom is not reported"), tr("for anyone")
    sentence = ""
    if card.memory_shared:
        used_by, free_for = tr("by the computer and the card"), tr("for either")
        sentence = tr("The card uses the computer's memory and has none of its own.")
    elif host:
        used_by, free_for = tr("by programs and the system"), tr("for anyone, caches included")
    total = values.get(m.MEMORY_TOTAL) or (None if host else card.memory_bytes)
    used, free = values.get(m.MEMORY_USED), values.get(m.MEMORY_FREE)
    shown = memory_face(reading, None if host else card.memory_bytes, units).figure
    if used is None or not total:
        metric = m.MEMORY_USED if used is None else m.MEMORY_TOTAL
        shown = figure(reading, metric, units, tr("Memory"))
        return MemoryPicture(shown, (), sentence or shown.hint.partition("\n")[0])
    if host:
        free = total - used
    reserved = values.get(m.MEMORY_RESERVED)
    stated = used + (free or 0.0) + (reserved or 0.0)
    bar = max(total, stated)  # amounts are in the unit of the total

    def part(
        kind: PartKind, size: float, remark: str, slices: Sequence[Slice] = (), label: str = ""
    ) -> MemoryPart:
        amount, label = part_of_memory(size, total, units), label or tr(kind.value)
        return MemoryPart(kind, label, amount, size / bar, remark, tuple(slices))

    users = [(each.name, each.memory_bytes) for each in programs or () if each.memory_bytes]
    users.sort(key=lambda user: -user[1])
    by_name, parts = sum(size for _, size in users), []
    if by_name:
        slices = [Slice(e, size / bar, part_of_memory(size, total, units)) for e, size in users]
        names = list(dict.fromkeys(name for name, _ in users))
        remark = ", ".join(names[:_NAMES_SAID])
        if more := len(names[_NAMES_SAID:]):
            remark = tr("{names} and {count} more", names=remark, count=more)
        # Those that share some of it, or were read a moment later, cannot be told apart.
        apart = slices if by_name <= used else ()
        parts.append(part(PartKind.PROGRAMS, min(used, by_name), remark, apart))
        used_by = tr("by no named program")
    elif programs:
        used_by = tr("by programs whose share is not reported")
    elif programs is not None:
        used_by = tr("no program is listed")
    if used > by_name or not by_name:
        label = tr("Other used") if by_name else ""
        parts.append(part(PartKind.USED, used - by_name, used_by, label=label))
    if reserved is not None:
        parts.append(part(PartKind.RESERVED, reserved, tr("by the driver")))
    if free is not None:
        parts.append(part(PartKind.FREE, free, free_for))
    left = total - stated
    if left > total * _SAME:
        parts.append(part(PartKind.UNEXPLAINED, left, tr("in no figure of the driver")))
    elif left < -total * _SAME:
        sentence = tr("The driver's figures add up to more than the card has.")
    if card.kind is not CardKind.MIG and values.get(m.MIG_MODE):
        sentence = sentence or tr("MIG is on: its instances have shares of this memory.")
    return MemoryPicture(shown, tuple(parts), sentence)
