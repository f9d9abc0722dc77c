"""CardPicker: all cards of a big machine as a grid of numbers, to choose one of them."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QGridLayout, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.widgets.sheets.popup import Popup

# Machines with very many cards have them in boards of eight.
_COLUMNS = 8
_CELL, _GAP, _MARGIN = 32, 2, 8
_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Up: -_COLUMNS,
    Qt.Key.Key_Down: _COLUMNS,
}


class CardPicker(Popup):
    """Arrows go from number to number, Enter takes one."""

    chosen = Signal(str)

    def __init__(
        self,
        look: Look,
        choices: Sequence[tuple[CardId, str, str]],
        current: CardId | None,
        anchor: QWidget,
    ) -> None:
        """Each choice is an id, a number and a name."""
        rows = -(-len(choices) // _COLUMNS)
        wide = max((_cell_width(look, number) for _, number, _ in choices), default=0)
        width = _COLUMNS * (wide + _GAP) - _GAP + 2 * _MARGIN
        height = rows * (_CELL + _GAP) - _GAP + 2 * _MARGIN
        super().__init__(look, width, height, anchor)
        self.setAccessibleName("Choose a card")
        self._current = current
        self._cells: dict[CardId, PickerCell] = {}
        grid = QGridLayout()
        grid.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        grid.setSpacing(_GAP)
        for position, (card, number, name) in enumerate(choices):
            cell = PickerCell(look, number)
            cell.setFixedSize(wide, _CELL)
            cell.setAccessibleName(f"Card {number}, {name}")
            cell.setToolTip(f"Card {number}, {name}")
            cell.setChecked(card == current)
            cell.clicked.connect(self._on_cell_clicked)
            grid.addWidget(cell, *divmod(position, _COLUMNS))
            self._cells[card] = cell
        self.panel.addLayout(grid)

    def open(self) -> None:
        super().open()
        if self._current in self._cells:
            self._cells[self._current].setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_cell_clicked(self) -> None:
        asked = next(card for card, cell in self._cells.items() if cell is self.sender())
        self.hide()
        self.chosen.emit(asked)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        cells = list(self._cells.values())
        here = next((at for at, cell in enumerate(cells) if cell.hasFocus()), None)
        step = _STEPS.get(Qt.Key(event.key()))
        if here is None or step is None:
            super().keyPressEvent(event)
        elif 0 <= here + step < len(cells):
            cells[here + step].setFocus(Qt.FocusReason.TabFocusReason)


class PickerCell(PaintedButton):
    """One number."""

    def __init__(self, look: Look, number: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setCheckable(True)
        self.setText(number)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        self.draw_ground(drawing, place)
        theme, letters = drawing.theme, drawing.letters
        chosen = self.isChecked()
        run = Run(
            self.text(),
            letters.strong if chosen else letters.body,
            theme.text if chosen else theme.quiet,
        )
        baseline = place.center().y() + letters.body.cap_height / 2
        drawing.text(place.center().x() - run.width / 2, baseline, run)


def _cell_width(look: Look, number: str) -> int:
    return max(40, round(look.letters.strong.width(number)) + 16)
