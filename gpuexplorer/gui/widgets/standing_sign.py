"""StandingSign: how a machine is reached, as a shape in a colour."""

from PySide6.QtCore import QRectF, QSize

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.state.machine_words import standing_sign
from gpuexplorer.gui.state.machines import Standing
from gpuexplorer.gui.widgets.painted import Painted


class StandingSign(Painted):
    def __init__(self, size: QSize) -> None:
        super().__init__()
        self._standing = Standing.HERE
        self.setFixedSize(size)

    def show_standing(self, standing: Standing) -> None:
        if standing is not self._standing:
            self._standing = standing
            self.update()

    def draw(self, drawing: Drawing) -> None:
        draw_standing(drawing, QRectF(self.rect()), self._standing)


def draw_standing(drawing: Drawing, place: QRectF, standing: Standing) -> None:
    icon, tone = standing_sign(standing)
    drawing.icon(icon, place, drawing.theme.tone(tone))
