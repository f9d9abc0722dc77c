"""Figures: what each place on a tile shows, out of a reading."""

from dataclasses import dataclass, replace
from math import inf

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import (
    Units,
    part_of_memory,
    quantity,
    rate,
    ratio,
    trimmed,
)
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.cards.pcie import slow_link
from gpuexplorer.gui.cards.reasons import explained_absence, short_reasons
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading

NEAR_HEAT_LIMIT = 4.0  # degrees
_NEARLY_FULL = 0.95
_CLEARLY_MORE = 1.25
_PCIE = (m.PCIE_RECEIVE, m.PCIE_TRANSMIT)
_NVLINK = (m.NVLINK_RECEIVE, m.NVLINK_TRANSMIT)


@dataclass(frozen=True, slots=True)
class MemoryFace:
    """The bar: shares of the whole, None where they are not known."""

    figure: Figure
    used: float | None
    reserved: float
    parts: tuple[Figure, ...]  # used, reserved: what the colours mean
    total_bytes: float | None = None
    scale: str = ""  # "24 GiB", at the top of its trace


def figure(
    reading: Reading,
    metric: MetricId,
    units: Units,
    label: str = "",
    short_label: str = "",
    brief: str = "",
) -> Figure:
    """One metric with its unit, or with its reason."""
    known = METRICS[metric]
    label = label or tr(known.label)
    value = reading.values.get(metric)
    if value is not None:
        read = quantity(known, value, units)
        return Figure(
            label,
            number=read.number,
            unit=read.unit,
            hint=tr(known.meaning),
            short_label=short_label,
        )
    absence = reading.missing.get(metric, Absence.NOT_YET)
    hint = f"{explained_absence(label, absence)}\n{tr(known.meaning)}"
    return Figure(
        label, absent=short_reasons(absence), hint=hint, short_label=short_label, brief=brief
    )


def first_figures(reading: Reading, units: Units) -> tuple[Figure, ...]:
    """Five that every tile shows, in their fixed places."""
    limits = (m.TEMPERATURE_MAX, m.TEMPERATURE_SLOWDOWN)
    return (
        # A busy card stands at its power limit; that is no reason for a warning.
        _limited(reading, units, tr("power"), m.POWER_DRAW, m.POWER_LIMIT),
        _limited(*(reading, units, tr("temp."), m.TEMPERATURE, *limits), near=NEAR_HEAT_LIMIT),
        _limited(reading, units, tr("clock"), m.CLOCK_SM, m.CLOCK_SM_MAX),
        figure(reading, m.FAN_SPEED, units, short_label=tr("fan")),
        _pcie_link(reading, units),
    )


def brief_figures(
    first: tuple[Figure, ...], reading: Reading, units: Units, nvlinks: bool
) -> tuple[Figure, ...]:
    """Six, for a tile without captions."""
    power, temperature, clock, fan, link = first
    # A card without a fan has wires that say more.
    if nvlinks and m.FAN_SPEED not in reading.values:
        fan = _busier_way(reading, units, *_NVLINK, tr("NVLink"), tr("NVLink"))
    traffic = _busier_way(reading, units, *_PCIE, tr("PCIe"), tr("traffic"))
    return (power, temperature, clock, fan, replace(link, before=""), traffic)


def more_figures(reading: Reading, units: Units, nvlinks: bool) -> tuple[Figure, ...]:
    """What is shown besides where there is room, in captions as short as their columns."""
    wires = (*_PCIE, *_NVLINK) if nvlinks else _PCIE
    labels = {
        **dict.fromkeys(wires, ""),
        m.MEMORY_TEMPERATURE: tr("Memory temp."),
        m.CLOCK_MEMORY: "",
        m.MEMORY_UTILIZATION: tr("Memory ctrl"),
        m.PERFORMANCE_STATE: "",
        m.ENERGY: "",
    }
    return tuple(figure(reading, metric, units, label) for metric, label in labels.items())


def memory_face(reading: Reading, total_bytes: int | None, units: Units) -> MemoryFace:
    """What is used out of all there is; the card's own size where the driver reports none."""
    used = reading.values.get(m.MEMORY_USED)
    total = reading.values.get(m.MEMORY_TOTAL) or total_bytes
    amount = figure(reading, m.MEMORY_USED, units, tr("Memory"))
    if used is None or not total:
        return MemoryFace(amount, None, 0.0, (), total)
    shown = _out_of(amount, used, total, units)
    reserved = reading.values.get(m.MEMORY_RESERVED)
    # All of them in the unit of the whole.
    parts = tuple(
        Figure(
            label,
            number=part_of_memory(value, total, units).number,
            unit=shown.unit,
            hint=tr(METRICS[metric].meaning),
        )
        for label, metric, value in (
            (tr("used"), m.MEMORY_USED, used),
            (tr("reserved"), m.MEMORY_RESERVED, reserved),
        )
        if value is not None
    )
    scale = f"{shown.limit} {shown.unit}"
    return MemoryFace(shown, used / total, (reserved or 0.0) / total, parts, total, scale)


