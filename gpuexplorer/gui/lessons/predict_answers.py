"""NumberAnswer and ChoiceAnswer: where a person says what will come out."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QButtonGroup, QLabel, QLineEdit, QRadioButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.keyboard import one_tab_stop
from gpuexplorer.gui.widgets.laid_out import FREE, GROWS, column, label, row, wrapped_label
from gpuexplorer.lessons.lesson import Predict

_LETTERS = 12  # that have room in the field
_ABOVE = 3  # pixels, beside a round button


class _Answer(QWidget):
    """Enter in it is told, and ends there: whoever it stands in may run a cell by it."""

    entered = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.entered.emit()
        else:
            super().keyPressEvent(event)


class NumberAnswer(_Answer):
    """Takes what is typed as it is: the player says what is no number."""

    def __init__(self, part: Predict) -> None:
        super().__init__()
        self._field = QLineEdit()
        self._field.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._field.setFixedWidth(round(_LETTERS * look().letters.body.width("0")) + 20)
        words = tr("Your prediction, {unit}", unit=part.unit)
        self._field.setAccessibleName(words if part.unit else tr("Your prediction"))
        self._field.setAccessibleDescription(part.question)
        self._field.textEdited.connect(lambda: self.show_bad(bad=False))
        self.setFocusProxy(self._field)
        row(self._field, label(part.unit, look().letters.body, Tone.QUIET), FREE, within=self)

    @property
    def said(self) -> str:
        return self._field.text()

    def begin(self) -> None:
        """Give the keyboard to the field."""
        self._field.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_said(self, said: str) -> None:
        """What was predicted before; what is being typed stays."""
        if said and not self._field.isModified():
            self._field.setText(said)

    def show_bad(self, *, bad: bool) -> None:
        restyle(self._field, "bad", bad)

    def show_right(self) -> None:
        """The bars show it."""
        self.hide()


class ChoiceAnswer(_Answer):
    """One of a few sentences, each as long as it is."""

    def __init__(self, part: Predict) -> None:
        super().__init__()
        self._part = part
        self._group = QButtonGroup(self)
        rows = []
        self._marks: list[QLabel] = []
        for at, words in enumerate(part.choices):
            button = QRadioButton()
            button.setAccessibleName(words.replace("`", ""))
            button.setAccessibleDescription(part.question)
            self._group.addButton(button, at)
            said = _Words(words, button)
            mark = label(tr("right"), look().letters.badge, Tone.GOOD)
            mark.setContentsMargins(0, _ABOVE, 0, 0)
            mark.hide()
            self._marks.append(mark)
            top = Qt.AlignmentFlag.AlignTop
            rows.append(row(button, top, said, GROWS, mark, top, gap=4))
        column(*rows, within=self, gap=2)
        one_tab_stop(self._group)
        self._group.buttonToggled.connect(lambda: one_tab_stop(self._group))

    @property
    def said(self) -> str:
        """Its number from 1; empty while none is chosen."""
        at = self._group.checkedId()
        return str(at + 1) if at >= 0 else ""

    def begin(self) -> None:
        """Give the keyboard to the first of them."""
        self._group.button(0).setFocus(Qt.FocusReason.OtherFocusReason)

    def show_said(self, said: str) -> None:
        if said in self._part.choices:
            self._group.button(list(self._part.choices).index(said)).setChecked(True)

    def show_bad(self, *, bad: bool) -> None:
        """Nothing is wrong with any of them."""

    def show_right(self) -> None:
        for at, mark in enumerate(self._marks):
            mark.setVisible(at == self._part.right)
            button = self._group.button(at)
            button.setEnabled(False)
            if at == self._part.right:
                words = self._part.choices[at].replace("`", "")
                button.setAccessibleName(tr("{choice}, right", choice=words))


class _Words(QWidget):
    """Of a choice; a click on them chooses it."""

    def __init__(self, words: str, button: QRadioButton) -> None:
        super().__init__()
        self._button = button
        said = wrapped_label(words, Tone.TEXT)
        said.setTextInteractionFlags(Qt.TextInteractionFlag.NoTextInteraction)
        column(said, within=self, margins=(0, _ABOVE, 0, _ABOVE))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.rect().contains(event.position().toPoint()):
            self._button.click()
