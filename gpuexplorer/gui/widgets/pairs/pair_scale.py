"""PairScale: which shade of a map of pairs is how much."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.wording.copies.matrix.heat_scale import HeatScale

_WIDE, _ABOVE, _HIGH, _WORDS = 190, 5, 8, 22


class PairScale(Graph):
    """A bar with its figures below; empty where nothing has a shade."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shown: tuple[HeatScale | None, str] = (None, "")
        self._axis = Axis(look, "bottom", lines=False, inside=True)
        self._axis.setHeight(_WORDS)
        self._image = pg.ImageItem(axisOrder="row-major")
        view = self.add_plot(bottom=self._axis)
        view.setRange(QRectF(0, 0, 1, 1), padding=0)
        view.addItem(self._image)
        self._image.hide()
        self.grid.setContentsMargins(0, _ABOVE, 0, 0)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.dress()

    def show_scale(self, scale: HeatScale | None, unit: str) -> None:
        if (scale, unit) == self._shown:
            return
        self._shown = scale, unit
        name = tr("No shades yet")
        ticks: list[tuple[float, str]] = []
        if scale is not None:
            high = f"{_told(scale.most)} {unit}"
            name = tr("Shades from {low} to {high}", low=_told(scale.least), high=high)
            ticks = [(1.0, high), *((scale.share(at), _told(at)) for at in scale.ticks())]
        self.setAccessibleName(name)
        self._axis.show_ticks(ticks)
        self._image.setVisible(scale is not None)

    def dress(self) -> None:
        colours = [self.look.theme.heat(step / _WIDE) for step in range(_WIDE + 1)]
        row = [(each.red(), each.green(), each.blue()) for each in colours]
        self._image.setImage(np.array([row], np.uint8), levels=(0, 255))
        self._image.setRect(QRectF(0, 0, 1, 1))

    def sizeHint(self) -> QSize:
        return QSize(_WIDE, _ABOVE + _HIGH + _WORDS)


def _told(value: float) -> str:
    if value >= 100:
        return f"{value:.0f}"
    return plain(round(value, 1 if value >= 10 else 2))
