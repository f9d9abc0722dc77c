"""OffersPanel: the table of cards one could have, with what is looked for among them."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.datasheet.offer_columns import (
    BANDWIDTH,
    BESIDE,
    OfferCells,
    offer_columns,
)
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.wording.copies.datasheet.beside import looked_for

_SEARCH = 210


class OffersTable(Table[OtherCard]):
    """Space, Enter, a double click or a click in the first column lays a card beside, or takes
    it away; whoever decides shows it.
    """

    turned = Signal(str)  # the name of a card
    current_changed = Signal()

    def __init__(self, look: Look, model: TableModel[OtherCard]) -> None:
        super().__init__(look, tr("Cards one could have"), model)
        self._cards = model
        self._beside = [column.key for column in model.columns].index(BESIDE)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.selectionModel().currentRowChanged.connect(self.current_changed)
        self.doubleClicked.connect(self._on_double_clicked)

    @property
    def current(self) -> str:
        """The name of the card the keyboard is at; empty where there is none."""
        card = self._cards.thing(self.currentIndex())
        return "" if card is None else card.name

    def _turn(self) -> None:
        if self.current:
            self.turned.emit(self.current)

    def _on_double_clicked(self, index: QModelIndex) -> None:
        if index.column() != self._beside:
            self._turn()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        left = event.button() is Qt.MouseButton.LeftButton
        if left and index.isValid() and index.column() == self._beside:
            self._turn()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Space | Qt.Key.Key_Return | Qt.Key.Key_Enter:
                self._turn()
            case _:
                super().keyPressEvent(event)


class OffersPanel(Panel):
    """`turned` brings the name of a card that is to lie beside, or no longer."""

    turned = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("Other cards"), parent=parent)
        self._cards: Sequence[OtherCard] = ()
        self._cells = OfferCells()
        self._count = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._lay = WordButton(look, Icon.ADD, tr("Lay beside"))
        self._take = WordButton(look, Icon.CLOSE, tr("Take away"))
        self._search = SearchField(look, tr("Name, maker, year"))
        self._search.setFixedWidth(_SEARCH)
        model = TableModel(offer_columns(self._cells), lambda card: card.name)
        self.table = OffersTable(look, model)
        self.table.columns.begin_with(BANDWIDTH, falling=True)
        self._nothing = ElidedLabel(look.letters.body, Tone.QUIET)
        self.head.addWidget(self._count)
        self.head.addWidget(self._lay)
        self.head.addWidget(self._take)
        self.head.addWidget(self._search)
        self.body.addWidget(self._nothing)
        self.body.addWidget(self.table, 1)
        self._search.searched_for.connect(self._show)
        self._search.left.connect(self.table.setFocus)
        self._lay.clicked.connect(self._on_turn_clicked)
        self._take.clicked.connect(self._on_turn_clicked)
        self.table.turned.connect(self.turned)
        self.table.current_changed.connect(self._show_buttons)
        self._show()

    @property
    def stops(self) -> Sequence[QWidget]:
        """Where the Tab key comes to, in its order."""
        return self._lay, self._take, self._search, self.table

    def start_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_cards(
        self,
        cards: Sequence[OtherCard],
        letters: Mapping[str, str],
        here: Mapping[str, Sequence[Chip]],
    ) -> None:
        """`letters` by the names of those that lie beside, `here` this machine's cards."""
        shown = (self._cards, self._cells.letters, self._cells.here)
        if (cards, letters, here) != shown:
            self._cards, self._cells.letters, self._cells.here = cards, letters, here
            self._show()

    def _show(self) -> None:
        found = looked_for(self._cards, self._search.text())
        # What has the same figure, or none, stands in the order of names.
        self.table.show_rows(sorted(found, key=lambda card: card.name.casefold()))
        count = len(self._cards)
        if len(found) == count:
            words = trn("{count} card", "{count} cards", count)
        else:
            words = trn(
                "{found} of {count} card", "{found} of {count} cards", count, found=len(found)
            )
        self._count.show_text(words)
        none_found = tr("No card has these words. Escape shows all.")
        none_listed = tr("No cards are listed: their table could not be read.")
        self._nothing.show_text(none_found if count else none_listed)
        self._nothing.setVisible(not found)
        self._show_buttons()

    def _show_buttons(self) -> None:
        name = self.table.current
        beside = name in self._cells.letters
        lay = tr("Lay beside: {card}", card=name) if name else tr("Lay beside")
        take = tr("Take away: {card}", card=name) if name else tr("Take away")
        for button, words, shown in ((self._lay, lay, not beside), (self._take, take, beside)):
            button.setVisible(shown)
            button.setEnabled(bool(name))
            button.setAccessibleName(words)
            button.setToolTip("" if name else tr("Choose a card in the table"))

    def _on_turn_clicked(self) -> None:
        if self.table.current:
            self.turned.emit(self.table.current)

    def minimumSizeHint(self) -> QSize:
        return QSize(400, 200)
