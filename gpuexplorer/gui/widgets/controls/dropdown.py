"""Dropdown: a field that shows what was chosen, and opens the list of all there is."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.choice import Choice
from gpuexplorer.gui.widgets.controls.choice_drawing import draw_choice
from gpuexplorer.gui.widgets.controls.painted_button import CONTROL_RADIUS, PaintedButton
from gpuexplorer.gui.widgets.sheets.choice_popup import ChoicePopup

_HEIGHT, _MARGIN, _ARROW = 32, 10.0, 16.0

# Asked when the list is opened or an arrow key is pressed, and not before.
Offer = Callable[[], Sequence[Choice]]


class Dropdown(PaintedButton):
    """`chosen` tells what a person wants; whoever decides shows it by `show_choice`.

    Enter, space and Alt+Down open it; the arrow keys go on to the next that can be chosen.
    """

    chosen = Signal(object)

    def __init__(
        self,
        look: Look,
        name: str,
        offer: Offer,
        least_width: int = 0,
        parent: QWidget | None = None,
    ) -> None:
        """`least_width` is the list's, where the field itself is narrow."""
        super().__init__(look, parent)
        self._name = name
        self._offer = offer
        self._least_width = least_width
        self._choice: Choice | None = None
        self._placeholder = ""
        self._bad = False
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setFixedHeight(_HEIGHT)
        self.setAccessibleName(name)
        self.clicked.connect(self._on_clicked)

    def show_choice(self, choice: Choice | None, placeholder: str = "") -> None:
        """`placeholder` says why nothing is chosen."""
        if (choice, placeholder) == (self._choice, self._placeholder):
            return
        self._choice, self._placeholder = choice, placeholder
        said = placeholder if choice is None else choice.said
        self.setAccessibleName(f"{self._name}: {said}")
        self.setText(said)
        self.setToolTip(said)
        self.update()

    def show_bad(self, bad: bool) -> None:
        if bad is not self._bad:
            self._bad = bad
            self.update()

    def draw(self, drawing: Drawing) -> None:
        theme, painter = drawing.theme, drawing.painter
        place = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        edge = theme.bad if self._bad else theme.faint if self.underMouse() else theme.line
        painter.setPen(QPen(edge, 1))
        painter.setBrush(theme.field)
        painter.drawRoundedRect(place, CONTROL_RADIUS, CONTROL_RADIUS)
        if self.hasFocus():
            drawing.focus_ring(QRectF(self.rect()), CONTROL_RADIUS)
        middle = place.center().y()
        arrow = QRectF(place.right() - _ARROW - 6, middle - _ARROW / 2, _ARROW, _ARROW)
        drawing.icon(Icon.OPEN, arrow, theme.quiet)
        chip = self._choice is not None and self._choice.chip
        left = place.left() + (5.0 if chip else _MARGIN)
        inner = QRectF(left, place.top(), arrow.left() - 4 - left, place.height())
        if self._choice is not None:
            draw_choice(drawing, inner, self._choice)
        elif self._placeholder:
            quiet = Run(self._placeholder, drawing.letters.body, theme.faint)
            baseline = middle + drawing.letters.body.cap_height / 2
            drawing.elided(inner.left(), baseline, quiet, inner.width())

    def _step(self, by: int) -> None:
        there = [each for each in self._offer() if not each.refused]
        keys = [each.key for each in there]
        current = None if self._choice is None else self._choice.key
        at = keys.index(current) + by if current in keys else 0
        if 0 <= at < len(there):
            self.chosen.emit(there[at].key)

    def _on_clicked(self) -> None:
        choices = self._offer()
        if not choices:
            return
        current = None if self._choice is None else self._choice.key
        width = max(self.width(), self._least_width)
        popup = ChoicePopup(self.look, self._name, choices, current, width, self)
        popup.chosen.connect(self.chosen)
        popup.open()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        opens = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        match event.key():
            case Qt.Key.Key_Down | Qt.Key.Key_Up if opens:
                self.click()
            case Qt.Key.Key_Down:
                self._step(1)
            case Qt.Key.Key_Up:
                self._step(-1)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if (
                event.modifiers() & Qt.KeyboardModifier.ControlModifier
            ):
                event.ignore()  # carries out the form
            case _:
                super().keyPressEvent(event)

    def sizeHint(self) -> QSize:
        return QSize(80, _HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, _HEIGHT)
