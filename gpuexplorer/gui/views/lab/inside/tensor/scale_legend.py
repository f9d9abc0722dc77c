"""ScaleLegend: which colour stands for which value, from the least to the most."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QLinearGradient
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.paint.value_scale import ValueScale
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.lab.inside.values import rounded_text

_WIDTH, _BAR, _HEIGHT, _STOPS, _APART = 200, 7.0, 28, 24, 8.0


class ScaleLegend(Painted):
    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._scale = ValueScale(None, None)
        self._dtype = ""
        self.hide()
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Colours of the values"))

    def show_scale(self, scale: ValueScale, dtype: str) -> None:
        if (scale, dtype) == (self._scale, self._dtype):
            return
        self._scale, self._dtype = scale, dtype
        self.setVisible(scale.least != scale.most)
        least, most = rounded_text(scale.least, dtype), rounded_text(scale.most, dtype)
        self.setAccessibleDescription(tr("From {least} to {most}", least=least, most=most))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        scale = self._scale
        if scale.least is None or scale.most is None or scale.least == scale.most:
            return
        bar = QRectF(0, 0, self.width(), _BAR)
        gradient = QLinearGradient(bar.topLeft(), bar.topRight())
        stops = [each / _STOPS for each in range(_STOPS + 1)]
        if scale.around_zero:
            stops = sorted({*stops, scale.part(0.0)})
        for stop in stops:
            value = scale.least + stop * (scale.most - scale.least)
            colour = scale.colour(drawing.theme, value)
            if colour is not None:
                gradient.setColorAt(stop, colour)
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(gradient)
        drawing.painter.drawRoundedRect(bar, 3, 3)
        self._draw_words(drawing, scale)

    def _draw_words(self, drawing: Drawing, scale: ValueScale) -> None:
        letters, colour = drawing.letters.caption, drawing.theme.quiet
        baseline = _BAR + 4 + letters.ascent
        least = Run(rounded_text(scale.least, self._dtype), letters, colour)
        most = Run(rounded_text(scale.most, self._dtype), letters, colour)
        left_end = drawing.text(0, baseline, least)
        right_start = drawing.runs_right(self.width(), baseline, [most])
        if scale.around_zero:
            zero = Run("0", letters, colour)
            x = scale.part(0.0) * self.width() - zero.width / 2
            if left_end + _APART <= x <= right_start - zero.width - _APART:
                drawing.text(x, baseline, zero)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)
