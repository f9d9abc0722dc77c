"""CodePane: the cells of the session with what each cost, and where one types the next."""

from collections.abc import Callable
from copy import copy
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QMenu, QPlainTextEdit, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import duration
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.lab.code.cell_editor import CellEditor, files_of
from gpuexplorer.gui.lab.code.error_panel import ErrorPanel
from gpuexplorer.gui.lab.code.notice_bar import LabNotice, NoticeBar, QuestionBar
from gpuexplorer.gui.lab.code.transcript import Transcript
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import RECORDED
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import IconButton, ToolButton, open_below
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row
from gpuexplorer.gui.widgets.saving import (
    FileKind,
    Saving,
    Write,
    ask_for_file,
    in_a_thread,
    suggested_name,
)
from gpuexplorer.lab.cures import Cure
from gpuexplorer.lab.events import Completed, Event, Failed
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.session_files import OpenedCell, notebook, opened, script
from gpuexplorer.telemetry.whole_file import write_whole

_MARGIN, _NARROW, _LONGEST = 12, 430, 120  # pixels; the last of a file's name
_SHORT = 0.4  # seconds; a cell that is done sooner needs no button
_LOOKED_AT = 50  # cells at the end, of which some may wait
_KINDS = [FileKind(mark("Python program"), "py"), FileKind(mark("Notebook"), "ipynb")]


