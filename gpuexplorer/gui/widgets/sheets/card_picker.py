"""CardPicker: all cards of a big machine as a grid of numbers, to choose one of them."""

from collections.abc import Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QStandardItem, QStandardItemModel
from PySide6.QtWidgets import QHeaderView, QTableView, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.sheets.popup import Popup

# Machines with very many cards have them in boards of eight.
_COLUMNS = 8
_CELL, _MARGIN = 34, 8
_CARD = Qt.ItemDataRole.UserRole


class CardPicker(Popup):
    """Arrows go from number to number, digits to the number itself, Enter takes one."""

    chosen = Signal(str)

    def __init__(
        self,
        choices: Sequence[tuple[CardId, str, str]],
        current: CardId | None,
        anchor: QWidget,
    ) -> None:
        """Each choice is an id, a number and a title."""
        rows = -(-len(choices) // _COLUMNS)
        letters = look().letters.strong
        wide = max((round(letters.width(number)) + 18 for _, number, _ in choices), default=0)
        wide = max(42, wide)
        size = QSize(_COLUMNS * wide + 2 * _MARGIN, rows * _CELL + 2 * _MARGIN)
        super().__init__(size.width(), size.height(), anchor)
        self.setAccessibleName(tr("Choose a card"))
        self._view = view = QTableView()
        view.setProperty("kind", "picker")
        view.setAccessibleName(tr("Cards"))
        view.setModel(_model(choices, current, view))
        view.setShowGrid(False)
        view.setTabKeyNavigation(False)
        for header, cell in (
            (view.horizontalHeader(), wide),
            (view.verticalHeader(), _CELL),
        ):
            header.hide()
            header.setMinimumSectionSize(1)
            header.setDefaultSectionSize(cell)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        at = [card for card, _, _ in choices].index(current) if current else 0
        view.setCurrentIndex(view.model().index(*divmod(at, _COLUMNS)))
        view.clicked.connect(self._on_taken)
        view.activated.connect(self._on_taken)
        self.panel.setContentsMargins(_MARGIN, _MARGIN, _MARGIN, _MARGIN)
        self.panel.addWidget(view)
        view.setFocus(Qt.FocusReason.PopupFocusReason)

    def _on_taken(self, index: QModelIndex) -> None:
        card = index.data(_CARD)
        if isinstance(card, str) and self.isVisible():
            self.close()
            self.chosen.emit(card)


def _model(
    choices: Sequence[tuple[CardId, str, str]], current: CardId | None, parent: QWidget
) -> QStandardItemModel:
    model = QStandardItemModel(-(-len(choices) // _COLUMNS), _COLUMNS, parent)
    for position in range(model.rowCount() * _COLUMNS):
        item = QStandardItem()
        item.setEditable(False)
        item.setTextAlignment(Qt.AlignmentFlag.AlignCenter)
        item.setEnabled(position < len(choices))
        if position < len(choices):
            card, number, title = choices[position]
            item.setText(number)
            item.setData(card, _CARD)
            item.setToolTip(title)
            item.setAccessibleText(title)
            letters = look().letters.strong if card == current else look().letters.body
            item.setFont(letters.font)
        model.setItem(*divmod(position, _COLUMNS), item)
    return model
