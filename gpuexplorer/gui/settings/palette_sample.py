"""PaletteSample: the colours that hold now: eight cards, and the three meanings."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_CHIP, _GAP, _APART, _ICON = 20, 4, 20, 16


class PaletteSample(Painted):
    """Each with its number or its sign, as everywhere: colour is never alone."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setAccessibleName(tr("The colours of eight cards, and of good, warning and bad"))
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        x, top = 0.0, (self.height() - _CHIP) / 2
        for number, colour in enumerate(theme.cards):
            place = QRectF(x, top, _CHIP, _CHIP)
            drawing.chip(place, str(number), letters.caption, colour)
            x += _CHIP + _GAP
        x += _APART - _GAP
        baseline = self.height() / 2 + letters.body.cap_height / 2
        for icon, word, colour in (
            (Icon.THERE, tr("good"), theme.good),
            (Icon.WARNING, tr("warning"), theme.warn),
            (Icon.LOST, tr("bad"), theme.bad),
        ):
            run = Run(word, letters.body, colour)
            if x + _ICON + 6 + run.width > self.width():
                break
            drawing.icon(icon, QRectF(x, (self.height() - _ICON) / 2, _ICON, _ICON), colour)
            x = drawing.text(x + _ICON + 6, baseline, run) + 16

    def sizeHint(self) -> QSize:
        return QSize(320, _CHIP + 20)