class CodePane(QFrame):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    form_asked = Signal()  # to do what it says, with nothing typed here
    watch_asked = Signal()  # a program, or the one that is watched already
    watch_file_asked = Signal(Path)

    def __init__(self, lab: Lab) -> None:
        super().__init__()
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Code"))
        self.setAcceptDrops(True)
        self.setMinimumSize(280, 320)
        self._lab, self._settings = lab, lab.machine.settings
        self._said = LabNotice()
        # A person wants so many cells of this file from outside to run; None: all.
        self._asks: tuple[str, int | None] = ("", None)
        self._just_failed: int | None = None
        self._completing: int | None = None
        self.program = Program(self, lab)  # the session, to be copied, saved and opened
        self._transcript, self._panel = Transcript(lab), ErrorPanel(lab)
        self._notice, self._question = NoticeBar(), QuestionBar()
        self.entry = CellEditor(lab)  # where one types
        self.entry.setObjectName("lab.editor")
        self._transcript.setObjectName("lab.cells")
        asked = (self._panel, self._notice, self._question, self.entry)
        below = column(*asked, margins=(_MARGIN, 0, _MARGIN, 0))
        parts = (self._make_head(), self._transcript, GROWS, below)
        column(*parts, within=self, margins=(1, 1, 1, _MARGIN))
        self._transcript.left.connect(self._on_left)
        self._transcript.copy_asked.connect(self._copy)
        self._transcript.menu_asked.connect(self._on_menu_asked)
        self._panel.cure_chosen.connect(self._on_cure_chosen)
        self._panel.typed.connect(self.entry.take_key)
        self._notice.pressed.connect(self._type_on)
        self._question.answered.connect(lab.answer)
        self._question.answered.connect(self._type_on)
        self.entry.entered.connect(self._enter)
        self.entry.form_asked.connect(self.form_asked)
        self.entry.completion_asked.connect(self._on_completion_asked)
        self.entry.file_dropped.connect(self.program.open)
        self.entry.refused.connect(self.refuse)
        lab.code_offered.connect(self.entry.put)
        lab.told.connect(self._on_told)
        lab.changed.connect(self._on_changed)
        lab.stage_changed.connect(self.pull)
        lab.selection.changed.connect(self._on_selection_changed)
        self._settings.changed.connect(self._on_changed)
        self._on_changed()

    def _make_head(self) -> QWidget:
        opens = tr("Open the cells of a Python program or a notebook")
        self._open = ToolButton("word", Icon.OPEN_FILE, tr("Open…"), opens)
        self._watch = ToolButton("word", Icon.WATCH)
        copies = tr("Copy the whole session as a Python program")
        self._copies = ToolButton("word", Icon.COPY, tr("Copy"), copies)
        saves = tr("Save the session as a Python program or a notebook")
        self._save = ToolButton("word", Icon.EXPORT, tr("Save as"), saves)
        self._tools = (self._open, self._watch, self._copies, self._save)
        session = self.program
        acts = (session.ask_which, self.watch_asked, session.copy, session.ask_where)
        names = ("open", "watch", "copy", "save")
        for name, button, act in zip(names, self._tools, acts, strict=True):
            button.setObjectName(f"lab.{name}")
            button.clicked.connect(act)
        self._more = IconButton(Icon.MENU, tr("More about the session"))
        self._more.clicked.connect(self._on_more_asked)
        self.show_watched("")
        self._title, head = label(tr("Code"), look().letters.title), QWidget()
        margins = (16, 10, 8, 2)
        row(self._title, FREE, *self._tools, self._more, within=head, gap=4, margins=margins)
        return head

    def name_it_elsewhere(self, elsewhere: bool) -> None:
        """A heading over the pane says "Code" already."""
        self._title.setVisible(not elsewhere)

    def pull(self) -> None:
        """What is read live: how long the cell that runs has been running."""
        lab, said = self._lab, self._said
        shown = self._of_work() or self._of_what_stands()
        if shown is None:
            why = lab.said_of_recording or lab.machine.session.source.figures_alone
            shown = LabNotice(
                tr(why or lab.pythons.passed_over), Tone.QUIET if why else Tone.WARN
            )
        self._notice.show_notice(said if said.sentence and not shown.ways else shown)

    def paste(self) -> None:
        """Whatever has the keyboard, what was copied elsewhere is meant for the editor."""
        if not self.entry.isHidden():
            self.entry.setFocus()
            self.entry.paste()

    def run_unwatched(self) -> None:
        """What is typed, without the watch that finds copies and takes time."""
        self._enter(self.entry.code, watched=False)

    def replay(self) -> None:
        self._try(self._lab.replay)

    def show_watched(self, name: str) -> None:
        """The file of the program that is watched; empty where none is."""
        words = look().letters.body.elided(name, _LONGEST) if name else tr("Watch…")
        self._watch.show_words(words)
        back = tr("Back to {file}, which is watched", file=name)
        new = tr("Run a Python program whole, and watch which of its lines move bytes")
        why_not = self._lab.program.why_not
        self._watch.setEnabled(not why_not)
        self._watch.setToolTip(tr(why_not) if why_not else back if name else new)

    def say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        self._said = LabNotice(sentence, tone)
        self.pull()

    def refuse(self, sentence: str) -> None:
        """Why something that was asked for cannot be done."""
        self.say(sentence, Tone.BAD)

    def _of_work(self) -> LabNotice | None:
        """What happens just now; the gravest first."""
        lab, ledger = self._lab, self._lab.ledger
        waiting = sum(each.state == "waiting" for each in ledger.cells[-_LOOKED_AT:])
        running, seconds = ledger.running, lab.running_seconds or 0.0
        stage = stage_words(lab.stage, tr(lab.sentence))
        match lab.stage:
            case Stage.HANGING:
                ways = {tr("Restart the worker"): lab.restart}
                return LabNotice(stage.sentence, stage.tone, ways)
            case Stage.FAILED:
                return LabNotice(stage.sentence, stage.tone)
            case Stage.SEARCHING | Stage.STARTING:
                return LabNotice(stage.sentence) if waiting else None
            case Stage.WAITING:
                said = tr("Cells waiting for PyTorch: {count}", count=len(ledger.unfinished))
            case _ if ledger.replaying:
                left = len(ledger.replaying)
                said = tr("The session is run again. Cells to come: {count}", count=left)
            # What a cell asks stands there already, and ends it.
            case _ if running is None or running.asked:
                said = tr("Cells waiting: {count}", count=waiting) if waiting else ""
            case _:
                one = mark("Cell {number} runs, {time}")
                more = mark("Cell {number} runs, {time}. Cells waiting: {count}")
                shown = {"number": running.number, "time": duration(seconds), "count": waiting}
                said = tr(more if waiting else one, **shown) if seconds >= _SHORT else ""
        return LabNotice(said, ways={tr("Stop"): lab.cancel}) if said else None

    def _of_what_stands(self) -> LabNotice | None:
        """What was lost and can be run again; or the cells of an opened file."""
        lab = self._lab
        ended = "" if lab.recorded else tr(lab.sentence)
        tone = Tone.WARN if ended else Tone.QUIET
        if not lab.ledger.used and lab.can_replay:
            one = mark("Run the session again ({count} cell)")
            many = mark("Run the session again ({count} cells)")
            again = trn(one, many, len(lab.ledger.replay()))
            gone = tr("What the cells made is gone with their worker.")
            over = partial(self._try, lab.start_over)
            return LabNotice(ended or gone, tone, {again: self.replay, tr("Start over"): over})
        if not lab.opened:
            return LabNotice(ended, tone) if ended else None
        path, runs = Path(lab.opened[0].path), self._run_opened
        drop = {tr("Discard"): lab.drop_opened}
        count = sum(each.path == lab.opened[0].path for each in lab.opened)
        if lab.must_ask and lab.must_ask == self._asks[0]:
            words = tr(
                "{file} comes from outside. Its cells (the next {count}) run as your own "
                "Python, with your rights: they can read and change your files. Read them "
                "first.",
                file=path.name,
                count=count,
            )
            return LabNotice(words, Tone.WARN, {tr("Run them"): self._run_allowed, **drop})
        one = mark("{count} cell of {file} has not run.")
        many = mark("{count} cells of {file} have not run.")
        words = paragraph([self._said.sentence, ended, trn(one, many, count, file=path.name)])
        ways = {tr("Run next"): partial(runs, 1), tr("Run all"): partial(runs, None)}
        if path.suffix.lower() == ".py":
            ways[tr("Watch it")] = partial(self.watch_file_asked.emit, path)
        return LabNotice(words, tone, {**ways, **drop})

    def _enter(self, code: str, *, watched: bool = True) -> None:
        code = code.strip("\n")
        if code.strip() and self._try(partial(self._lab.run, code, watched=watched)):
            self.entry.begin_anew()

    def _try(self, act: Callable[[], object]) -> bool:
        """Else it says why not. What was said of earlier cells no longer matters."""
        self._said = LabNotice()
        try:
            act()
        except Trouble as trouble:
            self.refuse(trouble.told)
            return False
        self._transcript.go_to_end()
        return True

    def _run_opened(self, count: int | None) -> None:
        """Only those of one file, which somebody has to read and allow first."""
        lab = self._lab
        if lab.must_ask:
            self._asks, self._said = (lab.must_ask, count), LabNotice()
            self._transcript.go_to_end(to_read=True)
            self.pull()
        else:
            self._try(partial(lab.run_opened, count))

    def _run_allowed(self) -> None:
        self._lab.allow(self._lab.must_ask)
        self._run_opened(self._asks[1])

    def _copy(self, cell: Cell | OpenedCell) -> None:
        QGuiApplication.clipboard().setText(cell.code)
        self.say(tr("Cell copied."))

    def _type_on(self, *_: object) -> None:
        self.entry.setFocus()

    def _may_take_keyboard(self) -> bool:
        """Nobody is torn away from what is being written."""
        writing = isinstance(QApplication.focusWidget(), QLineEdit | QPlainTextEdit)
        return self.isVisible() and not writing and not self.entry.code

    def _show_error(self) -> None:
        just_failed, self._just_failed = self._just_failed, None
        had_keyboard = self._panel.isAncestorOf(QApplication.focusWidget() or self)
        self._panel.show_selected(self._lab.selection.cell)
        if self._panel.cell is None and had_keyboard:
            self.entry.setFocus()
        if just_failed is not None and just_failed == self._panel.cell:
            self._transcript.reveal(just_failed)
            if self._may_take_keyboard():
                self._panel.begin()

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Completed) and event.id == self._completing:
            self.entry.show_completed(event)
        elif isinstance(event, Failed) and self._lab.ledger.cell(event.id) is not None:
            self._just_failed = event.id

    def _on_changed(self) -> None:
        lab, forms_only = self._lab, self._settings.choices.lab_forms_only
        for each in (self._copies, self._save):
            each.setEnabled(any(cell.number for cell in lab.ledger.cells))
        writes: tuple[QWidget, ...] = (self._open, self._watch, self.entry)
        for part in writes:
            part.setVisible(not (forms_only or lab.recorded))
        self._more.setVisible(not lab.recorded)
        self._transcript.refresh()
        running = None if lab.recorded else lab.ledger.running
        another = self._question.show_question(None if running is None else running.asked)
        if another and self._may_take_keyboard():
            self._question.begin()
        self._show_error()
        self.pull()

    def _on_selection_changed(self) -> None:
        command = self._lab.selection.cell_in(self._lab.ledger)
        self._transcript.show_selected(command)
        self._show_error()
        if command is not None:
            self._transcript.reveal(command)

    def _on_left(self) -> None:
        self._lab.selection.choose()
        self.entry.setFocus()

    def _on_completion_asked(self, code: str, at: int) -> None:
        self._completing = self._lab.complete(code, at)

    def _on_cure_chosen(self, cure: Cure, command: int) -> None:
        self.entry.setFocus()
        done = self._try(partial(self._lab.run_cure, cure, command))
        if done and self._lab.selection.cell == command:
            self._lab.selection.choose()

    def _on_more_asked(self) -> None:
        menu = QMenu(self)
        if not self.entry.isHidden():
            menu.addAction(tr("Run the cell unwatched"), self.run_unwatched)
        if self._lab.ledger.replay():
            menu.addAction(tr("Run the session again"), self.replay)
        open_below(menu, self._more)

    def _on_menu_asked(self, cell: Cell | OpenedCell, place: QPoint) -> None:
        lab, menu, code = self._lab, QMenu(self), cell.code
        menu.aboutToHide.connect(menu.deleteLater)
        menu.addAction(tr("Copy cell"), partial(self._copy, cell))
        if isinstance(cell, Cell) and cell.outputs:
            printed = "".join(getattr(each, "text", "") for each in cell.outputs)
            copies = partial(QGuiApplication.clipboard().setText, printed)
            menu.addAction(tr("Copy what it printed"), copies)
            unfold = partial(self._transcript.unfold, cell.id)
            menu.addAction(tr("Show all it printed, or its beginning and end"), unfold)
        if not self.entry.isHidden():
            menu.addAction(tr("Put into the editor"), partial(self.entry.put, code))
        if isinstance(cell, Cell) and not lab.recorded:
            for words, act in (
                (tr("Run again"), partial(lab.run, code)),
                (tr("Run the session again to here"), partial(lab.replay, cell.number)),
            ):
                menu.addAction(words, partial(self._try, act))
        menu.popup(place)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if files_of(event.mimeData()) and not self.entry.isHidden():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.program.open(files_of(event.mimeData())[0])
        event.acceptProposedAction()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for each in self._tools:
            each.show_compact(self.width() < _NARROW)


