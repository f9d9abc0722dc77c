"""OffersTable: the cards one could buy, in columns that fit, of which some are laid beside."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.datasheet.offers_model import OffersModel
from gpuexplorer.gui.widgets.tables.data_table import DataTable
from gpuexplorer.gui.wording.cell import Chip
from gpuexplorer.gui.wording.copies.datasheet.offers import (
    INDEX,
    NAME_AT_LEAST,
    SPECS,
    Column,
    fitting,
)

NAME = "Cards one could have"
_NAME_AT_MOST = 250


class OffersTable(DataTable):
    """Space, Enter, a double click or a click in the first column lays a card beside, or takes
    it away; whoever decides shows it by `show_cards`.
    """

    turned = Signal(str)  # the name of a card
    sorted_by = Signal(object, bool)  # Column, falling
    current_changed = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, NAME, parent=parent)
        self._model = OffersModel(self)
        self.setModel(self._model)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.captions.make_sorting()
        self.captions.setSectionsMovable(False)
        self.captions.setStretchLastSection(False)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.captions.sortIndicatorChanged.connect(self._on_sort_changed)
        self.selectionModel().currentRowChanged.connect(self._on_current_changed)
        self.doubleClicked.connect(self._on_double_clicked)
        self._place_columns()

    @property
    def current(self) -> str:
        """The name of the card the keyboard is at; empty where there is none."""
        card = self._model.card(self.currentIndex())
        return "" if card is None else card.name

    def show_order(self, column: Column, *, falling: bool) -> None:
        order = Qt.SortOrder.DescendingOrder if falling else Qt.SortOrder.AscendingOrder
        with QSignalBlocker(self.captions):
            self.captions.setSortIndicator(INDEX[column], order)
        self.captions.viewport().update()

    def show_cards(
        self,
        cards: Sequence[OtherCard],
        letters: Mapping[str, str],
        here: Mapping[str, Sequence[Chip]],
    ) -> None:
        """Where the keyboard was it stays, wherever that card stands now."""
        current = self.current
        if self._model.show_cards(cards, letters, here) and current:
            self.go_to(current)

    def go_to(self, name: str) -> None:
        index = self._model.index_of(name)
        if index.isValid():
            self.setCurrentIndex(index)
            self.scrollTo(index)

    def _turn(self, index: QModelIndex) -> None:
        card = self._model.card(index)
        if card is not None:
            self.turned.emit(card.name)

    def _place_columns(self) -> None:
        room = self.viewport().width()
        shown = fitting(room)
        taken = 0
        for column, section in INDEX.items():
            self.captions.setSectionHidden(section, column not in shown)
            if column in shown and column not in (Column.NAME, Column.SOURCE):
                self.captions.resizeSection(section, SPECS[section].width)
                taken += SPECS[section].width
        name = max(NAME_AT_LEAST, room - taken)
        if Column.SOURCE in shown:
            name = min(_NAME_AT_MOST, max(NAME_AT_LEAST, (room - taken) // 2))
            self.captions.resizeSection(INDEX[Column.SOURCE], room - taken - name)
        self.captions.resizeSection(INDEX[Column.NAME], name)
        self.viewport().update()

    def _on_sort_changed(self, section: int, order: Qt.SortOrder) -> None:
        self.sorted_by.emit(SPECS[section].column, order is Qt.SortOrder.DescendingOrder)

    def _on_current_changed(self) -> None:
        self.current_changed.emit()

    def _on_double_clicked(self, index: QModelIndex) -> None:
        if index.column() != INDEX[Column.BESIDE]:
            self._turn(index)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        left = event.button() is Qt.MouseButton.LeftButton
        if left and index.isValid() and index.column() == INDEX[Column.BESIDE]:
            self._turn(index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._turn(self.currentIndex())
            case _:
                super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_columns()
