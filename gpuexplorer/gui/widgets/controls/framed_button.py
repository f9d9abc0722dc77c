"""FramedButton: an icon and a word in a frame, for what ends something."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_HEIGHT, _ICON, _MARGIN, _GAP = 30, 16.0, 10.0, 7.0


class FramedButton(PaintedButton):
    """In a narrow place the icon alone."""

    def __init__(
        self, look: Look, icon: Icon, words: str, meaning: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._icon = icon
        self._compact = False
        self.setText(words)
        self.setAccessibleName(words)
        self.setAccessibleDescription(meaning)
        self.setToolTip(meaning)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_compact(self, compact: bool) -> None:
        if compact is not self._compact:
            self._compact = compact
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter, letters = drawing.theme, drawing.painter, drawing.letters.body
        place = QRectF(self.rect())
        painter.setPen(QPen(theme.line, 1))
        painter.setBrush(theme.surface)
        half = place.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.drawRoundedRect(half, CONTROL_RADIUS, CONTROL_RADIUS)
        self.draw_ground(drawing, place)
        ink = theme.text if self.isEnabled() else theme.faint
        middle = place.center().y()
        left = place.center().x() - _ICON / 2 if self._compact else _MARGIN
        drawing.icon(self._icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), ink)
        if not self._compact:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            run = Run(self.text(), letters, ink)
            drawing.text(left + _ICON + _GAP, middle + letters.cap_height / 2, run)

    def sizeHint(self) -> QSize:
        if self._compact:
            return QSize(_HEIGHT + 2, _HEIGHT)
        words = self.look.letters.body.width(self.text())
        return QSize(round(words + _ICON + _GAP + 2 * _MARGIN), _HEIGHT)
