"""ProcessesView: who uses the cards, all of them together, and how to end it."""

from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QMenu, QStackedWidget, QWidget

from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.programs import on_how_many, parents
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.processes.columns import (
    CARD,
    CARD_WIDTH,
    MEMORY,
    ProcessColumns,
)
from gpuexplorer.gui.processes.ending import ProcessDetails
from gpuexplorer.gui.processes.rows import (
    Grouping,
    ProcessFilter,
    ProcessLine,
    as_csv,
    lines_of,
)
from gpuexplorer.gui.tables.cell import chips_width
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, MenuButton
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    Grow,
    column,
    label,
    row,
)
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import EmptyState, LiveView, Remark
from gpuexplorer.gui.widgets.saving import CSV, PlotNote, Saving, Write, suggested_name
from gpuexplorer.telemetry.process_book import BookRow
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.whole_file import write_whole

_LOOK_EVERY = 2.0  # at least, in seconds
_LEAST_WITH_DETAILS = 400  # pixels
_COMPACT_BELOW, _STACKED_BELOW = 800, 640
_CHIPS_OF_A_PROGRAM, _COMMAND_AT = 4, 1
_COLUMNS, _GROUPING = "processes/columns", "processes/grouping"


class ProcessesView(LiveView):
    """Rows come from the session's book; the table decides when they may change places."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(desk, processes=True, parent=parent)
        self._card: CardId | None = None
        self._columns = ProcessColumns()
        self._lines: Sequence[ProcessLine] = ()
        self._grouping = Grouping.LIST
        self._rows: Sequence[BookRow] = ()
        self._listed: tuple[object, ...] = ()
        self._summary = ElidedLabel(look().letters.body, Tone.QUIET)
        self._model = TableModel(
            [*self._columns.all()], lambda line: line.key, lambda line: line.under, self
        )
        self._table = Table(tr("Processes"), self._model, desk.machine.session.desk)
        self._table.setObjectName("processes.table")
        self._table.columns.sort_by(MEMORY, falling=True)
        self._table.columns.remember_in(desk.settings, _COLUMNS)
        self._table.columns.fitted.connect(self._on_columns_fitted)
        self._table.picked_changed.connect(self._show_picked)
        self._table.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        self._table.customContextMenuRequested.connect(self._on_row_menu_asked)
        self._nobody = EmptyState(Icon.PROCESSES)
        self._nobody.way_on_chosen.connect(self._on_filter_cleared)
        self._details = ProcessDetails(desk, self._columns)
        self._details.closed.connect(self._table.setFocus)
        self._saving = Saving(desk.settings, self)
        self._note = PlotNote(self)
        self._saving.done.connect(self._note.show_done)
        self._saving.refused.connect(self._note.show_refused)
        self._arrange()
        self.begin_at(self._table)
        self._end_action = self.add_command(tr("End process…"), "Del", self._details.ask)
        # Nobody means to end one who is at another part of the window.
        self._end_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        self._copy_action = self.add_command(tr("Copy rows"), "Ctrl+C", self._on_copy_asked)
        self.add_command(tr("Export as CSV…"), "Ctrl+S", self._on_export_asked)
        self.add_command(tr("Choose columns and order…"), "", self._choose_columns.click)
        desk.settings.changed.connect(self._on_settings_changed)
        kept = desk.settings.remembered(_GROUPING)
        self._on_grouping_chosen(Grouping(kept) if kept in set(Grouping) else Grouping.LIST)
        self._on_settings_changed()

    def _arrange(self) -> None:
        title = label(tr("Processes"), look().letters.title)
        self._search = SearchField(tr("Filter by command, user, pid, container"))
        self._search.setMinimumWidth(120)
        self._search.setMaximumWidth(320)
        self._search.textChanged.connect(self.pull)
        self._search.left.connect(self._on_search_left)
        self._cards = MenuButton(tr("Card"))
        self._cards.about_to_open.connect(self._on_cards_asked)
        words = tr("List"), tr("By program"), tr("Tree")
        self._groupings = Segmented(tr("Rows"), [*zip(Grouping, words, strict=True)])
        self._groupings.chosen.connect(self._on_grouping_chosen)
        self._choose_columns = MenuButton(tr("Columns and order"))
        self._choose_columns.about_to_open.connect(self._table.columns.fill_menu)
        export = IconButton(Icon.EXPORT, tr("Export the rows that are shown as CSV"), "Ctrl+S")
        export.clicked.connect(self._on_export_asked)
        buttons = row(self._cards, self._groupings, FREE, self._choose_columns, export)
        # The field takes what room there is, up to its widest.
        self._tools = row(self._search, Grow(100), buttons, GROWS)
        elsewhere = mark(
            "This program runs in a container. The driver reports the pids of the host, and in "
            "here they mean nothing or somebody else, so programs have no names and cannot be "
            "ended. To see them, start the container with `--pid=host`."
        )
        self._elsewhere = Remark(tr(elsewhere))
        self._unknown = Remark("", Icon.WARNING, Tone.WARN)
        head = row(title, self._summary, GROWS, gap=12)
        notices = column(self._elsewhere, self._unknown, gap=10)
        above = column(head, self._tools, notices, gap=10, margins=(16, 14, 16, 8))
        self._stack = QStackedWidget()
        self._stack.addWidget(self._table)
        self._stack.addWidget(self._nobody)
        panel = QFrame()
        panel.setProperty("panel", "card")
        rows = row(self._stack, margins=(8, 0, 4, 0))
        column(above, rows, GROWS, self._details, within=panel, gap=0)
        column(panel, within=self, margins=(24, 20, 24, 20))

    def pull(self) -> None:
        rows, units = self.machine.session.process_book.rows(), self.desk.settings.choices.units
        chosen = self.machine.shown(self._card)
        ids = None
        if chosen is not None:
            ids = frozenset(each.card.id for each in (chosen, *chosen.instances))
        wanted = ProcessFilter(self._grouping, self._search.text(), ids)
        drawn = wanted, units, self._table.may_move(), self.machine.cards()
        if rows is not self._rows or drawn != self._listed:
            in_order = drawn[:2] != self._listed[:2]
            self._rows, self._listed = rows, drawn
            self._show_rows(wanted, in_order=in_order)
        if not self._lines:
            self._nobody.show_words(*self._why_nobody())
        self._show_notices()
        self._summary.show_text(self._summary_words())

    def start_search(self) -> bool:
        self._search.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self._search.selectAll()
        return True

    def stop(self) -> None:
        self._details.stop()
        super().stop()

    def _show_rows(self, wanted: ProcessFilter, *, in_order: bool) -> None:
        session, cards, columns = self.machine.session, self.machine.cards(), self._columns
        columns.cards = {
            each.card.id: each for shown in cards for each in (shown, *shown.instances)
        }
        columns.now, columns.wall = session.clock.now(), session.clock.wall()
        columns.past = session.process_book.past
        if columns.units != self.desk.settings.choices.units:
            columns.units = self.desk.settings.choices.units
            self._model.show_columns([*columns.all()])
        self._lines = lines_of(self._rows, wanted, columns.cards)
        self._table.show_rows(self._lines, in_order=in_order)
        chosen = self.machine.shown(self._card)
        every = tr("All cards")
        self._cards.show_words(tr("Card {number}", number=chosen.number) if chosen else every)
        # With one card there is nothing to choose from.
        self._cards.setVisible(len(cards) > 1 or chosen is not None)
        self._stack.setCurrentWidget(self._table if self._lines else self._nobody)
        if self._lines and self.hasFocus():
            # Where it was to be from the beginning, and there were no rows yet.
            self._table.setFocus(Qt.FocusReason.OtherFocusReason)
        self._show_picked()

    def _show_picked(self) -> None:
        self._details.show_picked(self._table.picked())
        self._end_action.setEnabled(self._details.may_end)
        # In a low window the rows need the room more; menu and keys do the same as it.
        self._details.setVisible(bool(self._lines) and self.height() >= _LEAST_WITH_DETAILS)

    def _why_nobody(self) -> Sequence[str]:
        """Why there is no row: a heading, more about it, and the way on."""
        session, rows = self.machine.session, self._rows
        cards = [each for each in self.machine.cards() if each.card.kind is CardKind.GPU]
        ids = [each.card.id for each in cards]
        more = mark("A program that uses a card is listed here.")
        if rows:
            one = mark("{count} process is hidden by the filter.")
            many = mark("{count} processes are hidden by the filter.")
            hidden = trn(one, many, len(rows))
            return tr("No process fits the filter."), hidden, tr("Clear the filter")
        if not cards:
            return [tr("There is no card that a program could use.")]
        if why := session.source.figures_alone:
            return tr("Which programs use the cards is not known."), tr(why)
        if {*ids} <= {*session.processes_unknown()}:
            reasons = (tr(session.state_sentence(card)) for card in ids)
            whole = tr("Which programs use the cards is not known just now.")
            return whole, "\n".join(dict.fromkeys(reasons))
        if all(session.process_book.looked_at(card) is None for card in ids):
            return [tr("Asking the driver which programs use the cards…")]
        if session.stream.elsewhere and not session.simulated:
            more = mark("A container without `--pid=host` may not see the programs of others.")
        return tr("No program uses a card."), tr(more)

    def _show_notices(self) -> None:
        """What is to be known beside the rows."""
        session, rows = self.machine.session, self._rows
        self._elsewhere.setVisible(any(row.named.elsewhere for row in rows))
        unknown = {*session.processes_unknown()} if rows else set()
        cards = [each for each in self.machine.cards() if each.card.id in unknown]
        numbers, ids = listed([each.number for each in cards]), [each.card.id for each in cards]
        named = trn("card {numbers}", "cards {numbers}", len(cards), numbers=numbers)
        words = tr("Which programs use {cards} is not known just now.", cards=named)
        states = dict.fromkeys(tr(session.state_sentence(card)) for card in ids)
        whys = [each for each in states if each != tr(CardState.WORKING.sentence)]
        if whys:
            words = tr("{sentence} ({reasons})", sentence=words, reasons=listed(whys))
        self._unknown.sentence.setText(words)
        self._unknown.setVisible(bool(cards))

    def _summary_words(self) -> str:
        """ "5 processes on 2 cards; this window holds no card memory". A recording says nothing
        of this window.
        """
        session, count = self.machine.session, len(self._rows)
        book = session.process_book
        looks = [book.looked_at(each.card.id) for each in self.machine.cards()]
        now, living = session.clock.now(), book.living()
        age = now - max((look for look in looks if look is not None), default=now)
        if age > 2 * max(session.interval, _LOOK_EVERY) + 1:
            return tr("As reported {seconds:.0f} s ago; asked again now", seconds=age)
        shown = sum(len(line.rows) for line in self._lines)
        words = on_how_many(living, parents(self.machine.cards()))
        if not words:
            return ""
        if shown < count:
            one = mark("{shown} of {count} row shown; {rest}")
            many = mark("{shown} of {count} rows shown; {rest}")
            words = trn(one, many, count, shown=shown, rest=words)
        if session.simulated:
            return tr("{processes}, all made up", processes=words)
        if self.machine.past.ended is not None:
            return words
        ours = [each.process.values for each in living if each.ours]
        if not ours:
            return tr("{processes}; this window holds no card memory", processes=words)
        held = sum(each.get(ProcessFigure.MEMORY, 0.0) for each in ours)
        said = memory(held, self.desk.settings.choices.units)
        return tr("{processes}; this window holds {memory}", processes=words, memory=said)

    def _csv(self, path: Path) -> Write:
        """All rows that are shown, also those under others."""
        session = self.machine.session
        rows = [row for line in self._lines for row in line.rows]
        now = datetime.fromtimestamp(session.clock.wall(), UTC).astimezone()
        moment = now.isoformat(timespec="seconds")
        text = as_csv(rows, self._columns.cards, moment, simulated=session.simulated)
        return partial(write_whole, path, [text.encode("utf-8")])

    def _on_export_asked(self) -> None:
        session = self.machine.session
        name = suggested_name("processes", session.clock.wall(), simulated=session.simulated)
        self._saving.ask(tr("Export processes"), name, [CSV], self._csv)

    def _on_copy_asked(self) -> None:
        """What is picked, or all where nothing is."""
        every = [each for line in self._lines for each in line.with_those_under()]
        captions, rows = self._table.texts(self._table.picked() or every)
        simulated = self.machine.session.simulated
        note = tr("SIMULATED: these processes are made up") if simulated else ""
        QGuiApplication.clipboard().setText(tabbed(captions, rows, note))
        self._note.show_done(trn("{count} row copied.", "{count} rows copied.", len(rows)))

    def _on_card_chosen(self, card: CardId | None) -> None:
        self._card = card
        self.pull()

    def _on_search_left(self) -> None:
        self._table.setFocus()
        if not self._table.picked():
            self._table.setCurrentIndex(self._model.index(0, 0))

    def _on_filter_cleared(self) -> None:
        self._search.clear()
        self._on_card_chosen(None)
        self._table.setFocus()

    def _on_grouping_chosen(self, grouping: Grouping) -> None:
        self._grouping, grouped = grouping, grouping is not Grouping.LIST
        self.desk.settings.remember(_GROUPING, grouping)
        self._groupings.show_choice(grouping)
        self._table.show_branches(_COMMAND_AT if grouped else None)
        width = round(chips_width(_CHIPS_OF_A_PROGRAM)) if grouped else CARD_WIDTH
        self._table.columns.set_width(CARD, width)
        self.pull()

    def _on_cards_asked(self, menu: QMenu) -> None:
        every = [(each.card.id, each.title) for each in self.machine.cards()]
        for card, title in ((None, tr("All cards")), *every):
            action = menu.addAction(title.replace("&", "&&"))
            action.setCheckable(True)
            action.setChecked(card == self._card)
            action.triggered.connect(lambda _=False, card=card: self._on_card_chosen(card))

    def _on_row_menu_asked(self, place: QPoint) -> None:
        rows = [row for line in self._table.picked() for row in line.rows]
        if not rows:
            return
        menu, navigation = QMenu(self), self.desk.navigation
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction(self._copy_action)
        card = rows[0].named.process.card
        if (shown := self.machine.shown(card)) is not None:
            only = menu.addAction(tr("Only card {number}", number=shown.number))
            only.triggered.connect(lambda: self._on_card_chosen(card))
            opens = menu.addAction(tr("Open card {number}", number=shown.number))
            opens.triggered.connect(lambda: navigation.open_card(card))
        if self._end_action.isVisible():
            menu.addSeparator()
            menu.addAction(self._end_action)
        menu.popup(self._table.viewport().mapToGlobal(place))

    def _on_columns_fitted(self) -> None:
        """The columns for which there is no room, or that a person hid."""
        shown = {each.key for each in self._table.columns.in_order()}
        hidden = [each.named for each in self._model.columns if each.key not in shown]
        words = tr("Columns")
        if hidden:
            words = trn("Columns, {count} hidden", "Columns, {count} hidden", len(hidden))
        self._choose_columns.show_words(words)
        self._choose_columns.setToolTip(listed(hidden))

    def _on_settings_changed(self) -> None:
        self._end_action.setVisible(not self._details.refused)
        self._show_picked()
        if self.isVisible():
            self.pull()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        direction, width = QBoxLayout.Direction, event.size().width()
        self._groupings.show_compact(width < _COMPACT_BELOW)
        narrow = width < _STACKED_BELOW
        self._tools.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)
        self._show_picked()
