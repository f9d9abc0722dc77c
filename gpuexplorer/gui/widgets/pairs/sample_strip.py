"""SampleStrip: each sample as a dot, and how much of the limit their median is."""

import statistics
from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import gigabytes_per_second
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_HEIGHT, _MOST_HEIGHT, _SHARE = 112, 150, 48.0
_DOT = 3.5


class SampleStrip(Painted):
    """Two lines: against the limit, and among themselves, where the scale is their own."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._samples: Sequence[float] = ()
        self._limit: float | None = None
        self._theirs: float | None = None
        self._unit = ""
        self._colour: int | None = None
        self.setAccessibleName(tr("Samples"))
        self.setMinimumHeight(_HEIGHT)
        self.setMaximumHeight(_MOST_HEIGHT)
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
        self.update()

    def draw(self, drawing: Drawing) -> None:
        if not self._samples:
            return
        top = 0.0
        if self._limit or self._theirs:
            self._draw_share(drawing)
            top = _SHARE
        self._draw_dots(drawing, top)

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
        fill = theme.level if self._colour is None else theme.card(self._colour)
        drawing.bar(track, [(median / most, fill)])
        for value, ink in ((self._limit, theme.quiet), (self._theirs, theme.text)):
            if value is not None:
                x = min(wide - 1, max(1.0, wide * value / most))
                drawing.painter.setPen(QPen(ink, 2))
                high, low = track.top() - 3, track.bottom() + 3
                drawing.painter.drawLine(QPointF(x, high), QPointF(x, low))

    def _draw_dots(self, drawing: Drawing, above: float) -> None:
        theme, letters, painter = drawing.theme, drawing.letters.caption, drawing.painter
        low, high = min(self._samples), max(self._samples)
        drawing.text(
            0, above + letters.ascent, Run(tr("Sample by sample"), letters, theme.quiet)
        )
        top, bottom = above + letters.height + 10, self.height() - 8.0
        ends = [self._told(low, 3), self._told(high, 3)]
        right = self.width() - max(letters.width(each) for each in ends) - 8
        for y, words in ((bottom, ends[0]), (top, ends[1])):
            drawing.hairline(0, right, y)
            run = Run(words, letters, theme.quiet)
            drawing.text(right + 8, y + letters.cap_height / 2, run)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.level if self._colour is None else theme.card(self._colour))
        step = right / len(self._samples)
        for at, value in enumerate(self._samples):
            part = (value - low) / (high - low) if high > low else 0.5
            y = bottom - part * (bottom - top)
            painter.drawEllipse(QPointF((at + 0.5) * step, y), _DOT, _DOT)

    def _told(self, value: float, digits: int = 0) -> str:
        if self._unit == "µs":
            return f"{value:.2f}"
        return f"{value:.{digits}f}" if digits else gigabytes_per_second(value * 1e9)

    def sizeHint(self) -> QSize:
        return QSize(240, _HEIGHT)
