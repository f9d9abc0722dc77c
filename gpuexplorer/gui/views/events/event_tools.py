"""EventTools: the row above the list: which group, which card, which words; copy and export."""

import json
from collections import Counter

from PySide6.QtCore import QSignalBlocker, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.events.event_choice import EventChoice
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.wording.events.event_words import Group

_THIN = "\N{THIN SPACE}"
_SEARCH_LEAST, _SEARCH_WIDTH = 150, 220
_GAP = 8
_REMEMBERED = "events/filter"


class EventTools(QWidget):
    """Holds the choice; the list follows `choice_changed`."""

    choice_changed = Signal(EventChoice)
    list_asked = Signal()  # the list is to have the keyboard
    copy_asked = Signal()
    export_asked = Signal()

    def __init__(
        self, look: Look, machine: MachineState, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._machine = machine
        self._group, self._card = self._remembered()
        choices = [(None, tr("All")), *((group, tr(group.value)) for group in Group)]
        self._groups = Segmented(look, tr("Kind of event"), choices)
        self._groups.show_choice(self._group)
        self._groups.chosen.connect(self._on_group_chosen)
        self._cards = MenuButton(look, tr("Card"))
        self._cards.show_words(self._words_of_card())
        self._cards.about_to_open.connect(self._on_cards_asked)
        self._search = SearchField(look, tr("Search events"))
        self._search.setMinimumWidth(_SEARCH_LEAST)
        self._search.setMaximumWidth(_SEARCH_WIDTH)
        self._search.searched_for.connect(self._tell)
        self._search.left.connect(self.list_asked)
        self._copy = IconButton(look, Icon.COPY)
        self._copy.show_meaning(
            Icon.COPY, tr("Copy the events that are selected, or all"), "Ctrl+C"
        )
        self._copy.clicked.connect(self.copy_asked)
        self._export = IconButton(look, Icon.EXPORT)
        self._export.show_meaning(
            Icon.EXPORT, tr("Export the events that are listed as CSV"), "Ctrl+S"
        )
        self._export.clicked.connect(self.export_asked)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(_GAP)
        row.addWidget(self._groups)
        row.addWidget(self._cards)
        row.addStretch(1)
        row.addWidget(self._search, 2)
        row.addWidget(self._copy)
        row.addWidget(self._export)

    @property
    def choice(self) -> EventChoice:
        return EventChoice(self._group, self._card, self._search.text())

    def start_search(self) -> None:
        self._search.setFocus()
        self._search.selectAll()

    def show_counts(self, total: int, counts: Counter[Group]) -> None:
        self._groups.show_words(None, _with_count(tr("All"), total))
        for group in Group:
            self._groups.show_words(group, _with_count(tr(group.value), counts[group]))
        self._copy.setEnabled(total > 0)
        self._export.setEnabled(total > 0)

    def show_words(self, words: str) -> None:
        """Search for these."""
        self._search.setText(words)

    def show_all(self) -> None:
        with QSignalBlocker(self._search):
            self._search.clear()
        self._group, self._card = None, None
        self._tell()

    def fit(self, width: int) -> None:
        others = (self._cards, self._copy, self._export)
        rest = sum(each.sizeHint().width() + _GAP for each in others) + _SEARCH_WIDTH
        self._groups.show_compact(self._groups.full_width() + rest > width)

    def _tell(self) -> None:
        self._groups.show_choice(self._group)
        self._cards.show_words(self._words_of_card())
        kept = {"group": self._group, "card": self._card}
        self._machine.settings.remember(_REMEMBERED, json.dumps(kept))
        self.choice_changed.emit(self.choice)

    def _words_of_card(self) -> str:
        shown = self._machine.shown(self._card)
        return tr("All cards") if shown is None else tr("Card {number}", number=shown.number)

    def _remembered(self) -> tuple[Group | None, CardId | None]:
        """What cannot be read, and a card that is not here, lets everything through."""
        try:
            found = json.loads(self._machine.settings.remembered(_REMEMBERED) or "{}")
        except ValueError:
            return None, None
        if not isinstance(found, dict):
            return None, None
        group = next((each for each in Group if each.value == found.get("group")), None)
        listed = [
            each.card.id
            for shown in self._machine.cards()
            for each in (shown, *shown.instances)
        ]
        return group, next((card for card in listed if card == found.get("card")), None)

    def _on_group_chosen(self, group: Group | None) -> None:
        self._group = group
        self._tell()

    def _on_cards_asked(self, menu: QMenu) -> None:
        listed = [
            (each.card.id, f"{tr('Card {number}', number=each.number)}  {each.card.name}")
            for shown in self._machine.cards()
            for each in (shown, *shown.instances)
        ]
        offered: list[tuple[CardId | None, str]] = [(None, tr("All cards")), *listed]
        for card, words in offered:
            action = menu.addAction(words)
            action.setCheckable(True)
            action.setChecked(card == self._card)
            action.triggered.connect(lambda _=False, card=card: self._on_card_chosen(card))

    def _on_card_chosen(self, card: CardId | None) -> None:
        self._card = card
        self._tell()


def _with_count(words: str, count: int) -> str:
    if not count:
        return words
    return f"{words}  {count:,}".replace(",", _THIN)
