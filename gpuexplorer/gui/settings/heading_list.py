"""HeadingList: the sections by name, to go to one of them."""

from collections.abc import Sequence

from PySide6.QtCore import QRectF, QSize, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.controls.painted_button import PaintedButton

_WIDTH, _ROW, _MARGIN = 132, 32, 12


class HeadingList(QWidget):
    """One stop for the Tab key; arrows go from name to name and there at once."""

    chosen = Signal(int)

    def __init__(
        self, look: Look, headings: Sequence[str], parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setAccessibleName("Sections")
        self._buttons = [Heading(look, heading, self) for heading in headings]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        for button in self._buttons:
            button.clicked.connect(self._on_clicked)
            column.addWidget(button)
        column.addStretch(1)
        self._keys = ArrowKeys(self, sideways=False)
        self._keys.take(self._buttons)
        self._keys.moved_to.connect(self._on_moved_to)
        self.setFixedWidth(_WIDTH)

    def show_here(self, position: int) -> None:
        """Which of them is looked at."""
        for each, button in enumerate(self._buttons):
            button.setChecked(each == position)
        if not any(button.hasFocus() for button in self._buttons):
            self._keys.offer(self._buttons[position])

    def _on_clicked(self) -> None:
        for position, button in enumerate(self._buttons):
            if button is self.sender():
                button.setChecked(True)
                self.chosen.emit(position)

    def _on_moved_to(self, button: QWidget) -> None:
        for position, each in enumerate(self._buttons):
            if each is button:
                self.chosen.emit(position)


class Heading(PaintedButton):
    """One name."""

    def __init__(self, look: Look, words: str, parent: QWidget | None = None) -> None:
        super().__init__(look, parent)
        self.setCheckable(True)
        self.setText(words)
        self.setAccessibleName(words)
        self.setFixedHeight(_ROW)

    def draw(self, drawing: Drawing) -> None:
        place = QRectF(self.rect())
        self.draw_ground(drawing, place)
        theme, letters = drawing.theme, drawing.letters
        colour = theme.text if self.isChecked() or self.underMouse() else theme.quiet
        run = Run(self.text(), letters.body, colour)
        drawing.text(_MARGIN, place.center().y() + letters.body.cap_height / 2, run)

    def sizeHint(self) -> QSize:
        return QSize(_WIDTH, _ROW)
