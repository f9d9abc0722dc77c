"""EventsView: what took place and when, to be narrowed down and looked at on the plots."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QMenu, QWidget

from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.cards.card_face import told
from gpuexplorer.gui.cards.reasons import nothing_told
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.list_view import ListView
from gpuexplorer.gui.state.event_list import EpisodeRow, EventList
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.telemetry.happenings import EventGroup

_ENTER = "Enter", mark("Show the moment on the plots, marked")


class EventsView(ListView[EpisodeRow]):
    """The newest on top. Enter or a double click leads to the moment on the card's plots."""

    key_groups = ((mark("Events"), (_ENTER,)),)

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        self._events = EventList(desk.machine)
        kinds = ((group, tr(group.value)) for group in EventGroup)
        self._choices: Sequence[tuple[EventGroup | None, str]] = [(None, tr("All")), *kinds]
        groups = Segmented(tr("Kind of event"), self._choices)
        model = TableModel(self._events.columns(), lambda row: id(row[0]))
        super().__init__(desk, "events", model, groups, tr("Search events"), parent)
        groups.chosen.connect(self._on_group_chosen)
        self.table.columns.setSortIndicatorShown(True)
        self.table.columns.setSortIndicator(0, Qt.SortOrder.DescendingOrder)
        self.table.activated.connect(self._on_activated)
        self.arrange()
        self.list_anew()

    def pull(self) -> None:
        if self._events.show_log(self.machine.session.happenings()) or not self._events.rows:
            self._show()

    def list_anew(self) -> None:
        self._events.choose(self._events.group, self.card, self.search.text())
        self._show()

    def show_all(self) -> None:
        self._events.group = None
        super().show_all()

    def fill_row_menu(self, menu: QMenu, thing: EpisodeRow) -> None:
        kind = tr(thing[0].first.kind.value)
        menu.addAction(tr("Show this moment on the plots"), partial(self._open, thing))
        only = partial(self.search.setText, kind)
        menu.addAction(tr("Only the kind “{kind}”", kind=kind), only)

    def csv(self) -> str:
        return self._events.as_csv()

    def _show(self) -> None:
        events, session = self._events, self.machine.session
        total, listed = len(events.every), len(events.rows)
        self.show_rows(events.rows)
        self.choice.show_choice(events.group)
        for group, words in self._choices:
            count = len(events.found) if group is None else events.counts[group]
            self.choice.show_words(group, f"{words}  {count}" if count else words)
        if not total:
            title = nothing_told(session, mark("Nothing yet"), mark("Not read"))
            would_be = mark(
                "Lost cards, cards that stop answering, fall asleep or are slowed down, memory "
                "errors, alerts, and programs that come and go are listed here as they happen."
            )
            self.nothing.show_words(title, nothing_told(session, would_be))
        elif not listed:
            more = tr("No event matches this kind, card and search.")
            self.nothing.show_words(tr("No event fits"), more, tr("Show all events"))
        counted = trn("{count} event.", "{count} events.", total)
        if listed < total:
            counted = tr("{listed} of {count} events.", listed=listed, count=total)
        ways = tr("Newest first. Enter shows the moment on the plots.")
        self.summary.show_text(paragraph([counted, ways]) if listed else counted)

    def _open(self, row: EpisodeRow) -> None:
        """On the plots of its card, or of all where it is about none that is listed."""
        happening = row[0].first
        shown = self.machine.shown(happening.card)
        self.time_window.centre_on(happening.at)
        self.time_window.mark(happening.at, told(happening, shown))
        if shown is not None and happening.card is not None:
            self.desk.navigation.open_card(happening.card)
        else:
            self.desk.navigation.open_screen("overview")

    def _on_group_chosen(self, group: EventGroup | None) -> None:
        self._events.group = group
        self.list_anew()

    def _on_activated(self, index: QModelIndex) -> None:
        if (row := self.table.listed.thing(index)) is not None:
            self._open(row)
