"""ScaleLegend: which colour stands for which value, from the least to the most."""

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.plots.axes import Axis
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.inside.tensor.value_scale import ValueScale
from gpuexplorer.gui.wording.lab.inside.values import rounded_text

_WIDTH, _BAR, _WORDS = 200, 7, 22


class ScaleLegend(Graph):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._scale = ValueScale(None, None)
        self._axis = Axis(look, "bottom", lines=False, inside=True)
        self._axis.setHeight(_WORDS)
        self._image = pg.ImageItem(axisOrder="row-major")
        view = self.add_plot(bottom=self._axis)
        view.setRange(QRectF(0, 0, 1, 1), padding=0)
        view.addItem(self._image)
        self.setFixedSize(_WIDTH, _BAR + _WORDS)
        self.setAccessibleName(tr("Colours of the values"))
        self.hide()

    def show_scale(self, scale: ValueScale, dtype: str) -> None:
        self._scale = scale
        least, most = scale.least, scale.most
        self.setVisible(least != most)
        if least is None or most is None or least == most:
            return
        words = rounded_text(least, dtype), rounded_text(most, dtype)
        self.setAccessibleDescription(
            tr("From {least} to {most}", least=words[0], most=words[1])
        )
        zero = ((scale.part(0.0), "0"),) if scale.around_zero else ()
        self._axis.show_ticks(((0.0, words[0]), (1.0, words[1]), *zero))
        along = np.linspace(0.0, 1.0, _WIDTH)
        values = least * (1 - along) + most * along
        self._image.setImage(scale.shares(values)[np.newaxis], levels=(0, 1))
        self._image.setRect(QRectF(0, 0, 1, 1))
        self.dress()

    def dress(self) -> None:
        self._image.setLookupTable(self._scale.colours(self.look.theme))
