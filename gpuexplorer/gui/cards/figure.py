"""Figure: one measured thing as a person reads it, or the word that stands in its place."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.core.units import Units, part_of_memory, quantity, ratio, trimmed
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.links import link_now, link_speed, slow_link
from gpuexplorer.gui.cards.reasons import explained_absence, short_reasons
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading

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
    """A number with its unit and what it is out of; or, without a number, a word that says why.
    All words are translated.
    """

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
        """For screen readers: "Power 279 of 280 W"."""
        if not self.known:
            return tr("{label}: {reason}", label=self.label, reason=self.absent[0])
        return f"{self.label} {self.value}"

    @property
    def shorter(self) -> "Figure":
        """Without what it is out of, for a narrow place."""
        return replace(self, limit="")


def around_number(limit: str, unit: str) -> tuple[str, str]:
    """What stands before a number and after it: "" and " of 280 W". They are drawn smaller."""
    if not limit:
        return "", f" {unit}" if unit else ""
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
        hint = f"{explained_absence(label, absence)}\n{hint}"
        absent = short_reasons(absence)
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
    now = link_now(reading)
    if now.generation is None or now.lanes is None:
        metric = m.PCIE_GENERATION if now.generation is None else m.PCIE_WIDTH
        return figure(reading, metric, units, tr("PCIe"), tr("PCIe"))
    most = link_speed(reading, m.PCIE_GENERATION_MAX, m.PCIE_WIDTH_MAX)
    slower = now.generation < (most.generation or 0)
    number, lanes, limit = str(now.generation), f"×{now.lanes}", f"{most.generation}"
    if now.lanes < (most.lanes or 0):
        number, lanes, limit, slower = f"{number} {lanes}", "", f"×{most.lanes}", True
    return Figure(
        tr("PCIe"),
        number,
        lanes,
        limit if slower else "",
        hint=tr(METRICS[m.PCIE_GENERATION].meaning),
        tone=Tone.WARN if slow_link(reading) else Tone.TEXT,
        short_label=tr("PCIe"),
    )


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
    shown = figure(reading, m.MEMORY_USED, units, tr("Memory"))
    if used is None or not total:
        return MemoryFace(shown, None, 0.0, (), total)
    hint = tr("{share} used. {meaning}", share=ratio(used / total), meaning=shown.hint)
    parts = (
        figure(reading, metric, units, label).shorter
        for metric, label in ((m.MEMORY_USED, tr("used")), (m.MEMORY_RESERVED, tr("reserved")))
        if metric in reading.values
    )
    return MemoryFace(
        replace(shown, hint=hint),
        used / total,
        reading.values.get(m.MEMORY_RESERVED, 0.0) / total,
        tuple(parts),
        total,
        f"{shown.limit} {shown.unit}",
    )
