"""SearchButton: looks like a field to type in, and opens the palette of all commands."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import CHIP_RADIUS, Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_WIDE, _NARROW, _HEIGHT = 208, 32, 32
_ICON = 18.0
_KEYS = "Ctrl K"


class SearchButton(PaintedButton):
    """An icon alone where there is no room for the word."""

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._wide = True
        self.setAccessibleName("Search all commands")
        self.setToolTip("Search all commands, screens and cards (Ctrl+K)")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_wide(self, wide: bool) -> None:
        if wide is not self._wide:
            self._wide = wide
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters, painter = drawing.theme, drawing.letters, drawing.painter
        place = QRectF(self.rect())
        middle = place.center().y()
        if not self._wide:
            self.draw_ground(drawing, place)
            side = (place.width() - _ICON) / 2
            where = place.adjusted(side, side, -side, -side)
            drawing.icon(Icon.SEARCH, where, theme.quiet)
            return
        painter.setPen(QPen(theme.faint if self.underMouse() else theme.line, 1))
        painter.setBrush(theme.field)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(half, CONTROL_RADIUS, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(place, CONTROL_RADIUS)
        drawing.icon(Icon.SEARCH, QRectF(10, middle - _ICON / 2, _ICON, _ICON), theme.quiet)
        word = Run("Search", letters.body, theme.quiet)
        drawing.text(36, middle + letters.body.cap_height / 2, word)
        keys = Run(_KEYS, letters.caption, theme.quiet)
        cap = QRectF(place.right() - keys.width - 20, middle - 9, keys.width + 12, 18)
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(cap.adjusted(0.5, 0.5, -0.5, -0.5), CHIP_RADIUS, CHIP_RADIUS)
        drawing.text(cap.left() + 6, middle + letters.caption.cap_height / 2, keys)

    def sizeHint(self) -> QSize:
        return QSize(_WIDE if self._wide else _NARROW, _HEIGHT)
