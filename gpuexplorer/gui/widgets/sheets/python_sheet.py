"""PythonSheet: every Python of a computer that could run the lab, to choose one."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import (
    QFileDialog,
    QInputDialog,
    QPushButton,
    QWidget,
)

from gpuexplorer.core.cards import Card
from gpuexplorer.core.verdict import Verdict
from gpuexplorer.core.words import Message, listed, tr
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, add, column, label, row, say, wrapped_label
from gpuexplorer.gui.widgets.line import ElidedLabel
from gpuexplorer.gui.widgets.sheets.pytorch_sheet import PyTorchNotice
from gpuexplorer.gui.widgets.sheets.release_dialog import release_first
from gpuexplorer.gui.widgets.sheets.sheet import ROLE, Sheet, line_between
from gpuexplorer.lab.events import Hello
from gpuexplorer.lab.pythons import LabPython, Suits

_TONES = {Verdict.FINE: Tone.QUIET, Verdict.LOOK: Tone.QUIET, Verdict.BROKEN: Tone.WARN}


@dataclass(frozen=True, slots=True)
class RowFace:
    """One Python of the list."""

    path: str
    what: str  # version and build
    suits: str
    tone: Tone
    usable: bool
    used: bool


class PythonSheet(Sheet):
    """The search goes on in its own thread; what is found stands here when it ends."""

    def __init__(self, pythons: LabPythons, lab: LabState, window: QWidget) -> None:
        super().__init__(tr("Python of the lab"), window, 660)
        self._pythons, self._lab = pythons, lab
        self._faces: list[RowFace] | None = None
        self._asked: Path | None = None
        self.add_sentence(
            tr("The lab's cells run in another process, in a Python of yours that has PyTorch.")
            if not pythons.computer
            else tr(
                "The lab's cells run on {host}, in a Python there that has PyTorch.",
                host=pythons.computer,
            ),
            Tone.QUIET,
        )
        self._state = self.add_sentence(
            tr("Python programs of this computer are asked whether they have PyTorch…")
            if not pythons.computer
            else tr(
                "Python programs of {host} are asked whether they have PyTorch…",
                host=pythons.computer,
            ),
            Tone.QUIET,
        )
        self._trouble = self.add_sentence("", Tone.WARN)
        self._list = column(gap=0)
        self.body.addLayout(self._list)
        self.body.addWidget(PyTorchNotice(lab, self, narrow=True))
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
            line = PythonRow(face)
            line.used.connect(self._on_used)
            self._list.addWidget(line)

    def _choose(self, path: Path) -> None:
        """A worker that runs has to be ended first: it is of another Python."""
        lab = self._lab
        self._asked = path
        if not lab.stage.runs:
            self._ask()
            return
        words = tr("Release the cards and use this")
        release_first(lab, words, self._on_released, self)

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
        if self._pythons.computer:
            self._ask_for_path()
            return
        dialog = QFileDialog(self, tr("Choose a Python with PyTorch"))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._on_used)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _ask_for_path(self) -> None:
        """Of another computer, whose files are not shown here."""
        dialog = QInputDialog(self)
        dialog.setWindowTitle(tr("Choose a Python with PyTorch"))
        dialog.setLabelText(
            tr("Its path on {host}, such as ~/venv/bin/python:", host=self._pythons.computer)
        )
        dialog.textValueSelected.connect(self._on_path_typed)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _on_path_typed(self, path: str) -> None:
        if path.strip():
            self._choose(Path(path.strip()))

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
        # That none has PyTorch is said beside the button that gets it.
        trouble = tr(pythons.trouble) or tr(pythons.passed_over)
        say(self._trouble, "" if pythons.lacking else trouble)
        self._show_rows(self._rows())


class PythonRow(QWidget):
    """`used` asks for this one."""

    used = Signal(str)

    def __init__(self, face: RowFace) -> None:
        super().__init__()
        self._face = face
        tone = Tone.TEXT if face.usable else Tone.FAINT
        path = ElidedLabel(look().letters.mono, tone, face.path)
        what = ElidedLabel(look().letters.body, Tone.QUIET, face.what)
        words = column(path, what, wrapped_label(face.suits, face.tone), gap=3)
        line = row(words, GROWS, within=self, gap=16, margins=(0, 8, 0, 8))
        self.button: QPushButton | None = None
        if face.used:
            add(line, label(tr("In use"), look().letters.strong), Qt.AlignmentFlag.AlignTop)
        elif face.usable:
            self.button = QPushButton(tr("Use this"))
            self.button.setAccessibleName(tr("Use {path}", path=face.path))
            self.button.clicked.connect(self._on_clicked)
            add(line, self.button, Qt.AlignmentFlag.AlignTop)

    @property
    def face(self) -> RowFace:
        return self._face

    def _on_clicked(self) -> None:
        self.used.emit(self._face.path)


def row_face(
    python: LabPython,
    used: LabPython | None,
    cards: Sequence[Card],
    driver: str | None,
    simulated: bool,
    hello: Hello | None,
) -> RowFace:
    """`hello`: what the one that is used said when it started."""
    is_used = used is not None and used.path == python.path
    number = ".".join(map(str, python.version))
    what = [f"Python {number}" if number else "Python"]
    if python.build is not None:
        what.append(tr(python.build.label))
    suits = _suits(python, cards, driver, simulated)
    said = [tr(each) for each in (suits.sentence, suits.do) if each]
    if is_used and hello is not None:
        names = [each.name for each in hello.devices if each.usable]
        said.append(tr("It offers {devices}.", devices=listed(names)))
    tone = _TONES[suits.verdict] if python.usable else Tone.FAINT
    return RowFace(
        str(python.path), ", ".join(what), " ".join(said), tone, python.usable, is_used
    )


def one_of_each(pythons: Sequence[LabPython], used: LabPython | None) -> Sequence[LabPython]:
    """`python` and `python3` of one environment are the same; the one in use stays."""
    found: dict[str, LabPython] = {}
    for each in pythons:
        key = each.prefix or str(each.path)
        if key not in found or (used is not None and each.path == used.path):
            found[key] = each
    return list(found.values())


def _suits(
    python: LabPython, cards: Sequence[Card], driver: str | None, simulated: bool
) -> Suits:
    if simulated and python.usable:
        return Suits(Verdict.FINE, Message("It suits the simulated cards."))
    return python.fits(cards, driver)
