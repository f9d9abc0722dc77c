"""SampleStrip: each sample as a dot, and how much of the limit their median is."""

import math
import statistics
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPen
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.graph import Axis, Graph

_HEIGHT, _MOST_HEIGHT, _SHARE, _HEADING = 112, 150, 48, 24
_DOT, _AFTER = 7.0, 12
_AROUND = 0.15  # of the range of the samples, where there is one


class SampleStrip(Graph):
    """Against the limit, and below it among themselves, where the scale is their own."""

    def __init__(self) -> None:
        super().__init__()
        self._samples: Sequence[float] = ()
        self._limit: float | None = None
        self._theirs: float | None = None
        self._unit = ""
        self._colour: int | None = None
        self._axis, self._dots = Axis("left"), pg.ScatterPlotItem(antialias=True)
        self._view = self.add_plot(left=self._axis)
        self._view.addItem(self._dots)
        self._words = self.add_sheet(self._draw_words)
        self.setAccessibleName(tr("Samples"))
        self.setMinimumHeight(_HEIGHT)
        self.setMaximumHeight(_MOST_HEIGHT)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_samples(
        self,
        samples: Sequence[float],
        limit: float | None,
        theirs: float | None,
        unit: str,
        colour: int | None,
    ) -> None:
        now = (tuple(samples), limit, theirs, unit, colour)
        if now == (self._samples, self._limit, self._theirs, self._unit, self._colour):
            return
        self._samples, self._limit, self._theirs, self._unit, self._colour = now
        told = ", ".join(self._told(each) for each in samples)
        self.setAccessibleDescription(f"{told} {unit}")
        self.setVisible(bool(samples))
        if not samples:
            return
        low, high = min(samples), max(samples)
        around = (high - low) * _AROUND or max(abs(low), 1.0) * 1e-3
        ticks = {low: self._told(low, 3), high: self._told(high, 3)}
        wide = max(map(self.look.letters.caption.width, ticks.values()))
        self._axis.setWidth(math.ceil(wide) + _AFTER)
        self._axis.show_ticks(tuple(ticks.items()))
        self._view.setRange(
            xRange=(-0.5, len(samples) - 0.5), yRange=(low - around, high + around), padding=0
        )
        above = _HEADING + (_SHARE if self._limit or self._theirs else 0)
        self.grid.setContentsMargins(0, above, 0, 0)
        self.dress()

    def dress(self) -> None:
        self._dots.setData(
            range(len(self._samples)), self._samples, size=_DOT, pen=None, brush=self._ink()
        )
        self._words.update()

    def _draw_words(self, drawing: Drawing) -> None:
        theme, letters, above = drawing.theme, drawing.letters.caption, 0
        if self._samples and (self._limit or self._theirs):
            self._draw_share(drawing)
            above = _SHARE
        heading = tr("Sample by sample, {unit}", unit=self._unit)
        drawing.text(0, above + letters.ascent, Run(heading, letters, theme.quiet))

    def _draw_share(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        median = statistics.median(self._samples)
        most = max(self._limit or 0.0, self._theirs or 0.0, median)
        wide = float(self.width())
        baseline = letters.ascent
        told = []
        if self._theirs is not None:
            told.append(f"nvbandwidth {self._told(self._theirs)}")
        if self._limit is not None:
            told.append(tr("limit {rate}", rate=self._told(self._limit)))
        drawing.text(0, baseline, Run(tr("Against the limit"), letters, theme.quiet))
        drawing.runs_right(wide, baseline, [Run("   ".join(told), letters, theme.quiet)])
        track = QRectF(0, letters.height + 6, wide, 10)
        drawing.bar(track, [(median / most, self._ink())])
        for value, ink in ((self._limit, theme.quiet), (self._theirs, theme.text)):
            if value is not None:
                x = min(wide - 1, max(1.0, wide * value / most))
                drawing.painter.setPen(QPen(ink, 2))
                high, low = track.top() - 3, track.bottom() + 3
                drawing.painter.drawLine(QPointF(x, high), QPointF(x, low))

    def _ink(self) -> QColor:
        theme = self.look.theme
        return theme.level if self._colour is None else theme.card(self._colour)

    def _told(self, value: float, digits: int = 0) -> str:
        if self._unit == "µs":
            return f"{value:.2f}"
        return f"{value:.{digits}f}" if digits else gigabytes_per_second(value * 1e9)

    def fill(self) -> None:
        self._words.put(QRectF(self.rect()))

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)
