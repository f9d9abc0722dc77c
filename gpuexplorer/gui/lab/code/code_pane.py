"""CodePane: the cells of the session with what each cost, and where one types the next."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QPlainTextEdit, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.lab.cells.cell_faces import CellFaces
from gpuexplorer.gui.lab.cells.transcript import Transcript
from gpuexplorer.gui.lab.code.cell_editor import CellEditor, PastCells, files_of
from gpuexplorer.gui.lab.code.code_head import Action, CodeHead, open_menu
from gpuexplorer.gui.lab.code.error_panel import ErrorPanel, error_face
from gpuexplorer.gui.lab.code.lab_notices import LabNotices
from gpuexplorer.gui.lab.code.notice_bar import NoticeBar, QuestionBar
from gpuexplorer.gui.lab.code.program import Program
from gpuexplorer.gui.lab.code.words import Answer
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, column
from gpuexplorer.lab.events import Completed, Event, Failed

_MARGIN, _GAP = 12, 8
_ERROR_SHARE = 0.5  # of the pane, at most
_LEAST_PAGE = 110  # pixels that are left for cells, with the gaps


class CodePane(QFrame):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    form_asked = Signal()  # to do what it says, with nothing typed here
    watch_asked = Signal()  # a program, or the one that is watched already
    watch_file_asked = Signal(Path)

    def __init__(self, lab: Lab, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Code"))
        self.setAcceptDrops(True)
        self._lab = lab
        self._settings = lab.machine.settings
        self._units = self._settings.choices.units
        self._notices = LabNotices(lab)
        self._wanted: int | None = None  # so many cells of a file, until it is allowed
        self._just_failed: int | None = None
        self._completing: int | None = None
        self._faces = CellFaces(lab)
        self.program = Program(lab, self)  # the session, to be copied, saved and opened
        self.program.done.connect(self._say)
        self.program.refused.connect(self.refuse)
        self._head = CodeHead()
        self._head.open.clicked.connect(self.program.ask_which)
        self._head.watch.clicked.connect(self.watch_asked)
        if not lab.recorded and (why := lab.program.why_not):
            self._head.show_unwatchable(tr(why))
        self._head.copy.clicked.connect(self.program.copy)
        self._head.save.clicked.connect(self.program.ask_where)
        self._head.menu_asked.connect(self._on_session_menu_asked)
        self._transcript = Transcript(recorded=lab.recorded)
        self._transcript.cell_chosen.connect(self._on_cell_chosen)
        self._transcript.left.connect(self._on_left)
        self._transcript.copy_asked.connect(self._copy)
        self._transcript.unfold_asked.connect(self._on_unfold_asked)
        self._transcript.menu_asked.connect(self._on_menu_asked)
        self._panel = ErrorPanel(lab)
        self._panel.cure_chosen.connect(self._on_cure_chosen)
        self._notice = NoticeBar()
        self._notice.answered.connect(self.answer)
        self._question = QuestionBar()
        self._question.answered.connect(self._on_question_answered)
        self._past = PastCells(lab)
        self.entry = CellEditor(self._settings, self._past)  # where one types
        self.entry.entered.connect(self._on_entered)
        self.entry.form_asked.connect(self.form_asked)
        self.entry.completion_asked.connect(self._on_completion_asked)
        self.entry.file_dropped.connect(self.program.open)
        self.entry.refused.connect(self.refuse)
        self.entry.setObjectName("lab.editor")
        self._transcript.setObjectName("lab.cells")
        self._panel.typed.connect(self.entry.take_key)
        asked = (self._panel, self._notice, self._question, self.entry)
        below = column(*asked, margins=(_MARGIN, 0, _MARGIN, 0))
        parts = (self._head, self._transcript, GROWS, below)
        column(*parts, within=self, margins=(1, 1, 1, _MARGIN))
        lab.code_offered.connect(self.entry.put)
        lab.told.connect(self._on_told)
        lab.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_stage_changed)
        lab.selection.changed.connect(self._on_selection_changed)
        self._settings.changed.connect(self._on_settings_changed)
        self._on_changed()

    def name_it_elsewhere(self, elsewhere: bool) -> None:
        """A heading over the pane says "Code" already."""
        self._head.show_title(not elsewhere)

    def pull(self) -> None:
        """What is read live: how long the cell that runs has been running."""
        if self._notice.show_notice(self._notices.notice()):
            self._fit_error()

    def paste(self) -> None:
        """Whatever has the keyboard, what was copied elsewhere is meant for the editor."""
        if not self.entry.isHidden():
            self.entry.setFocus()
            self.entry.paste()

    def run_unwatched(self) -> None:
        """What is typed, without the watch that finds copies and takes time."""
        self._enter(self.entry.code, watched=False)

    def replay(self, upto: int | None = None, *, with_failed: bool = False) -> None:
        self._notices.begin_anew()
        self._try(partial(self._lab.replay, upto, with_failed))

    def answer(self, answer: Answer) -> None:
        """As the notice above the editor offers it."""
        match answer:
            case Answer.STOP:
                self._lab.cancel()
            case Answer.RESTART:
                self._lab.restart()
            case Answer.REPLAY:
                self.replay()
            case Answer.START_OVER:
                self._notices.begin_anew()
                self._lab.start_over()
            case Answer.RUN_NEXT:
                self._run_opened(1)
            case Answer.RUN_ALL:
                self._run_opened(None)
            case Answer.ALLOW:
                self._lab.allow(self._lab.must_ask)
                self._run_opened(self._wanted)
            case Answer.WATCH:
                self.watch_file_asked.emit(Path(self._lab.opened[0].path))
                return
            case Answer.DROP:
                self._notices.asks = False
                self._lab.drop_opened()
        self.pull()
        self.entry.setFocus()

    def show_watched(self, name: str) -> None:
        """The file of the program that is watched; empty where none is."""
        self._head.show_watched(name)

    def refuse(self, sentence: str) -> None:
        """Why something that was asked for cannot be done."""
        self._say(sentence, Tone.BAD)

    def _enter(self, code: str, *, watched: bool = True) -> None:
        if code.strip():
            self._notices.begin_anew()
            if self._try(partial(self._lab.run, code.strip("\n"), watched=watched)):
                self.entry.begin_anew()
                self._transcript.go_to_end()

    def _run_again(self, command: int, *, watched: bool = True) -> None:
        cell = self._lab.ledger.cell(command)
        if cell is not None:
            self._notices.begin_anew()
            if self._try(partial(self._lab.run, cell.code, watched=watched)):
                self._transcript.go_to_end()

    def _try(self, act: Callable[[], object]) -> bool:
        """Else it says why not."""
        try:
            act()
        except Trouble as trouble:
            self.refuse(paragraph([trouble.sentence, trouble.hint]))
            return False
        return True

    def _run_opened(self, count: int | None) -> None:
        """Only those of one file, which somebody has to allow first."""
        self._notices.begin_anew()
        self._wanted, self._notices.asks = count, bool(self._lab.must_ask)
        if self._notices.asks:
            return
        opened = self._lab.opened[:count]
        self._lab.run_opened(sum(1 for each in opened if each.path == opened[0].path))
        self._transcript.go_to_end()

    def _code_of(self, command: int) -> str:
        face = self._transcript.face(command)
        return "" if face is None else face.code

    def _copy(self, command: int) -> None:
        QGuiApplication.clipboard().setText(self._code_of(command))
        self._say(tr("Cell copied."))

    def _copy_printed(self, command: int) -> None:
        cell = self._lab.ledger.cell(command)
        if cell is not None:
            text = "".join(getattr(each, "text", "") for each in cell.outputs)
            QGuiApplication.clipboard().setText(text)

    def _show_error(self) -> None:
        face = error_face(self._lab, self._faces, self._lab.selection.cell)
        just_failed, self._just_failed = self._just_failed, None
        focus = QApplication.focusWidget()
        had_keyboard = focus is not None and self._panel.isAncestorOf(focus)
        if self._panel.show_face(face):
            self._fit_error()
            if face is None and had_keyboard:
                self.entry.setFocus()
        if face is not None and just_failed == face.cell:
            self._transcript.reveal(face.cell)
            if self._may_take_keyboard():
                self._panel.begin()

    def _fit_error(self) -> None:
        if self._panel.face is not None:
            width = self.width() - 2 * _MARGIN - 2
            bars = [each for each in (self._notice, self._question) if not each.isHidden()]
            rest = self._head.height() + self.entry.height() + _LEAST_PAGE
            rest += sum(each.heightForWidth(width) + _GAP for each in bars)
            most = min(round(_ERROR_SHARE * self.height()), self.height() - rest)
            self._panel.fit(width, most)

    def _may_take_keyboard(self) -> bool:
        """Nobody is torn away from what is being written."""
        focus = QApplication.focusWidget()
        writing = isinstance(focus, QLineEdit | QPlainTextEdit) and focus is not self.entry
        return self.isVisible() and not writing and not self.entry.code

    def _show_question(self) -> None:
        cell = self._lab.ledger.running
        asked = None if cell is None or self._lab.recorded else cell.asked
        another = self._question.show_question(asked)
        if another and self._may_take_keyboard():
            self._question.begin()

    def _say(self, sentence: str, tone: Tone = Tone.QUIET) -> None:
        self._notices.say(sentence, tone)
        self.pull()

    def _on_told(self, event: Event) -> None:
        if isinstance(event, Completed) and event.id == self._completing:
            self._completing = None
            self.entry.show_completed(event)
        elif isinstance(event, Failed) and self._lab.ledger.cell(event.id) is not None:
            self._just_failed = event.id

    def _on_changed(self) -> None:
        cells = any(each.number for each in self._lab.ledger.cells)
        forms_only = self._settings.choices.lab_forms_only
        self._head.show_session(cells=cells, forms_only=forms_only)
        self.entry.setVisible(not (forms_only or self._lab.recorded))
        self._transcript.show_faces(self._faces.faces())
        self._show_question()
        self._show_error()
        self.pull()

    def _on_stage_changed(self) -> None:
        self._notices.note_stage()
        self.pull()

    def _on_selection_changed(self) -> None:
        command = self._lab.selection.cell_in(self._lab.ledger)
        self._transcript.show_selected(command)
        self._show_error()
        if command is not None:
            self._transcript.reveal(command)

    def _on_settings_changed(self) -> None:
        units = self._settings.choices.units
        if units != self._units:
            self._units = units
            self._faces.forget()
        self._on_changed()

    def _on_cell_chosen(self, command: int) -> None:
        cell = self._lab.ledger.cell(command) if command >= 0 else None
        things = self._lab.ledger.things
        placed = () if cell is None else [each for each in cell.placed if each in things]
        self._lab.selection.choose(command, placed)

    def _on_left(self) -> None:
        self._lab.selection.choose()
        self.entry.setFocus()

    def _on_unfold_asked(self, command: int) -> None:
        self._faces.unfold(command)
        self._transcript.show_faces(self._faces.faces())

    def _on_entered(self, code: str) -> None:
        self._enter(code)

    def _on_completion_asked(self, code: str, at: int) -> None:
        self._completing = self._lab.complete(code, at)

    def _on_question_answered(self, command: int, text: str | None) -> None:
        self._lab.answer(command, text)
        self.entry.setFocus()

    def _on_cure_chosen(self, number: int) -> None:
        face = self._panel.face
        if face is None:
            return
        self.entry.setFocus()
        cure = face.cures[number].cure
        if not self._try(partial(self._lab.run_cure, cure, face.cell)):
            return
        self._notices.begin_anew()
        self._transcript.go_to_end()
        if self._lab.selection.cell == face.cell:
            self._lab.selection.choose()

    def _on_session_menu_asked(self, place: QPoint) -> None:
        actions: list[Action] = []
        if not self.entry.isHidden():
            actions.append((tr("Run the cell unwatched"), self.run_unwatched))
        if self._lab.ledger.replay():
            again = tr("Run the session again")
            actions.append((again, self.replay))
            with_failed = tr("Run it again with the cells that failed")
            actions.append((with_failed, partial(self.replay, with_failed=True)))
        open_menu(place, actions, self)

    def _on_menu_asked(self, command: int, place: QPoint) -> None:
        actions: list[Action] = [(tr("Copy cell"), partial(self._copy, command))]
        face = self._transcript.face(command)
        cell = self._lab.ledger.cell(command) if command >= 0 else None
        if cell is not None and cell.outputs:
            actions.append((tr("Copy what it printed"), partial(self._copy_printed, command)))
        if not self.entry.isHidden():
            put = partial(self.entry.put, self._code_of(command))
            actions.append((tr("Put into the editor"), put))
        if cell is not None:
            actions.append((tr("Run again"), partial(self._run_again, command)))
            unwatched = partial(self._run_again, command, watched=False)
            actions.append((tr("Run again unwatched"), unwatched))
            upto = partial(self.replay, cell.number)
            actions.append((tr("Run the session again to here"), upto))
        if face is not None and face.hidden:
            unfold = partial(self._on_unfold_asked, command)
            actions.append((tr("Show all it printed"), unfold))
        open_menu(place, actions, self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if files_of(event.mimeData()) and not self.entry.isHidden():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        self.program.open(files_of(event.mimeData())[0])
        event.acceptProposedAction()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_error()

    def sizeHint(self) -> QSize:
        return QSize(440, 600)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 320)
