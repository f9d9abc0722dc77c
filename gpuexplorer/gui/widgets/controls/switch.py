"""Switch: something that is on or off."""

from PySide6.QtCore import Property, QEasingCurve, QPropertyAnimation, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.palette import faded
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton

_WIDTH, _HEIGHT, _INSET = 36, 20, 3
_AROUND = 3  # room for the ring that shows the keyboard
_SLIDE = 140


class Switch(PaintedButton):
    """`turned` tells what a person wants; whoever decides shows it by `show_on`."""

    turned = Signal(bool)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._at = 0.0
        self.setCheckable(True)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setFixedSize(self.sizeHint())
        self._slide = QPropertyAnimation(self, b"at", self)
        self._slide.setDuration(_SLIDE)
        self._slide.setEasingCurve(QEasingCurve.Type.OutCubic)
        self.clicked.connect(self.turned)

    def show_on(self, on: bool) -> None:
        if on is not self.isChecked():
            self.setChecked(on)
        self._go()

    def _go(self) -> None:
        there = 1.0 if self.isChecked() else 0.0
        if not self.isVisible() or not self.look.motion:
            self._slide.stop()
            self._move(there)
        elif self._slide.endValue() != there or self._at != there:
            self._slide.stop()
            self._slide.setEndValue(there)
            self._slide.start()

    def _move(self, at: float) -> None:
        self._at = at
        self.update()

    def _place(self) -> float:
        return self._at

    at = Property(float, _place, _move)

    def draw(self, drawing: Drawing) -> None:
        theme, painter = drawing.theme, drawing.painter
        track = QRectF(_AROUND, _AROUND, _WIDTH, _HEIGHT)
        on, there = self.isChecked(), self.isEnabled()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.accent if on else faded(theme.faint, 0.55))
        painter.setOpacity(1.0 if there else 0.45)
        painter.drawRoundedRect(track, _HEIGHT / 2, _HEIGHT / 2)
        side = _HEIGHT - 2 * _INSET
        left = track.left() + _INSET + self._at * (_WIDTH - _HEIGHT)
        painter.setBrush(theme.surface if not theme.dark else theme.text)
        painter.drawEllipse(QRectF(left, track.top() + _INSET, side, side))
        painter.setOpacity(1.0)
        if self.hasFocus():
            painter.setPen(QPen(theme.accent, 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            ring = QRectF(self.rect()).adjusted(1, 1, -1, -1)
            painter.drawRoundedRect(ring, ring.height() / 2, ring.height() / 2)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH + 2 * _AROUND, _HEIGHT + 2 * _AROUND)
