"""WordButton: an icon and a word, quiet until it is pointed at."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton

_HEIGHT, _ICON, _MARGIN, _GAP = 28, 16.0, 8.0, 6.0


class WordButton(PaintedButton):
    """For what stands at the head of a panel."""

    def __init__(
        self, look: Look, icon: Icon, words: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._icon = icon
        self.setText(words)
        self.setAccessibleName(words)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        self.draw_ground(drawing, place)
        theme, letters = drawing.theme, drawing.letters.body
        ink = theme.text if self.underMouse() or self.isChecked() else theme.quiet
        if not self.isEnabled():
            ink = theme.faint
        middle = place.center().y()
        drawing.icon(self._icon, QRectF(_MARGIN, middle - _ICON / 2, _ICON, _ICON), ink)
        run = Run(self.text(), letters, ink)
        drawing.text(_MARGIN + _ICON + _GAP, middle + letters.cap_height / 2, run)

    def sizeHint(self) -> QSize:
        words = self.look.letters.body.width(self.text())
        return QSize(round(words + _ICON + _GAP + 2 * _MARGIN), _HEIGHT)
