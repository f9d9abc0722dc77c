"""Histogram: how many cards are how busy, in ten bars."""

from collections.abc import Sequence

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.plots.graph import Axis, Graph

_BINS = 10
_ABOVE, _AXIS, _GAP = 37, 18, 2.0  # the caption and the highest count stand above
_LEAST_BAR = 2.0


class Histogram(Graph):
    """A bar's height is its count; its shade is what the cells of these cards have."""

    def __init__(self) -> None:
        super().__init__()
        self._counts = np.zeros(_BINS, np.int64)
        shares = Axis("bottom", lines=False, inside=True)
        shares.setHeight(_AXIS)
        shares.show_ticks(((0, "0"), (_BINS / 2, "50"), (_BINS, "100 %")))
        self._view = self.add_plot(bottom=shares)
        self._view.setXRange(0, _BINS, padding=0)
        self.grid.setContentsMargins(0, _ABOVE, 0, 0)
        self._bars = pg.BarGraphItem(x0=np.arange(_BINS), width=1, y0=0, height=self._counts)
        self._view.addItem(self._bars, ignoreBounds=True)
        self._over = self.add_sheet(self._draw_over)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setAccessibleName(tr("Cards by how busy they are"))
        self.setMinimumHeight(96)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)

    def show_shares(self, shares: Sequence[float]) -> None:
        counts, _ = np.histogram(shares, _BINS, (0.0, 1.0))
        if (counts == self._counts).all():
            return
        self._counts = counts
        said = [
            tr("{count} between {low} and {high} %", count=count, low=low, high=low + 10)
            for low, count in zip(range(0, 100, 10), counts.tolist(), strict=True)
            if count
        ]
        self.setAccessibleDescription(f"{', '.join(said)}.")
        self.fill()

    def dress(self) -> None:
        self.fill()

    def fill(self) -> None:
        """The highest bar reaches the top, and the lowest is still seen."""
        width, height = max(1, self.width()), max(1, self.height() - _ABOVE - _AXIS)
        most = max(1, int(self._counts.max()))
        gap = _GAP * _BINS / width
        least = np.where(self._counts > 0, _LEAST_BAR / height * most, 0)
        self._bars.setOpts(
            x0=np.arange(_BINS) + gap / 2,
            width=1 - gap,
            height=np.maximum(self._counts, least),
            pens=[pg.mkPen(None)] * _BINS,
            brushes=[self.look.theme.heat((at + 0.5) / _BINS) for at in range(_BINS)],
        )
        self._view.setYRange(0, most, padding=0)
        self._over.put(QRectF(self.rect()))

    def _draw_over(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.caption
        caption = Run(tr("Cards by how busy they are"), letters, theme.quiet)
        drawing.elided(0, letters.ascent, caption, self.width())
        bottom = self.height() - _AXIS
        most, wide = max(1, int(self._counts.max())), self.width() / _BINS
        for at, count in enumerate(self._counts.tolist()):
            if count:
                run = Run(str(count), letters, theme.text)
                tall = max(_LEAST_BAR, count / most * (bottom - _ABOVE))
                drawing.text((at + 0.5) * wide - run.width / 2, bottom - tall - 4, run)
        drawing.hairline(0, self.width(), bottom)

    def sizeHint(self) -> QSize:
        return QSize(240, 140)
