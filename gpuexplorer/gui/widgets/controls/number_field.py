"""NumberField: where a person types a number that has a unit and a range."""

from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QDoubleSpinBox, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr

_DECIMALS = 6


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


class NumberField(QDoubleSpinBox):
    """`chosen` comes with Enter, with the arrows and when the keyboard goes elsewhere. What is
    out of range becomes the nearest that is not; what is no number is forgotten.
    """

    chosen = Signal(float)

    def __init__(
        self, name: str, limits: Range, unit: str, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self._name = name
        self._limits = limits
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setKeyboardTracking(False)
        self.setDecimals(_DECIMALS)
        self.setFixedWidth(116)
        self.show_kind(limits, unit)
        self.valueChanged.connect(self.chosen)

    def show_kind(self, limits: Range, unit: str) -> None:
        """What is typed here from now on."""
        self._limits = limits
        least, most = plain(limits.least), plain(limits.most)
        with QSignalBlocker(self):
            self.setRange(limits.least, limits.most)
            self.setSuffix(f" {unit}" if unit else "")
        self.setAccessibleName(
            tr("{name}, {unit}", name=self._name, unit=unit) if unit else self._name
        )
        about = tr("From {least} to {most}", least=least, most=f"{most} {unit}".rstrip())
        self.setAccessibleDescription(about)
        self.setToolTip(about)

    def show_number(self, number: float) -> None:
        """Does not disturb whoever types just now."""
        if not (self.hasFocus() and self.lineEdit().isModified()):
            with QSignalBlocker(self):
                self.setValue(number)

    def stepBy(self, steps: int) -> None:
        self.setValue(self._limits.beyond(self.value(), steps > 0))
        self.selectAll()

    def textFromValue(self, value: float) -> str:
        return plain(value)

    def valueFromText(self, text: str) -> float:
        number = self._number_in(text)
        return self.value() if number is None else self._limits.nearest(number)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        number = self._number_in(text)
        fits = number is not None and self._limits.nearest(number) == number
        state = QValidator.State
        return (state.Acceptable if fits else state.Intermediate, text, position)

    def fixup(self, text: str) -> str:
        return plain(self.valueFromText(text)) + self.suffix()

    def _number_in(self, text: str) -> float | None:
        """People write a comma too."""
        typed = text.removesuffix(self.suffix()).strip()
        try:
            number = float(typed.replace(",", ".").replace("\N{MINUS SIGN}", "-"))
        except ValueError:
            return None
        return number if abs(number) < 1e15 else None

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.lineEdit().isModified():
            self.lineEdit().setText(self.textFromValue(self.value()) + self.suffix())
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls on where the field only passes under the pointer."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()
