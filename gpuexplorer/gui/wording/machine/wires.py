"""What a card's wires do, as figures: the PCIe link, and what PCIe and NVLink carry."""

from collections.abc import Callable
from dataclasses import replace

from gpuexplorer.core.catalogue import links
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import rate
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.figure import Figure
from gpuexplorer.telemetry.card_course import at_work
from gpuexplorer.telemetry.latest import Reading

MakeFigure = Callable[[Reading, MetricId, str, str], Figure]


def pcie_link(reading: Reading, missing: MakeFigure) -> Figure:
    """Generation and lanes, and what they could be where they are less."""
    value = reading.values.get
    generation, width = value(links.PCIE_GENERATION), value(links.PCIE_WIDTH)
    if generation is None or width is None:
        metric = links.PCIE_GENERATION if generation is None else links.PCIE_WIDTH
        return missing(reading, metric, tr("PCIe"), tr("PCIe"))
    most, widest = value(links.PCIE_GENERATION_MAX), value(links.PCIE_WIDTH_MAX)
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
        meaning=tr(METRICS[links.PCIE_GENERATION].meaning),
    )
    return Figure(
        tr("PCIe"),
        before=tr("gen"),
        number=f"{number} {lanes}" if narrow else number,
        unit="" if narrow else lanes,
        limit=limit,
        hint=hint,
        tone=Tone.WARN if narrow and at_work(reading.values) else Tone.TEXT,
        short_label=tr("PCIe"),
    )


# By whether it is of a lower generation than it could be, and whether it is narrower.
_LINK = {
    (False, False): mark("Generation {now} on {lanes} lanes. {meaning}"),
    (True, False): mark("Generation {now} of {most} on {lanes} lanes. {meaning}"),
    (False, True): mark("Generation {now} on {lanes} of {widest} lanes. {meaning}"),
    (True, True): mark("Generation {now} of {most} on {lanes} of {widest} lanes. {meaning}"),
}


def slow_link(reading: Reading) -> tuple[int, int] | None:
    """How many lanes it has, and how many it could have, while the card is busy."""
    value = reading.values.get
    width, widest = value(links.PCIE_WIDTH), value(links.PCIE_WIDTH_MAX)
    if width is None or widest is None or width >= widest:
        return None
    if value(links.PCIE_GENERATION) is None:
        return None
    if not at_work(reading.values):
        return None
    return int(width), int(widest)


def pcie_traffic(reading: Reading, missing: MakeFigure) -> Figure:
    """In and out together, for a place where there is room for one figure only."""
    return _both_ways(
        reading, links.PCIE_RECEIVE, links.PCIE_TRANSMIT, tr("PCIe"), tr("traffic"), missing
    )


def nvlink_traffic(reading: Reading, missing: MakeFigure) -> Figure:
    return _both_ways(
        reading,
        links.NVLINK_RECEIVE,
        links.NVLINK_TRANSMIT,
        tr("NVLink"),
        tr("NVLink"),
        missing,
    )


def _both_ways(
    reading: Reading,
    receive: MetricId,
    transmit: MetricId,
    wire: str,
    brief: str,
    missing: MakeFigure,
) -> Figure:
    comes, goes = reading.values.get(receive), reading.values.get(transmit)
    label = tr("{wire} traffic", wire=wire)
    if comes is None or goes is None:
        metric = receive if comes is None else transmit
        return replace(missing(reading, metric, label, wire), brief=brief)
    read = rate(comes + goes)
    return Figure(
        label,
        number=read.number,
        unit=read.unit,
        hint=tr(
            "{wire}: {comes} in, {goes} out.", wire=wire, comes=rate(comes), goes=rate(goes)
        ),
        short_label=wire,
    )
