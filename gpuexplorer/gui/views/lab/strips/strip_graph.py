"""StripGraph: one card's utilisation and memory over time, with flags of the lab's lines."""

from collections.abc import Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.plots.trace_item import TraceItem
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Theme, faded, mixed
from gpuexplorer.gui.views.lab.strips.strip_past import StripPast
from gpuexplorer.gui.wording.lab.bench.memory_scale import reach_words
from gpuexplorer.gui.wording.lab.strips.merged_flags import MergedFlag, Pole, merged_flags

_PLOT_GAP, _FLAG_GAP, _FLAG = 6, 2, 14
_FLAGS, _TIMES = 18, 20  # what lies below the plots
_NO_LIMIT = 10_000
_EDGE = 0.04  # of a plot: half of a line on its edge would be cut off
_POLE = 0.65


class StripGraph(Graph):
    """The mouse is the strip's: the graph only shows."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._past: StripPast | None = None
        self._colour: int | None = None
        self._units, self._sentence = USUAL, ""
        self._flags: Sequence[MergedFlag] = ()
        self._chosen: int | None = None
        self._focused = False
        self._times = Axis(look, "bottom", lines=False, inside=True)
        self._times.setHeight(_TIMES)
        self._scales = tuple(Axis(look, "left") for _ in range(2))
        self._views = tuple(
            self.add_plot(row, left=scale) for row, scale in enumerate(self._scales)
        )
        self._traces, self._crosshairs = [], []
        for view, scale in zip(self._views, self._scales, strict=True):
            scale.setWidth(0)
            self._traces.append(TraceItem())
            self._crosshairs.append(pg.InfiniteLine())
            view.addItem(self._traces[-1])
            view.addItem(self._crosshairs[-1])
        self.grid.addItem(self._times, 2, 1)
        self._times.linkToView(self._views[0])
        self._over = self.add_sheet(self._draw_over)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    @property
    def flags(self) -> Sequence[MergedFlag]:
        """From left to right, as they stand below the plots."""
        return self._flags

    def flag_place(self, flag: MergedFlag) -> QRectF:
        return QRectF(flag.left, self._foot() + _FLAG_GAP, flag.width, _FLAG)

    @property
    def tops(self) -> Sequence[float]:
        """Where the plots begin that are seen."""
        return [view.geometry().top() for view in self._views if view.isVisible()]

    def show_compact(self, compact: bool) -> None:
        """Utilisation alone, without times."""
        self._views[1].setVisible(not compact)
        self._scales[1].setVisible(not compact)
        self._times.setVisible(not compact)
        self._times.setHeight(0 if compact else _TIMES)
        rows = self.grid.layout
        rows.setRowMaximumHeight(1, 0 if compact else _NO_LIMIT)
        rows.setRowSpacing(0, 0 if compact else _PLOT_GAP)
        rows.setRowSpacing(1, 0 if compact else _FLAGS - 4)
        self.grid.setContentsMargins(0, 0, 0, _FLAGS if compact else 0)

    def show_past(
        self, past: StripPast, colour: int | None, units: Units, sentence: str
    ) -> None:
        """A sentence stands in the place of the traces."""
        self._past, self._colour, self._units, self._sentence = past, colour, units, sentence
        width = self.width()
        poles = [
            Pole(each.line, each.number, past.x(each.at, width), each.failed, each.code)
            for each in past.flags
        ]
        self._flags = merged_flags(poles, self.look.letters.badge.width, 0, width)
        for view, scale, reach in zip(
            self._views, self._scales, (1.0, past.reach), strict=True
        ):
            view.setXRange(past.start, past.end, padding=0)
            view.setYRange(0, reach, padding=_EDGE)
            scale.show_ticks(((0.0, ""), (reach, "")))
        self._times.show_ticks([(each.at, each.text) for each in past.ticks])
        self.dress()

    def show_chosen(self, line: int | None, *, focused: bool) -> None:
        self._chosen, self._focused = line, focused
        self._over.put(QRectF(self.rect()))

    def point_at(self, at: float | None) -> None:
        for line in self._crosshairs:
            line.setVisible(at is not None)
            if at is not None:
                line.setValue(at)

    def dress(self) -> None:
        theme, past = self.look.theme, self._past
        if past is not None:
            for item, trace in zip(self._traces, (past.busy, past.memory), strict=True):
                item.show_trace(trace, theme.card(self._colour), fill=True)
                item.setVisible(not self._sentence)
        for line in self._crosshairs:
            line.setPen(faded(theme.text, 0.5))
        self._over.put(QRectF(self.rect()))

    def _foot(self) -> float:
        """Where the plots end."""
        shown = self._views[1] if self._views[1].isVisible() else self._views[0]
        return float(shown.geometry().bottom())

    def _draw_over(self, drawing: Drawing) -> None:
        """How far the scales reach, the poles over the plots, and under them the labels."""
        theme, letters, past = drawing.theme, drawing.letters, self._past
        if past is None:
            return
        reaches = ("100 %", reach_words(past.reach, self._units))
        labels = [Run(each, letters.caption, theme.faint) for each in reaches]
        if self._sentence:
            sentence = letters.body.elided(self._sentence, self.width())
            labels = [Run(sentence, letters.body, theme.faint)]
        for top, label in zip(self.tops, labels, strict=False):
            back = QRectF(0, top + 3, label.width + 4, label.letters.height - 2)
            drawing.painter.fillRect(back, faded(theme.surface, 0.7))
            drawing.text(0, top + 2 + label.letters.ascent, label)
        height = self._foot() + _FLAG_GAP
        # The chosen one above all.
        for flag in sorted(self._flags, key=lambda each: each.holds(self._chosen)):
            by_pixel = {} if self._sentence else _by_pixel(flag, self._chosen)
            for x, pole in by_pixel.items():
                drawing.painter.fillRect(QRectF(x, 0, 1, height), self._ink(pole, theme))
            self._draw_label(drawing, flag)

    def _ink(self, pole: Pole, theme: Theme) -> QColor:
        if pole.line == self._chosen:
            return theme.text
        return faded(theme.bad if pole.failed else theme.faint, _POLE)

    def _draw_label(self, drawing: Drawing, flag: MergedFlag) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.badge
        place, picked = self.flag_place(flag), flag.holds(self._chosen)
        ink, ground = theme.quiet, mixed(theme.surface, theme.text, 0.16)
        if flag.failed:
            ink, ground = theme.bad, mixed(theme.surface, theme.bad, 0.22)
        if picked:
            ink, ground = theme.inverse, theme.bad if flag.failed else theme.text
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(place, CHIP_RADIUS - 1, CHIP_RADIUS - 1)
        x = place.center().x() - letters.width(flag.text) / 2
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(x, baseline, Run(flag.text, letters, ink))
        if self._focused and picked:
            drawing.focus_ring(place.adjusted(-2, -2, 2, 2), CHIP_RADIUS)


def _by_pixel(flag: MergedFlag, chosen: int | None) -> Mapping[int, Pole]:
    """Where many lines ran in one pixel the gravest of them is what is drawn."""
    # Hardly one of a thousand is graver than the others.
    grave = [pole for pole in flag.poles if pole.failed or pole.line == chosen]
    grave.sort(key=lambda pole: (pole.line == chosen, pole.failed))
    return {int(pole.x): pole for pole in (*flag.poles, *grave)}
