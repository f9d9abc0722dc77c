"""Figure: one measured thing as a person reads it, or the word that stands in its place.
MemoryPicture: whose a card's memory is, as far as anybody tells.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.core.units import Quantity, Units, part_of_memory, quantity, ratio, trimmed
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.pcie_link import at_work, lanes_missing, link_now, link_speed

_SAME = 1 / 1000  # readings of programs and of the whole are not of the same instant
_NAMES_SAID = 3
NEAR_HEAT_LIMIT = 4.0  # degrees
_CLEARLY_MORE = 1.25
_NUMBER = "\0"
# What a figure is out of: the first that is known.
_LIMITS: dict[MetricId, Sequence[MetricId]] = {
    m.POWER_DRAW: (m.POWER_LIMIT,),
    m.TEMPERATURE: (m.TEMPERATURE_MAX, m.TEMPERATURE_SLOWDOWN),
    m.CLOCK_SM: (m.CLOCK_SM_MAX,),
    m.MEMORY_USED: (m.MEMORY_TOTAL,),
    m.MEMORY_FREE: (m.MEMORY_TOTAL,),
    m.MEMORY_RESERVED: (m.MEMORY_TOTAL,),
    m.BAR1_USED: (m.BAR1_TOTAL,),
    m.SWAP_USED: (m.SWAP_TOTAL,),
}


@dataclass(frozen=True, slots=True)
class Figure:
    """A number with its unit and what it is out of; or, without one, a word that says why."""

    label: str
    number: str = ""
    unit: str = ""
    limit: str = ""  # "280": what there could be, or the whole
    absent: tuple[str, ...] = ()
    hint: str = ""  # what it means, and why it is missing
    tone: Tone = Tone.TEXT
    short_label: str = ""  # where the unit alone does not say what it is
    brief: str = ""  # what to call it in a narrow place when it is missing

    @property
    def known(self) -> bool:
        return not self.absent

    @property
    def value(self) -> str:
        """ "279 of 280 W"; empty where it is not known."""
        lead, rest = around_number(self.limit, self.unit)
        return f"{lead}{self.number}{rest}" if self.known else ""

    @property
    def spoken(self) -> str:
        if not self.known:
            return tr("{label}: {reason}", label=self.label, reason=self.absent[0])
        return f"{self.label} {self.value}"

    @property
    def shorter(self) -> "Figure":
        return replace(self, limit="")


def around_number(limit: str, unit: str) -> tuple[str, str]:
    """What stands before a number and after it: "" and " of 280 W". They are drawn smaller."""
    words = f"{_NUMBER} {unit}"
    if limit:
        words = tr("{number} of {limit} {unit}", number=_NUMBER, limit=limit, unit=unit)
    lead, _, rest = words.rstrip().partition(_NUMBER)
    return lead, rest


def figure(
    reading: Reading,
    metric: MetricId,
    units: Units,
    label: str = "",
    short_label: str = "",
    brief: str = "",
) -> Figure:
    """One metric with its unit and what it is out of, or with the reason why it is missing."""
    known, value = METRICS[metric], reading.values.get(metric)
    label, hint = label or tr(known.label), tr(known.meaning)
    if value is None:
        absence = reading.missing.get(metric, Absence.NOT_YET)
        why = tr("{label}: {reason}.", label=label, reason=tr(absence.sentence))
        absent, hint = short_reasons(absence), f"{why}\n{hint}"
        return Figure(label, "", "", "", absent, hint, Tone.TEXT, short_label, brief)
    limits = (reading.values.get(each) for each in _LIMITS.get(metric, ()))
    limit = next(filter(None, limits), None)
    read, most, tone = quantity(known, value, units), "", Tone.TEXT
    if limit and known.unit is Unit.BYTES:
        read = part_of_memory(value, limit, units)
        most = trimmed(part_of_memory(limit, limit, units).number)
    elif limit:
        most = quantity(known, limit, units).number
    if limit and metric == m.TEMPERATURE and value >= limit - NEAR_HEAT_LIMIT:
        tone = Tone.WARN
    return Figure(label, read.number, read.unit, most, (), hint, tone, short_label, brief)


def pcie_figure(reading: Reading, units: Units) -> Figure:
    """Generation and lanes, and what they could be where they are less."""
    now, name = link_now(reading), tr("PCIe")
    most = link_speed(reading, m.PCIE_GENERATION_MAX, m.PCIE_WIDTH_MAX)
    if now.generation is None or now.lanes is None:
        metric = m.PCIE_GENERATION if now.generation is None else m.PCIE_WIDTH
        return figure(reading, metric, units, name, name)
    number, lanes, limit = str(now.generation), f"×{now.lanes}", ""
    if now.lanes < (most.lanes or 0):
        number, lanes, limit = f"{number} {lanes}", "", f"×{most.lanes}"
    elif now.generation < (most.generation or 0):
        limit = str(most.generation)
    tone = Tone.WARN if at_work(reading.values) and lanes_missing(reading) else Tone.TEXT
    hint = tr(METRICS[m.PCIE_GENERATION].meaning)
    return Figure(name, number, lanes, limit, (), hint, tone, name)


def busier_way(
    reading: Reading, units: Units, ways: tuple[MetricId, MetricId], brief: str
) -> Figure:
    """One way, and which: every other place has rates one way too, and two do not fit."""
    comes, goes = (reading.values.get(way, 0.0) for way in ways)
    # In unless it is clear: the word must not change at every reading.
    metric = ways[1] if goes > comes * _CLEARLY_MORE else ways[0]
    label = tr(METRICS[metric].label)
    return figure(reading, metric, units, label, label, brief)


def with_size(reading: Reading, total_bytes: int | None) -> Reading:
    """How much memory it has was reported when it was met, and holds while it is silent."""
    if reading.values.get(m.MEMORY_TOTAL) or not total_bytes:
        return reading
    values = {**reading.values, m.MEMORY_TOTAL: float(total_bytes)}
    return reading._replace(values=values)


class MemoryFace(NamedTuple):
    """The bar: shares of the whole, None where they are not known."""

    figure: Figure
    used: float | None
    reserved: float
    parts: tuple[Figure, ...]  # used, reserved: what the colours mean
    total_bytes: float | None = None
    scale: str = ""  # "24 GiB", at the top of its trace


def memory_face(reading: Reading, total_bytes: int | None, units: Units) -> MemoryFace:
    """What is used out of all there is; the card's own size where the driver reports none."""
    reading = with_size(reading, total_bytes)
    used, total = reading.values.get(m.MEMORY_USED), reading.values.get(m.MEMORY_TOTAL)
    shown, reserved = figure(reading, m.MEMORY_USED, units, tr("Memory")), m.MEMORY_RESERVED
    if used is None or not total:
        return MemoryFace(shown, None, 0.0, (), total)
    hint = tr("{share} used. {meaning}", share=ratio(used / total), meaning=shown.hint)
    parts = [replace(shown, label=tr("used"), limit="")]
    if reserved in reading.values:
        parts.append(figure(reading, reserved, units, tr("reserved")).shorter)
    share, scale = reading.values.get(reserved, 0.0) / total, f"{shown.limit} {shown.unit}"
    return MemoryFace(
        replace(shown, hint=hint), used / total, share, tuple(parts), total, scale
    )


