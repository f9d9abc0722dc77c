"""OperationGrid: buttons in a grid, of which one holds."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPen
from PySide6.QtWidgets import QGridLayout, QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.arrow_keys import line_up
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_HEIGHT, _GAP = 26, 4


@dataclass(frozen=True, slots=True)
class Face:
    """What one button says, and what it means."""

    key: Hashable
    words: str
    meaning: str
    wide: bool = False  # two columns


class OperationGrid(QWidget):
    """One stop for the Tab key: arrows go from button to button and choose."""

    chosen = Signal(object)

    def __init__(
        self, look: Look, name: str, columns: int, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._columns = columns
        self._faces: Sequence[Face] = ()
        self._buttons: list[OperationButton] = []
        self.setAccessibleName(name)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setSpacing(_GAP)

    def show_faces(self, faces: Sequence[Face], chosen: Hashable) -> None:
        if faces != self._faces:
            self._make(faces)
        for face, button in zip(self._faces, self._buttons, strict=True):
            holds = face.key == chosen
            button.setChecked(holds)
            policy = Qt.FocusPolicy.TabFocus if holds else Qt.FocusPolicy.NoFocus
            if button.focusPolicy() is not policy:
                button.setFocusPolicy(policy)

    def _make(self, faces: Sequence[Face]) -> None:
        for button in self._buttons:
            self._grid.removeWidget(button)
            button.hide()
            button.deleteLater()
        self._faces = faces
        self._buttons = [OperationButton(self._look, each, self) for each in faces]
        at = 0
        for face, button in zip(faces, self._buttons, strict=True):
            button.clicked.connect(self._on_clicked)
            span = 2 if face.wide else 1
            self._grid.addWidget(button, at // self._columns, at % self._columns, 1, span)
            button.show()
            at += span
        line_up([self, *self._buttons])

    def _choose(self, position: int) -> None:
        self.chosen.emit(self._faces[position].key)

    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, OperationButton):
            button.setChecked(True)
            self._choose(self._buttons.index(button))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        here = next((at for at, each in enumerate(self._buttons) if each.hasFocus()), None)
        step = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: -self._columns,
            Qt.Key.Key_Down: self._columns,
        }.get(Qt.Key(event.key()))
        if here is None or step is None:
            super().keyPressEvent(event)
            return
        there = here + step
        if 0 <= there < len(self._buttons):
            self._buttons[there].setFocusPolicy(Qt.FocusPolicy.TabFocus)
            self._buttons[there].setFocus(Qt.FocusReason.TabFocusReason)
            self._choose(there)


class OperationButton(PaintedButton):
    """Lettered as code where that has room."""

    def __init__(self, look: Look, face: Face, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setCheckable(True)
        self.setText(face.words)
        self.setAccessibleName(f"{face.words}: {face.meaning}")
        self.setToolTip(face.meaning)
        self.setFixedHeight(_HEIGHT)
        self.setMinimumWidth(24)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        on = self.isChecked()
        painter.setPen(QPen(theme.quiet if on else theme.line, 1))
        painter.setBrush(theme.selection if on or self.underMouse() else Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CONTROL_RADIUS)
        room = place.width() - 4
        lettering = letters.mono if letters.mono.width(self.text()) <= room else letters.caption
        run = Run(self.text(), lettering, theme.text if on else theme.quiet)
        left = max(2.0, place.center().x() - run.width / 2)
        drawing.elided(left, place.center().y() + letters.body.cap_height / 2, run, room + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        arrows = (Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down)
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if event.key() in arrows or control:
            event.ignore()
        else:
            super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(48, _HEIGHT)
