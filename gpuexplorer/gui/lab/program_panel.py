"""ProgramPanel: a program of the person's own that is watched: what it is asked before it runs,
how far it is, what was found, its lines, and what it prints.
"""

import json
import shlex
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication, QKeyEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QFrame, QPlainTextEdit, QSplitter, QStackedWidget, QWidget

from gpuexplorer.core.units import duration, grouped
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.lab.code.notice_bar import LabNotice, NoticeBar, QuestionBar
from gpuexplorer.gui.lab.program_findings import FindingList, LineTable
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Chosen, Phase, ProgramState
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton
from gpuexplorer.gui.widgets.controls.fields import text_field
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, add, column, label, row, say
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.saving import (
    JSON,
    FileKind,
    Saving,
    Write,
    ask_for_file,
    in_a_thread,
    suggested_name,
)
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet
from gpuexplorer.lab.events import Printed, Watched
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.printed import clean, error_words, shortened
from gpuexplorer.lab.session_files import program
from gpuexplorer.programs.as_json import as_json
from gpuexplorer.programs.findings import Finding, findings
from gpuexplorer.programs.program_run import (
    Line,
    ProgramRun,
    Spot,
    as_a_whole,
    ended,
    lacks_cards,
    lines_of,
    watched,
)
from gpuexplorer.telemetry.whole_file import write_whole

_WIDE = 900  # from here on what it prints stands beside what was found
_GAP, _SHARES = 8, (660, 340)
_MOST_ROWS = 5000
_TEXT = FileKind(mark("Text"), "txt")
_PHASES = {
    Phase.NONE: ("", Tone.TEXT),
    Phase.SEARCHING: (mark("Looking for a Python with PyTorch"), Tone.TEXT),
    Phase.STARTING: (mark("Starting"), Tone.TEXT),
    Phase.RUNNING: (mark("Running"), Tone.TEXT),
    Phase.STOPPING: (mark("Stopping"), Tone.TEXT),
    Phase.HANGING: (mark("Does not end"), Tone.WARN),
    Phase.ENDED: (mark("Ended"), Tone.TEXT),
    Phase.STOPPED: (mark("Stopped"), Tone.TEXT),
    Phase.FAILED: (mark("Failed"), Tone.BAD),
    Phase.KILLED: (mark("Killed"), Tone.BAD),
    Phase.REFUSED: (mark("Cannot run"), Tone.BAD),
}


