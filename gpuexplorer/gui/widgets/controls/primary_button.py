"""PrimaryButton: the one button of a screen that stands out, with its key."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import faded, mixed
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_HEIGHT, _GAP, _MARGIN = 36, 10.0, 8.0


class PrimaryButton(PaintedButton):
    """Filled with the colour of text, so that it is no card's."""

    def __init__(self, look: Look, keys: str = "", parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._keys = keys
        self.setFixedHeight(_HEIGHT)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_words(self, words: str) -> None:
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(words)
            self.setToolTip(f"{words} ({self._keys})" if self._keys else words)
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter = drawing.theme, drawing.painter
        place = QRectF(self.rect())
        there = self.isEnabled()
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(self._fill(drawing))
        painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS)
        ink = theme.ground if there else theme.faint
        words = Run(self.text(), drawing.letters.body, ink)
        dim = mixed(theme.ground, theme.text, 0.35) if there else theme.faint
        keys = Run(self._keys, drawing.letters.caption, dim)
        room = place.width() - 2 * _MARGIN
        with_keys = bool(self._keys) and words.width + _GAP + keys.width <= room
        width = min(room, words.width + (_GAP + keys.width if with_keys else 0))
        baseline = place.center().y() + drawing.letters.body.cap_height / 2
        left = place.center().x() - width / 2
        end = drawing.elided(left, baseline, words, room)
        if with_keys:
            drawing.text(end + _GAP, baseline, keys)

    def _fill(self, drawing: Drawing) -> QColor:
        theme = drawing.theme
        if not self.isEnabled():
            return faded(theme.text, 0.085)
        if self.isDown():
            return theme.quiet
        return mixed(theme.text, theme.quiet, 0.4) if self.underMouse() else theme.text

    def sizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)
