"""CureSheet: the line as it was, and the lines that copy less, to be run or taken along."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, text_label
from gpuexplorer.gui.wording.copies.moving.sentences import Said


class CureSheet(Sheet):
    """Made when it is asked for."""

    begun = Signal(int)  # the command of the last of its lines

    def __init__(
        self, look: Look, lab: LabState, said: Said, code: str, window: QWidget
    ) -> None:
        super().__init__(look, tr("Line {line}, cured", line=said.line), window, 580)
        self._lab = lab
        self._lines = [_one_line(each) for each in said.code]
        self._code: Sequence[str] = said.code
        self.add_sentence(said.sentence)
        self._add_lines(tr("As it was"), _one_line(code), Tone.QUIET)
        self.add_sentence(said.cure)
        self._add_lines(tr("As it could be"), "\n".join(self._lines), Tone.TEXT)
        self._refused = self.add_sentence("", Tone.BAD)
        self._refused.hide()
        self._take = self.add_button(tr("Copy the code"), ROLE.ActionRole)
        run = self.add_button(tr("Run it in the lab"), ROLE.ActionRole, default=True)
        self.add_button(tr("Close"), ROLE.RejectRole)
        self._take.clicked.connect(self._on_take_asked)
        run.clicked.connect(self._on_run_asked)

    def _add_lines(self, caption: str, lines: str, tone: Tone) -> None:
        self.body.addSpacing(2)
        small = text_label(caption, self.look.letters.caption.font, Tone.QUIET)
        self.body.addWidget(small)
        code = self.add_sentence(lines, tone)
        code.setFont(self.look.letters.mono.font)
        self.body.addSpacing(2)

    def _on_take_asked(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._code) + "\n")
        self._take.setText(tr("Copied"))

    def _on_run_asked(self) -> None:
        try:
            commands = self._lab.run_all(self._lines)
        except Trouble as trouble:
            self._refused.setText(trouble.told)
            self._refused.show()
            return
        self.begun.emit(commands[-1])
        self.accept()


def _one_line(code: str) -> str:
    """A short loop is one line to the lab."""
    head, _, body = code.partition("\n")
    return f"{head} {body.strip()}" if body and "\n" not in body else code
