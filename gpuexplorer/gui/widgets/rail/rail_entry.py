"""RailEntry: the way to one screen."""

from PySide6.QtCore import QRectF, QSize
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton

ENTRY_HEIGHT = 36
_ICON, _ICON_LEFT, _TEXT_LEFT, _RIGHT = 20.0, 20.0, 52.0, 20.0
_SIDE, _AIR = 8.0, 2.0


class RailEntry(PaintedButton):
    """Icon, word and, where there is one, a count; narrow, the icon only."""

    def __init__(
        self, look: Look, icon: Icon, title: str, keys: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._icon = icon
        self._keys = keys
        self._count: int | None = None
        self._narrow = False
        self.setText(title)
        self.setCheckable(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._say()

    def show_count(self, count: int | None) -> None:
        if count != self._count:
            self._count = count
            self._say()
            self.update()

    def show_narrow(self, narrow: bool) -> None:
        self._narrow = narrow
        self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters
        place = QRectF(self.rect())
        self.draw_ground(drawing, place.adjusted(_SIDE, _AIR, -_SIDE, -_AIR))
        strong = self.isChecked() or self.underMouse()
        colour = theme.text if strong else theme.quiet
        middle = place.center().y()
        left = place.center().x() - _ICON / 2 if self._narrow else _ICON_LEFT
        drawing.icon(self._icon, QRectF(left, middle - _ICON / 2, _ICON, _ICON), colour)
        if self._narrow:
            return
        baseline = middle + letters.body.cap_height / 2
        right = place.right() - _RIGHT
        if self._count is not None:
            count = Run(str(self._count), letters.caption, theme.quiet)
            right = drawing.runs_right(right, baseline, [count]) - 8
        letters_of_title = letters.strong if self.isChecked() else letters.body
        title = Run(self.text(), letters_of_title, colour)
        drawing.elided(_TEXT_LEFT, baseline, title, right - _TEXT_LEFT)

    def _say(self) -> None:
        count = "" if self._count is None else f", {self._count}"
        self.setAccessibleName(f"{self.text()}{count}")
        self.setToolTip(f"{self.text()}{count} ({self._keys})")

    def sizeHint(self) -> QSize:
        return QSize(56 if self._narrow else 208, ENTRY_HEIGHT)

    def nextCheckState(self) -> None:
        """Which screen is shown is not for a click to say: the navigation says it."""
