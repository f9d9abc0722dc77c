"""What a card's wires do, as figures: the PCIe link, and what PCIe and NVLink carry."""

from collections.abc import Callable
from dataclasses import replace

from gpuexplorer.core.catalogue import links, utilization
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import rate
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cards.pcie import BUSY_ENOUGH
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.telemetry.latest import Reading

MakeFigure = Callable[[Reading, MetricId, str, str], Figure]


def pcie_link(reading: Reading, missing: MakeFigure) -> Figure:
    """Generation and lanes, and what they could be where they are less."""
    value = reading.values.get
    generation, width = value(links.PCIE_GENERATION), value(links.PCIE_WIDTH)
    meaning = METRICS[links.PCIE_GENERATION].meaning
    if generation is None or width is None:
        metric = links.PCIE_GENERATION if generation is None else links.PCIE_WIDTH
        return missing(reading, metric, "PCIe", "PCIe")
    most, widest = value(links.PCIE_GENERATION_MAX), value(links.PCIE_WIDTH_MAX)
    narrow = widest is not None and width < widest
    slower = most is not None and generation < most
    number, lanes = f"{generation:.0f}", f"×{width:.0f}"
    busy = value(utilization.GPU_UTILIZATION, 0.0) >= BUSY_ENOUGH
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


def slow_link_mark(reading: Reading) -> str | None:
    """ "PCIe ×8 of ×16", while the card is busy."""
    value = reading.values.get
    width, widest = value(links.PCIE_WIDTH), value(links.PCIE_WIDTH_MAX)
    if width is None or widest is None or width >= widest:
        return None
    if value(links.PCIE_GENERATION) is None:
        return None
    if value(utilization.GPU_UTILIZATION, 0.0) < BUSY_ENOUGH:
        return None
    return f"PCIe ×{width:.0f} of ×{widest:.0f}"


def pcie_traffic(reading: Reading, missing: MakeFigure) -> Figure:
    """In and out together, for a place where there is room for one figure only."""
    return _both_ways(reading, links.PCIE_RECEIVE, links.PCIE_TRANSMIT, "PCIe", missing)


def nvlink_traffic(reading: Reading, missing: MakeFigure) -> Figure:
    return _both_ways(reading, links.NVLINK_RECEIVE, links.NVLINK_TRANSMIT, "NVLink", missing)


def _both_ways(
    reading: Reading, receive: MetricId, transmit: MetricId, wire: str, missing: MakeFigure
) -> Figure:
    comes, goes = reading.values.get(receive), reading.values.get(transmit)
    label = f"{wire} traffic"
    if comes is None or goes is None:
        reason = missing(reading, receive if comes is None else transmit, label, wire)
        return replace(reason, brief="NVLink" if wire == "NVLink" else "traffic")
    read = rate(comes + goes)
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=f"{wire}: {rate(comes)} in, {rate(goes)} out.",
        short_label=wire,
    )
