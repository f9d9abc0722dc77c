"""ProcessesView: who uses the cards, all of them together, and how to end it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QStackedWidget, QWidget

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.cards.card_face import Shown
from gpuexplorer.gui.cards.programs import parents
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.processes.columns import CARD_WIDTH, ProcessColumns
from gpuexplorer.gui.processes.details import ProcessDetails, past_curves
from gpuexplorer.gui.processes.end_dialog import EndingActions
from gpuexplorer.gui.processes.model import (
    Grouping,
    PickedProcesses,
    ProcessFilter,
    ProcessLine,
    as_csv,
    lines_of,
    picked_processes,
)
from gpuexplorer.gui.processes.picked_words import commands, facts
from gpuexplorer.gui.processes.tool_row import NoticeColumn, ToolRow
from gpuexplorer.gui.processes.words import (
    CARD,
    COMMAND,
    MEMORY,
    SIMULATED_LINE,
    filtered,
    nobody,
    notices,
    summary,
)
from gpuexplorer.gui.tables.cell import chips_width
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label, row
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import EmptyState, LiveView
from gpuexplorer.gui.widgets.saving import CSV, Saving, Write, suggested_name
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.whole_file import write_whole

_LOOK_EVERY = 2.0  # at least, in seconds
_LEAST_WITH_DETAILS = 400  # pixels
_SAID_FOR = 8.0  # seconds: what was saved where
_CHIPS_OF_A_PROGRAM = 4
_COLUMNS, _GROUPING = "processes/columns", "processes/grouping"


class ProcessesView(LiveView):
    """Rows come from the session's book; the table decides when they may change places."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, processes=True, parent=parent)
        self._navigation = desk.navigation
        self._settings = desk.settings
        self._words = ""
        self._card: CardId | None = None
        self._columns = ProcessColumns()
        self._lines: Sequence[ProcessLine] = ()
        self._grouping = Grouping.LIST
        self._shown_rows: Sequence[BookRow] = ()
        self._shown: tuple[object, ...] = ()
        self._said = ("", float("-inf"))
        self._title = label(tr("Processes"), look().letters.title)
        self._summary = ElidedLabel(look().letters.body, Tone.QUIET)
        self._tools = ToolRow()
        self._notices = NoticeColumn()
        self._model = TableModel(
            self._columns.all(), lambda line: line.key, lambda line: line.under, self
        )
        self._table = Table(tr("Processes"), self._model, desk.machine.session.desk)
        self._table.setObjectName("processes.table")
        self._table.columns.sort_by(MEMORY, falling=True)
        self._table.columns.remember_in(desk.settings, _COLUMNS)
        self._nobody = EmptyState(Icon.PROCESSES)
        self._details = ProcessDetails()
        self._ending = EndingActions(desk.machine, desk.settings, self._table, self)
        self._saving = Saving(desk.machine.settings, self)
        self._saving.done.connect(self._say)
        self._saving.refused.connect(self._say)
        self._stack = QStackedWidget()
        self._stack.addWidget(self._table)
        self._stack.addWidget(self._nobody)
        self.begin_at(self._table)
        self._arrange()
        self._end_action = self.add_command(tr("End process…"), "Del", self._on_end_asked)
        # Nobody means to end one who is at another part of the window.
        self._end_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._copy_action = self.add_command(tr("Copy rows"), "Ctrl+C", self._on_copy_asked)
        self.add_command(tr("Export as CSV…"), "Ctrl+S", self.ask_export)
        self.add_command(tr("Choose columns and order…"), "", self._tools.open_columns)
        kept = desk.settings.remembered(_GROUPING)
        self._show_grouping(Grouping(kept) if kept in set(Grouping) else Grouping.LIST)
        self._connect()
        self._on_settings_changed()

    def pull(self) -> None:
        session, units = self.machine.session, self._settings.choices.units
        rows, cards = session.process_book.rows(), self.machine.cards()
        stamp = (units, self._asked_for(), self._table.may_move(), len(cards))
        if rows is not self._shown_rows or stamp != self._shown or not rows:
            in_order = stamp[:2] != self._shown[:2]
            self._shown_rows, self._shown = rows, stamp
            self._show_rows(in_order=in_order)
        self._notices.show_notices(notices(session, cards, rows))
        self._show_summary()

    def start_search(self) -> bool:
        self._tools.search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._tools.search.selectAll()
        return True

    def ask_export(self) -> None:
        """Asks where to, and returns at once."""
        session = self.machine.session
        name = suggested_name("processes", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export processes"), name, [CSV], self._csv)

    def stop(self) -> None:
        self._ending.stop()
        super().stop()

    def _arrange(self) -> None:
        head = row(self._title, self._summary, GROWS, gap=12)
        above = column(head, self._tools, self._notices, gap=10, margins=(16, 14, 16, 8))
        panel = QFrame()
        panel.setProperty("panel", "card")
        rows = row(self._stack, margins=(8, 0, 4, 0))
        column(above, rows, GROWS, self._details, within=panel, gap=0)
        column(panel, within=self, margins=(24, 20, 24, 20))

    def _connect(self) -> None:
        self._tools.searched_for.connect(self._on_searched_for)
        self._tools.card_chosen.connect(self._on_card_chosen)
        self._tools.grouping_chosen.connect(self._on_grouping_chosen)
        self._tools.columns_asked.connect(self._table.columns.fill_menu)
        self._tools.export_asked.connect(self.ask_export)
        self._tools.left.connect(self._table.setFocus)
        self._table.columns.fitted.connect(self._on_columns_fitted)
        self._nobody.way_on_chosen.connect(self._on_filter_cleared)
        self._table.picked_changed.connect(self._show_picked)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.customContextMenuRequested.connect(self._on_row_menu_asked)
        self._details.end_asked.connect(self._on_end_asked)
        self._settings.changed.connect(self._on_settings_changed)

    def _asked_for(self) -> ProcessFilter:
        return ProcessFilter(self._grouping, self._words, self._card_ids())

    def _card_ids(self) -> frozenset[CardId] | None:
        """A card stands for its instances too."""
        shown = self.machine.shown(self._card)
        if shown is None:
            return None
        return frozenset(each.card.id for each in (shown, *shown.instances))

    def _csv(self, path: Path) -> Write:
        """All rows that are shown, also those under others."""
        session = self.machine.session
        rows = [row for line in self._lines for row in line.rows]
        now = datetime.fromtimestamp(session.clock.wall(), UTC).astimezone()
        moment = now.isoformat(timespec="seconds")
        text = as_csv(rows, self._columns.cards, moment, simulated=session.simulated)
        return partial(write_whole, path, [text.encode("utf-8")])

    def _say(self, words: str) -> None:
        self._said = (words, self.machine.session.desk.now())
        self._show_summary()

    def _show_rows(self, *, in_order: bool) -> None:
        session, cards = self.machine.session, self.machine.cards()
        listed = {each.card.id: each for shown in cards for each in (shown, *shown.instances)}
        units = self._settings.choices.units
        clock, before = session.clock, self._columns
        other_units = units != before.units
        before.look_at(listed, units, clock.now(), clock.wall(), session.process_book.past)
        if other_units:
            self._model.show_columns(self._columns.all())
        if self.machine.shown(self._card) is None:
            self._card = None
        self._tools.show_cards(cards, self._card)
        self._lines = lines_of(
            session.process_book.rows(), self._asked_for(), self._columns.places
        )
        self._table.show_rows(self._lines, in_order=in_order)
        self._show_nobody()
        self._show_picked()

    def _show_nobody(self) -> None:
        session, cards = self.machine.session, self.machine.cards()
        if self._lines:
            self._stack.setCurrentWidget(self._table)
            if self.hasFocus():
                # Where it was to be from the beginning, and there were no rows yet.
                self._table.setFocus(Qt.FocusReason.OtherFocusReason)
            self._show_details()
            return
        self._details.hide()
        rows = session.process_book.rows()
        shown = self.machine.shown(self._card)
        words = (
            filtered(len(rows), self._words, "" if shown is None else shown.number)
            if rows
            else nobody(session, cards)
        )
        self._nobody.show_words(words.heading, words.more, words.way_on)
        self._stack.setCurrentWidget(self._nobody)

    def _show_details(self) -> None:
        """In a low window the rows need the room more; menu and keys do the same as it."""
        room = self.height() >= _LEAST_WITH_DETAILS
        self._details.setVisible(bool(self._lines) and room)

    def _show_summary(self) -> None:
        session = self.machine.session
        words, at = self._said
        if session.desk.now() - at < _SAID_FOR:
            self._summary.show_text(words)
            return
        age = self._age()
        if age is not None:
            self._summary.show_text(
                tr("As reported {seconds:.0f} s ago; asked again now", seconds=age)
            )
            return
        shown = sum(len(line.rows) for line in self._lines)
        self._summary.show_text(
            summary(
                session.process_book.living(),
                shown,
                len(session.process_book.rows()),
                parents(self.machine.cards()),
                self._settings.choices.units,
                simulated=session.simulated,
                recorded=self.machine.past.ended is not None,
            )
        )

    def _age(self) -> float | None:
        """Seconds since the last look, where that is long ago: nobody asked meanwhile."""
        session = self.machine.session
        looks = [session.process_book.looked_at(each.card.id) for each in self.machine.cards()]
        newest = max((at for at in looks if at is not None), default=None)
        if newest is None:
            return None
        age = session.clock.now() - newest
        return age if age > 2 * max(session.interval, _LOOK_EVERY) + 1 else None

    def _show_picked(self) -> None:
        picked = self._picked()
        allowed = self._ending.allowed
        if picked is None:
            self._details.show_nothing(self._ending.why_not_allowed)
            self._end_action.setEnabled(False)
            return
        refusal = self._ending.refusal(picked)
        said = facts(picked, self._settings.choices.units, self._columns.wall)
        self._details.show_processes(commands(picked), said, refusal, ending=allowed)
        self._show_past()
        self._end_action.setEnabled(not refusal)

    def _show_past(self) -> None:
        """Of one process, on all cards that are picked; several have not one past."""
        rows = {row.key: row for line in self._table.picked() for row in line.rows}
        curves = []
        if len({pid for _, pid in rows}) == 1:
            curves = past_curves(ProcessLine("", tuple(rows.values())), self._columns)
        self._details.show_past(curves)

    def _picked(self) -> PickedProcesses | None:
        lines = self._table.picked()
        if not lines:
            return None
        return picked_processes(
            lines, self.machine.session.process_book.rows(), self._columns.cards
        )

    def _show_grouping(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self._tools.show_grouping(grouping)
        command = [column.key for column in self._model.columns].index(COMMAND)
        self._table.show_branches(None if grouping is Grouping.LIST else command)

    def _on_searched_for(self, words: str) -> None:
        self._words = words.strip()
        self.pull()

    def _on_card_chosen(self, card: CardId | None) -> None:
        self._card = card
        self.pull()

    def _on_filter_cleared(self) -> None:
        self._card = None
        self._tools.search.clear()
        self.pull()
        self._table.setFocus()

    def _on_grouping_chosen(self, grouping: Grouping) -> None:
        self._settings.remember(_GROUPING, grouping)
        self._show_grouping(grouping)
        grouped = grouping is not Grouping.LIST
        width = round(chips_width(_CHIPS_OF_A_PROGRAM)) if grouped else CARD_WIDTH
        self._table.columns.set_width(CARD, width)
        self.pull()

    def _on_row_menu_asked(self, place: QPoint) -> None:
        if self._picked() is None:
            return
        menu = QMenu(self)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction(self._copy_action)
        for shown in self._picked_cards()[:1]:
            self._offer_card(menu, shown)
        if self._ending.allowed:
            menu.addSeparator()
            menu.addAction(self._end_action)
        menu.popup(self._table.viewport().mapToGlobal(place))

    def _offer_card(self, menu: QMenu, shown: Shown) -> None:
        only = menu.addAction(tr("Only card {number}", number=shown.number))
        only.triggered.connect(lambda: self._on_card_chosen(shown.card.id))
        opens = menu.addAction(tr("Open card {number}", number=shown.number))
        opens.triggered.connect(lambda: self._navigation.open_card(shown.card.id))

    def _picked_cards(self) -> list[Shown]:
        ids = [row.named.process.card for line in self._table.picked() for row in line.rows]
        found = (self.machine.shown(card) for card in dict.fromkeys(ids))
        return [shown for shown in found if shown is not None]

    def _on_columns_fitted(self) -> None:
        shown = {column.key for column in self._table.columns.in_order()}
        hidden = [each.named for each in self._model.columns if each.key not in shown]
        self._tools.show_hidden(hidden)

    def _on_copy_asked(self) -> None:
        """What is picked, or all where nothing is."""
        every = [each for line in self._lines for each in line.with_those_under()]
        captions, rows = self._table.texts(self._table.picked() or every)
        simulated = self.machine.session.simulated
        text = tabbed(captions, rows, tr(SIMULATED_LINE) if simulated else "")
        QGuiApplication.clipboard().setText(text)
        self._say(trn("{count} row copied.", "{count} rows copied.", len(rows)))

    def _on_end_asked(self) -> None:
        picked = self._picked()
        if picked is not None:
            self._ending.ask(picked)

    def _on_settings_changed(self) -> None:
        self._end_action.setVisible(self._ending.allowed)
        self._show_picked()
        if self.isVisible():
            self.pull()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_details()