def host_memory(reading: Reading, units: Units) -> MemoryFace:
    face = memory_face(reading, None, units)
    tone = Tone.WARN if face.used is not None and face.used >= _NEARLY_FULL else Tone.TEXT
    return replace(face, figure=replace(face.figure, tone=tone))


def host_swap(reading: Reading, units: Units) -> tuple[Figure, ...]:
    """Nothing where the computer has none: its facts say so."""
    if reading.missing.get(m.SWAP_USED) is Absence.NO_SWAP:
        return ()
    total = reading.values.get(m.SWAP_TOTAL)
    used = reading.values.get(m.SWAP_USED)
    amount = figure(reading, m.SWAP_USED, units, tr("Swap"))
    if used is None or total is None:
        return (amount,)
    return (_out_of(amount, used, total, units),)


def _limited(
    reading: Reading,
    units: Units,
    brief: str,
    metric: MetricId,
    *limits: MetricId,
    near: float = -inf,
) -> Figure:
    """With the first of these limits that is known; a warning from `near` below it on."""
    now = figure(reading, metric, units, brief=brief)
    limit = next((each for each in limits if reading.values.get(each)), None)
    if not now.known or limit is None:
        return now
    most = reading.values[limit]
    # Named one by one, since `replace` takes as long as all the rest of a figure.
    return Figure(
        now.label,
        number=now.number,
        unit=now.unit,
        limit=quantity(METRICS[limit], most, units).number,
        hint=now.hint,
        tone=Tone.WARN if reading.values[metric] >= most - near else now.tone,
        brief=now.brief,
    )


def _pcie_link(reading: Reading, units: Units) -> Figure:
    """Generation and lanes, and what they could be where they are less."""
    value = reading.values.get
    generation, width = value(m.PCIE_GENERATION), value(m.PCIE_WIDTH)
    if generation is None or width is None:
        metric = m.PCIE_GENERATION if generation is None else m.PCIE_WIDTH
        return figure(reading, metric, units, tr("PCIe"), tr("PCIe"))
    most, widest = value(m.PCIE_GENERATION_MAX), value(m.PCIE_WIDTH_MAX)
    narrow = widest is not None and width < widest
    slower = most is not None and generation < most
    number, lanes = f"{generation:.0f}", f"×{width:.0f}"
    limit = f"×{widest:.0f}" if narrow else f"{most:.0f}" if slower else ""
    hint = tr(
        _LINK[slower, narrow],
        now=number,
        most=f"{most:.0f}" if most is not None else "",
        lanes=f"{width:.0f}",
        widest=f"{widest:.0f}" if widest is not None else "",
        meaning=tr(METRICS[m.PCIE_GENERATION].meaning),
    )
    return Figure(
        tr("PCIe"),
        before=tr("gen"),
        number=f"{number} {lanes}" if narrow else number,
        unit="" if narrow else lanes,
        limit=limit,
        hint=hint,
        tone=Tone.WARN if slow_link(reading) else Tone.TEXT,
        short_label=tr("PCIe"),
    )


# By whether it is of a lower generation than it could be, and whether it is narrower.
_LINK = {
    (False, False): mark("Generation {now} on {lanes} lanes. {meaning}"),
    (True, False): mark("Generation {now} of {most} on {lanes} lanes. {meaning}"),
    (False, True): mark("Generation {now} on {lanes} of {widest} lanes. {meaning}"),
    (True, True): mark("Generation {now} of {most} on {lanes} of {widest} lanes. {meaning}"),
}


def _busier_way(
    reading: Reading,
    units: Units,
    receive: MetricId,
    transmit: MetricId,
    wire: str,
    brief: str,
) -> Figure:
    """One way, and which: every other place has rates one way too, and two do not fit."""
    comes, goes = reading.values.get(receive), reading.values.get(transmit)
    if comes is None or goes is None:
        metric = receive if comes is None else transmit
        label = tr("{wire} traffic", wire=wire)
        return replace(figure(reading, metric, units, label, wire), brief=brief)
    # In unless it is clear: the word must not change at every reading.
    metric = transmit if goes > comes * _CLEARLY_MORE else receive
    label = tr(METRICS[metric].label)
    hint = tr("{wire}: {comes} in, {goes} out.", wire=wire, comes=rate(comes), goes=rate(goes))
    return replace(figure(reading, metric, units, label, label), hint=hint)


def _out_of(amount: Figure, used: float, total: float, units: Units) -> Figure:
    """ "19.5 of 24 GiB", both in one unit: "0.53 of 24 GiB"."""
    part = part_of_memory(used, total, units)
    return Figure(
        amount.label,
        number=part.number,
        unit=part.unit,
        limit=trimmed(part_of_memory(total, total, units).number),
        hint=tr("{share} used. {meaning}", share=ratio(used / total), meaning=amount.hint),
        tone=amount.tone,
        short_label=amount.short_label,
    )
