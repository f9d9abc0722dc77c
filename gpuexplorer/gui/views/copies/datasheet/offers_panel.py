"""OffersPanel: the table of cards one could have, with what is looked for among them."""

from collections.abc import Mapping, Sequence

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.copies.datasheet.sheet import OtherCard
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.datasheet.offers_table import OffersTable
from gpuexplorer.gui.widgets.controls.buttons import WordButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.wording.cell import Chip
from gpuexplorer.gui.wording.copies.datasheet.offers import Column, in_order, looked_for

_SEARCH = 210
_NONE_LISTED = "No cards are listed: their table could not be read."
_NONE_FOUND = "No card has these words. Escape shows all."


class OffersPanel(Panel):
    """`turned` brings the name of a card that is to lie beside, or no longer."""

    turned = Signal(str)

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, "Other cards", parent=parent)
        self._cards: Sequence[OtherCard] = ()
        self._letters: Mapping[str, str] = {}
        self._here: Mapping[str, Sequence[Chip]] = {}
        self._column, self._falling = Column.BANDWIDTH, True
        self._count = ElidedLabel(look.letters.caption, Tone.QUIET)
        self._lay = WordButton(look, Icon.ADD, "Lay beside")
        self._take = WordButton(look, Icon.CLOSE, "Take away")
        self._search = SearchField(look, "Name, maker, year")
        self._search.setFixedWidth(_SEARCH)
        self.table = OffersTable(look)
        self._nothing = ElidedLabel(look.letters.body, Tone.QUIET)
        self.head.addWidget(self._count)
        self.head.addWidget(self._lay)
        self.head.addWidget(self._take)
        self.head.addWidget(self._search)
        self.body.addWidget(self._nothing)
        self.body.addWidget(self.table, 1)
        self._search.searched_for.connect(self._on_searched_for)
        self._search.left.connect(self._on_search_left)
        self._lay.clicked.connect(self._on_turn_clicked)
        self._take.clicked.connect(self._on_turn_clicked)
        self.table.turned.connect(self.turned)
        self.table.sorted_by.connect(self._on_sorted_by)
        self.table.current_changed.connect(self._show_buttons)
        self.table.show_order(self._column, falling=self._falling)
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
        if (cards, letters, here) == (self._cards, self._letters, self._here):
            return
        self._cards, self._letters, self._here = cards, letters, here
        self._show()

    def _show(self) -> None:
        found = looked_for(self._cards, self._search.text())
        first = self._letters if self._column is Column.BESIDE else self._here
        ordered = in_order(found, self._column, falling=self._falling, first=first.keys())
        self.table.show_cards(ordered, self._letters, self._here)
        count = len(self._cards)
        words = f"{count} cards" if len(found) == count else f"{len(found)} of {count} cards"
        self._count.show_text(words)
        self._nothing.show_text(_NONE_FOUND if count else _NONE_LISTED)
        self._nothing.setVisible(not found)
        self._show_buttons()

    def _show_buttons(self) -> None:
        name = self.table.current
        beside = name in self._letters
        for button, shown in ((self._lay, not beside), (self._take, beside)):
            button.setVisible(shown)
            button.setEnabled(bool(name))
            words = button.text()
            button.setAccessibleName(f"{words}: {name}" if name else words)
            button.setToolTip("" if name else "Choose a card in the table")

    def _on_searched_for(self) -> None:
        self._show()

    def _on_search_left(self) -> None:
        self.table.setFocus()

    def _on_turn_clicked(self) -> None:
        if self.table.current:
            self.turned.emit(self.table.current)

    def _on_sorted_by(self, column: Column, falling: bool) -> None:
        self._column, self._falling = column, falling
        self._show()

    def minimumSizeHint(self) -> QSize:
        return QSize(400, 200)
