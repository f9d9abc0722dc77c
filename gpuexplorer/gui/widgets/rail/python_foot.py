"""PythonFoot: which Python runs the lab, and how it is; opens the list of all there are."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton
from gpuexplorer.gui.widgets.sheets.python_sheet import PythonSheet
from gpuexplorer.gui.wording.lab.head.lab_summary import stage_words
from gpuexplorer.gui.wording.lab.head.python_words import FootFace, foot_face

_TALL, _LOW = 76, 44
_LEFT, _RIGHT, _SIDE, _DOT = 20.0, 16.0, 8.0, 6.0


class PythonFoot(PaintedButton):
    """Shows nothing where there is no session and so no lab."""

    def __init__(self, look: Look, pythons: LabPythons, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._pythons = pythons
        self._lab: LabState | None = None
        self._face: FootFace | None = None
        self._narrow = False
        self._sheet: PythonSheet | None = None
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)
        pythons.changed.connect(self._on_changed)
        self.hide()

    def show_lab(self, lab: LabState | None) -> None:
        """The lab of the session that is shown."""
        before, self._lab = self._lab, lab
        if before is not None:
            before.stage_changed.disconnect(self._on_changed)
        if lab is not None:
            lab.stage_changed.connect(self._on_changed)
        if self._sheet is not None:
            self._sheet.reject()
        self.setVisible(lab is not None)
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
        self._draw_dot(drawing, QRectF(_LEFT, 57 - _DOT / 2, _DOT, _DOT), face)
        baseline = 57 + letters.caption.cap_height / 2
        state = Run(face.state, letters.caption, theme.tone(face.tone))
        drawing.elided(_LEFT + _DOT + 8, baseline, state, room - _DOT - 8)

    def _draw_narrow(self, drawing: Drawing, face: FootFace) -> None:
        middle = QRectF(self.rect()).center()
        icon = QRectF(middle.x() - 10, middle.y() - 9, 20, 20)
        drawing.icon(Icon.LAB, icon, drawing.theme.quiet)
        self._draw_dot(drawing, QRectF(icon.right() - 4, icon.top() - 2, 7, 7), face)

    def _draw_dot(self, drawing: Drawing, place: QRectF, face: FootFace) -> None:
        theme, painter = drawing.theme, drawing.painter
        ink = theme.tone(face.tone)
        if face.lit:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.good if face.tone is Tone.QUIET else ink)
        else:
            painter.setPen(QPen(ink, 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(place)

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
        sheet = PythonSheet(self.look, self._pythons, self._lab, self.window())
        self._sheet = sheet
        sheet.finished.connect(self._on_closed)
        sheet.open()

    def _on_closed(self) -> None:
        self._sheet = None

    def sizeHint(self) -> QSize:
        return QSize(56, _LOW) if self._narrow else QSize(208, _TALL)
