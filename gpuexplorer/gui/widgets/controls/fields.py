"""Fields: where a person types, looks for something, or chooses from a list."""

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QLocale, QRectF, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QGuiApplication,
    QIcon,
    QKeyEvent,
    QPainter,
    QPixmap,
    QStandardItem,
    QStandardItemModel,
    QValidator,
    QWheelEvent,
)
from PySide6.QtWidgets import QDoubleSpinBox, QLineEdit, QSizePolicy, QToolButton, QWidget

from gpuexplorer.core.units import plain
from gpuexplorer.core.words import tr
from gpuexplorer.gui.paint.drawing import Drawing, plain_tip
from gpuexplorer.gui.theme.icons import Icon, icon_of
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.segmented import Picker
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, say
from gpuexplorer.gui.widgets.line import ElidedLabel

_SHRINKS = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
_MOST_ROWS, _LIST_WIDTH, _DECIMALS, _NO_LIMIT, _CHIP = 12, 260, 6, 1e12, QSize(20, 20)


def text_field(name: str) -> QLineEdit:
    """In letters of one width, as what is typed becomes part of a line of code."""
    field = QLineEdit()
    field.setFont(look().letters.mono.font)
    field.setAccessibleName(name)
    field.setFixedHeight(32)
    field.setMinimumWidth(40)
    field.setSizePolicy(_SHRINKS)
    return field


def show_text(field: QLineEdit, text: str) -> None:
    """Without disturbing whoever types just now."""
    if text != field.text():
        field.setText(text)
        field.setCursorPosition(0)


class SearchField(QLineEdit):
    """`left` comes when the list is to have the keyboard. Escape clears the field and then
    leaves it.
    """

    left = Signal()

    def __init__(self, name: str) -> None:
        super().__init__(placeholderText=name, clearButtonEnabled=True)
        self.setAccessibleName(name)
        begin = QLineEdit.ActionPosition.LeadingPosition
        self.addAction(icon_of(Icon.SEARCH), begin)
        for clear in self.findChildren(QAction, "_q_qlineeditclearaction"):
            clear.setIcon(icon_of(Icon.CLOSE))
        buttons, meanings = self.findChildren(QToolButton), (tr("Clear"), name)
        for button, meaning in zip(buttons, meanings, strict=True):
            button.setAccessibleName(meaning)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        escape = event.key() == Qt.Key.Key_Escape
        if escape and self.text():
            self.clear()
            return
        if escape or event.key() == Qt.Key.Key_Down:
            self.left.emit()
        if event.key() != Qt.Key.Key_Down:
            super().keyPressEvent(event)  # what floats closes with Escape


@dataclass(frozen=True, slots=True)
class Range:
    """From the least to the most, and the figures that the arrow keys go to in between."""

    least: float
    most: float
    stops: Sequence[float]


class NumberField(QDoubleSpinBox):
    """`chosen` comes with Enter, with the arrows and when the keyboard goes elsewhere. What is
    out of range becomes the nearest that is not; what is no number is forgotten.
    """

    chosen = Signal(float)

    def __init__(self, name: str, limits: Range, unit: str) -> None:
        super().__init__(decimals=_DECIMALS)
        self.setKeyboardTracking(False)
        self._name = name
        self.setLocale(QLocale.c())
        self.setRange(-_NO_LIMIT, _NO_LIMIT)  # Qt would refuse a digit, and keep half a number
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFixedWidth(116)
        self.show_kind(limits, unit)
        self.valueChanged.connect(self._on_value_changed)

    def show_kind(self, limits: Range, unit: str) -> None:
        """What is typed here from now on."""
        self._limits = limits
        self.setSuffix(f" {unit}" if unit else "")
        named = tr("{name}, {unit}", name=self._name, unit=unit) if unit else self._name
        self.setAccessibleName(named)
        most = plain(limits.most) + self.suffix()
        self.setToolTip(tr("From {least} to {most}", least=plain(limits.least), most=most))

    def show_number(self, number: float) -> None:
        """Does not disturb whoever types just now."""
        if not (self.hasFocus() and self.lineEdit().isModified()):
            with QSignalBlocker(self):
                self.setValue(number)

    def _on_value_changed(self, number: float) -> None:
        nearest = min(max(number, self._limits.least), self._limits.most)
        if nearest == number:
            self.chosen.emit(number)
        else:
            self.setValue(nearest)

    def stepBy(self, steps: int) -> None:
        """To the next stop above or below."""
        here, stops = self.value(), (self._limits.least, *self._limits.stops, self._limits.most)
        beyond = [stop for stop in stops if (stop - here) * steps > 0]
        self.setValue(min(beyond, key=lambda stop: abs(stop - here), default=here))
        self.selectAll()

    def textFromValue(self, value: float) -> str:
        return plain(value)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """People write a comma too."""
        return super().validate(text.replace(",", "."), position)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape and self.lineEdit().isModified():
            self.lineEdit().setText(plain(self.value()) + self.suffix())
            self.selectAll()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The page scrolls on where the field only passes under the pointer."""
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()


@dataclass(frozen=True, slots=True)
class Choice:
    """`chip` is where it lies: a card's number, or H for the host, which has no colour."""

    key: Hashable
    words: str
    remark: str = ""
    chip: str = ""
    colour: int | None = None
    outlined: bool = False  # a chip without a card's colour
    refused: str = ""  # why it cannot be chosen
    typed: bool = True  # words of code, in letters of one width