# What a part is, and so how it is drawn; there are others.
PROGRAMS = mark("Programs")  # used by programs that name themselves
USED = mark("Used")  # used, and nobody told by whom
RESERVED = mark("Reserved")


class MemoryPart(NamedTuple):
    """One stretch of the bar with its entry below it. Shares are of the whole bar."""

    kind: str
    label: str
    amount: Quantity
    share: float
    remark: str
    programs: Sequence[tuple[float, str]] = ()  # what each of them has of it

    @property
    def spoken(self) -> str:
        return tr("{label} {amount}, {remark}", **self._asdict())


class MemoryPicture(NamedTuple):
    """The bar and its words. Without a figure, `sentence` says why there is none."""

    figure: Figure
    parts: Sequence[MemoryPart] = ()
    sentence: str = ""

    @property
    def spoken(self) -> str:
        used = tr("{amount} used", amount=self.figure.value)
        said = [f"{each}." for each in (used, *(part.spoken for part in self.parts))]
        return " ".join([*(said if self.figure.known else ()), self.sentence]).rstrip()


def memory_picture(
    card: Card,
    reading: Reading,
    programs: Sequence[tuple[str, float | None]] | None,
    units: Units,
    host: Reading | None = None,
) -> MemoryPicture:
    """`programs` is None where nobody can tell who uses the card. `host` is the computer's
    memory, for itself and for a chip that works in it.
    """
    values = (reading := host or reading).values
    used_by, free_for, sentence = tr("by whom is not reported"), tr("for anyone"), ""
    if card.memory_shared:
        used_by, free_for = tr("by the computer and the card"), tr("for either")
        sentence = tr("The card uses the computer's memory and has none of its own.")
    elif host:
        used_by, free_for = tr("by programs and the system"), tr("for anyone, caches included")
    face = memory_face(reading, None if host else card.memory_bytes, units)
    used, total = values.get(m.MEMORY_USED), face.total_bytes
    if used is None or not total:
        metric = m.MEMORY_USED if used is None else m.MEMORY_TOTAL
        shown = figure(reading, metric, units, tr("Memory"))
        return MemoryPicture(shown, (), sentence or shown.hint.partition("\n")[0])
    free = total - used if host else values.get(m.MEMORY_FREE)
    reserved = values.get(m.MEMORY_RESERVED)
    stated = used + (free or 0.0) + (reserved or 0.0)
    bar, parts = max(total, stated), list[MemoryPart]()

    def add(kind: str, size: float | None, remark: str, label: str = "") -> None:
        if size is not None:  # amounts are in the unit of the total
            amount, label = part_of_memory(size, total, units), label or tr(kind)
            parts.append(MemoryPart(kind, label, amount, size / bar, remark))

    users = [(size, name) for name, size in programs or () if size]
    users.sort(reverse=True)
    if by_name := sum(size for size, _ in users):
        names = list(dict.fromkeys(name for _, name in users))
        remark = ", ".join(names[:_NAMES_SAID])
        if more := len(names[_NAMES_SAID:]):
            remark = tr("{names} and {count} more", names=remark, count=more)
        add(PROGRAMS, min(used, by_name), remark)
        if by_name <= used:  # else some share it, or were read a moment later
            sizes = ((size, f"{e}: {part_of_memory(size, total, units)}") for size, e in users)
            each = [(size / bar, words) for size, words in sizes]
            parts[0] = parts[0]._replace(programs=each)
        used_by = tr("by no named program")
    elif programs:
        used_by = tr("by programs whose share is not reported")
    elif programs is not None:
        used_by = tr("no program is listed")
    if used > by_name or not by_name:
        add(USED, used - by_name, used_by, tr("Other used") if by_name else "")
    add(RESERVED, reserved, tr("by the driver"))
    add(mark("Free"), free, free_for)
    if (left := total - stated) > total * _SAME:
        add(mark("Not explained"), left, tr("in no figure of the driver"))
    elif left < -total * _SAME:
        sentence = tr("The driver's figures add up to more than the card has.")
    if card.kind is not CardKind.MIG and values.get(m.MIG_MODE):
        sentence = sentence or tr("MIG is on: its instances have shares of this memory.")
    return MemoryPicture(face.figure, parts, sentence)
