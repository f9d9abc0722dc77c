"""How a whole stack is drawn, on a widget or in a file: the plots, their ends and the axis."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF

from gpuexplorer.core.units import Units, quantity
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.kept_curves import KeptCurves
from gpuexplorer.gui.plots.content import Flag, PlotContent
from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.widgets.plots.axis_drawing import draw_axis
from gpuexplorer.gui.widgets.plots.crosshair_drawing import name_of
from gpuexplorer.gui.widgets.plots.end_labels import UNSEEN, draw_end_labels, draw_headings
from gpuexplorer.gui.widgets.plots.flag_drawing import draw_flag_poles, draw_flags
from gpuexplorer.gui.widgets.plots.layout import HEADROOM, Layout, Stretch, lay_out
from gpuexplorer.gui.widgets.plots.plot_drawing import draw_plot


@dataclass(frozen=True, slots=True, eq=False)
class Shown:
    """All that a stack shows."""

    contents: tuple[PlotContent, ...]
    flags: tuple[Flag, ...]
    stretch: Stretch
    units: Units

    def layout(self, place: QRectF, letters: Letterings) -> Layout:
        return lay_out(place, self.contents, self.flags, self.stretch, letters, self.units)


class KeptStack:
    """The curves of each plot as they were drawn last, by its name."""

    def __init__(self) -> None:
        self._kept: dict[str, KeptCurves] = {}

    def of(self, name: str) -> KeptCurves:
        return self._kept.setdefault(name, KeptCurves())

    def keep_only(self, contents: Sequence[PlotContent]) -> None:
        """Of these plots, and forget the others."""
        names = {content.name for content in contents}
        self._kept = {name: kept for name, kept in self._kept.items() if name in names}

    def forget(self) -> None:
        self._kept = {}


def draw_stack(
    drawing: Drawing,
    layout: Layout,
    shown: Shown,
    kept: KeptStack | None = None,
) -> None:
    """`kept` is how its curves were drawn before."""
    if not layout.plots:
        return
    draw_flag_poles(drawing, layout, shown.flags)
    said: set[tuple[float, str]] = set()
    for plot in layout.plots:
        if not layout.compact:
            title = Run(plot.content.title, drawing.letters.strong, drawing.theme.text)
            baseline = plot.top - 6
            drawing.elided(layout.left, baseline, title, plot.area.width())
        curves = None if kept is None else kept.of(plot.content.name)
        draw_plot(drawing, layout, plot, said, curves)
        draw_end_labels(drawing, layout, plot, shown.units)
    if not layout.compact:
        draw_headings(drawing, layout, layout.stretch.following)
    draw_flags(drawing, layout, shown.flags)
    draw_axis(drawing, layout)


def in_words(layout: Layout, shown: Shown) -> str:
    """Every line with its newest value, or why it has none."""
    said = []
    for plot in layout.plots:
        for line, summary in zip(plot.content.lines, plot.summaries, strict=True):
            if summary.now is not None:
                figure = str(quantity(line.metric, summary.now, shown.units))
            else:
                figure = line.reason or UNSEEN
            said.append(f"{name_of(plot, line)}: {figure}")
    return ". ".join(said)


def chosen_place(layout: Layout, at: int) -> QRectF:
    """Around one plot of several, for the ring that shows which the keys act on."""
    plot = layout.plots[at]
    top = plot.top if layout.compact else plot.top - HEADROOM - 6
    bottom = layout.axis.bottom() if layout.compact else plot.area.bottom() + 4
    return QRectF(layout.left - 4, top, layout.gutter.right - layout.left + 8, bottom - top)
