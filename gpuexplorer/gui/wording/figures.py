"""Figures: what each place on a tile shows, out of a reading."""

from collections.abc import Callable
from dataclasses import replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.catalogue import clocks, links, memory, utilization
from gpuexplorer.core.catalogue import heat_and_power as heat
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import Quantity, quantity
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.wording.card_face import MemoryFace
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.gui.wording.reasons import as_sentence, short_reasons
from gpuexplorer.telemetry.latest import Reading

_NEAR_HEAT_LIMIT = 4.0  # degrees
_BUSY_ENOUGH = 0.5  # at rest a link is slow by design, to save power
_NEARLY_FULL = 0.95


def figure(
    reading: Reading, metric: MetricId, label: str = "", short_label: str = "", brief: str = ""
) -> Figure:
    """One metric with its unit, or with its reason."""
    known = METRICS[metric]
    label = label or known.label
    value = reading.values.get(metric)
    if value is not None:
        read = quantity(known, value)
        return Figure(
            label,
            number=read.number,
            unit=read.unit,
            hint=known.meaning,
            short_label=short_label,
        )
    absence = reading.missing.get(metric, Absence.NOT_YET)
    hint = f"{label}: {as_sentence(absence.sentence)}\n{known.meaning}"
    return Figure(
        label, absent=short_reasons(absence), hint=hint, short_label=short_label, brief=brief
    )


def card_figures(reading: Reading) -> tuple[Figure, ...]:
    """In their fixed places. Five stand on every tile, the rest where there is room."""
    return tuple(make(reading) for make in _PLACES)


def busy_figure(reading: Reading) -> Figure:
    return figure(reading, utilization.GPU_UTILIZATION, "GPU busy")


def memory_face(reading: Reading, total_bytes: int | None) -> MemoryFace:
    """What is used out of all there is; the card's own size where the driver tells none."""
    used = reading.values.get(memory.MEMORY_USED)
    total = reading.values.get(memory.MEMORY_TOTAL) or total_bytes
    parts = tuple(
        figure(reading, metric, label)
        for metric, label in (
            (memory.MEMORY_USED, "used"),
            (memory.MEMORY_RESERVED, "reserved"),
        )
        if metric in reading.values
    )
    amount = figure(reading, memory.MEMORY_USED, "Memory")
    if used is None or not total:
        return MemoryFace(amount, None, 0.0, parts)
    reserved = reading.values.get(memory.MEMORY_RESERVED, 0.0)
    return MemoryFace(_out_of(amount, used, total), used / total, reserved / total, parts)


def host_memory(reading: Reading) -> tuple[Figure, float | None]:
    face = memory_face(reading, None)
    tone = Tone.WARN if face.used is not None and face.used >= _NEARLY_FULL else Tone.TEXT
    return replace(face.figure, tone=tone), face.used


def host_swap(reading: Reading) -> Figure:
    """Many computers have none on purpose; what that means is told on asking."""
    total = reading.values.get(memory.SWAP_TOTAL)
    used = reading.values.get(memory.SWAP_USED)
    amount = figure(reading, memory.SWAP_USED, "Swap")
    if total == 0:
        hint = "No swap space: a program that asks for more memory than there is ends at once."
        return Figure("Swap", absent=("none on this computer", "none"), hint=hint)
    if used is None or total is None:
        return amount
    return _out_of(amount, used, total)


def _power(reading: Reading) -> Figure:
    draw = figure(reading, heat.POWER_DRAW, brief="power")
    limit = reading.values.get(heat.POWER_LIMIT)
    if not draw.known or not limit:
        return draw
    # A busy card stands at its power limit; that is no reason for a warning.
    return _limited(draw, quantity(METRICS[heat.POWER_LIMIT], limit), near=False)


