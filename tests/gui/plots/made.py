"""Traces, contents and stacks for tests of plots, and what stands written on them."""

import re
from collections.abc import Callable, Sequence
from html import unescape

import numpy as np
from PySide6.QtCore import QBuffer, QByteArray, QIODevice, QRectF
from PySide6.QtGui import QPainter
from PySide6.QtSvg import QSvgGenerator

from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, POWER_DRAW, MetricId, Unit
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.plots.content import PlotContent, PlotLine
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.gui.widgets.strip import Strip
from gpuexplorer.telemetry.trace import Trace, empty_trace
from tests.clocks import ManualClock

NOW = 10_000.0
NOTHING = empty_trace()


def trace(values: Sequence[float], end: float = NOW, seconds: float = 1.0) -> Trace:
    """A reading at each of so many seconds up to the end; no number is a gap."""
    means = np.array(values, np.float64)
    times = end - seconds * np.arange(len(means), dtype=np.float64)[::-1]
    counts = np.isfinite(means).astype(np.int64)
    return Trace(times, means, means, means, counts, seconds)


def steady(value: float, seconds: int = 301) -> Trace:
    return trace([value] * seconds)


def line(
    label: str = "GPU",
    values: Trace | float = 0.5,
    metric: MetricId = GPU_UTILIZATION,
    **more: object,
) -> PlotLine:
    read = steady(values) if isinstance(values, float) else values
    return PlotLine(label, METRICS[metric], read, **more)  # type: ignore[arg-type]  # a test names what it changes


def plot(*lines: PlotLine, name: str = "utilisation", **more: object) -> PlotContent:
    known: dict[str, object] = {"highest": 1.0, "title": name.capitalize()}
    return PlotContent(name=name, unit=Unit.RATIO, lines=lines, **(known | more))  # type: ignore[arg-type]  # the same


def power(watts: float = 200.0) -> PlotContent:
    drawn = line("draw", watts, POWER_DRAW)
    return PlotContent("power", "Power", Unit.WATTS, (drawn,))


def stack_of(
    contents: Sequence[PlotContent],
    size: tuple[int, int] = (900, 400),
    clock: ManualClock | None = None,
    settings: Settings | None = None,
) -> PlotStack:
    """Not shown yet; over the last five minutes."""
    time_window = TimeWindow(clock or ManualClock(NOW))
    made = PlotStack(time_window, settings or Settings())
    time_window.setParent(made)
    made.resize(*size)
    made.show_contents(contents)
    return made


MakeStack = Callable[..., PlotStack]


def written(shown: PlotStack | Strip) -> list[str]:
    """Every text on it, in the order in which it is painted."""
    found = re.findall(r"<text[^>]*>(.*?)</text>", _drawn(shown), re.DOTALL)
    return [unescape(text).strip() for text in found]


def places(stack: PlotStack, text: str) -> list[tuple[float, float]]:
    """Where it stands written; below is more."""
    pattern = (
        r'<text[^>]* x="([-\d.]+)" y="([-\d.]+)"[^>]*>\s*' + re.escape(text) + r"\s*</text>"
    )
    return [(float(x), float(y)) for x, y in re.findall(pattern, _drawn(stack))]


def _drawn(shown: PlotStack | Strip) -> str:
    """Painted on what keeps its words."""
    content = QByteArray()
    buffer = QBuffer(content)
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    generator = QSvgGenerator()
    generator.setOutputDevice(buffer)
    generator.setResolution(96)
    generator.setSize(shown.size())
    with QPainter(generator) as painter:
        if isinstance(shown, Strip):
            shown.draw(Drawing(painter))
        else:
            shown.draw_into(painter, QRectF(shown.rect()))
    return bytes(content.data()).decode()
