"""EventsView: what took place and when, to be narrowed down and looked at on the plots."""

import json
from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.words import mark, tr, trn
from gpuexplorer.gui.cards.card_face import told
from gpuexplorer.gui.cards.reasons import EventGroup, nothing_told
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.events import words
from gpuexplorer.gui.state.event_list import (
    BEGAN,
    CARD,
    CHIPS,
    ENDED,
    EpisodeRow,
    EventChoice,
    EventList,
)
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.tables.cell import PADDING, chips_width
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, Grow, column, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import EmptyState, KeyGroup, LiveView
from gpuexplorer.gui.widgets.saving import CSV, Saving, Write, suggested_name
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.whole_file import write_whole

_KEYS: KeyGroup = (
    mark("Events"),
    (("Enter", mark("Show the moment on the plots, marked")),),
)

_MARGIN, _TOP, _GAP = 24, 20, 12
_SEARCH_LEAST, _SEARCH_WIDTH, _TOOLS_GAP = 150, 220, 8
_CHIPS_WHERE_WIDE, _WIDE = 8, 1000
_REMEMBERED = "events/filter"


class EventsView(LiveView):
    """The newest on top. Enter or a double click leads to the moment on the card's plots."""

    key_groups = (_KEYS,)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, processes=True, parent=parent)
        self._navigation = desk.navigation
        self._answer = ""
        self._widest: dict[str, int] = {}
        self._wide = False
        self._events = EventList(desk.machine)
        self._tools = EventTools(desk.machine)
        self._tools.choice_changed.connect(self._on_choice_changed)
        self._tools.list_asked.connect(self._on_list_asked)
        self._model: TableModel[EpisodeRow] = TableModel(
            self._events.columns(), key=lambda row: id(row.first), parent=self
        )
        self._table = Table(tr("Events"), self._model)
        self._table.setObjectName("events.table")
        self._table.columns.setSortIndicatorShown(True)
        self._table.columns.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.columns.remember_in(desk.machine.settings, "events/columns")
        self._table.activated.connect(self._on_activated)
        self._table.customContextMenuRequested.connect(self._on_menu_asked)
        self._empty = EmptyState(Icon.EVENTS)
        self._empty.way_on_chosen.connect(self._on_all_asked)
        self._foot = ElidedLabel(look().letters.caption, Tone.FAINT)
        self._saving = Saving(desk.machine.settings, self)
        self._saving.done.connect(self._say)
        self._saving.refused.connect(self._say)
        self._copy = self.add_command(tr("Copy events"), "Ctrl+C", self._on_copy_asked)
        export = self.add_command(tr("Export as CSV…"), "Ctrl+S", self._on_export_asked)
        self.add_command(tr("Choose columns…"), "", self._on_columns_asked)
        self._tools.copy_asked.connect(self._copy.trigger)
        self._tools.export_asked.connect(export.trigger)
        self._events.choose(self._tools.choice)
        self._either = QStackedWidget()
        self._either.addWidget(self._table)
        self._either.addWidget(self._empty)
        panel = QFrame()
        panel.setProperty("panel", "card")
        foot = row(self._foot, margins=(8, 0, 8, 0))
        column(self._either, GROWS, foot, within=panel, gap=6, margins=(8, 4, 8, 8))
        margins = (_MARGIN, _TOP, _MARGIN, _TOP)
        column(self._tools, panel, GROWS, within=self, gap=_GAP, margins=margins)
        self.begin_at(self._table)

    def pull(self) -> None:
        if self._events.show_log(self.machine.session.happenings()):
            self._show_rows()
        self._show_state()

    def start_search(self) -> bool:
        self._tools.start_search()
        return True

    def _show_rows(self) -> None:
        self._table.show_rows(self._events.rows)
        # The oldest has the longest moments: it may be of another day.
        for key, at in ((BEGAN, 0), (ENDED, 4)):
            rows = self._model.rowCount()
            cells = [str(self._model.index(row, at).data()) for row in {0, rows - 1} if rows]
            width = max(map(look().letters.body.width, cells), default=0.0)
            wide = round(width + 3 * PADDING)
            if wide > self._widest.get(key, 110):
                self._widest[key] = wide
                self._table.columns.set_width(key, wide)

    def _show_state(self) -> None:
        events = self._events
        self._tools.show_counts(events)
        self._either.setCurrentWidget(self._table if events.rows else self._empty)
        if not events.total:
            session = self.machine.session
            title = nothing_told(session, mark("Nothing yet"), mark("Not read"))
            self._empty.show_words(title, nothing_told(session, words.WOULD_BE_TOLD))
        elif not events.rows:
            self._empty.show_words(
                tr("No event fits"), tr(words.NO_SUCH), tr("Show all events")
            )
        state = words.list_state(
            events.total, len(events.rows), chosen=events.choice != EventChoice()
        )
        said = [each for each in (self._answer, state) if each]
        self._foot.show_text("  ".join(said))
        self._foot.setVisible(bool(said))

    def _say(self, answer: str) -> None:
        """What came of the last order: stands below until something else is asked for."""
        self._answer = answer
        self._show_state()

    def _open(self, happening: Happening) -> None:
        """On the plots of its card, or of all where it is about none that is listed."""
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, told(happening, shown))
        if shown is not None and happening.card is not None:
            self._navigation.open_card(happening.card)
        else:
            self._navigation.open_screen("overview")

    def _csv(self, path: Path) -> Write:
        return partial(_write, path, self._events.as_csv())

    def _on_choice_changed(self, choice: EventChoice) -> None:
        self._events.choose(choice)
        self._show_rows()
        self._say("")

    def _on_all_asked(self) -> None:
        self._tools.show_all()
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_list_asked(self) -> None:
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self._table.currentIndex().isValid():
            self._table.setCurrentIndex(self._table.model().index(0, 0))

    def _on_activated(self, index: QModelIndex) -> None:
        row = self._model.thing(index)
        if row is not None:
            self._open(row.first)

    def _on_copy_asked(self) -> None:
        """What is selected, or all that is listed, as the table says it."""
        chosen = self._table.picked() or self._events.rows
        if not chosen:
            self._say(tr(words.NOTHING_LISTED))
            return
        captions, rows = self._table.texts(chosen)
        simulated = self.machine.session.simulated
        text = tabbed(captions, rows, tr(words.SIMULATED_LINE) if simulated else "")
        QGuiApplication.clipboard().setText(text)
        self._say(trn("{count} event copied.", "{count} events copied.", len(rows)))

    def _on_export_asked(self) -> None:
        if not self._events.rows:
            self._say(tr(words.NOTHING_LISTED))
            return
        session = self.machine.session
        name = suggested_name("events", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export the events that are listed"), name, [CSV], self._csv)

    def _on_columns_asked(self) -> None:
        self._table.open_column_menu()

    def _on_menu_asked(self, place: QPoint) -> None:
        row = self._model.thing(self._table.indexAt(place))
        if row is None:
            return
        happening = row.first
        menu = QMenu(self)
        show = menu.addAction(tr("Show this moment on the plots"))
        show.triggered.connect(lambda: self._open(happening))
        menu.addAction(self._copy)
        menu.addSeparator()
        kind = tr(happening.kind.value)
        only = menu.addAction(tr("Only the kind “{kind}”", kind=kind))
        only.triggered.connect(lambda: self._tools.search.setText(kind))
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._table.viewport().mapToGlobal(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        width = event.size().width() - 2 * _MARGIN
        self._tools.fit(width)
        if (width >= _WIDE) is not self._wide:
            self._wide = not self._wide
            chips = _CHIPS_WHERE_WIDE if self._wide else CHIPS
            self._table.columns.set_width(CARD, round(chips_width(chips)))


def _write(path: Path, csv: Callable[[], str]) -> None:
    write_whole(path, [csv().encode("utf-8")])


class EventTools(QWidget):
    """The row above the list. Holds the choice; the list follows `choice_changed`."""

    choice_changed = Signal(EventChoice)
    list_asked = Signal()  # the list is to have the keyboard
    copy_asked = Signal()
    export_asked = Signal()

    def __init__(self, machine: MachineState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._machine = machine
        self._group, self._card = self._remembered()
        choices = [(None, tr("All")), *((group, tr(group.value)) for group in EventGroup)]
        self._groups = Segmented(tr("Kind of event"), choices)
        self._groups.show_choice(self._group)
        self._groups.chosen.connect(self._on_group_chosen)
        self._cards = MenuButton(tr("Card"))
        self._cards.show_words(self._words_of_card())
        self._cards.about_to_open.connect(self._on_cards_asked)
        self.search = SearchField(tr("Search events"))
        self.search.setMinimumWidth(_SEARCH_LEAST)
        self.search.setMaximumWidth(_SEARCH_WIDTH)
        self.search.textChanged.connect(self._on_changed)
        self.search.left.connect(self.list_asked)
        self._copy = IconButton(
            Icon.COPY, tr("Copy the events that are selected, or all"), "Ctrl+C"
        )
        self._copy.clicked.connect(self.copy_asked)
        self._export = IconButton(
            Icon.EXPORT, tr("Export the events that are listed as CSV"), "Ctrl+S"
        )
        self._export.clicked.connect(self.export_asked)
        buttons = (self._copy, self._export)
        row(self._groups, self._cards, FREE, self.search, Grow(2), *buttons, within=self)

    @property
    def choice(self) -> EventChoice:
        return EventChoice(self._group, self._card, self.search.text())

    def start_search(self) -> None:
        self.search.setFocus()
        self.search.selectAll()

    def show_counts(self, events: EventList) -> None:
        """How many each group would list, for the card and the words that are chosen."""
        self._groups.show_words(None, words.with_count(tr("All"), events.found))
        for group in EventGroup:
            counted = words.with_count(tr(group.value), events.counts[group])
            self._groups.show_words(group, counted)
        self._copy.setEnabled(events.total > 0)
        self._export.setEnabled(events.total > 0)

    def show_all(self) -> None:
        with QSignalBlocker(self.search):
            self.search.clear()
        self._group, self._card = None, None
        self._on_changed()

    def fit(self, width: int) -> None:
        others = (self._cards, self._copy, self._export)
        rest = sum(each.sizeHint().width() + _TOOLS_GAP for each in others) + _SEARCH_WIDTH
        self._groups.show_compact(self._groups.full_width() + rest > width)

    def _words_of_card(self) -> str:
        shown = self._machine.shown(self._card)
        return tr("All cards") if shown is None else tr("Card {number}", number=shown.number)

    def _remembered(self) -> tuple[EventGroup | None, CardId | None]:
        """What cannot be read, and a card that is not here, lets everything through."""
        try:
            kept = json.loads(self._machine.settings.remembered(_REMEMBERED) or "{}")
            group, card = kept.get("group"), kept.get("card")
        except (ValueError, AttributeError):
            return None, None
        here = self._machine.shown(CardId(card)) if isinstance(card, str) else None
        known = next((each for each in EventGroup if each.value == group), None)
        return known, None if here is None else here.card.id

    def _on_changed(self) -> None:
        self._groups.show_choice(self._group)
        self._cards.show_words(self._words_of_card())
        kept = {"group": self._group, "card": self._card}
        self._machine.settings.remember(_REMEMBERED, json.dumps(kept))
        self.choice_changed.emit(self.choice)

    def _on_group_chosen(self, group: EventGroup | None) -> None:
        self._group = group
        self._on_changed()

    def _on_cards_asked(self, menu: QMenu) -> None:
        offered: list[tuple[CardId | None, str]] = [(None, tr("All cards"))]
        for shown in self._machine.cards():
            for each in (shown, *shown.instances):
                number = tr("Card {number}", number=each.number)
                offered.append((each.card.id, f"{number}  {each.card.name}"))
        for card, said in offered:
            action = menu.addAction(said)
            action.setCheckable(True)
            action.setChecked(card == self._card)
            action.triggered.connect(lambda _=False, card=card: self._on_card_chosen(card))

    def _on_card_chosen(self, card: CardId | None) -> None:
        self._card = card
        self._on_changed()
