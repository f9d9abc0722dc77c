"""Figure: one measured thing as a person reads it, or the word that stands in its place. Facts:
all that is known of a card, as in nvidia-smi -q; and what of it shares a plot.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardKind
from gpuexplorer.core.metrics import METRICS, Metric, MetricId, Unit, metrics_of
from gpuexplorer.core.units import USUAL, Units, part_of_memory, quantity, ratio, trimmed
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.reasons import short_reasons
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.pcie_link import (
    at_work,
    lanes_missing,
    link_now,
    link_speed,
    link_words,
)

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
# Keys of the groups, as metrics.csv has them; translated, their titles.
PCIE = mark("PCIe")
_SILICON, _PLACE = mark("Silicon"), mark("Place")
_HEALTH, _SOFTWARE = mark("Health"), mark("Software")
FOLDED = mark("Each NVLink")  # long and rarely read: opened on asking
NOTE = "note"  # a sentence on a whole group, its last fact
_GROUPS = (_SILICON, _PLACE, PCIE, mark("Limits"), _HEALTH, _SOFTWARE)
PCIE_METRICS = frozenset(each for each in METRICS if each.startswith("pcie_"))
_TOLD_TOGETHER = frozenset(each for each in PCIE_METRICS if METRICS[each].group != PCIE)


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


class HowTo(NamedTuple):
    """How what a fact says can be changed, and what one types into a terminal for it."""

    title: str
    sentences: Sequence[str]
    commands: Sequence[tuple[str, str]]  # what it does, and the line


@dataclass(frozen=True, slots=True)
class Fact:
    """One thing that is known of a card, or the word that says why it is not."""

    key: str  # lasting: what is selected stays selected
    label: str
    value: str = ""
    unit: str = ""
    absent: str = ""  # why there is no value
    hint: str = ""  # what it means, where nvidia-smi shows the same, why it is missing
    tone: Tone = Tone.TEXT

    @property
    def read(self) -> str:
        """ "280 W"; of a note its sentence."""
        said = self.value or self.absent or tr("not reported")
        return self.label if self.key == NOTE else f"{said} {self.unit}".rstrip()

    @property
    def line(self) -> str:
        """ "Power limit: 280 W" """
        return self.read if self.key == NOTE else f"{self.label}: {self.read}"


# By the keys of their groups; translated, those are the headings.
Facts = Mapping[str, Sequence[Fact]]


def card_facts(
    card: Card,
    source: Source,
    reading: Reading,
    units: Units,
    of_the_past: Sequence[Fact] = (),
    *,
    instances: int = 0,
    parent: str = "",
) -> Facts:
    """Each metric once. `parent`: the number of the card that an instance is a part of."""
    reading = with_size(reading, card.memory_bytes)
    keys = (*_GROUPS, *(each.group for each in METRICS.values()))
    found: dict[str, list[Fact]] = {key: [] for key in keys}
    for group, key, label, value, *told in _rows(card, source, instances, parent):
        found[group].append(Fact(key, label, value, hint="\n".join(told)))
    found[_HEALTH] += of_the_past
    if not card.memory_shared:
        found[PCIE] += (_speed(reading, *link) for link in _LINKS)
    own = metrics_of(card) - (PCIE_METRICS if card.memory_shared else _TOLD_TOGETHER)
    for metric in METRICS.values():
        if metric.id in own:
            found[metric.group].append(metric_fact(reading, metric.id, units))
    sentence, mendable = link_words(card, reading)
    if sentence:
        tone = Tone.WARN if mendable else Tone.QUIET
        found[PCIE].append(Fact(NOTE, tr(sentence), tone=tone))
    return {key: facts for key, facts in found.items() if facts}


def metric_fact(reading: Reading, metric: MetricId, units: Units) -> Fact:
    read, hint = figure(reading, metric, units), explained(METRICS[metric])
    if not read.known:
        hint = f"{read.hint}\n{hint}"
    held = metric in m.GRAVE and reading.values.get(metric)
    tone = Tone.WARN if held else Tone.TEXT
    absent = "".join(read.absent[:1])
    return Fact(metric, read.label, read.number, read.unit, absent, hint, tone)


def explained(metric: Metric) -> str:
    """What it means, and where nvidia-smi shows the same, in its own words."""
    return tr(metric.meaning) + (f"\nnvidia-smi: {metric.smi}" if metric.smi else "")


def _rows(card: Card, source: Source, instances: int, parent: str) -> Iterable[Sequence[str]]:
    """Group, key, label, value, what it means, and what nvidia-smi calls it."""
    mig, named = card.kind is CardKind.MIG, not card.nameless
    yield _SILICON, "name", tr("Model"), card.name if named else ""
    yield _SILICON, "architecture", tr("Architecture"), card.architecture
    known = ".".join(map(str, card.compute_capability or ()))
    hint = tr("Which instructions the chip knows; PyTorch's builds name it sm_75 for 7.5.")
    smi = "nvidia-smi: compute_cap"
    yield _SILICON, "compute_capability", tr("Compute capability"), known, hint, smi
    cuda = tr(card.cuda_reason) or tr("none")
    if card.cuda_index is not None:
        cuda = f"cuda:{card.cuda_index}"
    hint = tr(
        "The number CUDA and PyTorch give it here and now; it depends on "
        "CUDA_VISIBLE_DEVICES and CUDA_DEVICE_ORDER."
    )
    yield _PLACE, "cuda", tr("CUDA number"), cuda, hint
    label = tr("Number in its card") if mig else tr("Driver's number")
    hint = tr("In the order of the PCIe bus; the next start of the computer may change it.")
    yield _PLACE, "index", label, str(card.index), hint, "nvidia-smi: index"
    if mig:
        yield _PLACE, "parent", tr("Part of"), tr("card {number}", number=parent)
    if instances:
        yield _PLACE, "instances", tr("MIG instances"), str(instances)
    bus = card.bus_id or (tr("that of its card") if mig else "")
    hint = tr("Domain, bus, device and function.")
    yield _PLACE, "bus", tr("PCI address"), bus, hint, "nvidia-smi: pci.bus_id"
    hint = tr("Its permanent name, the same after every restart and in every slot.")
    yield _PLACE, "uuid", tr("UUID"), card.id if named else "", hint, "nvidia-smi: uuid"
    unknown = tr("none: simulated") if source.simulated else ""
    yield _SOFTWARE, "source", tr("Read through"), tr(source.label)
    driver, smi = source.driver_version or unknown, "nvidia-smi: driver_version"
    yield _SOFTWARE, "driver", tr("Driver"), driver, smi
    hint = tr("The newest that it can run; PyTorch brings its own, up to this one.")
    cuda = source.cuda_version or unknown
    yield _SOFTWARE, "cuda_version", tr("CUDA of the driver"), cuda, hint
    for name, value in source.facts.items():
        yield _SOFTWARE, f"source.{name}", tr(name), tr(value) or unknown


_LINKS = (
    ("link_now", mark("Link now"), m.PCIE_GENERATION, m.PCIE_WIDTH),
    ("link_here", mark("Highest here"), m.PCIE_GENERATION_MAX),
    ("link_card", mark("The card could"), m.PCIE_GENERATION_CARD, m.PCIE_WIDTH_MAX),
    ("link_slot", mark("The slot could"), m.PCIE_GENERATION_SLOT, m.PCIE_WIDTH_SLOT),
)


def _speed(reading: Reading, key: str, label: str, *metrics: MetricId) -> Fact:
    """A generation, and lanes where they are told too."""
    speed = link_speed(reading, *metrics)
    parts = [metric_fact(reading, metric, USUAL) for metric in metrics]
    hint = "\n".join(part.hint for part in parts)
    return Fact(key, tr(label), speed.text, "", parts[0].absent, hint)


# Metrics of one unit share a plot, whose title their rows say. From the top down:
PLOTS = (
    "Utilisation",
    "Memory",
    "Swap",
    "Power",
    "Temperature",
    "Degrees left",
    "Clocks",
    "PCIe",
    "NVLink",
    "Fans",
    "Fan turns",
    "P-state",
    "Why clocks are lower",
    "Time with lower clocks",
    "Energy",
    "PCIe generation",
    "PCIe lanes",
    "NVLink state",
    "Pending repairs",
    "Counters",
)

_USUAL = (
    m.CPU_UTILIZATION,
    m.SWAP_USED,
    m.GPU_UTILIZATION,
    m.MEMORY_UTILIZATION,
    m.MEMORY_USED,
    m.POWER_DRAW,
    m.TEMPERATURE,
    m.MEMORY_TEMPERATURE,
    m.CLOCK_SM,
    # Not the memory's: it is several times as high, and flattens the others.
    m.CLOCK_VIDEO,
    m.PCIE_RECEIVE,
    m.PCIE_TRANSMIT,
)


def offered(card: Card) -> Sequence[MetricId]:
    """All that can be plotted of this card, in the order of the families."""
    # A chip beside the processor reports placeholders for a PCIe link it does not have.
    own = metrics_of(card) - (PCIE_METRICS if card.memory_shared else frozenset())
    return [metric for metrics in grouped(own).values() for metric in metrics]


def usual(card: Card, reading: Reading) -> Sequence[MetricId]:
    """What is plotted until somebody chooses, without what this card will never tell."""
    there = offered(card)
    asked = [metric for metric in _USUAL if metric in there]
    never = {metric for metric, absence in reading.missing.items() if absence.lasting}
    chosen = [metric for metric in asked if metric not in never] or asked
    if card.nvlinks and reading.values.get(m.NVLINK_ACTIVE) != 0:
        return [*chosen, m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT]
    # Seven plots fill a screen; who wants more chooses.
    return [*chosen, m.FAN_SPEED] if card.fans else chosen


def grouped(metrics: Collection[MetricId]) -> Mapping[str, Sequence[MetricId]]:
    """The plots that show these, by title, each with its lines in the catalogue's order."""
    lines: dict[str, list[MetricId]] = {title: [] for title in PLOTS}
    for metric in METRICS.values():
        if metric.id in metrics and metric.plot in lines:
            lines[metric.plot].append(metric.id)
    return {title: found for title, found in lines.items() if found}