class ProgramPanel(QFrame):
    """Brought up to date by `pull` while it is seen, and by the program when something
    changed.
    """

    back_asked = Signal()
    closed = Signal()
    refused = Signal(str)  # why none can be watched

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Program that is watched"))
        self._lab, self._state, self._settings = lab, lab.program, lab.machine.settings
        self._typed: dict[Path, str] = {}  # arguments
        self._said = LabNotice()  # of a file that was saved, or text that was copied
        self._asking = self._stale = False
        self._phase = Phase.NONE  # of which findings were asked for last
        self._saving = Saving(self._settings, self)
        self._notice, self._question = NoticeBar(), QuestionBar()
        self._findings = FindingList()
        self._lines = LineTable(self._settings, lab.machine.session.desk)
        self._output = ProgramOutput()
        self._pages = QStackedWidget()
        self._pages.addWidget(self._findings)
        self._pages.addWidget(self._lines)
        pages = ((0, tr("Findings")), (1, tr("Lines")))
        # Where the keyboard begins.
        self.entry = Segmented(tr("What was watched"), pages, heading=True)
        left, right = QWidget(), QWidget()
        column(self.entry, self._pages, GROWS, within=left, gap=_GAP)
        title = label(tr("Output"), look().letters.title)
        title.setContentsMargins(0, 6, 0, 6)  # as high as the tabs beside it
        column(title, self._output, GROWS, within=right, gap=_GAP)
        self._split = QSplitter(childrenCollapsible=False, handleWidth=2 * _GAP)
        self._split.addWidget(left)
        self._split.addWidget(right)
        above = (self._head(), self._notice, self._question)
        column(*above, self._split, GROWS, within=self, gap=_GAP, margins=12)
        for done in (self._saving.done, self._findings.copied):
            done.connect(self._say)
        for refused in (self._saving.refused, self.refused):
            refused.connect(lambda sentence: self._say(sentence, Tone.BAD))
        self._question.answered.connect(lambda _, text: self._state.answer(text))
        self.entry.chosen.connect(self.show_page)
        self._split.setSizes(_SHARES)
        self._state.begun.connect(self._on_begun)
        self._state.changed.connect(self._on_changed)
        for more in (self._state.watched, self._settings.changed):
            more.connect(self._on_watched)
        self.show_page(0)
        self._on_begun()

    def _head(self) -> QWidget:
        letters, head = look().letters, QWidget()
        framed = partial(ToolButton, "framed")
        back = tr("Back to the cells and the bench; the program goes on")
        self._back = framed(Icon.PREVIOUS, tr("Cells"), back)
        self._name = ElidedLabel(letters.title, Tone.TEXT)
        self._how = ElidedLabel(letters.strong, Tone.TEXT)
        self._figures = ElidedLabel(letters.body, Tone.QUIET)
        self._stop = framed(Icon.STOP, tr("Stop"), tr("Send the program Ctrl+C"))
        again = tr("Run the file as it is now, with the same arguments")
        self._again = framed(Icon.REPEAT, tr("Run again"), again)
        self._copy = IconButton(Icon.COPY, tr("Copy what was watched"), "Ctrl+C")
        self._save = IconButton(Icon.EXPORT, tr("Save what was watched"), "Ctrl+S")
        close = IconButton(Icon.CLOSE, tr("Close the program"))
        words = column(self._name, row(self._how, self._figures, GROWS), gap=2)
        tools = (self._stop, self._again, self._copy, self._save, close)
        row(self._back, words, GROWS, *tools, within=head, gap=_GAP)
        for button, run in (
            (self._back, self.back_asked),
            (self._stop, self._state.interrupt),
            (self._again, self.run_again),
            (self._copy, self.copy),
            (self._save, self.ask_where),
            (close, self.close_program),
        ):
            button.clicked.connect(run)
        return head

    def pull(self) -> None:
        """What is read live: for how long it runs."""
        state, cell = self._state, self._state.cell
        seen = None if cell is None else cell.seen
        words, tone = _PHASES[state.phase]
        if state.phase is Phase.RUNNING and cell is not None and cell.asked is not None:
            words, tone = mark("Waiting for input"), Tone.WARN
        if state.phase is Phase.ENDED and state.status:
            words, tone = Message("Ended with status {status}", status=state.status), Tone.WARN
        self._how.show_text(tr(words))
        restyle(self._how, "tone", tone.value)
        figures = [] if state.seconds is None else [str(duration(state.seconds))]
        if seen is not None:
            # What else is said of it counts modelled time, where that is what counts.
            if seen.modelled:
                figures = [tr("{time} modelled", time=duration(seen.seconds))]
            figures += _watched(seen)
        self._figures.show_text(" · ".join(figures))
        self._stop.setVisible(state.phase.runs)
        self._again.setVisible(not state.phase.runs)
        self._copy.setEnabled(seen is not None)
        self._save.setEnabled(seen is not None)
        notice = self._said
        if state.phase is Phase.HANGING:
            notice = LabNotice(
                tr("It does not end after Ctrl+C. It can be ended with all that it started."),
                Tone.WARN,
                {tr("End it now"): self._state.kill},
            )
        elif not notice.sentence and (why := self._why()):
            notice = LabNotice(why, Tone.BAD)
        self._notice.show_notice(notice)

    def ask_which(self) -> None:
        if self._may_watch():
            kinds = tr("Python programs (*.py)")
            ask_for_file(tr("Watch a program"), kinds, self.window(), self.offer)

    def offer(self, path: Path) -> None:
        """Ask with which arguments this one is to run."""

        def ask(text: str) -> None:
            typed = self._typed.get(path, "")
            sheet = WatchSheet(self._state, path, typed, self.window())
            sheet.chosen.connect(partial(start, text))
            sheet.open()

        def start(text: str, arguments: tuple[str, ...]) -> None:
            self._typed[path] = shlex.join(arguments)
            self._state.start(Chosen(path, text, arguments))

        self._read(path, ask)

    def run_again(self) -> None:
        """As it stands in its file now, with the same arguments."""
        if (before := self._state.chosen) is not None:
            self._read(before.path, lambda text: self._state.start(replace(before, text=text)))

    def _read(self, path: Path, then: Callable[[str], object]) -> None:
        """In a thread of its own; why it cannot run comes as a sentence."""
        if self._may_watch():
            in_a_thread(partial(program, path), self, then, self.refused.emit)

    def _may_watch(self) -> bool:
        why = self._state.why_not
        if why:
            self.refused.emit(tr(why))
        return not why

    def show_page(self, page: int) -> None:
        self.entry.show_choice(page)
        self._pages.setCurrentIndex(page)

    def copy(self) -> None:
        run = self._state.run()
        if run is not None:
            QGuiApplication.clipboard().setText(self._text(run))
            self._say(tr("What was watched is on the clipboard."))

    def ask_where(self) -> None:
        run, session = self._state.run(), self._lab.machine.session
        if run is not None:
            name = suggested_name(
                f"watched-{run.file.stem}", session.clock.wall(), simulated=session.simulated
            )
            title = tr("Save what was watched")
            self._saving.ask(title, name, [_TEXT, JSON], self.writer)

    def writer(self, path: Path) -> Write | None:
        """Of what was watched by now."""
        run = self._state.run()
        if run is None:
            return None
        data = path.suffix == f".{JSON.suffix}"
        text = json.dumps(as_json(run), indent=1) + "\n" if data else self._text(run)
        return partial(write_whole, path, [text.encode()])

    def close_program(self) -> None:
        """Asks first where it still runs."""
        chosen = self._state.chosen
        if chosen is None or not self._state.phase.runs:
            self._close()
            return
        sheet = Sheet(tr("End {file}?", file=chosen.path.name), self.window())
        sheet.add_sentence(tr("It ends with all that it started. What was watched is lost."))
        sheet.add_button(tr("Keep it"), ROLE.RejectRole, default=True)
        sheet.add_button(tr("End it"), ROLE.AcceptRole)
        sheet.accepted.connect(self._close)
        sheet.open()

    def _close(self) -> None:
        self._state.close()
        self.closed.emit()

    def _why(self) -> str:
        """Why it was killed, failed or cannot run, and what to do."""
        state, cell, run = self._state, self._state.cell, self._state.run()
        failed = None if cell is None else cell.failed
        if state.sentence or failed is None or state.phase is not Phase.FAILED:
            return tr(state.sentence)
        words = error_words(failed)
        if run is not None and failed.frames:
            frame = failed.frames[-1]
            place = tr(run.place(Spot(frame.file, frame.cell, frame.line)))
            words = tr("{place}: {error}", place=place, error=words)
        return paragraph([words, failed.told])

    def _text(self, run: ProgramRun) -> str:
        """How it ended, the findings with their cures, and the lines as they are shown."""
        found, lines = findings(run), self._lines.table.listed.things
        parts = ["\n".join(tr(each) for each in (ended(run), *watched(run)))]
        parts += [f"{tr(each.sentence)}\n{tr(each.cure)}" for each in found]
        parts.append(paragraph(as_a_whole(run, bool(found))))
        if lines:
            headings, rows = self._lines.table.texts(lines)
            parts.append("\n".join("\t".join(each) for each in (headings, *rows)))
        return "\n\n".join(filter(None, parts)) + "\n"

    def _say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        self._said = LabNotice(sentence, tone)
        self.pull()

    def _find(self) -> None:
        """What was found. The newest is asked for when the answer before has come: of a
        thousand lines it takes longer than a frame.
        """
        run, self._stale = self._state.run(), self._asking
        if run is not None and not self._asking:
            self._asking = True
            told = partial(self._on_told, run)
            in_a_thread(lambda: (findings(run), lines_of(run)), self, told, self._say)

    def _on_told(self, run: ProgramRun, told: tuple[Sequence[Finding], Sequence[Line]]) -> None:
        (found, lines), whole = told, as_a_whole(run, found=False)
        self._asking = False
        phase, cell = self._state.phase, self._state.cell
        said, more = tr(whole[0]), paragraph(whole[1:])
        if lacks_cards(run):
            more = tr("“Open the lab on two idle simulated cards” in the menu simulates some.")
        elif phase.runs and (cell is None or cell.seen is None):
            said = tr("Nothing is watched yet.")
            more = tr("It is watched from when it imports PyTorch.")
        elif phase.runs:
            said = tr("Nothing found so far.")
            more = tr("What makes the cards wait is listed here as soon as it is seen.")
        self._findings.empty.show_words(said, more)
        self._findings.show_findings(found, run.stepping_seconds)
        devices, units = self._lab.devices(), self._settings.choices.units
        self._lines.show_lines(lines, devices, units, in_order=not phase.runs)
        counts = ((tr("Findings"), len(found)), (tr("Lines"), len(lines)))
        for page, (what, count) in enumerate(counts):
            counted = tr("{what} {count}", what=what, count=count) if count else what
            self.entry.show_words(page, counted)
        if self._stale:
            self._find()

    def _on_begun(self) -> None:
        chosen = self._state.chosen
        if chosen is None:
            return
        self._said = LabNotice()
        words = shlex.join((chosen.path.name, *chosen.arguments))
        self._name.show_text(words, str(chosen.path))
        self._name.setAccessibleName(tr("Program {words}", words=words))
        self._lines.show_program(chosen.path, chosen.text)
        self._output.begin_anew()
        self._phase = Phase.NONE
        self._on_changed()

    def _on_changed(self) -> None:
        cell = self._state.cell
        if cell is not None:
            self._output.show_outputs(cell)
        if self._question.show_question(None if cell is None else cell.asked):
            self._question.begin()
        if self._phase is not self._state.phase:
            self._phase = self._state.phase
            self._find()
        self.pull()

    def _on_watched(self) -> None:
        self.pull()
        self._find()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # No shortcut: a field in which somebody types has the key first.
        if event.key() == Qt.Key.Key_Escape:
            self.back_asked.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._split.setOrientation(
            Qt.Orientation.Horizontal if self.width() >= _WIDE else Qt.Orientation.Vertical
        )


