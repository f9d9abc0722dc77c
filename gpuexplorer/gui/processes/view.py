"""ProcessesView: who uses the cards, all of them together, and how to end it."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QMenu, QPlainTextEdit, QPushButton, QWidget

from gpuexplorer.core.cards import CardId, CardKind, CardState
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.programs import name_reason, on_how_many, parents, standing_reason
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.list_view import ListView
from gpuexplorer.gui.processes.columns import chip, process_columns, since, texts, use
from gpuexplorer.gui.processes.process_lines import (
    Grouping,
    ProcessLine,
    as_csv,
    lines_of,
    processes_of,
)
from gpuexplorer.gui.state.machine import MachineState
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
    """Rows come from the session's book; the table decides when they may change places. Below
    them what is picked, in full and over time, and the button that ends it.
    """

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        self._rows: Sequence[BookRow] = ()
        columns = [*process_columns(desk.machine)]
        model = TableModel(columns, lambda line: line.key, lambda line: line.under)
        words = tr("List"), tr("By program"), tr("Tree")
        groupings = Segmented(tr("Rows"), [*zip(Grouping, words, strict=True)])
        searched = tr("Filter by command, user, pid, container")
        super().__init__(desk, "processes", model, groupings, searched, parent)
        groupings.chosen.connect(self._on_grouping_chosen)
        self.table.columns.sort_by("memory", falling=True)
        self.table.picked_changed.connect(self._show_picked)
        self._end_action = self.add_command(tr("End process…"), "Del", self._on_end_asked)
        # Nobody means to end one who is at another part of the window.
        self._end_action.setShortcutContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        elsewhere = tr(
            "This program runs in a container. The driver reports the pids of the host, and in "
            "here they mean nothing or somebody else, so programs have no names and cannot be "
            "ended. To see them, start the container with `--pid=host`."
        )
        self._elsewhere = Remark(elsewhere)
        self._unknown = Remark("", Icon.WARNING, Tone.WARN)
        body, letters = look().letters.body, look().letters.mono
        choose = tr("Choose a process to see its whole command, or to end it.")
        self._command = command = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        command.setAccessibleName(tr("Whole command"))
        command.setPlaceholderText(choose)
        command.setProperty("kind", "plain")
        command.document().setDocumentMargin(0)
        command.setFixedHeight(round(2 * letters.height) + 4)
        command.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._facts, self._reason = ElidedLabel(body, Tone.QUIET), ElidedLabel(body, Tone.QUIET)
        self._end, top = QPushButton(tr("End…")), Qt.AlignmentFlag.AlignTop
        self._end.clicked.connect(self._end_action.trigger)
        lasting = TableModel(_past_columns(columns), lambda line: line.key)
        self._past = Table(tr("Last 4 minutes"), lasting, row_height=44)
        self._past.setFixedHeight(80)
        self._past.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._past.setSelectionMode(Table.SelectionMode.NoSelection)
        self._past.hide()
        said = column(command, self._facts, self._reason, FREE, gap=2)
        above = row(said, GROWS, self._end, top, gap=16, margins=(16, 10, 16, 10))
        self._details = QWidget()
        column(line_between(), above, self._past, within=self._details, gap=0)
        self.arrange(self._elsewhere, self._unknown, below=[self._details])
        desk.settings.changed.connect(self._on_settings_changed)
        kept = desk.settings.remembered(_GROUPING)
        self._on_grouping_chosen(Grouping(kept) if kept in set(Grouping) else Grouping.LIST)

    def pull(self) -> None:
        if self.machine.session.process_book.rows() is self._rows:
            self._show_words()
        else:
            self.list_anew(in_order=False)

    def list_anew(self, *, in_order: bool = True) -> None:
        chosen = self.machine.shown(self.card)
        ids = chosen and {each.card.id for each in (chosen, *chosen.instances)}
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
        return as_csv(rows, self.machine.session)

    def _refused(self) -> str:
        """Why nothing may be ended, whatever is picked; else empty."""
        settings = self.desk.settings
        if self.machine.past.ended is not None:
            return tr("This is a recording: nothing can be ended in it.")
        read_only = tr("Read-only: nothing can be ended from this window.")
        return settings.read_only_because or (read_only if settings.choices.read_only else "")

    def _show_picked(self) -> None:
        session, refused = self.machine.session, self._refused()
        self._picked = picked = processes_of(self.table.picked(), self._rows)
        text = "\n".join(dict.fromkeys(map(command_of, picked)))
        if text != self._command.toPlainText():
            self._command.setPlainText(text)
        self._command.setFont((look().letters.mono if picked else look().letters.body).font)
        held = _held(picked, self.machine)
        facts = trn(
            "{count} process: {held}", "{count} processes: {held}", len(picked), held=held
        )
        alone = picked if len(picked) == 1 else ()
        for each in alone:
            facts = _facts(each, self.machine)
        self._facts.show_text(facts if picked else "")
        self._past.show_rows(alone)
        if picked:  # once there it stays: the table above must not jump
            self._past.show()
        why_nots = [*map(_why_not, picked)]
        may_end, why_not = not (refused or all(why_nots)), " ".join(dict.fromkeys(why_nots))
        if may_end:
            simulated = tr("Simulated: ending it takes it off the simulated card.")
            why_not = simulated if session.simulated else ""
        self._reason.show_text(refused or why_not)
        self._end_action.setVisible(not refused)
        self._end_action.setEnabled(may_end)
        self._end.setVisible(not refused)
        self._end.setEnabled(may_end)
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
        gpus = [each.id for each in session.cards() if each.kind is CardKind.GPU]
        if hidden:
            words = trn(
                "{count} process is hidden by the filter.",
                "{count} processes are hidden by the filter.",
                hidden,
            )
            return tr("No process fits the filter."), words, tr("Clear the filter")
        if not gpus:
            return [tr("There is no card that a program could use.")]
        if why := session.source.figures_alone:
            return tr("Which programs use the cards is not known."), tr(why)
        if unknown:
            return [unknown]
        if not any(map(session.process_book.looked_at, gpus)):
            return [tr("Asking the driver which programs use the cards…")]
        more = tr("A program that uses a card is listed here.")
        if session.stream.elsewhere and not session.simulated:
            more = tr("A container without `--pid=host` may not see the programs of others.")
        return tr("No program uses a card."), more

    def _unknown_words(self) -> str:
        """Of which cards it is not known just now who uses them, and why."""
        session, unknown = self.machine.session, self.machine.session.processes_unknown()
        cards = [each for each in self.machine.cards() if each.card.id in unknown]
        if not cards:
            return ""
        words = trn(
            "Which programs use card {numbers} is not known just now.",
            "Which programs use cards {numbers} is not known just now.",
            len(cards),
            numbers=listed([each.number for each in cards]),
        )
        states = dict.fromkeys(session.state_sentence(each.card.id) for each in cards)
        whys = listed([tr(each) for each in states if each != CardState.WORKING.sentence])
        return tr("{sentence} ({reasons})", sentence=words, reasons=whys) if whys else words

    def _summary_words(self) -> str:
        """ "5 processes on 2 cards; this window holds no card memory"."""
        session, count, cards = self.machine.session, len(self._rows), self.machine.cards()
        book, now = session.process_book, session.clock.now()
        looks = filter(None, (book.looked_at(each.card.id) for each in cards))
        age, living = now - max(looks, default=now), book.living()
        if age > 2 * max(session.interval, _LOOK_EVERY) + 1:
            return tr("As reported {seconds:.0f} s ago; asked again now", seconds=age)
        words = on_how_many(living, parents(cards))
        shown = sum(len(line.rows) for line in self.table.listed.things)
        if words and shown < count:
            rows = {"shown": shown, "count": count, "rest": words}
            words = tr("{shown} of {count} rows shown; {rest}", **rows)
        if not words or self.machine.past.ended is not None:
            return words
        if session.simulated:
            return tr("{processes}, all made up", processes=words)
        ours = [each.process.values for each in living if each.ours]
        held = sum(each.get(ProcessFigure.MEMORY, 0.0) for each in ours)
        said = memory(held, self.desk.settings.choices.units) if ours else tr("no card memory")
        return tr("{processes}; this window holds {memory}", processes=words, memory=said)

    def _on_end_asked(self) -> None:
        """Opens the question and returns at once; while it is open, rows stand still."""
        question = EndDialog(self._picked, self.machine, parent=self)
        question.finished.connect(self.table.setFocus)
        question.open()

    def _on_settings_changed(self) -> None:
        """In other units, perhaps."""
        columns = [*process_columns(self.machine)]
        self.table.listed.show_columns(columns)
        self._past.listed.show_columns(_past_columns(columns))
        self.list_anew()

    def _on_grouping_chosen(self, grouping: Grouping) -> None:
        self._grouping = grouping
        self.desk.settings.remember(_GROUPING, grouping)
        self.choice.show_choice(grouping)
        self.table.show_branches(None if grouping is Grouping.LIST else _COMMAND_AT)
        self.list_anew()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._show_picked()


def _past_columns(columns: Sequence[Column[ProcessLine]]) -> Sequence[Column[ProcessLine]]:
    """What one takes now, and took over the last four minutes."""
    every = {each.key: each for each in columns}
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


def _held(processes: Sequence[ProcessLine], machine: MachineState) -> str:
    """ "17.9 GiB on card 0 and 1.00 GiB on card 1", or "card 0" where nobody knows how much."""
    sums, said = defaultdict[CardId, float](float), []
    for each in (each for process in processes for each in process.rows if not each.over):
        its = each.named.process
        sums[its.card] += its.values.get(ProcessFigure.MEMORY, math.nan)
    for card, held in sums.items():
        words = mark("card {number}" if math.isnan(held) else "{amount} on card {number}")
        amount = memory(held, machine.settings.choices.units)
        said.append(tr(words, number=chip(machine, card).text, amount=amount))
    return listed(said)


def _facts(process: ProcessLine, machine: MachineState) -> str:
    """ "pid 41873 · ana · computes · 17.9 GiB on card 0 · Since …"."""
    named = process.rows[0].named
    parts = (
        tr("pid {pid}", pid=named.process.pid),
        *texts("user", process),
        use(process).hint,
        _held([process], machine),
        tr("container {name}", name=named.container) if named.container else "",
        since(machine, process).hint if named.started_at is not None else "",
    )
    return " · ".join(filter(None, parts))


class EndDialog(Sheet):
    """Asks first; what does not listen can be killed. It never waits: it looks now and then.
    Which of those that are picked may not be ended is said, and they are left alone.
    """

    def __init__(
        self,
        picked: Sequence[ProcessLine],
        machine: MachineState,
        can_ask: bool = CAN_ASK,
        parent: QWidget | None = None,
    ) -> None:
        ending = [each for each in picked if not _why_not(each)]
        self._named, count = [each.rows[0].named for each in ending], len(ending)
        what = trn("{count} process", "{count} processes", count)
        if count == 1:
            command, pid = self._named[0].command, self._named[0].process.pid
            what = program_name(command) if command else tr("pid {pid}", pid=pid)
        asked = tr("End {what}?", what=what)
        if machine.name:  # another than this computer
            asked = tr("End {what} on {machine}?", what=what, machine=machine.name)
        super().__init__(asked, parent)
        self._clock, self._began = machine.session.clock, 0.0
        self._way = Way.ASK
        self._refusals: dict[int, str] = {}
        # What is lost and what came of it is seen first, however many they are.
        if any(each.simulated for each in self._named):
            self.add_sentence(tr("SIMULATED: nothing real is ended."))
        lost = trn("What it has not saved is lost.", "What they have not saved is lost.", count)
        self.add_sentence(lost)
        self.add_sentence(tr("This becomes free: {memory}.", memory=_held(ending, machine)))
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
        told = (f"{_facts(each, machine)}\n{command_of(each)}" for each in ending)
        self.add_code("\n".join(told), tr("Command"))
        if left_out := [why_not for each in picked if (why_not := _why_not(each))]:
            others = trn(
                "{count} other that was picked may not be ended from here.",
                "{count} others that were picked may not be ended from here.",
                len(left_out),
            )
            label = self.add_sentence(others, Tone.QUIET)
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
        figures = {"time": seconds, "ended": count - waiting, "count": count}
        state = tr("Asked {time:.0f} s ago: {ended} of {count} ended.", **figures)
        if self._way is Way.KILL:
            state = tr(
                "Killed {time:.0f} s ago: {ended} of {count} ended. The system waits for "
                "something of what is left, often the driver.",
                **figures,
            )
        if not waiting:
            state = trn(
                "It has ended after {time:.1f} s.",
                "All {count} have ended after {time:.1f} s.",
                count,
                time=seconds,
            )
        say(self._state, state if count else "")
        if not waiting:
            self._timer.stop()
            self._kill.hide()
            self._keep.setFocus()
