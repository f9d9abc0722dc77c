"""ChipRow: the cards that something is about, in their colours; the host is outlined."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.painted import Painted

_CHIP, _GAP, _ARROW = 20.0, 6.0, 16.0


class ChipRow(Painted):
    """As wide as its chips. `arrows`: what is copied goes from each to the next."""

    def __init__(self, *, arrows: bool = False, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._chips: Sequence[Chip] = ()
        self._between = _ARROW + 2 * _GAP if arrows else _GAP
        self._arrows = arrows
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_chips(self, chips: Sequence[Chip]) -> None:
        if chips != self._chips:
            self._chips = chips
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        x, middle = 0.0, self.height() / 2
        for at, chip in enumerate(self._chips):
            if at and self._arrows:
                arrow = QRectF(x - _ARROW - _GAP, middle - _ARROW / 2, _ARROW, _ARROW)
                drawing.icon(Icon.ARROW, arrow, drawing.theme.quiet)
            place = QRectF(x, middle - _CHIP / 2, self._width(chip), _CHIP)
            fill = None if chip.colour is None else drawing.theme.card(chip.colour)
            drawing.chip(place, chip.text, drawing.letters.strong, fill)
            x += place.width() + self._between

    def _width(self, chip: Chip) -> float:
        return max(_CHIP, self.look.letters.strong.width(chip.text) + 10)

    def sizeHint(self) -> QSize:
        wide = sum(self._width(chip) for chip in self._chips)
        wide += self._between * max(0, len(self._chips) - 1)
        return QSize(round(wide), int(_CHIP))
