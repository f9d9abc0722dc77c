"""NumberField: where a person types a number that has a unit and a range."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.gui.paint.drawing import Drawing, Run
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look

_ARROWS, _ICON, _GAP, _LEFT = 18, 14.0, 6, 8


@dataclass(frozen=True, slots=True)
class Range:
    """From the least to the most, and the figures that the arrow keys go to in between."""

    least: float
    most: float
    stops: Sequence[float]

    def nearest(self, number: float) -> float:
        return min(max(number, self.least), self.most)

    def beyond(self, number: float, up: bool) -> float:
        """The next stop above or below."""
        stops = [self.least, *self.stops, self.most]
        if up:
            return min((stop for stop in stops if stop > number), default=self.most)
        return max((stop for stop in stops if stop < number), default=self.least)


class NumberField(QLineEdit):
    """`chosen` comes with Enter, with the arrows and when the keyboard goes elsewhere. What is
    out of range becomes the nearest that is not; what is no number is forgotten.
    """

    chosen = Signal(float)

    def __init__(
        self, look: Look, name: str, limits: Range, unit: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._look = look
        self._name = name
        self._number = limits.least
        self._limits = limits
        self._unit = unit
        self.setProperty("kind", "number")
        self.setFont(look.letters.body.font)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFixedSize(116, 30)
        self.show_kind(limits, unit)
        self.returnPressed.connect(self._take)

    def show_kind(self, limits: Range, unit: str) -> None:
        """What is typed here from now on."""
        self._limits, self._unit = limits, unit
        words = f"{self._name}, {unit}" if unit else self._name
        self.setAccessibleName(words)
        about = f"From {plain(limits.least)} to {plain(limits.most)} {unit}".rstrip()
        self.setAccessibleDescription(about)
        self.setToolTip(about)
        unit_width = round(self._look.letters.caption.width(unit)) if unit else 0
        self.setTextMargins(0, 0, _ARROWS + unit_width + _GAP - _LEFT, 0)
        self.update()

    def show_number(self, number: float) -> None:
        """Does not disturb whoever types just now."""
        self._number = number
        if not (self.hasFocus() and self.isModified()):
            self.setText(plain(number))

    def _take(self) -> None:
        typed = _number_in(self.text())
        number = self._number if typed is None else self._limits.nearest(typed)
        self.setText(plain(number))
        self.setModified(False)
        if plain(number) != plain(self._number):
            self._number = number
            self.chosen.emit(number)

    def _step(self, *, up: bool) -> None:
        typed = _number_in(self.text())
        number = self._limits.beyond(self._number if typed is None else typed, up)
        self.setText(plain(number))
        self._take()
        self.selectAll()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down:
                self._step(up=event.key() == Qt.Key.Key_Up)
            case Qt.Key.Key_Escape if self.isModified():
                self.setText(plain(self._number))
                self.setModified(False)
            case _:
                super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._take()
        super().focusOutEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.position().x() < self.width() - _ARROWS:
            super().mousePressEvent(event)
        else:
            self._step(up=event.position().y() < self.height() / 2)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        on_arrows = event.position().x() >= self.width() - _ARROWS
        shape = Qt.CursorShape.ArrowCursor if on_arrows else Qt.CursorShape.IBeamCursor
        if self.cursor().shape() is not shape:
            self.setCursor(shape)
        super().mouseMoveEvent(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        with QPainter(self) as painter:
            drawing = Drawing(painter, self._look)
            theme, letters = drawing.theme, drawing.letters
            middle, right = self.height() / 2, self.width() - _ARROWS
            unit = Run(self._unit, letters.caption, theme.quiet)
            baseline = middle + letters.body.cap_height / 2
            drawing.text(right - unit.width - 2, baseline, unit)
            place = QRectF(right, middle - _ICON + 2, _ICON, _ICON)
            painter.save()
            # The same arrow, standing on its head.
            painter.translate(QPointF(place.center().x(), place.center().y()))
            painter.rotate(180)
            drawing.icon(Icon.OPEN, QRectF(-_ICON / 2, -_ICON / 2, _ICON, _ICON), theme.faint)
            painter.restore()
            drawing.icon(Icon.OPEN, QRectF(right, middle - 2, _ICON, _ICON), theme.faint)


def _number_in(text: str) -> float | None:
    """People write a comma too."""
    try:
        number = float(text.strip().replace(",", ".").replace("\N{MINUS SIGN}", "-"))
    except ValueError:
        return None
    return number if abs(number) < 1e15 else None
