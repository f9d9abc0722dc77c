"""ToolRow: what is looked for, on which card, and whether as a list or by program."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.processes.lines import Grouping
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.wording.cards.faces import Shown

_ALL = mark("All cards")
_NARROWEST_SEARCH, _WIDEST_SEARCH = 120, 320
_COMPACT_BELOW = 620
_GROUPINGS = ((Grouping.LIST, mark("List")), (Grouping.PROGRAM, mark("By program")))


class ToolRow(QWidget):
    """Asks; whoever decides shows the answer here."""

    searched_for = Signal(str)
    card_chosen = Signal(object)  # an id, or None for all
    grouping_chosen = Signal(object)
    columns_asked = Signal(QMenu)
    export_asked = Signal()
    left = Signal()  # the rows are to have the keyboard

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards: Sequence[Shown] = ()
        self._card: CardId | None = None
        self.search = SearchField(look, tr("Filter by command, user, pid, container"))
        self.search.setMaximumWidth(_WIDEST_SEARCH)
        self.search.searched_for.connect(self.searched_for)
        self.search.left.connect(self.left)
        self._card_button = MenuButton(look, tr("Card"))
        self._card_button.show_words(tr(_ALL))
        self._card_button.about_to_open.connect(self._on_cards_asked)
        self.search.setMinimumWidth(_NARROWEST_SEARCH)
        self._groupings = Segmented(
            look, tr("Rows"), [(kind, tr(words)) for kind, words in _GROUPINGS]
        )
        self._groupings.chosen.connect(self.grouping_chosen)
        self._columns = MenuButton(look, tr("Columns and order"))
        self._columns.show_words(tr("Columns"))
        self._columns.about_to_open.connect(self.columns_asked)
        export = IconButton(look, Icon.EXPORT)
        export.show_meaning(Icon.EXPORT, tr("Export the rows that are shown as CSV"), "Ctrl+S")
        export.clicked.connect(self.export_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.search, 100)  # what room there is, up to its widest
        row.addWidget(self._card_button)
        row.addWidget(self._groupings)
        row.addStretch(1)
        row.addWidget(self._columns)
        row.addWidget(export)

    def show_cards(self, cards: Sequence[Shown], card: CardId | None) -> None:
        """With one card there is nothing to choose from."""
        self._cards, self._card = cards, card
        chosen = next((each for each in cards if each.card.id == card), None)
        self._card_button.show_words(_number(chosen) if chosen else tr(_ALL))
        self._card_button.setVisible(len(cards) > 1 or card is not None)

    def show_grouping(self, grouping: Grouping) -> None:
        self._groupings.show_choice(grouping)

    def open_columns(self) -> None:
        """The menu under its button."""
        self._columns.click()

    def _on_cards_asked(self, menu: QMenu) -> None:
        names = [(None, tr(_ALL)), *((each.card.id, _named(each)) for each in self._cards)]
        for card, words in names:
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(card == self._card)
            action.triggered.connect(lambda _=False, card=card: self.card_chosen.emit(card))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._groupings.show_compact(event.size().width() < _COMPACT_BELOW)


def _number(shown: Shown) -> str:
    return tr("Card {number}", number=shown.number)


def _named(shown: Shown) -> str:
    if shown.card.nameless:
        return _number(shown)
    name = shown.card.name.replace("&", "&&")
    return tr("Card {number}, {name}", number=shown.number, name=name)
