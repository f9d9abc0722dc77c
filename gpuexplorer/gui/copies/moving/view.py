"""MovingPage: copies as the lab's cells make them: their way, their table, and their cure."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QSplitter, QWidget

from gpuexplorer.copies.copy_book import worst_of
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.copies.copies_page import MOVING_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.moving.copies_panel import SIMULATED_LINE, CopiesPanel
from gpuexplorer.gui.copies.moving.copy_sheets import CureSheet, NewCopySheet
from gpuexplorer.gui.copies.moving.moved import CopiesNow, said_of
from gpuexplorer.gui.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.copies.moving.travel_panel import Flow, TravelPanel
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.widgets.laid_out import GROWS, column
from gpuexplorer.gui.widgets.live_view import scrolled
from gpuexplorer.gui.widgets.saving import CSV, JSON
from gpuexplorer.lab.events import Event, Failed

_BETWEEN = 120  # milliseconds
_WIDE, _GAP, _LEAST_TOP, _LEAST_TABLE = 1080, 16, 500, 260
_BESIDE = [4200, 5800]  # shares of the width, and the other way round of the height


class MovingPage(CopiesPage):
    """The newest copy is followed until somebody chooses another."""

    key_groups = MOVING_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        self._machine, self._lab = copies.lab.machine, copies.lab
        self._now = CopiesNow(copies)
        self._chosen: int | None = None  # a row's number; None: whichever is the newest
        self._seen: int | None = None  # which is drawn
        self._number: int | None = None  # of its copies in the book, the one that travels
        self._awaited: set[int] = set()
        self._more = False  # came while it paused
        self._pause = QTimer(self, singleShot=True, interval=_BETWEEN)
        self._pause.timeout.connect(self._on_pause_over)
        self._travel = TravelPanel(copies, self._now)
        self._panel = CopiesPanel(copies, self._now)
        self._table, self._playback = self._panel.table, self._travel.playback
        self._axis = TimelinePanel(self._machine)
        self._travel.setMinimumHeight(_LEAST_TOP)
        self._panel.setMinimumHeight(_LEAST_TABLE)
        # The way and the table side by side over the timeline; below each other where there is
        # little room, and while nothing was copied. It scrolls where the three do not fit.
        self._beside, board = QSplitter(), QWidget()
        self._beside.setChildrenCollapsible(False)
        self._beside.setHandleWidth(_GAP)
        for part in (self._travel, self._panel):
            self._beside.addWidget(part)
        for each in (self._beside, board):
            each.setProperty("panel", "page")
        column(self._beside, GROWS, self._axis, within=board, gap=_GAP)
        column(scrolled(board, "page"), within=self)
        self._wide: bool | None = None
        self._new = self.primary_button(tr("New copy"), self.ask_new_copy)
        self._new.setToolTip(tr("Copy an object of the lab to another device"))
        self.tools = (self._new,)
        self.saving = self._panel.saving
        self.tell_of(self.saving)
        self.tell_of(self._axis.saving)
        self._travel.matrix_asked.connect(lambda: self.page_asked.emit("matrix"))
        self._travel.simulated_cards_asked.connect(self.simulated_cards_asked)
        self._panel.new_copy_asked.connect(self.ask_new_copy)
        self._panel.cure.clicked.connect(self._on_cure_asked)
        self._table.picked_changed.connect(self._on_picked)
        self._table.clicked.connect(self._on_picked)
        self._playback.moved.connect(self._on_travelled)
        self._axis.view.scrubbed.connect(self._on_scrubbed)
        self._axis.view.picked.connect(self._on_copy_reached)
        self._arrange()

    def heard(self) -> Sequence[Heard]:
        return (
            (self._lab.changed, self._on_lab_changed),
            (self._lab.told, self._on_told),
            (self._lab.selection.changed, self._on_selection_changed),
            (self.copies.ways.changed, self.begin),
        )

    def begin(self) -> None:
        """The wiring was told, or became another, or the page is seen from now on."""
        self._now.reroute()
        self._take(first=True)
        self.pull()

    def pull(self) -> None:
        """The machine as it is now; copies come by themselves."""
        self._travel.pull()
        self._new.setEnabled(len(self.copies.devices()) > 1 and not self._lab.recorded)
        # An empty table says no more than the sentence in the place of the machine.
        told = bool(self._machine.cards()) or bool(self._now.rows)
        self._panel.setVisible(told and not self._machine.session.source.figures_alone)
        self._panel.settle()

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("New copy…"), "Ctrl+Return", self.ask_new_copy),
            (tr("Show the copy again"), "", self._playback.toggle),
            (tr("Export copies as CSV…"), "", partial(self.saving.ask_as, CSV)),
            (tr("Export copies as JSON…"), "", partial(self.saving.ask_as, JSON)),
            (tr("Copy the chosen copies as text"), "Ctrl+C", self.copy_text),
            (tr("Filter copies"), "", self._panel.search.setFocus),
            *self._axis.commands(),
        )

    def start_search(self) -> bool:
        self._panel.search.setFocus()
        return True

    def ask_new_copy(self) -> None:
        if self._lab.recorded:
            self.note.show_refused(tr(RECORDED))
        else:
            sheet = NewCopySheet(self.copies, self.window())
            sheet.asked.connect(partial(self._run, by_form=True))
            sheet.open()

    def copy_text(self) -> None:
        """To the clipboard: what is picked, or all where nothing is."""
        captions, rows = self._table.texts(self._table.picked() or self._table.listed.things)
        note = tr(SIMULATED_LINE) if self.copies.modelled else ""
        QGuiApplication.clipboard().setText(tabbed(captions, rows, note))
        self.note.show_done(tr("The rows are on the clipboard."))

    def _run(self, code: str, *, by_form: bool = False) -> None:
        """In the lab, which may have to start its worker."""
        try:
            self._awaited.add(self._lab.run(code, by_form=by_form))
        except Trouble as trouble:
            self.note.show_refused(trouble.told)
            return
        self._chosen = None
        if self._lab.stage in (Stage.SEARCHING, Stage.STARTING):
            self.note.show_done(tr("The lab's worker is being started; the copy follows."))

    def _take(self, *, first: bool = False) -> None:
        """What came since the last time: `first`, sorted in. One lit lane for each way, however
        many copies went it.
        """
        now = self._now
        new = now.take()
        self._panel.refresh(in_order=first)
        self._axis.take(self._lab.ledger, now.book, now.devices)
        self._arrange()
        ways = {} if first else {row.way[:2]: row for row in reversed(new)}
        flows = [Flow(now.hops(row), now.colour(row)) for row in ways.values()]
        if flows := [flow for flow in flows if flow.hops]:
            self._travel.show_flowing(flows)
        self._show_chosen(travels=bool(new) and self._chosen is None)

    def _show_chosen(self, *, travels: bool, number: int | None = None) -> None:
        """Wherever it is shown. `number`: of its repeats that one; else the one before."""
        moved = self._now.holding(self._chosen) or self._now.holding(-1)
        another = moved is not None and moved.number != self._seen and number is None
        self._travel.show_copy(moved, travels=travels or another)
        self._seen = self._number = None
        if moved is None:
            return
        numbers, rows, timeline = moved.numbers, self._now.book.rows, self._axis.timeline
        self._seen = moved.number
        self._number = number if number in numbers else numbers[0]
        line = timeline.cell_of(rows[self._number])
        first, last = (timeline.place_of(rows[each]) for each in (numbers[0], numbers[-1]))
        together = (first[0], last[1]) if first is not None and last is not None else None
        whole = None if line is None else (line.begin, line.end)
        self._axis.show_copy(self._place(), whole, together)
        self._on_travelled()
        units = self._machine.settings.choices.units
        if len(self._table.picked()) < 2:
            follows = self._chosen is not None or self._table.may_move()
            self._table.pick(moved.number, scroll=follows)
        worst = worst_of(self._now.book, units) if self._chosen is None else None
        if worst is not None and worst.cure:
            # What cost most without having been asked for.
            moved = self._now.holding(worst.rows[0]) or moved
        self._panel.show_said(said_of(self._now.book, moved, units))

    def _place(self) -> tuple[float, float] | None:
        """Of what travels, in the timeline."""
        if self._number is None:
            return None
        return self._axis.timeline.place_of(self._now.book.rows[self._number])

    def _on_travelled(self) -> None:
        """Whichever of the block and the playhead is dragged, the other follows."""
        if (place := self._place()) is not None:
            begin, end = place
            self._axis.view.show_playhead(begin + self._playback.share * (end - begin))

    def _on_scrubbed(self, moment: float) -> None:
        under_way = self._axis.timeline.under_way(moment)
        if under_way and self._number not in under_way:
            self._on_copy_reached(under_way[-1])
        begin, end = self._place() or (0.0, 0.0)
        if begin <= moment <= end and begin < end:
            self._playback.go_to((moment - begin) / (end - begin))
        self._axis.view.show_playhead(moment)

    def _on_copy_reached(self, number: int) -> None:
        """In the timeline."""
        moved = self._now.holding(number)
        if moved is not None and number != self._number:
            self._chosen = moved.number
            self._show_chosen(travels=False, number=number)
            self._lab.selection.choose(moved.command)

    def _on_picked(self) -> None:
        picks = self._table.picked()
        if len(picks) > 1:
            return
        self._chosen = picks[0].number if picks else None
        self._show_chosen(travels=bool(picks))
        for row in picks:
            root = row.what.partition(".")[0].partition("[")[0]
            self._lab.selection.choose(row.command, {root} & self._lab.ledger.things.keys())

    def _on_selection_changed(self) -> None:
        """A cell was chosen elsewhere."""
        cell, chosen = self._lab.selection.cell, self._now.holding(self._chosen)
        if cell is None or (chosen is not None and chosen.command == cell):
            return
        found = next((each for each in self._now.rows if each.command == cell), None)
        if found is not None:
            self._chosen = found.number
            self._show_chosen(travels=True)

    def _on_cure_asked(self) -> None:
        sheet = CureSheet(self._panel.said, self.window())
        sheet.asked.connect(self._run)
        sheet.open()

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Failed) and event.id in self._awaited:
            self._awaited.discard(event.id)
            said = tr(event.sentence) or event.message.partition("\n")[0]
            self.note.show_refused(said or tr("The copy could not be carried out."))

    def _on_lab_changed(self) -> None:
        """Of a flood, what came is shown a few times a second."""
        self._more = self._pause.isActive()
        if not self._more:
            self._take()
            self._pause.start()

    def _on_pause_over(self) -> None:
        if self._more and self.isVisible():
            self._on_lab_changed()

    def _arrange(self) -> None:
        """Again, after there is something in the timeline."""
        began, way = bool(self._axis.timeline.tracks), Qt.Orientation
        self._axis.setVisible(began)
        wide = self.width() >= _WIDE and began
        if wide is not self._wide:
            self._wide = wide
            self._beside.setOrientation(way.Horizontal if wide else way.Vertical)
            self._beside.setSizes(_BESIDE if wide else _BESIDE[::-1])

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
