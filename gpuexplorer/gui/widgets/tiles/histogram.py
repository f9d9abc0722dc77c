"""Histogram: how many cards are how busy, in ten bars."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_BINS = 10
_CAPTION, _COUNT, _AXIS, _GAP = 22.0, 15.0, 18.0, 2.0


class Histogram(Painted):
    """A bar's height is its count; its shade is what the cells of these cards have."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._counts = [0] * _BINS
        self.setAccessibleName(tr("Cards by how busy they are"))
        self.setMinimumHeight(96)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_shares(self, shares: Sequence[float]) -> None:
        counts = [0] * _BINS
        for share in shares:
            counts[min(_BINS - 1, int(share * _BINS))] += 1
        if counts != self._counts:
            self._counts = counts
            said = [
                tr(
                    "{count} between {low} and {high} %",
                    count=count,
                    low=at * 10,
                    high=at * 10 + 10,
                )
                for at, count in enumerate(counts)
                if count
            ]
            self.setAccessibleDescription(f"{', '.join(said)}.")
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        caption = Run(tr("Cards by how busy they are"), letters, theme.quiet)
        drawing.elided(0, letters.ascent, caption, self.width())
        bottom = self.height() - _AXIS
        room = bottom - _CAPTION - _COUNT
        most = max(1, *self._counts)
        wide = (self.width() - _GAP * (_BINS - 1)) / _BINS
        for at, count in enumerate(self._counts):
            if not count:
                continue
            x = at * (wide + _GAP)
            tall = max(2.0, count / most * room)
            shade = theme.heat((at + 0.5) / _BINS)
            drawing.painter.fillRect(QRectF(x, bottom - tall, wide, tall), shade)
            run = Run(str(count), letters, theme.text)
            drawing.text(x + (wide - run.width) / 2, bottom - tall - 4, run)
        drawing.hairline(0, self.width(), bottom)
        baseline = bottom + 4 + letters.ascent
        drawing.text(0, baseline, Run("0", letters, theme.faint))
        half = Run("50", letters, theme.faint)
        drawing.text((self.width() - half.width) / 2, baseline, half)
        drawing.runs_right(self.width(), baseline, [Run("100 %", letters, theme.faint)])

    def sizeHint(self) -> QSize:
        return QSize(240, 140)
