"""EventsView: what took place and when, to be narrowed down and looked at on the plots."""

from functools import partial
from pathlib import Path

from PySide6.QtCore import QModelIndex, QPoint, QSignalBlocker, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.cards.card_face import told
from gpuexplorer.gui.cards.reasons import EventGroup, nothing_told
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.state.event_list import BEGAN, EpisodeRow, EventList
from gpuexplorer.gui.tables.cell import PADDING
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
from gpuexplorer.gui.widgets.saving import CSV, PlotNote, Saving, Write, suggested_name
from gpuexplorer.telemetry.whole_file import write_whole

_KEYS: KeyGroup = (
    mark("Events"),
    (("Enter", mark("Show the moment on the plots, marked")),),
)
_BESIDE = 460  # pixels, for the rest of the tools


class EventsView(LiveView):
    """The newest on top. Enter or a double click leads to the moment on the card's plots."""

    key_groups = (_KEYS,)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, processes=True, parent=parent)
        self._events = EventList(desk.machine)
        columns = self._events.columns()
        self._model = TableModel(columns, key=lambda each: id(each.first), parent=self)
        self._table = Table(tr("Events"), self._model)
        self._table.setObjectName("events.table")
        self._table.columns.setSortIndicatorShown(True)
        self._table.columns.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.columns.remember_in(desk.settings, "events/columns")
        self._table.activated.connect(self._on_activated)
        self._table.customContextMenuRequested.connect(self._on_menu_asked)
        self._empty = EmptyState(Icon.EVENTS)
        self._empty.way_on_chosen.connect(self._on_all_asked)
        self._foot = ElidedLabel(look().letters.caption, Tone.FAINT)
        self._saving = Saving(desk.settings, self)
        self._note = PlotNote(self)
        self._saving.done.connect(self._note.show_done)
        self._saving.refused.connect(self._note.show_refused)
        self._copy = self.add_command(tr("Copy events"), "Ctrl+C", self._on_copy_asked)
        self.add_command(tr("Export as CSV…"), "Ctrl+S", self._on_export_asked)
        self.add_command(tr("Choose columns…"), "", self._table.open_column_menu)
        self._arrange()
        self._choose(None, None)
        self.begin_at(self._table)

    def _arrange(self) -> None:
        choices = [(None, tr("All")), *((group, tr(group.value)) for group in EventGroup)]
        self._groups = Segmented(tr("Kind of event"), choices)
        self._groups.chosen.connect(self._on_group_chosen)
        self._cards = MenuButton(tr("Card"))
        self._cards.about_to_open.connect(self._on_cards_asked)
        self._search = SearchField(tr("Search events"))
        self._search.setMinimumWidth(150)
        self._search.setMaximumWidth(220)
        self._search.textChanged.connect(self._on_searched)
        self._search.left.connect(self._on_search_left)
        copy = IconButton(Icon.COPY, tr("Copy the events that are selected, or all"), "Ctrl+C")
        copy.clicked.connect(self._on_copy_asked)
        words = tr("Export the events that are listed as CSV")
        export = IconButton(Icon.EXPORT, words, "Ctrl+S")
        export.clicked.connect(self._on_export_asked)
        tools = row(self._groups, self._cards, FREE, self._search, Grow(2), copy, export)
        self._either = QStackedWidget()
        self._either.addWidget(self._table)
        self._either.addWidget(self._empty)
        panel = QFrame()
        panel.setProperty("panel", "card")
        foot = row(self._foot, margins=(8, 0, 8, 0))
        column(self._either, GROWS, foot, within=panel, gap=6, margins=(8, 4, 8, 8))
        column(tools, panel, GROWS, within=self, gap=12, margins=(24, 20, 24, 20))

    def pull(self) -> None:
        if self._events.show_log(self.machine.session.happenings()):
            self._show_rows()
        else:
            self._show_state()

    def start_search(self) -> bool:
        self._search.setFocus()
        self._search.selectAll()
        return True

    def _show_rows(self) -> None:
        self._table.show_rows(self._events.rows)
        # The oldest may be of another day, and its moment longer than the column is wide.
        for oldest in self._events.rows[-1:]:
            said = self._model.columns[0].cell(oldest).said
            wide = round(look().letters.body.width(said) + 3 * PADDING)
            if wide > self._table.columns.sectionSize(0):
                self._table.columns.set_width(BEGAN, wide)
        self._show_state()

    def _show_state(self) -> None:
        events, session = self._events, self.machine.session
        total, listed = len(events.every), len(events.rows)
        self._groups.show_words(None, _counted(tr("All"), len(events.found)))
        for group in EventGroup:
            self._groups.show_words(group, _counted(tr(group.value), events.counts[group]))
        self._either.setCurrentWidget(self._table if listed else self._empty)
        if not total:
            title = nothing_told(session, mark("Nothing yet"), mark("Not read"))
            would_be = mark(
                "Lost cards, cards that stop answering, fall asleep or are slowed down, memory "
                "errors, alerts, and programs that come and go are listed here as they happen."
            )
            self._empty.show_words(title, nothing_told(session, would_be))
        elif not listed:
            more = tr("No event matches this kind, card and search.")
            self._empty.show_words(tr("No event fits"), more, tr("Show all events"))
        one, many, kept = mark("{count} event."), mark("{number} events."), _thousands(listed)
        if events.narrowed:
            one, many = mark("{listed} of {count} event."), mark("{listed} of {number} events.")
        counted = trn(one, many, total, listed=kept, number=_thousands(total))
        ways = tr("Newest first. Enter shows the moment on the plots.")
        self._foot.show_text(paragraph([counted, ways]) if listed else counted)

    def _choose(self, group: EventGroup | None, card: CardId | None) -> None:
        shown = self.machine.shown(card)
        self._events.choose(group, card, self._search.text())
        self._groups.show_choice(group)
        every = tr("All cards")
        self._cards.show_words(tr("Card {number}", number=shown.number) if shown else every)
        self._show_rows()

    def _open(self, row: EpisodeRow) -> None:
        """On the plots of its card, or of all where it is about none that is listed."""
        happening = row.first
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, told(happening, shown))
        if shown is not None and happening.card is not None:
            self.desk.navigation.open_card(happening.card)
        else:
            self.desk.navigation.open_screen("overview")

    def _csv(self, path: Path) -> Write:
        return partial(write_whole, path, [self._events.as_csv().encode("utf-8")])

    def _on_group_chosen(self, group: EventGroup | None) -> None:
        self._choose(group, self._events.card)

    def _on_searched(self) -> None:
        self._choose(self._events.group, self._events.card)

    def _on_all_asked(self) -> None:
        with QSignalBlocker(self._search):
            self._search.clear()
        self._choose(None, None)
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_search_left(self) -> None:
        self._table.setFocus(Qt.FocusReason.OtherFocusReason)
        if not self._table.currentIndex().isValid():
            self._table.setCurrentIndex(self._model.index(0, 0))

    def _on_cards_asked(self, menu: QMenu) -> None:
        group, chosen = self._events.group, self._events.card
        cards = [each for shown in self.machine.cards() for each in (shown, *shown.instances)]
        for card, said in ((None, tr("All cards")), *((x.card.id, x.title) for x in cards)):
            action = menu.addAction(said.replace("&", "&&"), partial(self._choose, group, card))
            action.setCheckable(True)
            action.setChecked(card == chosen)

    def _on_activated(self, index: QModelIndex) -> None:
        if (row := self._model.thing(index)) is not None:
            self._open(row)

    def _on_copy_asked(self) -> None:
        """What is selected, or all that is listed, as the table says it."""
        chosen = self._table.picked() or self._events.rows
        captions, rows = self._table.texts(chosen)
        simulated = self.machine.session.simulated
        note = tr("SIMULATED: these events are made up") if simulated else ""
        if not rows:
            self._note.show_done(tr("No event is listed that could be copied."))
            return
        QGuiApplication.clipboard().setText(tabbed(captions, rows, note))
        self._note.show_done(trn("{count} event copied.", "{count} events copied.", len(rows)))

    def _on_export_asked(self) -> None:
        session = self.machine.session
        if not self._events.rows:
            self._note.show_done(tr("No event is listed that could be copied."))
            return
        name = suggested_name("events", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export the events that are listed"), name, [CSV], self._csv)

    def _on_menu_asked(self, place: QPoint) -> None:
        row = self._model.thing(self._table.indexAt(place))
        if row is None:
            return
        menu, kind = QMenu(self), tr(row.first.kind.value)
        menu.addAction(tr("Show this moment on the plots"), partial(self._open, row))
        menu.addAction(self._copy)
        menu.addSeparator()
        only = partial(self._search.setText, kind)
        menu.addAction(tr("Only the kind “{kind}”", kind=kind), only)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.popup(self._table.viewport().mapToGlobal(place))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._groups.show_compact(self._groups.full_width() + _BESIDE > event.size().width())


def _counted(words: str, count: int) -> str:
    return f"{words}  {_thousands(count)}" if count else words


def _thousands(number: int) -> str:
    return f"{number:,}".replace(",", "\N{THIN SPACE}")
