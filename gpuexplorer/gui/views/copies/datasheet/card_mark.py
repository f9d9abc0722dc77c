"""CardMark: a card's number in its colour, before the heading of a panel."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.painted import Painted

_CHIP = 22


class CardMark(Painted):
    """The chip by itself; outlined where there is no colour."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._chip = ""
        self._colour: int | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        look.changed.connect(self.update)

    def show_card(self, chip: str, colour: int | None) -> None:
        if (chip, colour) == (self._chip, self._colour):
            return
        self._chip, self._colour = chip, colour
        self.setAccessibleName(tr("Host") if chip == "H" else tr("Card {number}", number=chip))
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        fill = None if self._colour is None else drawing.theme.card(self._colour)
        place = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        drawing.chip(place, self._chip, drawing.letters.strong, fill)

    def sizeHint(self) -> QSize:
        wide = round(self.look.letters.strong.width(self._chip)) + 10
        return QSize(max(_CHIP, wide), _CHIP)
