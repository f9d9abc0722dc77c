"""PythonRow: one Python of this computer, and whether the lab can use it."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QLabel, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.wording.lab.head.python_words import RowFace


class PythonRow(QWidget):
    """`used` asks for this one."""

    used = Signal(str)

    def __init__(self, look: Look, face: RowFace, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._face = face
        path = ElidedLabel(look.letters.mono, Tone.TEXT if face.usable else Tone.FAINT)
        path.show_text(face.path)
        what = ElidedLabel(look.letters.body, Tone.QUIET)
        what.show_text(face.what)
        said = wrapped_label(look, face.suits, face.tone)
        column = QVBoxLayout()
        column.setSpacing(3)
        column.addWidget(path)
        column.addWidget(what)
        column.addWidget(said)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 8, 0, 8)
        row.setSpacing(16)
        row.addLayout(column, 1)
        self.button: QPushButton | None = None
        if face.used:
            mark = QLabel(tr("In use"))
            mark.setFont(look.letters.strong.font)
            row.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        elif face.usable:
            self.button = QPushButton(tr("Use this"))
            self.button.setFont(look.letters.body.font)
            self.button.setAccessibleName(tr("Use {path}", path=face.path))
            self.button.clicked.connect(self._on_clicked)
            row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignTop)

    @property
    def face(self) -> RowFace:
        return self._face

    def _on_clicked(self) -> None:
        self.used.emit(self._face.path)