class Program:
    """The session as a script or a notebook, for the clipboard and from and to files. Threads
    write and read them: those of a long session take a while.
    """

    def __init__(self, pane: CodePane, lab: Lab) -> None:
        self._pane, self._lab = pane, lab
        self._saving = Saving(lab.machine.settings, pane)
        self._saving.done.connect(pane.say)
        self._saving.refused.connect(pane.refuse)

    def copy(self) -> None:
        if (session := self._taken()) is not None:
            written, pane = partial(script, session), self._pane
            in_a_thread(written, pane, self._on_written, pane.refuse)

    def ask_where(self) -> None:
        if self._taken() is not None:
            session = self._lab.machine.session
            name = suggested_name("lab", session.clock.wall(), simulated=session.simulated)
            self._saving.ask(tr("Save the session"), name, _KINDS, self._writer)

    def save(self, path: Path) -> None:
        if (write := self._writer(path)) is not None:
            self._saving.save(path, write)

    def ask_which(self) -> None:
        kinds = tr("Programs and notebooks (*.py *.ipynb)")
        ask_for_file(tr("Open cells"), kinds, self._pane, self.open)

    def open(self, path: Path) -> None:
        """Its cells stand there then; nothing runs."""
        if self._lab.recorded:
            self._pane.refuse(tr(RECORDED))
        else:
            pane, read = self._pane, partial(opened, path)
            in_a_thread(read, pane, self._lab.open_cells, pane.refuse)

    def _writer(self, path: Path) -> Write | None:
        written, session = notebook if path.suffix == ".ipynb" else script, self._taken()
        if session is None:
            return None
        return lambda: write_whole(path, [written(session).encode()])

    def _taken(self) -> Ledger | None:
        """As it is now; nothing is added to it while it is written."""
        ledger = copy(self._lab.ledger)
        ledger.cells = list(ledger.cells)
        if any(each.number for each in ledger.cells):
            return ledger
        self._pane.refuse(tr("There is no cell yet that could be saved or copied."))
        return None

    def _on_written(self, program: str) -> None:
        QGuiApplication.clipboard().setText(program)
        one = mark("Copied as a program: {count} cell.")
        many = mark("Copied as a program: {count} cells.")
        self._pane.say(trn(one, many, len(self._lab.ledger.done())))
