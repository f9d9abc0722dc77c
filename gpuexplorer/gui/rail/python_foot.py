"""PythonFoot: which Python runs the lab, and how it is; opens the list of all there are."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Stage, StageWords, stage_words
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import PaintedButton
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.lab.pythons import LabPython

_TALL, _LOW = 76, 44
_LEFT, _RIGHT, _SIDE, _DOT = 20.0, 16.0, 8.0, 6.0


@dataclass(frozen=True, slots=True)
class FootFace:
    """`line` says which, `state` how it is."""

    line: str
    state: str
    tone: Tone
    lit: bool
    hint: str


class PythonFoot(PaintedButton):
    """Shows nothing where no lab can run: in a recording, and on a host of a fleet."""

    def __init__(self, pythons: LabPythons) -> None:
        super().__init__()
        self._pythons = pythons
        self._lab: Lab | None = None
        self._face: FootFace | None = None
        self._narrow = False
        self._sheet: PythonSheet | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)
        pythons.changed.connect(self._on_changed)
        self.hide()

    def show_lab(self, lab: Lab | None) -> None:
        """The lab of the session that is shown; another machine has Pythons of its own."""
        before, self._lab = self._lab, lab
        if lab is not None and lab.pythons is not self._pythons:
            self._pythons.changed.disconnect(self._on_changed)
            self._pythons = lab.pythons
            self._pythons.changed.connect(self._on_changed)
        if before is not None:
            before.stage_changed.disconnect(self._on_changed)
        if lab is not None:
            lab.stage_changed.connect(self._on_changed)
        if self._sheet is not None:
            self._sheet.reject()
        self.setVisible(lab is not None and _may_run(lab))
        self._on_changed()

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.updateGeometry()
        self.update()

    def draw(self, drawing: Drawing) -> None:
        face = self._face
        if face is None:
            return
        place = QRectF(self.rect())
        inset = 4.0 if self._narrow else _SIDE
        drawing.hairline(inset + 8, place.right() - inset - 8, 0)
        self.draw_ground(drawing, place.adjusted(inset, 4, -inset, -2))
        if self._narrow:
            self._draw_narrow(drawing, face)
            return
        theme, letters = drawing.theme, drawing.letters
        room = place.width() - _LEFT - _RIGHT
        drawing.text(_LEFT, 22, Run(tr("Python of the lab"), letters.caption, theme.quiet))
        drawing.elided(_LEFT, 42, Run(face.line, letters.body, theme.text), room)
        drawing.dot(QRectF(_LEFT, 57 - _DOT / 2, _DOT, _DOT), face.tone, lit=face.lit)
        baseline = 57 + letters.caption.cap_height / 2
        state = Run(face.state, letters.caption, theme.tone(face.tone))
        drawing.elided(_LEFT + _DOT + 8, baseline, state, room - _DOT - 8)

    def _draw_narrow(self, drawing: Drawing, face: FootFace) -> None:
        middle = QRectF(self.rect()).center()
        icon = QRectF(middle.x() - 10, middle.y() - 9, 20, 20)
        drawing.icon(Icon.LAB, icon, drawing.theme.quiet)
        dot = QRectF(icon.right() - 4, icon.top() - 2, 7, 7)
        drawing.dot(dot, face.tone, lit=face.lit)

    def _on_changed(self) -> None:
        lab = self._lab
        if lab is None:
            return
        simulated = lab.machine.session.simulated
        # How long a line runs is told where lines are run.
        words = stage_words(lab.stage, tr(lab.sentence) if lab.stage is Stage.FAILED else "")
        pythons = self._pythons
        face = foot_face(
            pythons.python,
            pythons.found,
            tr(pythons.trouble),
            words,
            working=pythons.working,
            simulated=simulated,
            passed_over=tr(pythons.passed_over),
        )
        if face != self._face:
            self._face = face
            name = f"{face.line}, {face.state}"
            self.setAccessibleName(tr("Python of the lab: {name}", name=name))
            self.setToolTip(face.hint)
            self.update()

    def _on_clicked(self) -> None:
        if self._lab is None:
            return
        sheet = PythonSheet(self._pythons, self._lab, self.window())
        self._sheet = sheet
        sheet.finished.connect(self._on_closed)
        sheet.open()

    def _on_closed(self) -> None:
        self._sheet = None

    def sizeHint(self) -> QSize:
        return QSize(56, _LOW) if self._narrow else QSize(208, _TALL)


def _may_run(lab: Lab) -> bool:
    return not (lab.recorded or lab.machine.session.source.figures_alone)


def foot_face(
    python: LabPython | None,
    found: Sequence[LabPython],
    trouble: str,
    stage: StageWords,
    *,
    working: bool,
    simulated: bool,
    passed_over: str = "",
) -> FootFace:
    """`found`: those that were asked, for where none of them was taken yet. `passed_over` says
    why the one that was chosen is not used.
    """
    if python is None:
        if working:
            return FootFace(
                tr("Looking for one"), tr("with PyTorch"), Tone.QUIET, lit=False, hint=""
            )
        usable = sum(each.usable for each in found)
        if usable and passed_over:
            line = trn("{count} with PyTorch", "{count} with PyTorch", usable)
            state = tr("Not the one you chose")
            return FootFace(line, state, Tone.WARN, lit=False, hint=passed_over)
        if usable:
            said = tr("The lab takes the first of them when it runs its first cell.")
            line = trn("{count} with PyTorch", "{count} with PyTorch", usable)
            return FootFace(line, stage.words, Tone.QUIET, lit=False, hint=said)
        if trouble:
            return FootFace(
                tr("None with PyTorch"), tr("Choose one"), Tone.WARN, lit=False, hint=trouble
            )
        said = tr("Which Python has PyTorch is checked when the window has come to rest.")
        return FootFace(tr("Not checked yet"), stage.words, Tone.QUIET, lit=False, hint=said)
    version = ".".join(map(str, python.version)) or "Python"
    torch = "" if python.build is None else f", torch {_bare(python.build.version)}"
    tone = Tone.QUIET if stage.tone is Tone.TEXT else stage.tone
    state = stage.words
    if simulated and tone is Tone.QUIET:
        state = tr("{state}, virtual cards", state=state)
    hint = f"{tr(python.label)}\n{stage.sentence}"
    if passed_over:
        state, tone = tr("Not the one you chose"), Tone.WARN
        hint = f"{hint}\n{passed_over}"
    return FootFace(f"{version}{torch}", state, tone, stage.lit, hint)


def _bare(version: str) -> str:
    """2.13.0+cpu is 2.13.0."""
    return version.partition("+")[0]
