"""VisibleRow: one card in the list of those that the lab may see."""

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.buttons import IconButton
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.wording.cards.faces import Shown

_HEIGHT = 36


class VisibleRow(QWidget):
    """Asks; the list decides and shows it here."""

    turned = Signal(int, bool)
    moved = Signal(int, int)  # by -1 or 1

    def __init__(self, look: Look, shown: Shown, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._index = shown.card.index
        self._switch = Switch(look, tr("Card {number} is visible", number=shown.number))
        self._switch.turned.connect(self._on_turned)
        self._face = VisibleFace(look, shown)
        self._up = IconButton(look, Icon.ASCENDING)
        self._up.show_meaning(Icon.ASCENDING, tr("Move card {number} up", number=shown.number))
        self._down = IconButton(look, Icon.DESCENDING)
        self._down.show_meaning(
            Icon.DESCENDING, tr("Move card {number} down", number=shown.number)
        )
        self._up.clicked.connect(self._on_up)
        self._down.clicked.connect(self._on_down)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self._switch)
        row.addWidget(self._face, 1)
        row.addWidget(self._up)
        row.addWidget(self._down)
        self.setFixedHeight(_HEIGHT)

    def show_place(self, number: int | None, *, first: bool, last: bool) -> None:
        """`number`: what CUDA will call it; None while it is not visible."""
        self._switch.show_on(number is not None)
        self._face.show_number(number)
        self._up.setEnabled(not first)
        self._down.setEnabled(not last)

    def take_keyboard(self, by: int) -> None:
        """Where it was, unless it cannot go further that way."""
        button = self._up if by < 0 else self._down
        other = self._down if by < 0 else self._up
        chosen = button if button.isEnabled() else other
        chosen.setFocus(Qt.FocusReason.OtherFocusReason)

    @property
    def first(self) -> QWidget:
        """Where the keyboard begins."""
        return self._switch

    def _on_turned(self, on: bool) -> None:
        self.turned.emit(self._index, on)

    def _on_up(self) -> None:
        self.moved.emit(self._index, -1)

    def _on_down(self) -> None:
        self.moved.emit(self._index, 1)


class VisibleFace(Painted):
    """Chip, name, and the number it gets."""

    def __init__(self, look: Look, shown: Shown, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._shown = shown
        self._words = ""
        self._on = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_number(self, number: int | None) -> None:
        self._on = number is not None
        self._words = tr("not seen") if number is None else f"cuda:{number}"
        name = self._shown.card.name
        self.setAccessibleName(
            tr(
                "Card {number}, {name}: {words}",
                number=self._shown.number,
                name=name,
                words=self._words,
            )
        )
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters, shown = drawing.theme, drawing.letters, self._shown
        middle = self.height() / 2
        wide = max(20.0, letters.badge.width(shown.number) + 10)
        fill = None if shown.colour is None else theme.card(shown.colour)
        chip = QRectF(0, middle - 10, wide, 20)
        drawing.chip(chip, shown.number, letters.badge, fill if self._on else None)
        ink = theme.text if self._on else theme.faint
        mono = letters.mono if self._on else letters.body
        end = drawing.runs_right(
            self.width() - 4, middle + mono.cap_height / 2, [Run(self._words, mono, ink)]
        )
        left = chip.right() + 10
        name = Run(shown.card.name, letters.body, ink)
        drawing.elided(left, middle + letters.body.cap_height / 2, name, end - 12 - left)

    def sizeHint(self) -> QSize:
        return QSize(200, _HEIGHT)
