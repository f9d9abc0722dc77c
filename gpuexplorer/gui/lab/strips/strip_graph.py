"""StripGraph: one card's utilisation and memory over time, with flags of the lab's cells."""

from collections.abc import Mapping, Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.metrics import GPU_UTILIZATION, MEMORY_USED, METRICS
from gpuexplorer.core.units import USUAL, Units, bytes_words, quantity
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.strips.merged_flags import MergedFlag, Pole, merged_flags
from gpuexplorer.gui.lab.strips.strip_past import StripPast
from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.plots.content import value_at
from gpuexplorer.gui.plots.curves import Curve, TraceItem
from gpuexplorer.gui.plots.graph import Axis, Graph
from gpuexplorer.gui.theme.palette import Theme, faded, mixed

_PLOT_GAP, _FLAG_GAP, _FLAG = 6, 2, 14
_FLAGS, _TIMES = 18, 24  # what lies below the plots
_SCALE, _ABOVE = 52, 7  # beside them and above: how far the scales reach, in words
_NO_LIMIT = 10_000
_EDGE = 0.04  # of a plot: half of a line on its edge would be cut off
_POLE = 0.65


class StripGraph(Graph):
    """The mouse is the strip's: the graph only shows."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._past: StripPast | None = None
        self._colour: int | None = None
        self._units, self._sentence = USUAL, ""
        self._flags: Sequence[MergedFlag] = ()
        self._chosen: int | None = None
        self._at: float | None = None
        self._moment = ""
        self._focused = False
        self._times = Axis("bottom", lines=False, inside=True)
        self._times.setHeight(_TIMES)
        self._scales = tuple(Axis("left") for _ in range(2))
        self._views = tuple(
            self.add_plot(row, left=scale) for row, scale in enumerate(self._scales)
        )
        self._traces, self._crosshairs = [], []
        for view, scale in zip(self._views, self._scales, strict=True):
            scale.setWidth(_SCALE)
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
    def area(self) -> QRectF:
        """Where the plots are."""
        return QRectF(self.rect()).adjusted(_SCALE, 0, 0, -_TIMES)

    @property
    def tops(self) -> Sequence[float]:
        """Where the plots begin that are seen."""
        return [view.geometry().top() for view in self._views if view.isVisible()]

    def show_compact(self, compact: bool) -> None:
        """Utilisation alone."""
        self._views[1].setVisible(not compact)
        self._scales[1].setVisible(not compact)
        rows = self.grid.layout
        rows.setRowMaximumHeight(1, 0 if compact else _NO_LIMIT)
        rows.setRowSpacing(0, 0 if compact else _PLOT_GAP)
        rows.setRowSpacing(1, _FLAGS - 4)
        self.grid.setContentsMargins(0, _ABOVE, 0, 0)

    def show_past(
        self, past: StripPast, colour: int | None, units: Units, sentence: str
    ) -> None:
        """A sentence stands in the place of the traces."""
        self._past, self._colour, self._units, self._sentence = past, colour, units, sentence
        left, width = self.area.left(), self.area.width()
        poles = [
            Pole(each.cell, each.number, left + past.x(each.at, width), each.failed, each.code)
            for each in past.flags
        ]
        self._flags = merged_flags(
            poles, self.look.letters.badge.width, left, self.area.right()
        )
        words = ("100 %", bytes_words(past.reach, units))
        for view, scale, reach, word in zip(
            self._views, self._scales, (1.0, past.reach), words, strict=True
        ):
            view.setXRange(past.start, past.end, padding=0)
            view.setYRange(0, reach, padding=_EDGE)
            scale.show_ticks(((0.0, ""), (reach, word)))
        self._show_times()
        self.dress()

    def show_chosen(self, cell: int | None, *, focused: bool) -> None:
        self._chosen, self._focused = cell, focused
        self._over.put(QRectF(self.rect()))

    def point_at(self, at: float | None, moment: str) -> None:
        """`moment` in words, for the axis of time."""
        self._at, self._moment = at, moment
        for line in self._crosshairs:
            line.setVisible(at is not None)
            if at is not None:
                line.setValue(at)
        self._show_times()
        self._over.update()

    def dress(self) -> None:
        theme, past = self.look.theme, self._past
        if past is not None:
            for item, trace in zip(self._traces, (past.busy, past.memory), strict=True):
                item.show_curves([Curve(trace, theme.card(self._colour), fill=True)])
                item.setVisible(not self._sentence)
        for line in self._crosshairs:
            line.setPen(faded(theme.text, 0.5))
        self._over.put(QRectF(self.rect()))

    def _show_times(self) -> None:
        if self._past is not None:
            ticks = [] if self._at is None else [(self._at, self._moment)]
            ticks += [(each.at, each.text) for each in self._past.ticks]
            self._times.show_ticks(ticks, self._at)

    def _foot(self) -> float:
        """Where the plots end."""
        shown = self._views[1] if self._views[1].isVisible() else self._views[0]
        return float(shown.geometry().bottom())

    def _draw_over(self, drawing: Drawing) -> None:
        """Why there are no traces, the poles over the plots, and under them the labels."""
        theme, letters, past = drawing.theme, drawing.letters.body, self._past
        if past is None:
            return
        if self._sentence:
            sentence = letters.elided(self._sentence, self.area.width())
            baseline = self.tops[0] + 2 + letters.ascent
            drawing.text(self.area.left(), baseline, Run(sentence, letters, theme.faint))
        else:
            self._draw_unread(drawing, past)
            self._draw_values(drawing, past)
        top, foot = self.tops[0], self._foot() + _FLAG_GAP
        # The chosen one above all.
        for flag in sorted(self._flags, key=lambda each: each.holds(self._chosen)):
            by_pixel = {} if self._sentence else _by_pixel(flag, self._chosen)
            for x, pole in by_pixel.items():
                pole_place = QRectF(x, top, 1, foot - top)
                drawing.painter.fillRect(pole_place, self._ink(pole, theme))
            self._draw_label(drawing, flag)

    def _draw_unread(self, drawing: Drawing, past: StripPast) -> None:
        run = Run(tr("nothing read yet"), drawing.letters.caption, drawing.theme.faint)
        room = past.x(min(past.began, past.end), self.area.width())
        if room > run.width + 12:
            x = self.area.left() + (room - run.width) / 2
            drawing.text(x, self.tops[0] + 2 + run.letters.ascent, run)

    def _draw_values(self, drawing: Drawing, past: StripPast) -> None:
        """At the moment pointed at, between the line and what is above it."""
        if self._at is None or not past.start <= self._at <= past.end:
            return
        area, letters = self.area, drawing.letters.caption
        x = area.left() + past.x(self._at, area.width())
        shown = ((GPU_UTILIZATION, past.busy), (MEMORY_USED, past.memory))
        for (metric, trace), top in zip(shown, self.tops, strict=False):
            value = value_at(trace, self._at)
            if value is not None:
                said = str(quantity(METRICS[metric], value, self._units))
                run = Run(said, letters, drawing.theme.text)
                left = x + 6 if x + 14 + run.width <= area.right() else x - 14 - run.width
                back = QRectF(left, top + 4, run.width + 8, letters.height + 2)
                drawing.painter.setPen(drawing.theme.line)
                drawing.painter.setBrush(drawing.theme.raised)
                drawing.painter.drawRoundedRect(back, CHIP_RADIUS, CHIP_RADIUS)
                drawing.text(left + 4, top + 5 + letters.ascent, run)

    def _ink(self, pole: Pole, theme: Theme) -> QColor:
        if pole.key == self._chosen:
            return theme.text
        return faded(theme.bad if pole.failed else theme.faint, _POLE)

    def _draw_label(self, drawing: Drawing, flag: MergedFlag) -> None:
        theme, letters = drawing.theme, drawing.letters.badge
        place, picked = self.flag_place(flag), flag.holds(self._chosen)
        ink, ground = theme.quiet, mixed(theme.surface, theme.text, 0.16)
        if flag.failed:
            ink, ground = theme.bad, mixed(theme.surface, theme.bad, 0.22)
        if picked:
            ink, ground = theme.inverse, theme.bad if flag.failed else theme.text
        drawing.filled(place, ground, CHIP_RADIUS - 1)
        x = place.center().x() - letters.width(flag.text) / 2
        baseline = place.center().y() + letters.cap_height / 2
        drawing.text(x, baseline, Run(flag.text, letters, ink))
        if self._focused and picked:
            drawing.focus_ring(place.adjusted(-2, -2, 2, 2), CHIP_RADIUS)


def _by_pixel(flag: MergedFlag, chosen: int | None) -> Mapping[int, Pole]:
    """Where many cells ran in one pixel, the gravest of them is what is drawn."""
    # Hardly one of a thousand is graver than the others.
    grave = [pole for pole in flag.poles if pole.failed or pole.key == chosen]
    grave.sort(key=lambda pole: (pole.key == chosen, pole.failed))
    return {int(pole.x): pole for pole in (*flag.poles, *grave)}
