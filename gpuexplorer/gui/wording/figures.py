"""Figures: what each place on a tile shows, out of a reading."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks, links, memory, utilization
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import USUAL, Quantity, Units, part_of_memory, quantity
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.card_face import CardFigures, MemoryFace
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.machine.wires import nvlink_traffic, pcie_link, pcie_traffic
from gpuexplorer.gui.wording.reasons import explained_absence, short_reasons
from gpuexplorer.telemetry.latest import Reading

NEAR_HEAT_LIMIT = 4.0  # degrees
_NEARLY_FULL = 0.95


def figure(
    reading: Reading,
    metric: MetricId,
    label: str = "",
    short_label: str = "",
    brief: str = "",
    units: Units = USUAL,
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


def card_figures(reading: Reading, units: Units = USUAL, nvlinks: bool = False) -> CardFigures:
    """In their fixed places. Five stand on every tile, the rest where there is room."""
    power, temperature = _power(reading), _temperature(reading, units)
    clock, fan, link = _sm_clock(reading), _fan(reading), pcie_link(reading, figure)
    # A card without a fan has wires that say more.
    none = heat.FAN_SPEED not in reading.values
    fourth = nvlink_traffic(reading, figure) if nvlinks and none else fan
    return CardFigures(
        first=(power, temperature, clock, fan, link),
        brief=(
            *(power, temperature, clock, fourth),
            replace(link, before=""),
            pcie_traffic(reading, figure),
        ),
        make_rest=partial(_rest, reading, units, nvlinks),
    )


def _rest(reading: Reading, units: Units, nvlinks: bool) -> tuple[Figure, ...]:
    wires = [_labelled(links.PCIE_RECEIVE), _labelled(links.PCIE_TRANSMIT)]
    if nvlinks:
        wires += [_labelled(links.NVLINK_RECEIVE), _labelled(links.NVLINK_TRANSMIT)]
    return tuple(make(reading, units) for make in (*wires, *_REST))


def busy_figure(reading: Reading) -> Figure:
    return figure(reading, utilization.GPU_UTILIZATION, tr("GPU busy"))


def memory_face(reading: Reading, total_bytes: int | None, units: Units = USUAL) -> MemoryFace:
    """What is used out of all there is; the card's own size where the driver reports none."""
    used = reading.values.get(memory.MEMORY_USED)
    total = reading.values.get(memory.MEMORY_TOTAL) or total_bytes
    parts = tuple(
        figure(reading, metric, label, units=units)
        for metric, label in (
            (memory.MEMORY_USED, tr("used")),
            (memory.MEMORY_RESERVED, tr("reserved")),
        )
        if metric in reading.values
    )
    amount = figure(reading, memory.MEMORY_USED, tr("Memory"), units=units)
    if used is None or not total:
        return MemoryFace(amount, None, 0.0, parts)
    reserved = reading.values.get(memory.MEMORY_RESERVED, 0.0)
    shown = _out_of(amount, used, total, units)
    scale = f"{shown.limit} {shown.unit}"
    return MemoryFace(shown, used / total, reserved / total, parts, total, scale)


def host_memory(reading: Reading, units: Units = USUAL) -> MemoryFace:
    face = memory_face(reading, None, units)
    tone = Tone.WARN if face.used is not None and face.used >= _NEARLY_FULL else Tone.TEXT
    return replace(face, figure=replace(face.figure, tone=tone))


def host_swap(reading: Reading, units: Units = USUAL) -> Figure:
    total = reading.values.get(memory.SWAP_TOTAL)
    used = reading.values.get(memory.SWAP_USED)
    amount = figure(reading, memory.SWAP_USED, tr("Swap"), units=units)
    if used is None or total is None:
        return amount
    return _out_of(amount, used, total, units)


def _power(reading: Reading) -> Figure:
    draw = figure(reading, heat.POWER_DRAW, brief=tr("power"))
    limit = reading.values.get(heat.POWER_LIMIT)
    if not draw.known or not limit:
        return draw
    # A busy card stands at its power limit; that is no reason for a warning.
    return _limited(draw, quantity(METRICS[heat.POWER_LIMIT], limit), near=False)


def _temperature(reading: Reading, units: Units) -> Figure:
    now = figure(reading, heat.TEMPERATURE, brief=tr("temp."), units=units)
    celsius = reading.values.get(heat.TEMPERATURE)
    limits = (heat.TEMPERATURE_MAX, heat.TEMPERATURE_SLOWDOWN)
    limit = next((metric for metric in limits if metric in reading.values), None)
    if celsius is None or limit is None:
        return now
    most = reading.values[limit]
    near = celsius >= most - NEAR_HEAT_LIMIT
    return _limited(now, quantity(METRICS[limit], most, units), near)


def _sm_clock(reading: Reading) -> Figure:
    now = figure(reading, clocks.CLOCK_SM, brief=tr("clock"))
    most = reading.values.get(clocks.CLOCK_SM_MAX)
    if not now.known or not most:
        return now
    return _limited(now, quantity(METRICS[clocks.CLOCK_SM_MAX], most), near=False)


def _fan(reading: Reading) -> Figure:
    return figure(reading, heat.FAN_SPEED, short_label=tr("fan"))


def _labelled(metric: MetricId, label: str = "") -> Callable[[Reading, Units], Figure]:
    return lambda reading, units: figure(reading, metric, tr(label), units=units)


# As short as their columns are narrow; what they mean is told on asking.
_REST = (
    _labelled(heat.MEMORY_TEMPERATURE, mark("Memory temp.")),
    _labelled(clocks.CLOCK_MEMORY),
    _labelled(utilization.MEMORY_UTILIZATION, mark("Memory ctrl")),
    _labelled(clocks.PERFORMANCE_STATE),
    _labelled(heat.ENERGY),
)


def _limited(now: Figure, limit: Quantity, near: bool) -> Figure:
    # Named one by one, since `replace` takes as long as all the rest of a figure.
    return Figure(
        now.label,
        number=now.number,
        unit=now.unit,
        limit=limit.number,
        hint=now.hint,
        tone=Tone.WARN if near else now.tone,
        brief=now.brief,
    )


def _out_of(amount: Figure, used: float, total: float, units: Units) -> Figure:
    """ "19.5 of 24 GiB", both in one unit: "0.53 of 24 GiB"."""
    whole = quantity(METRICS[memory.MEMORY_TOTAL], total, units)
    number = whole.number.rstrip("0").rstrip(".") if "." in whole.number else whole.number
    share = quantity(METRICS[utilization.MEMORY_UTILIZATION], used / total)
    return Figure(
        amount.label,
        number=part_of_memory(used, total, units),
        unit=whole.unit,
        limit=number,
        hint=tr("{share} used. {meaning}", share=share, meaning=amount.hint),
        tone=amount.tone,
        short_label=amount.short_label,
    )
