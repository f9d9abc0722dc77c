"""MenuButton: says what holds, and opens the list of what else there is."""

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtWidgets import QMenu, QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton

_HEIGHT, _MARGIN, _ARROW = 28, 10, 16.0


class MenuButton(PaintedButton):
    """`about_to_open` hands out an empty menu to be filled."""

    about_to_open = Signal(QMenu)

    def __init__(self, look: Look, name: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self._name = name
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def show_words(self, words: str) -> None:
        if words != self.text():
            self.setText(words)
            self.setAccessibleName(f"{self._name}: {words}")
            self.setToolTip(self._name)
            self.updateGeometry()
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, letters = drawing.theme, drawing.letters.body
        place = QRectF(self.rect())
        drawing.painter.setPen(Qt.PenStyle.NoPen)
        drawing.painter.setBrush(theme.track)
        drawing.painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
        self.draw_ground(drawing, place)
        run = Run(self.text(), letters, theme.text)
        drawing.text(_MARGIN, place.center().y() + letters.cap_height / 2, run)
        top = place.center().y() - _ARROW / 2
        arrow = QRectF(place.right() - _ARROW - 6, top, _ARROW, _ARROW)
        drawing.icon(Icon.OPEN, arrow, theme.quiet)

    def _on_clicked(self) -> None:
        menu = QMenu(self)
        menu.setFont(self.window().font())  # the system has another for menus
        menu.aboutToHide.connect(menu.deleteLater)
        self.about_to_open.emit(menu)
        menu.popup(self.mapToGlobal(QPoint(0, self.height() + 4)))

    def sizeHint(self) -> QSize:
        width = self.look.letters.body.width(self.text()) + 2 * _MARGIN + _ARROW
        return QSize(round(width), _HEIGHT)