class Dropdown(Picker):
    """`chosen` says what a person wants; whoever decides shows it by `show_choices`."""

    chosen = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__(maxVisibleItems=_MOST_ROWS, iconSize=_CHIP)
        self._choices: Sequence[Choice] = ()
        self._key: Hashable = None
        self.setAccessibleName(name)
        self.setSizePolicy(_SHRINKS)
        self.setMinimumWidth(40)
        self.view().setAccessibleName(name)
        self.view().setMinimumWidth(_LIST_WIDTH)  # also where the field is narrow
        self.activated.connect(self._on_activated)
        look().changed.connect(self._fill)

    def show_choices(
        self, choices: Sequence[Choice], key: Hashable, placeholder: str = ""
    ) -> None:
        """`placeholder` says why none has the key."""
        self._key = key
        self.setPlaceholderText(placeholder)
        if choices != self._choices:
            self._choices = choices
            self._fill()
        self._mark()

    def _fill(self) -> None:
        letters, theme = look().letters, look().theme
        model = QStandardItemModel(self)
        for each in self._choices:
            said = ", ".join(filter(None, (each.words, each.remark, each.refused)))
            item = QStandardItem(said)
            item.setFont((letters.mono if each.typed else letters.body).font)
            item.setEnabled(not each.refused)
            item.setToolTip(each.refused)
            if each.chip:
                # For screen readers, which do not see the chip.
                item.setAccessibleText(tr("{what}, on {place}", what=said, place=each.chip))
                fill = None if each.outlined else theme.card(each.colour)
                item.setIcon(chip_icon(each.chip, fill, letters.badge, _CHIP))
            model.appendRow(item)
        self.setModel(model)
        self._mark()

    def _mark(self) -> None:
        keys = [each.key for each in self._choices]
        at = keys.index(self._key) if self._key in keys else -1
        self.setCurrentIndex(at)
        said = self.itemData(at, Qt.ItemDataRole.AccessibleTextRole) or self.currentText()
        self.setToolTip(plain_tip(said or self.placeholderText()))
        typed = at >= 0 and self._choices[at].typed
        self.setFont((look().letters.mono if typed else look().letters.body).font)
        restyle(self, "empty", at < 0)

    def _on_activated(self, row: int) -> None:
        self._mark()  # until it is decided, what was chosen before holds
        self.chosen.emit(self._choices[row].key)


def chip_icon(number: str, fill: QColor | None, letters: Lettering, size: QSize) -> QIcon:
    """A card's chip in its colour, or outlined where it has none."""
    sharp = QGuiApplication.primaryScreen().devicePixelRatio()
    pixmap = QPixmap(size * sharp)
    pixmap.setDevicePixelRatio(sharp)
    pixmap.fill(Qt.GlobalColor.transparent)
    with QPainter(pixmap) as painter:
        place = QRectF(0, 0, size.width(), size.height())
        Drawing(painter).chip(place, number, letters, fill)
    return QIcon(pixmap)


class Labelled(QWidget):
    """A control with its caption above; `show_remark` says something at the right."""

    def __init__(self, caption: str, control: QWidget) -> None:
        super().__init__()
        self.control, self.caption = control, caption
        letters = look().letters.caption
        self._remark = ElidedLabel(letters, Tone.QUIET)
        words = ElidedLabel(letters, Tone.QUIET, caption)
        words.setBuddy(control)  # on Linux a list has no other name for screen readers
        if not caption:
            words.hide()
        self._remark.hide()
        column(row(words, FREE, self._remark, gap=6), control, within=self, gap=4)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def show_remark(self, remark: str) -> None:
        self._remark.show_text(remark)
        self._remark.setVisible(bool(remark))


class FieldRow(QWidget):
    """Controls side by side, and below them a sentence where something is wrong. It belongs to
    its control: screen readers read both together.
    """

    def __init__(self, fields: Mapping[str, Labelled]) -> None:
        super().__init__()
        self._fields = fields
        self._sentence = label("", look().letters.caption, Tone.BAD)
        self._sentence.setWordWrap(True)
        self._sentence.hide()
        side_by_side = (each for field in fields.values() for each in (field, GROWS))
        column(row(*side_by_side), self._sentence, within=self, gap=4)

    def show_problems(self, problems: Mapping[str, str]) -> None:
        """Those of its own among all that are wrong in a form."""
        said = []
        for key, field in self._fields.items():
            problem = problems.get(key, "")
            field.control.setAccessibleDescription(problem)
            restyle(field.control, "bad", bool(problem))
            if problem:
                said.append((field.caption, problem))
        if len(said) > 1:  # several red frames do not say which sentence is about which field
            say(self._sentence, "\n".join(": ".join(filter(None, each)) for each in said))
        else:
            say(self._sentence, "".join(problem for _, problem in said))
