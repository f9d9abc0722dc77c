"""CureSheet: the line as it was, and the lines that copy less, to be run or taken along."""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.centred_popup import CentredPopup
from gpuexplorer.gui.wording.copies.moving.sentences import Said

_WIDTH, _HEIGHT = 580, 360
_LEAST, _SPARE = 300, 36


class CureSheet(CentredPopup):
    """Made when it is asked for."""

    begun = Signal(int)  # the command of the last of its lines

    def __init__(
        self, look: Look, lab: LabState, said: Said, code: str, window: QWidget
    ) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, window)
        self.setAccessibleName("The cure")
        self._lab = lab
        self._code: Sequence[str] = said.code
        heading = QLabel(f"Line {said.line}, cured")
        heading.setFont(look.letters.title.font)
        self._refused = wrapped_label(look, "", Tone.BAD)
        self._refused.hide()
        self._take = QPushButton("Copy the code")
        self._run = QPushButton("Run it in the lab")
        self._run.setProperty("kind", "primary")
        self._close = QPushButton("Close")
        self._take.clicked.connect(self._on_take_asked)
        self._run.clicked.connect(self._on_run_asked)
        self._close.clicked.connect(self.hide)
        row = QHBoxLayout()
        row.setSpacing(8)
        row.addWidget(self._take)
        row.addStretch(1)
        row.addWidget(self._close)
        row.addWidget(self._run)
        for button in (self._take, self._run, self._close):
            button.setFont(look.letters.body.font)
            button.setAutoDefault(True)
        panel = self.panel
        panel.setContentsMargins(24, 20, 24, 18)
        panel.setSpacing(8)
        panel.addWidget(heading)
        panel.addWidget(wrapped_label(look, said.sentence, Tone.TEXT))
        panel.addWidget(_code_block(look, "As it was", [code], Tone.QUIET))
        panel.addWidget(wrapped_label(look, said.cure, Tone.TEXT))
        panel.addWidget(_code_block(look, "As it could be", said.code, Tone.TEXT))
        panel.addWidget(self._refused)
        panel.addStretch(1)
        panel.addLayout(row)

    def open(self) -> None:
        super().open()
        self._run.setFocus(Qt.FocusReason.PopupFocusReason)

    def wanted_height(self) -> int:
        """As high as what it says."""
        layout = self.panel
        return max(_LEAST, layout.totalHeightForWidth(_WIDTH) + _SPARE)

    def _on_take_asked(self) -> None:
        QGuiApplication.clipboard().setText("\n".join(self._code) + "\n")
        self._take.setText("Copied")

    def _on_run_asked(self) -> None:
        lines = [line for each in self._code for line in _one_line(each)]
        try:
            commands = self._lab.run_all(lines)
        except Trouble as trouble:
            self._refused.setText(str(trouble))
            self._refused.show()
            self.arrange()
            return
        self.begun.emit(commands[-1])
        self.hide()


def _one_line(code: str) -> Sequence[str]:
    """A short loop is one line to the lab."""
    head, _, body = code.partition("\n")
    return [f"{head} {body.strip()}"] if body and "\n" not in body else [code]


def _code_block(look: Look, caption: str, lines: Sequence[str], tone: Tone) -> QFrame:
    frame = QFrame()
    column = QVBoxLayout(frame)
    column.setContentsMargins(0, 2, 0, 2)
    column.setSpacing(3)
    small = QLabel(caption)
    small.setFont(look.letters.caption.font)
    small.setProperty("tone", Tone.QUIET.value)
    code = wrapped_label(
        look, "\n".join(line for each in lines for line in _one_line(each)), tone
    )
    code.setFont(look.letters.mono.font)
    column.addWidget(small)
    column.addWidget(code)
    return frame