def _temperature(reading: Reading) -> Figure:
    now = figure(reading, heat.TEMPERATURE, brief="temp.")
    celsius = reading.values.get(heat.TEMPERATURE)
    limits = (heat.TEMPERATURE_MAX, heat.TEMPERATURE_SLOWDOWN)
    limit = next((metric for metric in limits if metric in reading.values), None)
    if celsius is None or limit is None:
        return now
    most = reading.values[limit]
    near = celsius >= most - _NEAR_HEAT_LIMIT
    return _limited(now, quantity(METRICS[limit], most), near)


def _sm_clock(reading: Reading) -> Figure:
    now = figure(reading, clocks.CLOCK_SM, brief="clock")
    most = reading.values.get(clocks.CLOCK_SM_MAX)
    if not now.known or not most:
        return now
    return _limited(now, quantity(METRICS[clocks.CLOCK_SM_MAX], most), near=False)


def _fan(reading: Reading) -> Figure:
    return figure(reading, heat.FAN_SPEED, short_label="fan")


def _pcie(reading: Reading) -> Figure:
    """Generation and lanes, and what they could be where they are less."""
    value = reading.values.get
    generation, width = value(links.PCIE_GENERATION), value(links.PCIE_WIDTH)
    meaning = METRICS[links.PCIE_GENERATION].meaning
    if generation is None or width is None:
        metric = links.PCIE_GENERATION if generation is None else links.PCIE_WIDTH
        return figure(reading, metric, "PCIe", "PCIe")
    most, widest = value(links.PCIE_GENERATION_MAX), value(links.PCIE_WIDTH_MAX)
    narrow = widest is not None and width < widest
    slower = most is not None and generation < most
    number, lanes = f"{generation:.0f}", f"×{width:.0f}"
    busy = value(utilization.GPU_UTILIZATION, 0.0) >= _BUSY_ENOUGH
    return Figure(
        "PCIe",
        before="gen",
        number=f"{number} {lanes}" if narrow else number,
        unit="" if narrow else lanes,
        of=f"of ×{widest:.0f}" if narrow else f"of {most:.0f}" if slower else "",
        hint=(
            f"Generation {number}{f' of {most:.0f}' if slower else ''} "
            f"on {width:.0f}{f' of {widest:.0f}' if narrow else ''} lanes. {meaning}"
        ),
        tone=Tone.WARN if narrow and busy else Tone.TEXT,
        short_label="PCIe",
    )


def _plain(metric: MetricId) -> Callable[[Reading], Figure]:
    return lambda reading: figure(reading, metric)


_PLACES: tuple[Callable[[Reading], Figure], ...] = (
    _power,
    _temperature,
    _sm_clock,
    _fan,
    _pcie,
    _plain(utilization.MEMORY_UTILIZATION),
    _plain(heat.MEMORY_TEMPERATURE),
    _plain(clocks.CLOCK_MEMORY),
    _plain(clocks.PERFORMANCE_STATE),
    _plain(heat.ENERGY),
)


def slow_link_mark(reading: Reading) -> str | None:
    """ "PCIe ×8 of ×16", while the card is busy."""
    pcie = _pcie(reading)
    if pcie.tone is not Tone.WARN:
        return None
    return f"PCIe ×{reading.values[links.PCIE_WIDTH]:.0f} {pcie.of}"


def _limited(now: Figure, limit: Quantity, near: bool) -> Figure:
    return replace(now, of=f"of {limit.number}", tone=Tone.WARN if near else now.tone)


def _out_of(amount: Figure, used: float, total: float) -> Figure:
    """ "19.5 of 24 GiB"; where the units differ, "512 MiB of 24 GiB"."""
    whole = quantity(METRICS[memory.MEMORY_TOTAL], total)
    number = whole.number.rstrip("0").rstrip(".") if "." in whole.number else whole.number
    shown = amount.number
    if amount.unit != whole.unit:
        shown = f"{amount.number} {amount.unit}" if used else amount.number
    share = quantity(METRICS[utilization.MEMORY_UTILIZATION], used / total)
    return replace(
        amount,
        number=shown,
        unit=whole.unit,
        of=f"of {number}",
        hint=f"{share.number} % used. {amount.hint}",
    )
