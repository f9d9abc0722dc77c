"""PythonSheet: every Python of this computer that could run the lab, to choose one."""

from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QVBoxLayout,
    QWidget,
)

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.release_dialog import ReleaseDialog
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between
from gpuexplorer.gui.wording.lab.head.python_words import (
    NONE,
    RowFace,
    one_of_each,
    row_face,
    way_to_torch,
)


class PythonSheet(Sheet):
    """The search goes on in its own thread; what is found stands here when it ends."""

    def __init__(self, look: Look, pythons: LabPythons, lab: LabState, window: QWidget) -> None:
        super().__init__(look, tr("Python of the lab"), window, 660)
        self._pythons, self._lab = pythons, lab
        self._faces: list[RowFace] | None = None
        self._asked: Path | None = None
        self.add_sentence(
            tr(
                "The lab's lines run in another process, in a Python of yours that has PyTorch."
            ),
            Tone.QUIET,
        )
        self._state = self.add_sentence(
            tr("Python programs of this computer are asked whether they have PyTorch…"),
            Tone.QUIET,
        )
        self._trouble = self.add_sentence("", Tone.WARN)
        self._list = QVBoxLayout()
        self._list.setSpacing(0)
        self.body.addLayout(self._list)
        self._way = self.add_sentence(self._way_words(), Tone.QUIET)
        other = self.add_button(tr("Choose another…"), ROLE.ActionRole)
        self._again = self.add_button(tr("Look again"), ROLE.ActionRole)
        other.clicked.connect(self._on_other)
        self._again.clicked.connect(self._pythons.search)
        self.add_close()
        pythons.changed.connect(self._on_changed)
        lab.stage_changed.connect(self._on_changed)
        if not pythons.searched:
            pythons.search()
        self._on_changed()

    def _way_words(self) -> str:
        session = self._lab.machine.session
        return way_to_torch(session.cards(), session.source.driver_version, session.simulated)

    def _rows(self) -> list[RowFace]:
        session, pythons = self._lab.machine.session, self._pythons
        hello = self._lab.ledger.hello if self._lab.stage.runs else None
        faces = [
            row_face(
                each,
                pythons.python,
                session.cards(),
                session.source.driver_version,
                session.simulated,
                hello,
            )
            for each in one_of_each(pythons.found, pythons.python)
        ]
        return sorted(faces, key=lambda face: (not face.used, not face.usable))

    def _show_rows(self, faces: list[RowFace]) -> None:
        if faces == self._faces:
            return
        self._faces = faces
        while (item := self._list.takeAt(0)) is not None:
            gone = item.widget()
            if gone is not None:
                gone.hide()
                gone.deleteLater()
        for at, face in enumerate(faces):
            if at:
                self._list.addWidget(line_between())
            row = PythonRow(self.look, face)
            row.used.connect(self._on_used)
            self._list.addWidget(row)

    def _choose(self, path: Path) -> None:
        """A worker that runs has to be ended first: it is of another Python."""
        lab = self._lab
        self._asked = path
        if not lab.stage.runs:
            self._ask()
            return
        names = list(lab.ledger.things)
        busy = lab.stage in (Stage.BUSY, Stage.HANGING)
        if not (names or busy):
            self._on_released()
            return
        words = tr("Release the cards and use this")
        dialog = ReleaseDialog(self.look, names, busy, words, self)
        dialog.accepted.connect(self._on_released)
        dialog.open()

    def _ask(self) -> None:
        """One question at a time: while others are asked it waits."""
        if self._asked is not None and not self._pythons.working:
            path, self._asked = self._asked, None
            self._pythons.choose(path)

    def _on_released(self) -> None:
        self._lab.release()
        self._ask()

    def _on_used(self, path: str) -> None:
        self._choose(Path(path))

    def _on_other(self) -> None:
        """Never waited for: the window goes on meanwhile."""
        dialog = QFileDialog(self, tr("Choose a Python with PyTorch"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._on_used)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_changed(self) -> None:
        pythons = self._pythons
        if self._asked is not None and not (pythons.working or self._lab.stage.runs):
            self._ask()
            return
        if not (pythons.working or pythons.searched):
            pythons.search()  # another question was being asked when this was opened
            return
        self._state.setVisible(pythons.working)
        self._again.setEnabled(not pythons.working)
        none = not any(each.usable for each in pythons.found)
        trouble = tr(pythons.trouble) or tr(pythons.passed_over)
        if none and pythons.searched and not (trouble or pythons.working):
            trouble = NONE
        self._trouble.setText(trouble)
        self._trouble.setVisible(bool(trouble))
        self._way.setVisible(none and pythons.searched)
        self._show_rows(self._rows())


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
