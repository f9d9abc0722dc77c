"""CodePane: every line of the session with its cost, and where one types the next."""

from PySide6.QtCore import QPoint, QSize, Signal
from PySide6.QtGui import QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QLineEdit, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.code.code_head import HEIGHT as HEAD_HEIGHT
from gpuexplorer.gui.views.lab.code.code_head import CodeHead
from gpuexplorer.gui.views.lab.code.entry_field import HEIGHT as FIELD_HEIGHT
from gpuexplorer.gui.views.lab.code.entry_field import EntryField
from gpuexplorer.gui.views.lab.code.error_faces import ErrorFaces
from gpuexplorer.gui.views.lab.code.error_panel import ErrorPanel
from gpuexplorer.gui.views.lab.code.line_faces import LineFaces
from gpuexplorer.gui.views.lab.code.line_list import LineList
from gpuexplorer.gui.views.lab.code.line_menu import open_line_menu
from gpuexplorer.gui.views.lab.code.notice_bar import NoticeBar
from gpuexplorer.gui.views.lab.code.past_lines import PastLines
from gpuexplorer.gui.views.lab.code.pasting import Pasting
from gpuexplorer.gui.views.lab.code.program import Program
from gpuexplorer.gui.views.lab.code.refusal import Refusal
from gpuexplorer.gui.wording.lab.code.completion import Completion, completion
from gpuexplorer.gui.wording.lab.code.notice import Answer, LabNow, Notice, notice
from gpuexplorer.lab.events import Event, Failed
from gpuexplorer.lab.wire import Train

_MARGIN, _GAP = 16, 8


