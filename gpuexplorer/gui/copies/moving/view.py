"""MovingPage: copies as the lab's cells make them: their way, their table, and their cure."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.copies.copy_book import CopyRow, worst_of
from gpuexplorer.core.harmless import tabbed
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.copies.copies_page import MOVING_KEYS, CopiesPage, Heard, PageCommand
from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel
from gpuexplorer.gui.copies.moving.copies_saving import SIMULATED_LINE, CopiesSaving
from gpuexplorer.gui.copies.moving.copy_sheets import CompareSheet, CureSheet
from gpuexplorer.gui.copies.moving.moved import (
    CopiesNow,
    CopyFilter,
    Key,
    Moved,
    Which,
    counts,
    folded,
)
from gpuexplorer.gui.copies.moving.moved_cells import colour_of
from gpuexplorer.gui.copies.moving.moving_board import MovingBoard
from gpuexplorer.gui.copies.moving.new_copy_sheet import NewCopySheet
from gpuexplorer.gui.copies.moving.playback import OneClock
from gpuexplorer.gui.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.copies.moving.travel_drawing import Flow
from gpuexplorer.gui.copies.moving.travel_panel import TravelPanel
from gpuexplorer.gui.copies.moving.words import Said, said_of, unwired, with_copy
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.wiring import WiringAnswer
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.machine.machine_faces import machine_faces, machine_now
from gpuexplorer.lab.events import Event, Failed

_BETWEEN = 120  # milliseconds
_FLOWS = 1200  # milliseconds for which what went over a wire stays lit
_MOST_FLOWS = 64
_COLUMNS = "copies/columns"
_NOTHING = mark(
    "Every copy that a cell of the lab makes is listed here, whether it was asked for or not. "
    "Try X.cuda(1) in the lab, or make a copy here."
)


class MovingPage(CopiesPage):
    """The newest copy is followed until somebody chooses another."""

    key_groups = MOVING_KEYS

    def __init__(self, copies: CopiesState, parent: QWidget | None = None) -> None:
        super().__init__(copies, parent)
        machine = copies.lab.machine
        self._machine, self._settings = machine, machine.settings
        self._now = CopiesNow(copies)
        self._wanted = CopyFilter()
        self._shown: Sequence[Moved] = ()
        self._chosen: Key | None = None  # None: whichever is the newest
        self._seen: Key | None = None  # which is drawn
        self._awaited: set[int] = set()
        clock = machine.session.desk
        self._travel = TravelPanel(clock)
        self._panel = CopiesPanel(clock, self._now.book.best, modelled=copies.modelled)
        self._axis = TimelinePanel(machine)
        self._clock = OneClock(self._now, self._axis, self._travel.playback, self)
        self._table, self._tools = self._panel.table, self._panel.tools
        self._new = self.primary_button(tr("New copy"), self.ask_new_copy)
        self._new.setToolTip(tr("Copy a thing on the lab's shelf to another device"))
        self.tools = (self._new,)
        self.saving = CopiesSaving(machine, self._panel, self._now.book.best, self)
        self._dim = QTimer(self, singleShot=True, interval=_FLOWS)
        self._pause = QTimer(self, singleShot=True, interval=_BETWEEN)
        self._more = False  # came while it paused
        self._settled = True  # rows stand in their order
        self._board = MovingBoard(self._travel, self._panel, self._axis)
        column(self._board, within=self)
        self._connect()
        self._table.columns.remember_in(self._settings, _COLUMNS)

    def pull(self) -> None:
        """The machine as it is now; copies come by themselves."""
        self._show_machine()
        may_copy = len(self.copies.devices()) > 1 and not self.copies.lab.recorded
        self._new.setEnabled(may_copy)
        if not self._settled and self._table.may_move():
            self._show_rows()

    def commands(self) -> Sequence[PageCommand]:
        return (
            (tr("New copy…"), "Ctrl+Return", self.ask_new_copy),
            (tr("Show the copy again"), "", self._travel.playback.toggle),
            (tr("Compare the two chosen copies"), "", self._on_compare_asked),
            *self.saving.commands(),
            (tr("Copy the chosen copies as text"), "Ctrl+C", self.copy_text),
            (tr("Filter copies"), "", self._tools.search.setFocus),
            *self._axis.commands(),
        )

    def start_search(self) -> bool:
        return self._tools.start_search()

    def ask_new_copy(self) -> None:
        if self.copies.lab.recorded:
            self.note.show_refused(tr(RECORDED))
            return
        sheet = NewCopySheet(self.copies, self.window())
        sheet.begun.connect(self._on_begun)
        sheet.refused.connect(self.note.show_refused)
        sheet.open()

    def copy_text(self) -> None:
        """To the clipboard: what is picked, or all where nothing is."""
        captions, rows = self._table.texts(self._table.picked() or self._panel.rows)
        QGuiApplication.clipboard().setText(
            tabbed(captions, rows, tr(SIMULATED_LINE) if self.copies.modelled else "")
        )
        self.note.show_done(tr("The rows are on the clipboard."))

    def heard(self) -> Sequence[Heard]:
        lab = self.copies.lab
        return (
            (lab.changed, self._on_lab_changed),
            (lab.told, self._on_told),
            (lab.selection.changed, self._on_selection_changed),
            (self.copies.ways.changed, self._on_ways_changed),
        )

    def begin(self) -> None:
        self._now.reroute()
        self._take(first=True)
        self.pull()

    def _connect(self) -> None:
        self._panel.empty.way_on_chosen.connect(self._on_way_on_chosen)
        self._travel.way_on_chosen.connect(partial(self.page_asked.emit, "matrix"))
        self._travel.other_way_chosen.connect(self.simulated_cards_asked)
        self._panel.bar.cure.clicked.connect(self._on_cure_asked)
        self._tools.which.chosen.connect(self._on_which_chosen)
        self._tools.search.textChanged.connect(self._on_searched_for)
        self._tools.search.left.connect(self._table.setFocus)
        self._tools.columns_asked.connect(self._table.open_column_menu)
        self._tools.compare.clicked.connect(self._on_compare_asked)
        self._tools.offer_exports(self.saving.exports())
        self._table.picked_changed.connect(self._on_picked)
        self._table.clicked.connect(self._on_picked)
        self.tell_of(self.saving)
        self.tell_of(self._axis)
        self._clock.reached.connect(self._on_copy_reached)
        self._dim.timeout.connect(partial(self._travel.show_flowing, ()))
        self._pause.timeout.connect(self._on_pause_over)

    # What came

    def _take(self, *, first: bool) -> None:
        new = self._now.take()
        self._now.measured()
        self._show_rows(in_order=first)
        self._axis.take(self.copies.lab.ledger, self._now.book, self._now.devices())
        self._board.arrange()
        if new and not first:
            self._light(new)
        if new and self._chosen is None:
            self._show_chosen(travels=True)
        else:
            self._show_chosen(travels=False)

    def _light(self, new: Sequence[CopyRow]) -> None:
        """One lit lane for each way, however many copies went it."""
        devices = self._now.devices()
        flows: dict[tuple[str, str], Flow] = {}
        for row in new:
            way = (row.source, row.target)
            if way not in flows and not row.already_there and len(flows) < _MOST_FLOWS:
                colour = colour_of(folded([row])[0], devices)
                flows[way] = Flow(self._now.hops(row), colour)
        self._travel.show_flowing(tuple(flow for flow in flows.values() if flow.hops))
        self._dim.start()

    # What is shown

    def _show_rows(self, *, in_order: bool = True) -> None:
        rows, cells = self._now.rows, self._panel.cells
        self._shown = self._wanted.chosen(rows)
        self._settled = in_order or self._table.may_move()
        cells.devices, cells.units = self._now.devices(), self._settings.choices.units
        self._tools.show_which(self._wanted.which, counts(rows))
        self._table.show_rows(self._shown, in_order=in_order)
        if self._shown:
            self._panel.show_table()
        elif rows:
            self._panel.show_empty(tr("No copy matches"), "", tr("Show all copies"))
        elif self.copies.lab.recorded:
            nothing = tr("Nothing had been copied until then")
            self._panel.show_empty(nothing, tr(RECORDED), "")
        elif len(self.copies.devices()) < 2:
            only = tr("The lab has one device here: a copy needs two.")
            self._panel.show_empty(tr("Nothing can be copied"), only, "")
        else:
            title = tr("Nothing has been copied yet")
            self._panel.show_empty(title, tr(_NOTHING), tr("New copy"))
        self._show_able()

    def _show_chosen(self, *, travels: bool, number: int | None = None) -> None:
        """`number`: of the repeats that one."""
        moved = self._now.row(self._chosen) or self._now.row(self._now.newest())
        if moved is None:
            self._seen = None
            self._clock.forget()
            self._travel.show_nothing()
            return
        another = moved.key != self._seen
        self._seen = moved.key
        self._clock.show(moved, number)
        devices = self._now.devices()
        hops, best = self._now.hops(moved.row), self._now.book.best(moved.row)
        again = travels or (another and number is None)
        self._travel.show_copy(moved, hops, best, devices, travels=again)
        if another:
            self._show_machine()
        if len(self._table.picked()) < 2:
            scroll = self._chosen is not None or self._table.may_move()
            self._table.pick(moved.key, scroll=scroll)
        self._panel.bar.show_said(self._said(moved))
        self._show_able()

    def _said(self, moved: Moved) -> Said:
        """For what was chosen; else for what cost most without having been asked for."""
        book = self._now.book
        units = self._settings.choices.units
        if self._chosen is None:
            worst = worst_of(book, units)
            if worst is not None and worst.cure:
                moved = self._now.row(self._now.holding(worst.rows[0])) or moved
        return said_of(book, moved, units)

    def _show_machine(self) -> None:
        wiring = self.copies.ways.wiring
        now = machine_now(self._machine, wiring)
        why = self._machine.session.source.figures_alone
        if why:
            self._travel.show_waiting(tr("Nothing can be copied"), tr(why), "", "")
            self._panel.hide()
            return
        if now is None:
            asked = wiring.answer in (WiringAnswer.NOT_ASKED, WiringAnswer.WAITING)
            cards = bool(self._machine.cards())
            self._travel.show_waiting(*unwired(wiring.refusal, cards=cards, asked=asked))
            # An empty table below it would say no more.
            self._panel.setVisible(cards or bool(self._now.rows))
            return
        self._panel.show()
        moved = self._now.row(self._seen)
        hops = () if moved is None else self._now.hops(moved.row)
        self._travel.show_machine(now.shape, with_copy(machine_faces(now), moved, hops))

    def _show_able(self) -> None:
        self._tools.show_able(len(self._table.picked()), len(self._shown))

    # What a person does

    def _on_picked(self) -> None:
        picks = self._table.picked()
        self._show_able()
        if len(picks) > 1:
            return
        self._chosen = picks[0].key if picks else None
        self._show_chosen(travels=bool(picks))
        if picks:
            row = picks[0].row
            root = row.what.partition(".")[0].partition("[")[0]
            things = {root} & self.copies.lab.ledger.things.keys()
            self.copies.lab.selection.choose(row.command, things)

    def _on_selection_changed(self) -> None:
        """A cell was chosen elsewhere."""
        cell = self.copies.lab.selection.cell
        chosen = self._now.row(self._chosen)
        if cell is None or (chosen is not None and chosen.row.command == cell):
            return
        found = next((each for each in self._now.rows if each.row.command == cell), None)
        if found is not None:
            self._chosen = found.key
            self._show_chosen(travels=True)

    def _on_which_chosen(self, which: Which) -> None:
        self._wanted = replace(self._wanted, which=which)
        self._show_rows()

    def _on_searched_for(self, words: str) -> None:
        self._wanted = replace(self._wanted, words=words)
        self._show_rows()

    def _on_compare_asked(self) -> None:
        picks = self._table.picked()
        if len(picks) == 2:
            units = self._settings.choices.units
            CompareSheet(picks[0], picks[1], units, self.window()).open()

    def _on_cure_asked(self) -> None:
        said = self._panel.bar.said
        sheet = CureSheet(self.copies.lab, said, self.window())
        sheet.begun.connect(self._on_begun)
        sheet.refused.connect(self.note.show_refused)
        sheet.open()

    def _on_way_on_chosen(self) -> None:
        if not self._now.rows:
            self.ask_new_copy()
            return
        self._wanted = CopyFilter()
        self._tools.search.clear()
        self._show_rows()

    def _on_begun(self, command: int) -> None:
        self._awaited.add(command)
        self._chosen = None
        if self.copies.lab.stage in (Stage.SEARCHING, Stage.STARTING):
            self.note.show_done(tr("The lab's worker is being started; the copy follows."))

    def _on_copy_reached(self, number: int) -> None:
        """In the timeline."""
        key = self._now.holding(number)
        moved = self._now.row(key)
        if moved is not None:
            self._chosen = key
            self._show_chosen(travels=False, number=number)
            self.copies.lab.selection.choose(moved.row.command)

    # What the lab says

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Failed) and event.id in self._awaited:
            self._awaited.discard(event.id)
            said = tr(event.sentence) or event.message.partition("\n")[0]
            self.note.show_refused(said or tr("The copy could not be carried out."))

    def _on_lab_changed(self) -> None:
        """Of a flood, what came is shown a few times a second."""
        if self._pause.isActive():
            self._more = True
        else:
            self._take(first=False)
            self._pause.start()

    def _on_pause_over(self) -> None:
        if self._more and self.isVisible():
            self._more = False
            self._on_lab_changed()

    def _on_ways_changed(self) -> None:
        self._now.reroute()
        self._take(first=True)
        self._show_machine()