class WatchSheet(Sheet):
    """`chosen` brings the arguments."""

    chosen = Signal(object)

    def __init__(self, state: ProgramState, path: Path, typed: str, parent: QWidget) -> None:
        super().__init__(tr("Watch {file}", file=path.name), parent)
        runs = tr(
            "It runs as “python {file}” would in {folder}, and its lines are watched.",
            file=path.name,
            folder=str(path.parent),
        )
        self.add_sentence(runs, Tone.QUIET)
        if not state.may_run(path):
            rights = tr(
                "It runs as your own Python, with your rights: it can read and change your "
                "files. Read it first where it comes from somebody else."
            )
            self.add_sentence(rights, Tone.WARN)
        if state.chosen is not None and state.phase.runs:
            ends = tr("{file} still runs, and is ended first.", file=state.chosen.path.name)
            self.add_sentence(ends, Tone.WARN)
        above = label(tr("Arguments"), look().letters.caption)
        self._field = text_field(tr("Arguments of the program"))
        self._field.setPlaceholderText("--epochs 3")
        self._field.setText(typed)
        self._field.selectAll()
        self._field.textEdited.connect(lambda: self._say(""))
        above.setBuddy(self._field)
        add(self.body, above, self._field)
        self._wrong = self.add_sentence("", Tone.BAD)
        self._wrong.hide()
        self.add_button(tr("Watch"), ROLE.AcceptRole, default=True)
        self.add_button(tr("Cancel"), ROLE.RejectRole)
        self.begins = self._field

    def accept(self) -> None:
        """Stays open where the line cannot be split."""
        try:
            arguments = tuple(shlex.split(self._field.text()))
        except ValueError:
            why = tr("A quotation mark or a backslash stands alone in the arguments; close it.")
            self._say(why)
            return
        super().accept()
        self.chosen.emit(arguments)

    def _say(self, sentence: str) -> None:
        say(self._wrong, sentence)
        self._field.setAccessibleDescription(sentence)
        restyle(self._field, "bad", bool(sentence))
        self._field.setFocus()


