"""ProgramPanel: a program that is watched, while it runs and when it is over."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from gpuexplorer.gui.lab.program.finding_list import FindingList
from gpuexplorer.gui.lab.program.line_table import LineTable
from gpuexplorer.gui.lab.program.program_files import ProgramFiles, as_text
from gpuexplorer.gui.lab.program.program_head import ProgramHead
from gpuexplorer.gui.lab.program.program_output import ProgramOutput
from gpuexplorer.gui.lab.program.watching import EndSheet, Watching
from PySide6.QtCore import QObject, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QSplitter, QStackedWidget, QWidget

from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.lab.code.notice_bar import Answer, LabNotice, NoticeBar, QuestionBar
from gpuexplorer.gui.lab.program.words import ProgramNow, nothing_words, notice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Phase
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.laid_out import GROWS, column, label
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.printed import error_words
from gpuexplorer.programs.findings import Finding, findings
from gpuexplorer.programs.program_run import (
    Line,
    ProgramRun,
    Spot,
    as_a_whole,
    lacks_cards,
    lines_of,
)

_MARGIN, _GAP = 12, 8
_WIDE = 900  # from here on what it prints stands beside what was found
_REMEMBERED = "lab/program/columns"


class ProgramPage(StrEnum):
    FINDINGS = "findings"
    LINES = "lines"
    OUTPUT = "output"


@dataclass(frozen=True, slots=True)
class ToldOfRun:
    """Of one moment of a run."""

    findings: Sequence[Finding]
    lines: Sequence[Line]
    whole: Sequence[Message]  # of the run, where nothing was found; the gist first
    seconds: float  # that were watched
    lacks_cards: bool  # the PyTorch that ran it


_TABS = {
    ProgramPage.FINDINGS: mark("Findings"),
    ProgramPage.LINES: mark("Lines"),
    ProgramPage.OUTPUT: mark("Output"),
}


class ProgramPanel(QFrame):
    """Brought up to date by `pull` while it is seen, and by the program when something
    changed.
    """

    back_asked = Signal()
    closed = Signal()

    def __init__(self, lab: Lab, watching: Watching, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Program that is watched"))
        self._lab, self._state = lab, lab.program
        self._settings = lab.machine.settings
        self._said = LabNotice()
        self._stale = True
        self._phase = Phase.NONE  # as it was shown last
        self._wide: bool | None = None
        self._files = ProgramFiles(lab.machine, self._state.run, self._text, self)
        self._telling = Telling(self)
        self._telling.told.connect(self._on_told)
        self._files.done.connect(self._say)
        self._files.refused.connect(self._on_refused)
        watching.refused.connect(self._on_refused)
        self._head = ProgramHead()
        self._head.back.clicked.connect(self.back_asked)
        self._head.stop.clicked.connect(self._state.interrupt)
        self._head.again.clicked.connect(watching.run_again)
        self._head.copy.clicked.connect(self.copy)
        self._head.save.clicked.connect(self.ask_where)
        self._head.end.clicked.connect(self.close_program)
        self._notice = NoticeBar()
        self._notice.answered.connect(self._on_answered)
        self._question = QuestionBar()
        self._question.answered.connect(self._on_question_answered)
        self._findings = FindingList()
        self._findings.copied.connect(self._say)
        self._lines = LineTable(self._settings, lab.machine.session.desk)
        self._output = ProgramOutput()
        pages = [(each, tr(words)) for each, words in _TABS.items()]
        # Where the keyboard begins.
        self.entry = Segmented(tr("What was watched"), pages, heading=True)
        self.entry.chosen.connect(self.show_page)
        self._page = ProgramPage.FINDINGS
        self._lay_out()
        self._state.begun.connect(self._on_begun)
        self._state.changed.connect(self._on_changed)
        self._state.watched.connect(self._on_watched)
        self._settings.changed.connect(self._on_watched)
        self._on_begun()

    def pull(self) -> None:
        """What is read live: for how long it runs."""
        self._show_head()

    def show_page(self, page: ProgramPage) -> None:
        self._page = page
        self.entry.show_choice(page)
        self._pages.setCurrentWidget(self._widgets[page])

    def copy(self) -> None:
        self._files.copy()

    def ask_where(self) -> None:
        self._files.ask_where()

    def save(self, path: Path) -> None:
        self._files.save(path)

    def close_program(self) -> None:
        """Asks first where it still runs."""
        chosen = self._state.chosen
        if chosen is None or not self._state.phase.runs:
            self._close()
            return
        sheet = EndSheet(chosen.path.name, self.window())
        sheet.accepted.connect(self._close)
        sheet.open()

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._telling.stop()

    def _lay_out(self) -> None:
        self._widgets = {
            ProgramPage.FINDINGS: self._findings,
            ProgramPage.LINES: self._lines,
            ProgramPage.OUTPUT: self._output,
        }
        self._pages = QStackedWidget()
        for page in (self._findings, self._lines):
            self._pages.addWidget(page)
        left = QWidget()
        column(self.entry, self._pages, GROWS, within=left, gap=_GAP)
        self._split = QSplitter()
        self._split.setChildrenCollapsible(False)
        self._split.setHandleWidth(2 * _GAP)
        self._split.addWidget(left)
        self._right = QWidget()
        title = label(tr("Output"), look().letters.title)
        title.setContentsMargins(0, 3, 0, 3)  # as high as the tabs beside it
        self._beside = column(title, within=self._right, gap=_GAP)
        self._split.addWidget(self._right)
        self._split.splitterMoved.connect(self._on_dragged)
        above = (self._head, self._notice, self._question)
        column(*above, self._split, GROWS, within=self, gap=_GAP, margins=_MARGIN)

    def _arrange(self) -> None:
        wide = self.width() >= _WIDE
        if wide is self._wide:
            return
        self._wide = wide
        self.entry.segments[ProgramPage.OUTPUT].setVisible(not wide)
        self._right.setVisible(wide)
        if wide:
            self._beside.addWidget(self._output, 1)
            self._output.show()
            words = (self._settings.remembered(_REMEMBERED) or "").split()
            known = words and all(map(str.isdecimal, words))
            self._split.setSizes([int(each) for each in words] if known else [660, 340])
        else:
            self._pages.addWidget(self._output)
        self.show_page(
            ProgramPage.FINDINGS if wide and self._page is ProgramPage.OUTPUT else self._page
        )

    def _now(self) -> ProgramNow:
        state, cell = self._state, self._state.cell
        return ProgramNow(
            state.phase,
            cell is not None and cell.asked is not None,
            state.status,
            state.seconds,
            None if cell is None else cell.seen,
        )

    def _show_head(self) -> None:
        now = self._now()
        self._head.show_now(now, seen=now.seen is not None)
        self._notice.show_notice(notice(now, self._why(), self._said))

    def _why(self) -> str:
        """Why it was killed, failed or cannot run, and what to do."""
        state, cell = self._state, self._state.cell
        if state.sentence:
            return tr(state.sentence)
        failed = None if cell is None else cell.failed
        if failed is None or state.phase is not Phase.FAILED:
            return ""
        return paragraph([self._error(failed), failed.told])

    def _error(self, failed: Failed) -> str:
        run = self._state.run()
        words = error_words(failed)
        if run is None or not failed.frames:
            return words
        frame = failed.frames[-1]
        place = tr(run.place(Spot(frame.file, frame.cell, frame.line)))
        return tr("{place}: {error}", place=place, error=words)

    def _ask(self) -> None:
        """For what is shown of what was seen; nobody looks at it while it is hidden."""
        run = self._state.run()
        self._stale = run is not None and not self.isVisible()
        if run is not None and not self._stale:
            self._telling.ask(run)

    def _on_told(self, told: ToldOfRun) -> None:
        over = not self._state.phase.runs
        found, lines = told.findings, told.lines
        nothing = nothing_words(self._now(), told.whole, lacks_cards=told.lacks_cards)
        self._findings.show_nothing(*nothing)
        self._findings.show_findings(found, told.seconds)
        self._lines.show_nothing(tr("No line copied anything, and none kept a card idle."), "")
        devices, units = self._lab.devices(), self._settings.choices.units
        self._lines.show_lines(lines, devices, units, in_order=over)
        self.entry.show_words(ProgramPage.FINDINGS, _counted(tr("Findings"), len(found)))
        self.entry.show_words(ProgramPage.LINES, _counted(tr("Lines"), len(lines)))

    def _text(self, run: ProgramRun) -> str:
        headings, rows = self._lines.table.texts(self._lines.lines)
        return as_text(run, headings, rows)

    def _close(self) -> None:
        self._state.close()
        self.closed.emit()

    def _say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        self._said = LabNotice(sentence, tone)
        self._show_head()

    def _on_refused(self, sentence: str) -> None:
        self._say(sentence, Tone.BAD)

    def _on_begun(self) -> None:
        chosen = self._state.chosen
        if chosen is None:
            return
        self._said = LabNotice()
        self._head.show_program(chosen.path, chosen.arguments)
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
            self._on_watched()
        self._show_head()

    def _on_watched(self) -> None:
        self._show_head()
        self._ask()

    def _on_answered(self, answer: Answer) -> None:
        if answer is Answer.RESTART:
            self._state.kill()

    def _on_question_answered(self, _: int, text: str | None) -> None:
        self._state.answer(text)

    def _on_dragged(self) -> None:
        sizes = " ".join(map(str, self._split.sizes()))
        self._settings.remember(_REMEMBERED, sizes)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        # No shortcut: a field in which somebody types has the key first.
        if event.key() == Qt.Key.Key_Escape:
            self.back_asked.emit()
        else:
            super().keyPressEvent(event)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if self._stale:
            self._ask()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()

    def minimumSizeHint(self) -> QSize:
        return QSize(320, 280)


def _counted(words: str, count: int) -> str:
    return tr("{what} {count}", what=words, count=count) if count else words


class Telling(QObject):
    """Of a thousand lines it takes longer than a frame. Whatever is asked meanwhile, the newest
    of it comes next.
    """

    told = Signal(object)
    _made = Signal(object)  # called in the window's own thread

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._thread: threading.Thread | None = None
        self._next: ProgramRun | None = None
        self._made.connect(self._on_made, Qt.ConnectionType.QueuedConnection)

    def ask(self, run: ProgramRun) -> None:
        """Answered by `told`; `run` must not change."""
        self._next = run
        if self._thread is None:
            self._go_on()

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._next = None
        if self._thread is not None:
            self._thread.join()

    def _go_on(self) -> None:
        run, self._next = self._next, None
        if run is None:
            return

        def make() -> None:
            whole, seconds = as_a_whole(run, found=False), run.stepping_seconds
            told = ToldOfRun(findings(run), lines_of(run), whole, seconds, lacks_cards(run))
            try:
                self._made.emit(told)
            except RuntimeError:  # the screen is gone
                return

        self._thread = threading.Thread(target=make, name="program lines")
        self._thread.start()

    def _on_made(self, told: ToldOfRun) -> None:
        self._thread = None
        self.told.emit(told)
        self._go_on()
