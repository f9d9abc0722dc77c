"""TickBox: a word that holds or does not."""

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton

_HEIGHT, _BOX, _GAP, _AROUND = 26, 16.0, 8.0, 3.0


class TickBox(PaintedButton):
    """`turned` tells what a person wants; whoever decides shows it by `show_on`."""

    turned = Signal(bool)

    def __init__(self, look: Look, words: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._remark = ""
        self.setCheckable(True)
        self.setText(words)
        self.setAccessibleName(words)
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self.turned)

    def show_on(self, on: bool, refused: str = "") -> None:
        """`refused` says why it cannot be turned on."""
        self.setChecked(on and not refused)
        self.setEnabled(not refused)
        if refused != self._remark:
            self._remark = refused
            self.setAccessibleDescription(refused)
            self.setToolTip(refused)
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
        middle = self.height() / 2
        box = QRectF(_AROUND, middle - _BOX / 2, _BOX, _BOX).adjusted(0.5, 0.5, -0.5, -0.5)
        on, there = self.isChecked(), self.isEnabled()
        hover = there and self.underMouse()
        edge = theme.accent if on else theme.quiet if hover else theme.faint
        painter.setOpacity(1.0 if there else 0.5)
        painter.setPen(QPen(edge, 1))
        painter.setBrush(theme.accent if on else theme.field)
        painter.drawRoundedRect(box, CHIP_RADIUS - 1, CHIP_RADIUS - 1)
        if on:
            drawing.icon(Icon.CHECK, box.adjusted(1, 1, -1, -1), theme.inverse)
        painter.setOpacity(1.0)
        if self.hasFocus():
            drawing.focus_ring(box.adjusted(-3, -3, 3, 3), CHIP_RADIUS + 2)
        run = Run(self.text(), letters.mono, theme.text if there else theme.faint)
        baseline = middle + letters.body.cap_height / 2
        end = drawing.text(_AROUND + _BOX + _GAP, baseline, run)
        if self._remark:
            quiet = Run(self._remark, letters.caption, theme.faint)
            drawing.elided(end + _GAP, baseline, quiet, self.width() - end - _GAP)

    def sizeHint(self) -> QSize:
        return QSize(
            round(self.look.letters.mono.width(self.text()) + _BOX + _GAP + 4), _HEIGHT
        )
