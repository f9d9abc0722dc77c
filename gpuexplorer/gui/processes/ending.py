"""Ending: what is said of the processes that are picked, the question, and what came of it."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QHideEvent, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QPlainTextEdit, QPushButton, QWidget

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import Units, memory
from gpuexplorer.core.words import listed, mark, tr, trn
from gpuexplorer.gui.cards.programs import (
    gigabyte,
    gigabytes,
    name_reason,
    percent,
    program_name,
    short_since,
)
from gpuexplorer.gui.cards.reasons import span_words
from gpuexplorer.gui.desk import Desk
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.processes.columns import USES, ProcessColumns, Spark, known
from gpuexplorer.gui.processes.rows import (
    Held,
    PickedProcess,
    ProcessLine,
    picked_processes,
    together,
)
from gpuexplorer.gui.tables.cell import PADDING
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, row, say
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between
from gpuexplorer.telemetry.process_book import CAN_ASK, end, has_ended, refused
from gpuexplorer.telemetry.processes import NamedProcess, ProcessUse, Way

_LOOK_EVERY_MS = 200
_PAST_HEIGHT, _CAPTION, _SIDE, _STACKED_BELOW = 66, 18.0, 8.0, 640


def on_cards(held: Held, units: Units) -> list[str]:
    """ "17.9 GiB on card 0", or "card 0" where nobody knows how much."""
    return [
        tr("card {number}", number=number)
        if known is None
        else tr("{amount} on card {number}", amount=memory(known, units), number=number)
        for number, known in held.items()
    ]


class ProcessDetails(QWidget):
    """What is picked, in full and over time, and the button that ends it. It grows when
    something is picked for the first time, and stays so: the table above must not jump.
    """

    closed = Signal()  # the question: the rows are to have the keyboard

    def __init__(self, desk: Desk, columns: ProcessColumns) -> None:
        super().__init__()
        self._machine, self._settings, self._columns = desk.machine, desk.settings, columns
        self._picked: Sequence[PickedProcess] = ()
        body, top = look().letters.body, Qt.AlignmentFlag.AlignTop
        self._command = QPlainTextEdit(readOnly=True, tabChangesFocus=True)
        self._command.setAccessibleName(tr("Whole command"))
        self._command.setProperty("kind", "plain")
        self._command.document().setDocumentMargin(0)
        self._command.setFixedHeight(round(2 * look().letters.mono.height) + 4)
        self._command.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._facts, self._reason = ElidedLabel(body, Tone.QUIET), ElidedLabel(body, Tone.QUIET)
        self._copy, self._end = QPushButton(tr("Copy command")), QPushButton(tr("End…"))
        self._copy.clicked.connect(self._on_copy_clicked)
        self._end.clicked.connect(self.ask)
        self._past = PastStrip()
        words = column(self._command, self._facts, self._reason, FREE, gap=2)
        self._buttons = row(self._copy, top, self._end, top)
        above = row(words, GROWS, self._buttons, gap=16, margins=(16, 10, 16, 10))
        column(line_between(), above, self._past, within=self, gap=0)
        self._facts.hide()
        self._past.hide()

    @property
    def refused(self) -> str:
        """Why nothing may be ended, whatever is picked; else empty."""
        if self._machine.past.ended is not None:
            return tr("This is a recording: nothing can be ended in it.")
        if not self._settings.choices.read_only:
            return ""
        because = self._settings.read_only_because
        return because or tr("Read-only: nothing can be ended from this window.")

    @property
    def may_end(self) -> bool:
        return not self.refused and any(not each.why_not for each in self._picked)

    def show_picked(self, lines: Sequence[ProcessLine]) -> None:
        session, letters, columns = self._machine.session, look().letters, self._columns
        rows = session.process_book.rows()
        self._picked = picked = picked_processes(lines, rows, columns.cards)
        choose = tr("Choose a process to see its whole command.")
        if not self.refused:
            choose = tr("Choose a process to see its whole command, or to end it.")
        text = self._commands() or choose
        if text != self._command.toPlainText():
            self._command.setFont((letters.mono if picked else letters.body).font)
            self._command.setPlainText(text)
        why_not = self.refused
        if not self.may_end:
            why_not = why_not or " ".join(dict.fromkeys(each.why_not for each in picked))
        elif session.simulated:
            why_not = tr("Simulated: ending it takes it off the simulated card.")
        self._facts.show_text(_facts(picked, columns))
        self._reason.show_text(why_not)
        self._copy.setVisible(bool(picked))
        self._end.setVisible(not self.refused)
        self._end.setEnabled(self.may_end)
        self._past.show_past(lines if len(picked) == 1 else (), columns)
        if picked:
            self._facts.show()
            self._past.show()

    def ask(self) -> None:
        """Opens the question and returns at once; while it is open, rows stand still."""
        if self.may_end:
            clock, name, said = self._machine.session.clock, self._machine.name, self._columns
            question = EndDialog(self._picked, said, clock, parent=self, machine=name)
            question.finished.connect(self.closed)
            question.open()

    def stop(self) -> None:
        """The session goes: what is asked of it is asked no more."""
        for question in self.findChildren(EndDialog):
            question.reject()

    def _commands(self) -> str:
        named = (each.named for each in self._picked)
        return "\n".join(dict.fromkeys(each.command or name_reason(each)[1] for each in named))

    def _on_copy_clicked(self) -> None:
        QGuiApplication.clipboard().setText(self._commands())

    def resizeEvent(self, event: QResizeEvent) -> None:
        direction, narrow = QBoxLayout.Direction, event.size().width() < _STACKED_BELOW
        self._buttons.setDirection(direction.TopToBottom if narrow else direction.LeftToRight)
        super().resizeEvent(event)


def _facts(picked: Sequence[PickedProcess], columns: ProcessColumns) -> str:
    """ "pid 41873 · ana · computes · 17.9 GiB on card 0 · since 14:03, for 2 h 10 min"."""
    held = on_cards(together(picked), columns.units)
    if len(picked) > 1:
        one, many = mark("{count} process: {held}"), mark("{count} processes: {held}")
        return trn(one, many, len(picked), held=listed(held))
    parts: list[str | None] = []
    for named, *_ in picked:
        parts = [_pid(named), named.user, tr(USES[named.process.use]), *held]
        if named.container:
            parts.append(tr("container {name}", name=named.container))
        if (at := named.started_at) is not None:
            since, runs = short_since(at, columns.wall), span_words(columns.wall - at)
            template = mark("since {time}, for {duration}") if held else mark("since {time}")
            parts.append(tr(template, time=since, duration=runs))
    return " · ".join(filter(None, parts))


class PastStrip(Painted):
    """What one process took over the last four minutes: curves side by side, on each card in
    the card's colour, and on the computer without one.
    """

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._curves: list[tuple[str, str, str, Sequence[Spark]]] = []
        self.setFixedHeight(_PAST_HEIGHT)
        self.setAccessibleName(tr("Last 4 minutes"))

    def show_past(self, lines: Sequence[ProcessLine], columns: ProcessColumns) -> None:
        """Of one process, on all cards of these rows; without what was not told. What it takes
        now is said as in its row.
        """
        rows = {row.key: row for line in lines for row in line.rows}
        line, units, count = ProcessLine("", tuple(rows.values())), columns.units, len(rows)
        cells = {each.key: each.cell for each in columns.all()}
        cards = [(columns.past(*key), columns.chip(key[0]).colour) for key in rows]
        host = [(past, None) for past, _ in sorted(cards, key=lambda each: len(each[0].times))]
        on_cards = trn("Memory of the card", "Memory of {count} cards", count)
        self._curves.clear()
        for key, label, pasts, unit in (
            ("sm", trn("SM", "SM on {count} cards", count), cards, "%"),
            ("memory", on_cards, cards, gigabyte(units)),
            ("cpu", tr("Processor"), host[-1:], "%"),
            ("host_memory", tr("Memory of the computer"), host[-1:], gigabyte(units)),
        ):
            drawn = [(past.times, getattr(past, key), colour) for past, colour in pasts]
            if not (told := [value for _, values, _ in drawn for value in known(values)]):
                continue
            top, cell, one = max(told), cells[key](line), len(drawn) == 1
            most = percent(top) if unit == "%" else gigabytes(top, units)
            now = f"{cell.text} {unit}" if cell.text else cell.said
            template = mark("{label}: {now}, most {most} {unit}")
            if not one:
                template = mark("{label}: {now}, most {most} {unit} on one card")
            spoken = tr(template, label=label, now=now, most=most, unit=unit)
            spark = partial(Spark, now=columns.now, top=max(top, 1.0 if unit == "%" else 1e-9))
            sparks = [spark(at, its, colour=colour, filled=one) for at, its, colour in drawn]
            self._curves.append((label, now, spoken, sparks))
        self.setAccessibleDescription("\n".join(spoken for *_, spoken, _ in self._curves))
        self.update()

    def draw(self, drawing: Drawing) -> None:
        letters, theme = drawing.letters.caption, drawing.theme
        width, baseline = (self.width() - 2 * _SIDE) / max(1, len(self._curves)), _CAPTION - 5
        for at, (label, now, spoken, sparks) in enumerate(self._curves):
            place = QRectF(_SIDE + at * width, 0, width, _PAST_HEIGHT - 6)
            place.adjust(PADDING, _CAPTION - 6, -PADDING, 0)
            number, words = Run(now, letters, theme.text), Run(label, letters, theme.quiet)
            end = drawing.runs_right(place.right(), baseline, [number])
            drawing.elided(place.left(), baseline, words, end - place.left() - PADDING, spoken)
            for spark in sparks:
                spark.draw(drawing, place)
            drawing.hint(place, spoken)


class EndDialog(Sheet):
    """Asks first; what does not listen can be killed. It never waits: it looks now and then.
    Which of those that are picked may not be ended is said, and they are left alone.
    """

    def __init__(
        self,
        picked: Sequence[PickedProcess],
        columns: ProcessColumns,
        clock: Clock,
        can_ask: bool = CAN_ASK,
        parent: QWidget | None = None,
        machine: str = "",
    ) -> None:
        """`machine`: another than this computer, where it is."""
        ending = [each for each in picked if not each.why_not]
        named, count = [each.named for each in ending], len(ending)
        what = trn("{count} process", "{count} processes", count)
        if count == 1:
            what = program_name(named[0].command) if named[0].command else _pid(named[0])
        asked = tr("End {what}?", what=what)
        if machine:
            asked = tr("End {what} on {machine}?", what=what, machine=machine)
        super().__init__(asked, parent)
        self._waiting, self._count = named, count
        self._refusals: dict[str, None] = {}  # in their order, each once
        self._clock, self._began, self._way = clock, 0.0, Way.ASK
        # What is lost and what came of it is seen first, however many they are.
        if any(each.simulated for each in named):
            self.add_sentence(tr("SIMULATED: nothing real is ended."))
        one = mark("What it has not saved is lost.")
        many = mark("What they have not saved is lost.")
        self.add_sentence(trn(one, many, count))
        won = listed(on_cards(together(ending), columns.units))
        self.add_sentence(tr("This becomes free: {memory}.", memory=won))
        if any(each.process.use is not ProcessUse.COMPUTE for each in named):
            windows = tr("It draws on a screen: windows close with it, perhaps all of them.")
            self.add_sentence(windows)
        ways = tr("Windows does not ask programs: it ends at once and can save nothing.")
        if can_ask:
            ways = tr("Asked, it may save its work first, or not listen; killed, it cannot.")
        self._ways = self.add_sentence(ways, Tone.QUIET)
        self._state, self._trouble = self.add_sentence(""), self.add_sentence("", Tone.BAD)
        self._state.hide()
        self._trouble.hide()
        told = (f"{_facts([each], columns)}\n{each.named.command or ''}" for each in ending)
        self.add_code("\n".join(told), tr("Command"))
        if left_out := [each.why_not for each in picked if each.why_not]:
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
        self._timer = QTimer(self, interval=_LOOK_EVERY_MS)
        self._timer.timeout.connect(self._look_now)

    def _send(self, way: Way) -> None:
        self._way, self._began = way, self._clock.now()
        self._refusals.clear()
        for named in list(self._waiting):
            try:
                end(named, way)
            except Trouble as trouble:
                self._leave(named, trouble)
        self._ask.hide()
        self._ways.hide()
        self._keep.setText(tr("Close"))
        self._keep.setFocus()
        self._timer.start()
        self._look_now()

    def _leave(self, named: NamedProcess, refusal: Trouble) -> None:
        """Unless it ended all the same."""
        if not has_ended(named):
            self._waiting.remove(named)
            self._count -= 1
            self._refusals[refusal.told] = None

    def _look_now(self) -> None:
        for named in list(self._waiting):
            if refusal := refused(named):
                self._leave(named, refusal)
        self._waiting = [named for named in self._waiting if not has_ended(named)]
        say(self._trouble, " ".join(self._refusals))
        say(self._state, self._how_far() if self._count else "")
        if not self._waiting:
            self._timer.stop()
            self._kill.hide()
            self._keep.setFocus()

    def _how_far(self) -> str:
        seconds, ended = self._clock.now() - self._began, self._count - len(self._waiting)
        many = mark("{ended} of {count} have ended after {time:.0f} s.")
        if not self._waiting:
            one = mark("It has ended after {time:.1f} s.")
            many = mark("All {count} have ended after {time:.1f} s.")
        elif self._way is Way.ASK:
            one = mark(
                "It was asked to end {time:.0f} s ago and has not yet. It may be saving its "
                "work, or not listen; killed, it can do neither."
            )
        else:
            one = mark(
                "It was killed {time:.0f} s ago and is still there: the system waits for "
                "something of it, often the driver."
            )
        return trn(one, many, self._count, ended=ended, time=seconds)

    def hideEvent(self, event: QHideEvent) -> None:
        self._timer.stop()
        super().hideEvent(event)


def _pid(named: NamedProcess) -> str:
    return tr("pid {pid}", pid=named.process.pid)