class ProgramOutput(QPlainTextEdit):
    """What it prints, as a terminal shows it. Stays at its end, unless a person scrolled away
    from there.
    """

    def __init__(self) -> None:
        super().__init__(readOnly=True, undoRedoEnabled=False, tabChangesFocus=True)
        self._shown = 0  # letters of all that it printed
        self._open = ""  # the last row, which may go on or be written over
        self.setMaximumBlockCount(_MOST_ROWS)
        self.setFont(look().letters.mono.font)
        self.setAccessibleName(tr("Output of the program"))
        self.setPlaceholderText(tr("What the program prints appears here."))

    def begin_anew(self) -> None:
        self.clear()
        self._shown, self._open = 0, ""

    def show_outputs(self, cell: Cell) -> None:
        """What it printed since."""
        left, new = cell.letters - self._shown, ""
        self._shown = cell.letters
        for each in reversed(cell.outputs):
            if left <= 0:
                break
            if isinstance(each, Printed):
                # Sentences of the lab's own come whole, and stand on a line of their own.
                own = isinstance(each.text, Message)
                new = (f"{tr(each.text)}\n" if own else each.text[-left:]) + new
                left -= len(each.text)
        if not new:
            return
        bar, before = self.verticalScrollBar(), self.blockCount()
        follows, at = bar.value() >= bar.maximum(), bar.value()
        rows = (self._open + new).split("\n")
        # A row that is written over again and again, as of a progress bar, stays short.
        self._open = "\r".join(rows[-1].split("\r")[-2:])
        cursor = QTextCursor(self.document())
        cursor.movePosition(QTextCursor.MoveOperation.End)
        start = QTextCursor.MoveOperation.StartOfBlock
        cursor.movePosition(start, QTextCursor.MoveMode.KeepAnchor)
        cursor.insertText("\n".join(shortened(clean(each)) for each in rows))
        gone = before + len(rows) - 1 - self.blockCount()
        bar.setValue(bar.maximum() if follows else at - gone)


def _watched(seen: Watched) -> Sequence[str]:
    """How many steps were watched, or how much of the time; and what that cost."""
    parts = {"some": grouped(seen.seen_steps), "whole": grouped(seen.steps)}
    said = tr("{some} of {whole} steps watched", **parts)
    if seen.step == "batch":
        said = tr("{some} of {whole} batches watched", **parts)
    if not seen.step:  # neither an optimizer nor a loader was seen
        times = {"some": duration(seen.seen_seconds), "whole": duration(seen.seconds)}
        said = tr("{some} of {whole} watched", **times)
    # Of the time that the program would have taken by itself.
    bare = seen.seconds - (seen.cost_seconds or 0.0)
    if seen.cost_seconds is None or bare <= 0:
        return [said]
    share = f"{seen.cost_seconds / bare * 100:.1f}"
    return [said, tr("watching costs {share} %", share=share)]
