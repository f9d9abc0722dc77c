"""ProcessesView: who uses the cards, all of them together, and how to end it."""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QPushButton, QWidget

from gpuexplorer.core.cards import CardKind, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.programs import name_reason, on_how_many, parents, standing_reason
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.list_view import ListView
from gpuexplorer.gui.processes.rows import (
    Grouping,
    ProcessColumns,
    ProcessLine,
    as_csv,
    lines_of,
    processes_of,
)
from gpuexplorer.gui.tables.cell import Column
from gpuexplorer.gui.tables.model import TableModel
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, say
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.live_view import Remark
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between
from gpuexplorer.telemetry.process_book import (
    CAN_ASK,
    BookRow,
    end,
    has_ended,
    refusal,
    refused,
)
from gpuexplorer.telemetry.processes import ProcessFigure, ProcessUse, Way, program_name

_LOOK_EVERY = 2.0  # at least, in seconds
_END_LOOKED_FOR = 200  # milliseconds
_LEAST_WITH_DETAILS = 400  # pixels
_COMMAND_AT = 1
_GROUPING = "processes/grouping"
_CURVES = "sm", "memory", "cpu", "host_memory"


class ProcessesView(ListView[ProcessLine]):
    """Rows come from the session's book; the table decides when they may change places."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        self._columns = ProcessColumns(desk.machine)
        self._rows: Sequence[BookRow] = ()
        columns = [*self._columns.all()]
        model = TableModel(columns, lambda line: line.key, lambda line: line.under)
        words = tr("List"), tr("By program"), tr("Tree")
        groupings = Segmented(tr("Rows"), [*zip(Grouping, words, strict=True)])
        searched = tr("Filter by command, user, pid, container")
        super().__init__(desk, "processes", model, groupings, searched, parent)
        groupings.chosen.connect(self._on_grouping_chosen)
        self.table.columns.sort_by("memory", falling=True)
        self._details = ProcessDetails(self._columns, self.table)
        self.table.picked_changed.connect(self._show_picked)
        self._end_action = self.add_command(tr("End process…"), "Del", self._details.ask)
        # Nobody means to end one who is at another part of the window.
        self._end_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        elsewhere = mark(
            "This program runs in a container. The driver reports the pids of the host, and in "
            "here they mean nothing or somebody else, so programs have no names and cannot be "
            "ended. To see them, start the container with `--pid=host`."
        )
        self._elsewhere = Remark(tr(elsewhere))
        self._unknown = Remark("", Icon.WARNING, Tone.WARN)
        self.arrange(self._elsewhere, self._unknown, below=[self._details])
        desk.settings.changed.connect(self.list_anew)
        kept = desk.settings.remembered(_GROUPING)
        self._on_grouping_chosen(Grouping(kept) if kept in set(Grouping) else Grouping.LIST)

    def pull(self) -> None:
        if self.machine.session.process_book.rows() is self._rows:
            self._show_words()
        else:
            self.list_anew(in_order=False)

    def list_anew(self, *, in_order: bool = True) -> None:
        chosen, columns = self.machine.shown(self.card), [*self._columns.all()]
        if [each.heading for each in columns] != [e.heading for e in self.table.listed.columns]:
            self.table.listed.show_columns(columns)  # in other units
        ids = None
        if chosen is not None:
            ids = {each.card.id for each in (chosen, *chosen.instances)}
        self._rows = self.machine.session.process_book.rows()
        lines = lines_of(self._rows, self._grouping, self.search.text(), ids)
        self.show_rows(lines, in_order=in_order)
        self._show_picked()
        self._show_words()

    def stop(self) -> None:
        for question in self.findChildren(EndDialog):
            question.reject()
        super().stop()

    def all_rows(self) -> Sequence[ProcessLine]:
        return [each for line in super().all_rows() for each in line.with_those_under()]

    def fill_row_menu(self, menu: QMenu, thing: ProcessLine) -> None:
        card, open_card = thing.rows[0].named.process.card, self.desk.navigation.open_card
        if (shown := self.machine.shown(card)) is not None:
            opens = tr("Open card {number}", number=shown.number)
            menu.addAction(opens, partial(open_card, card))
        if self._end_action.isVisible():
            menu.addSeparator()
            menu.addAction(self._end_action)

    def csv(self) -> str:
        rows = [row for line in self.table.listed.things for row in line.rows]
        return as_csv(rows, self._columns)

    def _show_picked(self) -> None:
        self._details.show_picked(self.table.picked())
        self._end_action.setVisible(not self._details.refused)
        self._end_action.setEnabled(self._details.may_end)
        # In a low window the rows need the room more; menu and keys do the same as it.
        there = bool(self.table.listed.things)
        self._details.setVisible(there and self.height() >= _LEAST_WITH_DETAILS)

    def _show_words(self) -> None:
        """What is to be known beside the rows, or why there is none."""
        unknown, there = self._unknown_words(), bool(self.table.listed.things)
        self._elsewhere.setVisible(any(row.named.elsewhere for row in self._rows))
        self._unknown.sentence.setText(unknown)
        self._unknown.setVisible(bool(unknown) and there)
        self.summary.show_text(self._summary_words())
        if not there:
            self.nothing.show_words(*self._why_nobody(unknown))

    def _why_nobody(self, unknown: str) -> Sequence[str]:
        """Why there is no row: a heading, more about it, and the way on."""
        session, hidden = self.machine.session, len(self._rows)
        gpus = [each.card for each in self.machine.cards() if each.card.kind is CardKind.GPU]
        if hidden:
            one = mark("{count} process is hidden by the filter.")
            many = mark("{count} processes are hidden by the filter.")
            words = trn(one, many, hidden)
            return tr("No process fits the filter."), words, tr("Clear the filter")
        if not gpus:
            return [tr("There is no card that a program could use.")]
        if why := session.source.figures_alone:
            return tr("Which programs use the cards is not known."), tr(why)
        if unknown:
            return [unknown]
        if all(session.process_book.looked_at(card.id) is None for card in gpus):
            return [tr("Asking the driver which programs use the cards…")]
        more = mark("A program that uses a card is listed here.")
        if session.stream.elsewhere and not session.simulated:
            more = mark("A container without `--pid=host` may not see the programs of others.")
        return tr("No program uses a card."), tr(more)

    def _unknown_words(self) -> str:
        """Of which cards it is not known just now who uses them, and why."""
        session = self.machine.session
        unknown = {*session.processes_unknown()}
        cards = [each for each in self.machine.cards() if each.card.id in unknown]
        if not cards:
            return ""
        one = mark("Which programs use card {numbers} is not known just now.")
        many = mark("Which programs use cards {numbers} is not known just now.")
        words = trn(one, many, len(cards), numbers=listed([each.number for each in cards]))
        states = dict.fromkeys(session.state_sentence(each.card.id) for each in cards)
        whys = [tr(each) for each in states if each != CardState.WORKING.sentence]
        return (
            tr("{sentence} ({reasons})", sentence=words, reasons=listed(whys))
            if whys
            else words
        )

    def _summary_words(self) -> str:
        """ "5 processes on 2 cards; this window holds no card memory"."""
        session, count = self.machine.session, len(self._rows)
        book, cards = session.process_book, self.machine.cards()
        looks = [at for each in cards if (at := book.looked_at(each.card.id)) is not None]
        now, living = session.clock.now(), book.living()
        age = now - max(looks, default=now)
        if age > 2 * max(session.interval, _LOOK_EVERY) + 1:
            return tr("As reported {seconds:.0f} s ago; asked again now", seconds=age)
        words = on_how_many(living, parents(cards))
        shown = sum(len(line.rows) for line in self.table.listed.things)
        if words and shown < count:
            template = mark("{shown} of {count} rows shown; {rest}")
            words = tr(template, shown=shown, count=count, rest=words)
        if not words or self.machine.past.ended is not None:
            return words
        if session.simulated:
            return tr("{processes}, all made up", processes=words)
        ours = [each.process.values for each in living if each.ours]
        held = sum(each.get(ProcessFigure.MEMORY, 0.0) for each in ours)
        said = memory(held, self._columns.units) if ours else tr("no card memory")
        return tr("{processes}; this window holds {memory}", processes=words, memory=said)

    def _on_grouping_chosen(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self.desk.settings.remember(_GROUPING, grouping)
        self.choice.show_choice(grouping)
        self.table.show_branches(None if grouping is Grouping.LIST else _COMMAND_AT)
        self.list_anew()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_picked()


class ProcessDetails(QWidget):
    """What is picked, in full and over time, and the button that ends it."""

    def __init__(self, columns: ProcessColumns, table: Table[ProcessLine]) -> None:
        """`table` has the keyboard when a question is closed."""
        super().__init__()
        self._machine, self._columns, self._table = columns.machine, columns, table
        self._picked: Sequence[ProcessLine] = ()
        body, letters = look().letters.body, look().letters.mono
        choose = tr("Choose a process to see its whole command, or to end it.")
        self._command = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        self._command.setAccessibleName(tr("Whole command"))
        self._command.setPlaceholderText(choose)
        self._command.setProperty("kind", "plain")
        self._command.setFont(letters.font)
        self._command.document().setDocumentMargin(0)
        self._command.setFixedHeight(round(2 * letters.height) + 4)
        self._command.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._facts, self._reason = ElidedLabel(body, Tone.QUIET), ElidedLabel(body, Tone.QUIET)
        self._end = QPushButton(tr("End…"))
        self._end.clicked.connect(self.ask)
        model = TableModel(self._past_columns(), lambda line: line.key)
        self._past = Table(tr("Last 4 minutes"), model, row_height=44)
        self._past.setFixedHeight(80)
        self._past.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._past.setSelectionMode(Table.SelectionMode.NoSelection)
        words = column(self._command, self._facts, self._reason, FREE, gap=2)
        top = Qt.AlignmentFlag.AlignTop
        above = row(words, GROWS, self._end, top, gap=16, margins=(16, 10, 16, 10))
        column(line_between(), above, self._past, within=self, gap=0)
        self._past.hide()

    @property
    def refused(self) -> str:
        """Why nothing may be ended, whatever is picked; else empty."""
        if self._machine.past.ended is not None:
            return tr("This is a recording: nothing can be ended in it.")
        settings = self._machine.settings
        if not settings.choices.read_only:
            return ""
        because = settings.read_only_because
        return because or tr("Read-only: nothing can be ended from this window.")

    @property
    def may_end(self) -> bool:
        return not self.refused and not all(map(_why_not, self._picked))

    def show_picked(self, lines: Sequence[ProcessLine]) -> None:
        session, columns = self._machine.session, self._columns
        self._picked = picked = processes_of(lines, session.process_book.rows())
        text = "\n".join(dict.fromkeys(map(command_of, picked)))
        if text != self._command.toPlainText():
            self._command.setPlainText(text)
        why_not = self.refused or " ".join(dict.fromkeys(map(_why_not, picked)))
        if self.may_end:
            simulated = tr("Simulated: ending it takes it off the simulated card.")
            why_not = simulated if session.simulated else ""
        one, many = mark("{count} process: {held}"), mark("{count} processes: {held}")
        facts = trn(one, many, len(picked), held=_held(picked, columns)) if picked else ""
        self._facts.show_text(_facts(picked[0], columns) if len(picked) == 1 else facts)
        self._reason.show_text(why_not)
        self._end.setVisible(not self.refused)
        self._end.setEnabled(self.may_end)
        self._past.listed.show_columns(self._past_columns())
        self._past.show_rows(picked if len(picked) == 1 else ())
        # Once there it stays: the table above must not jump.
        self._past.setVisible(bool(picked) or not self._past.isHidden())

    def ask(self) -> None:
        """Opens the question and returns at once; while it is open, rows stand still."""
        if self.may_end:
            question = EndDialog(self._picked, self._columns, parent=self)
            question.finished.connect(self._table.setFocus)
            question.open()

    def _past_columns(self) -> Sequence[Column[ProcessLine]]:
        """What it takes now, and took over the last four minutes."""
        every = {each.key: each for each in self._columns.all()}
        of = [every[key] for name in _CURVES for key in (name, f"{name}_past")]
        return [replace(each, sorts=None, stretches=not each.copied) for each in of]


def command_of(process: ProcessLine) -> str:
    named = process.rows[0].named
    return named.command or name_reason(named)[1]


def _why_not(process: ProcessLine) -> str:
    """It may not be ended."""
    first = process.rows[0]
    reason = standing_reason(first.standing) if first.over else None
    return reason[1] if reason else tr(refusal(first.named))


def _held(processes: Sequence[ProcessLine], columns: ProcessColumns) -> str:
    """ "17.9 GiB on card 0 and 1.00 GiB on card 1", or "card 0" where nobody knows how much."""
    sums: dict[str, float] = {}
    for each in (each for process in processes for each in process.rows if not each.over):
        number = columns.chip(each.named.process.card).text
        its = each.named.process.values.get(ProcessFigure.MEMORY, math.nan)
        sums[number] = sums.get(number, 0.0) + its
    said = []
    for number, held in sums.items():
        words = tr("card {number}", number=number)
        if not math.isnan(held):
            amount = memory(held, columns.units)
            words = tr("{amount} on card {number}", amount=amount, number=number)
        said.append(words)
    return listed(said)


def _facts(process: ProcessLine, columns: ProcessColumns) -> str:
    """ "pid 41873 · ana · computes · 17.9 GiB on card 0 · Since …", as its columns say it."""
    named = process.rows[0].named
    of = {each.key: each.cell(process) for each in columns.all()}
    parts = [tr("pid {pid}", pid=named.process.pid), of["user"].text, of["use"].hint]
    parts.append(_held([process], columns))
    if named.container:
        parts.append(tr("container {name}", name=named.container))
    if named.started_at is not None:
        parts.append(of["since"].hint)
    return " · ".join(filter(None, parts))


class EndDialog(Sheet):
    """Asks first; what does not listen can be killed. It never waits: it looks now and then.
    Which of those that are picked may not be ended is said, and they are left alone.
    """

    def __init__(
        self,
        picked: Sequence[ProcessLine],
        columns: ProcessColumns,
        can_ask: bool = CAN_ASK,
        parent: QWidget | None = None,
    ) -> None:
        machine = columns.machine.name  # where it is another than this computer
        ending = [each for each in picked if not _why_not(each)]
        self._named, count = [each.rows[0].named for each in ending], len(ending)
        first, what = self._named[0], trn("{count} process", "{count} processes", count)
        if count == 1:
            pid = tr("pid {pid}", pid=first.process.pid)
            what = program_name(first.command) if first.command else pid
        asked = tr("End {what}?", what=what)
        if machine:
            asked = tr("End {what} on {machine}?", what=what, machine=machine)
        super().__init__(asked, parent)
        self._clock, self._began = columns.machine.session.clock, 0.0
        self._way = Way.ASK
        self._refusals: dict[int, str] = {}
        # What is lost and what came of it is seen first, however many they are.
        if any(each.simulated for each in self._named):
            self.add_sentence(tr("SIMULATED: nothing real is ended."))
        one = mark("What it has not saved is lost.")
        self.add_sentence(trn(one, mark("What they have not saved is lost."), count))
        self.add_sentence(tr("This becomes free: {memory}.", memory=_held(ending, columns)))
        if any(each.process.use is not ProcessUse.COMPUTE for each in self._named):
            windows = tr("It draws on a screen: windows close with it, perhaps all of them.")
            self.add_sentence(windows)
        ways = tr("Windows does not ask programs: it ends at once and can save nothing.")
        if can_ask:
            ways = tr("Asked, it may save its work first, or not listen; killed, it cannot.")
        self.add_sentence(ways, Tone.QUIET)
        self._state, self._trouble = self.add_sentence(""), self.add_sentence("", Tone.BAD)
        self._state.hide()
        self._trouble.hide()
        told = (f"{_facts(each, columns)}\n{command_of(each)}" for each in ending)
        self.add_code("\n".join(told), tr("Command"))
        if left_out := [why_not for each in picked if (why_not := _why_not(each))]:
            one = mark("{count} other that was picked may not be ended from here.")
            many = mark("{count} others that were picked may not be ended from here.")
            label = self.add_sentence(trn(one, many, len(left_out)), Tone.QUIET)
            label.setToolTip("\n".join(dict.fromkeys(left_out)))
        self._keep = self.add_button(tr("Leave it alone"), ROLE.RejectRole, default=True)
        # Reset stands apart, where nobody comes by mistake.
        apart = ROLE.ResetRole if can_ask else ROLE.DestructiveRole
        self._kill = self.add_button(tr("Kill at once") if can_ask else tr("End it"), apart)
        self._kill.clicked.connect(partial(self._send, Way.KILL))
        self._ask = self.add_button(tr("Ask it to end"), ROLE.ActionRole)
        self._ask.setVisible(can_ask)
        self._ask.clicked.connect(partial(self._send, Way.ASK))
        self._timer = QTimer(self, interval=_END_LOOKED_FOR)
        self._timer.timeout.connect(self._look_now)

    def _send(self, way: Way) -> None:
        self._way, self._began = way, self._clock.now()
        self._refusals.clear()
        for named in self._named:
            try:
                end(named, way)
            except Trouble as trouble:
                self._refusals[named.process.pid] = trouble.told
        self._ask.hide()
        self._keep.setText(tr("Close"))
        self._keep.setFocus()
        self._timer.start()
        self._look_now()

    def _look_now(self) -> None:
        left = [named for named in self._named if not has_ended(named)]
        for named in left:
            if why_not := refused(named):
                self._refusals[named.process.pid] = why_not.told
        # One that was refused may have ended all the same.
        refusals = [self._refusals.get(named.process.pid, "") for named in left]
        say(self._trouble, " ".join(dict.fromkeys(filter(None, refusals))))
        count, waiting = len(self._named) - sum(map(bool, refusals)), refusals.count("")
        seconds = self._clock.now() - self._began
        so_far = mark("Asked {time:.0f} s ago: {ended} of {count} ended.")
        if self._way is Way.KILL:
            so_far = mark(
                "Killed {time:.0f} s ago: {ended} of {count} ended. The system waits for "
                "something of what is left, often the driver."
            )
        state = tr(so_far, time=seconds, ended=count - waiting, count=count)
        if not waiting:
            one = mark("It has ended after {time:.1f} s.")
            many = mark("All {count} have ended after {time:.1f} s.")
            state = trn(one, many, count, time=seconds)
        say(self._state, state if count else "")
        if not waiting:
            self._timer.stop()
            self._kill.hide()
            self._keep.setFocus()