class CodePane(QFrame):
    """Brought up to date by `pull` while it is seen, and by the lab when something changed."""

    form_asked = Signal()  # to do what it says, with nothing typed here

    def __init__(self, look: Look, lab: LabState, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(tr("Code"))
        self._lab = lab
        self._units = lab.machine.settings.choices.units
        self._said = Notice()
        self._ended = ""  # why the last worker did
        self._just_failed: int | None = None
        self._faces = LineFaces(lab)
        self._errors = ErrorFaces(lab, self._faces.notes)
        self._program = Program(lab, self)
        self._program.done.connect(self._on_program_done)
        self._program.refused.connect(self._on_program_refused)
        self._pasting = Pasting(lab, self)
        self._pasting.refused.connect(self._on_paste_refused)
        self._past = PastLines(lab)
        self._head = CodeHead(look, self)
        self._head.copy_asked.connect(self._program.copy)
        self._head.save_asked.connect(self._program.ask_where)
        self._list = LineList(look, self)
        self._list.line_chosen.connect(self._on_line_chosen)
        self._list.left.connect(self._on_list_left)
        self._list.copy_asked.connect(self._on_copy_asked)
        self._list.menu_asked.connect(self._on_menu_asked)
        self._panel = ErrorPanel(look, lab, self._list.viewport())
        self._panel.hide()
        self._panel.cure_chosen.connect(self._on_cure_chosen)
        self._panel.reached.connect(self._list.reveal_place)
        self._panel.resized.connect(self._fit_error)
        self._notice = NoticeBar(look, self)
        self._notice.answered.connect(self.answer)
        self._field = EntryField(look, self._complete, self._past, self)
        self._field.entered.connect(self._on_entered)
        self._field.several_pasted.connect(self._on_several_pasted)
        self._field.form_asked.connect(self.form_asked)
        self._field.textChanged.connect(self._on_text_changed)
        self._panel.typed.connect(self._field.take_key)
        self._refusal = Refusal(look, self)
        lab.told.connect(self._on_told)
        lab.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_stage_changed)
        lab.selection.changed.connect(self._on_selection_changed)
        lab.machine.settings.changed.connect(self._on_settings_changed)
        self._on_changed()

    @property
    def entry(self) -> QWidget:
        """Where one types."""
        return self._field

    def pull(self) -> None:
        """What is read live: how long the line that runs has been running."""
        self._list.show_colours({each.name: each.colour for each in self._lab.devices()})
        running = self._lab.ledger.running
        if running is None:
            self._list.show_running(None, 0.0)
        else:
            self._list.show_running(running.id, self._seconds(running.id))
        self._show_notice()

    def copy_program(self) -> None:
        self._program.copy()

    def save_program(self) -> None:
        """Asks where to, and returns at once."""
        self._program.ask_where()

    def answer(self, answer: Answer) -> None:
        """As the notice above the field offers it."""
        match answer:
            case Answer.STOP:
                self._pasting.stop()
                self._lab.cancel()
            case Answer.RESTART:
                self._lab.restart()
            case Answer.REBUILD:
                self._begun()
                self._lab.rebuild()
            case Answer.EMPTY:
                self._begun()
                self._lab.start_over()
        self._field.setFocus()

    def stop(self) -> None:
        """For good. Harmless when called twice."""
        self._pasting.stop()
        self._program.stop()

    def _show_error(self) -> None:
        face = self._errors.face(self._lab.selection.line)
        just_failed, self._just_failed = self._just_failed, None
        if face is None:
            self._hide_error()
            return
        if self._panel.show_face(face) or not self._panel.isVisibleTo(self._list):
            self._fit_error()
        if just_failed == face.line:
            self._list.reveal(face.line)
            if self._may_take_keyboard():
                self._panel.begin()

    def _fit_error(self) -> None:
        face = self._panel.face
        if face is not None:
            height = self._panel.fit(self._list.panel_width())
            self._list.show_panel(self._panel, face.line, height)

    def _hide_error(self) -> None:
        if self._panel.isVisibleTo(self._list):
            focus = QApplication.focusWidget()
            if focus is not None and self._panel.isAncestorOf(focus):
                self._field.setFocus()
            self._list.show_panel(self._panel, None, 0)

    def _may_take_keyboard(self) -> bool:
        """Nobody is torn away from what is being written."""
        focus = QApplication.focusWidget()
        writing = isinstance(focus, QLineEdit) and focus is not self._field
        return self.isVisible() and not writing and not self._field.text()

    def _show_notice(self) -> None:
        lab = self._lab
        running = lab.ledger.running
        now = LabNow(
            hanging=lab.stage is Stage.HANGING,
            starting=lab.stage in (Stage.SEARCHING, Stage.STARTING),
            failed=tr(lab.sentence) if lab.stage is Stage.FAILED else "",
            ended=self._ended,
            lost_lines=len(lab.lost),
            running=None if running is None else lab.line_number(running.id),
            seconds=0.0 if running is None else self._seconds(running.id),
            waiting=sum(1 for each in lab.ledger.entries[-50:] if each.state == "waiting"),
            rebuilding=len(lab.ledger.rebuilding),
        )
        shown = notice(now)
        if not shown.sentence:
            shown = self._said
        if not shown.sentence:
            shown = Notice(tr(lab.pythons.passed_over), Tone.WARN)
        if self._notice.show_notice(shown):
            self._arrange()

    def _seconds(self, line: int) -> float:
        began = self._lab.began_at(line)
        return 0.0 if began is None else self._lab.machine.session.clock.now() - began

    def _refuse(self, sentence: str, hint: str = "") -> None:
        if self._refusal.show_words(sentence, hint):
            self._arrange()

    def _run(self, line: str) -> bool:
        """Whether it was understood."""
        try:
            self._lab.run(line)
        except Trouble as trouble:
            self._refuse(tr(trouble.sentence), tr(trouble.hint))
            return False
        self._begun()
        return True

    def _begun(self) -> None:
        """A new line: what was said of earlier ones no longer matters."""
        self._said, self._ended = Notice(), ""
        self._refuse("")

    def _complete(self, before: str) -> Completion:
        devices = [each.name for each in self._lab.devices() if each.name]
        return completion(before, self._lab.ledger.things, devices)

    def _code_of(self, line: int) -> str:
        entry = self._lab.ledger.entry(line)
        return "" if entry is None else entry.code

    def _run_again(self, line: int) -> None:
        entry = self._lab.ledger.entry(line)
        if entry is None:
            return
        command = entry.command
        if not isinstance(command, Train):
            self._run(command.line)
            return
        try:
            self._lab.train(
                command.model,
                command.inputs,
                command.targets,
                command.optimiser,
                command.loss,
                command.steps,
                command.batch,
            )
        except Trouble as trouble:
            self._refuse(tr(trouble.sentence), tr(trouble.hint))

    def _arrange(self) -> None:
        """From the bottom up; what is left over is the list's."""
        width, inner = self.width(), self.width() - 2 * _MARGIN
        self._head.setGeometry(1, 1, width - 2, HEAD_HEIGHT)
        bottom = self.height() - _MARGIN
        refusal = self._refusal.fit(inner)
        self._refusal.setGeometry(_MARGIN, bottom - refusal, inner, refusal)
        bottom -= refusal + (6 if refusal else 0)
        self._field.setGeometry(_MARGIN, bottom - FIELD_HEIGHT, inner, FIELD_HEIGHT)
        bottom -= FIELD_HEIGHT + _GAP
        self._notice.setVisible(not self._notice.empty)
        if not self._notice.empty:
            height = self._notice.fit(inner)
            self._notice.setGeometry(_MARGIN, bottom - height, inner, height)
            bottom -= height + _GAP
        top = HEAD_HEIGHT + 1
        self._list.setGeometry(1, top, width - 2, max(0, bottom - top))

    def _on_told(self, event: Event) -> None:
        self._faces.hear(event)
        entry = self._lab.ledger.entry(event.id) if isinstance(event, Failed) else None
        if entry is None or not isinstance(event, Failed):
            return
        if entry.id == event.id:
            self._just_failed = event.id
        elif not self._said.sentence:  # the first is why the others failed
            number = self._lab.line_number(entry.id)
            words = tr(
                "Line {number} could not be run again: {why}",
                number=number,
                why=event.message or event.sentence,
            )
            self._said = Notice(words, Tone.BAD)

    def _on_changed(self) -> None:
        faces = self._faces.faces()
        hello = self._lab.ledger.hello
        modelled = bool(faces) and hello is not None and hello.simulated
        self._head.show_session(lines=bool(faces), modelled=modelled)
        self._list.show_faces(faces)
        self._show_error()
        self.pull()

    def _on_stage_changed(self) -> None:
        stage = self._lab.stage
        if stage is Stage.RESTING:
            self._ended = ""
        elif stage is Stage.STARTING and self._lab.sentence:
            self._ended = tr(self._lab.sentence)
        self.pull()

    def _on_selection_changed(self) -> None:
        line = self._lab.selection.line_in(self._lab.ledger)
        self._list.show_selected(line)
        self._show_error()
        if line is not None:
            self._list.reveal(line)

    def _on_settings_changed(self) -> None:
        units = self._lab.machine.settings.choices.units
        if units != self._units:
            self._units = units
            self._faces.forget()
            self._on_changed()

    def _on_line_chosen(self, line: int) -> None:
        entry = self._lab.ledger.entry(line)
        things = self._lab.ledger.things
        placed = () if entry is None else [each for each in entry.placed if each in things]
        self._lab.selection.choose(line, placed)

    def _on_list_left(self) -> None:
        self._lab.selection.choose()
        self._field.setFocus()

    def _on_entered(self, line: str) -> None:
        if self._run(line):
            self._past.begin_anew()
            self._field.begin_anew()

    def _on_text_changed(self) -> None:
        self._refuse("")

    def _on_several_pasted(self, lines: list[str]) -> None:
        self._begun()
        self._pasting.run(lines)

    def _on_paste_refused(self, line: str, sentence: str, hint: str) -> None:
        if line and not self._field.text():
            self._field.put(line)
        self._refuse(sentence, hint)

    def _on_cure_chosen(self, number: int) -> None:
        face = self._panel.face
        entry = None if face is None else self._lab.ledger.entry(face.line)
        if face is None or entry is None:
            return
        self._field.setFocus()
        try:
            self._lab.run_all(face.cures[number].lines, cures=entry.id)
        except Trouble as trouble:
            self._refuse(tr(trouble.sentence), tr(trouble.hint))
            return
        self._begun()
        if self._lab.selection.line == entry.id:
            self._lab.selection.choose()

    def _on_program_done(self, sentence: str) -> None:
        self._said = Notice(sentence)
        self._show_notice()

    def _on_program_refused(self, sentence: str) -> None:
        self._said = Notice(sentence, Tone.BAD)
        self._show_notice()

    def _on_copy_asked(self, line: int) -> None:
        QGuiApplication.clipboard().setText(self._code_of(line))
        number = self._lab.line_number(line)
        self._said = Notice(tr("Line {number} copied.", number=number))
        self._show_notice()

    def _on_menu_asked(self, line: int, place: QPoint) -> None:
        actions = [
            (tr("Copy line"), lambda: self._on_copy_asked(line)),
            (tr("Run again"), lambda: self._run_again(line)),
            (tr("Put into the field"), lambda: self._field.put(self._code_of(line))),
        ]
        more = self._list.has_more(line)
        if more:
            actions.append((more, lambda: self._list.toggle_printed(line)))
        open_line_menu(place, actions, self)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange()
        if self._panel.isVisibleTo(self._list):
            self._fit_error()

    def sizeHint(self) -> QSize:
        return QSize(440, 600)

    def minimumSizeHint(self) -> QSize:
        return QSize(280, 320)
