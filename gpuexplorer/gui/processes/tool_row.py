"""ToolRow: what is looked for, on which card, and how rows hang together; notices below it."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.processes.model import Grouping
from gpuexplorer.gui.processes.words import ProcessNotice
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, Grow, row
from gpuexplorer.gui.widgets.live_view import Remark

_ALL, _COLUMNS = mark("All cards"), mark("Columns and order")
_NARROWEST_SEARCH, _WIDEST_SEARCH = 120, 320
_COMPACT_BELOW = 720
_GROUPINGS = (
    (Grouping.LIST, mark("List")),
    (Grouping.PROGRAM, mark("By program")),
    (Grouping.TREE, mark("Tree")),
)


class ToolRow(QWidget):
    """Asks; whoever decides shows the answer here."""

    searched_for = Signal(str)
    card_chosen = Signal(object)  # an id, or None for all
    grouping_chosen = Signal(object)
    columns_asked = Signal(QMenu)
    export_asked = Signal()
    left = Signal()  # the rows are to have the keyboard

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._cards: Sequence[Shown] = ()
        self._card: CardId | None = None
        self.search = SearchField(tr("Filter by command, user, pid, container"))
        self.search.setMaximumWidth(_WIDEST_SEARCH)
        self.search.textChanged.connect(self.searched_for)
        self.search.left.connect(self.left)
        self._card_button = MenuButton(tr("Card"))
        self._card_button.show_words(tr(_ALL))
        self._card_button.about_to_open.connect(self._on_cards_asked)
        self.search.setMinimumWidth(_NARROWEST_SEARCH)
        self._groupings = Segmented(
            tr("Rows"), [(kind, tr(words)) for kind, words in _GROUPINGS]
        )
        self._groupings.chosen.connect(self.grouping_chosen)
        self._columns = MenuButton(tr(_COLUMNS))
        self.show_hidden(())
        self._columns.about_to_open.connect(self.columns_asked)
        export = IconButton(Icon.EXPORT, tr("Export the rows that are shown as CSV"), "Ctrl+S")
        export.clicked.connect(self.export_asked)
        # The field takes what room there is, up to its widest.
        left = (self.search, Grow(100), self._card_button, self._groupings)
        row(*left, FREE, self._columns, export, within=self)

    def show_cards(self, cards: Sequence[Shown], card: CardId | None) -> None:
        """With one card there is nothing to choose from."""
        self._cards, self._card = cards, card
        chosen = next((each for each in cards if each.card.id == card), None)
        self._card_button.show_words(_number(chosen) if chosen else tr(_ALL))
        self._card_button.setVisible(len(cards) > 1 or card is not None)

    def show_grouping(self, grouping: Grouping) -> None:
        self._groupings.show_choice(grouping)

    def show_hidden(self, hidden: Sequence[str]) -> None:
        """The columns for which there is no room, or that a person hid."""
        words = tr("Columns")
        if hidden:
            words = trn("Columns, {count} hidden", "Columns, {count} hidden", len(hidden))
        self._columns.show_words(words)
        names = tr("Hidden: {columns}", columns=listed(hidden)) if hidden else ""
        self._columns.setToolTip("\n".join(filter(None, (tr(_COLUMNS), names))))

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


class NoticeColumn(QVBoxLayout):
    """Sentences above the rows that are to be known while they hold."""

    def __init__(self) -> None:
        super().__init__()
        self._notices: Sequence[ProcessNotice] = ()

    def show_notices(self, notices: Sequence[ProcessNotice]) -> None:
        if notices == self._notices:
            return
        self._notices = notices
        while (item := self.takeAt(0)) is not None:
            if (before := item.widget()) is not None:
                before.deleteLater()
        for each in notices:
            self.addWidget(Remark(each.sentence, each.icon, each.tone))


def _number(shown: Shown) -> str:
    return tr("Card {number}", number=shown.number)


def _named(shown: Shown) -> str:
    if shown.card.nameless:
        return _number(shown)
    name = shown.card.name.replace("&", "&&")
    return tr("Card {number}, {name}", number=shown.number, name=name)
