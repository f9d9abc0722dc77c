"""NoticeBar and QuestionBar: what stands above the editor while something wants an answer."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLineEdit, QPushButton

from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import (
    FREE,
    GROWS,
    column,
    row,
    show_sentence,
    wrapped_label,
)
from gpuexplorer.lab.events import Asked

_MARGINS, _GAP, _BESIDE = (12, 8, 12, 8), 8, 4
_ONE_LINE = 60  # letters that have room beside a button


@dataclass(frozen=True, slots=True)
class LabNotice:
    """Empty where there is nothing to say. `ways`: what can be done, by the buttons' words."""

    sentence: str = ""
    tone: Tone = Tone.QUIET
    ways: Mapping[str, Callable[[], object]] = field(default_factory=dict)


class NoticeBar(QFrame):
    """A sentence, and what can be done about it."""

    pressed = Signal()  # one of the buttons; before it does what it says

    def __init__(self) -> None:
        super().__init__()
        self._notice = LabNotice()
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._buttons: list[QPushButton] = []  # made as they are needed
        self._row = row(FREE, gap=_BESIDE)
        self._box = column(
            self._label, GROWS, self._row, within=self, gap=_GAP, margins=_MARGINS
        )
        self.hide()

    def show_notice(self, notice: LabNotice) -> None:
        self._notice, words = notice, [*notice.ways]
        show_sentence(self._label, notice.sentence)
        self.setAccessibleName(notice.sentence)
        for at in range(len(self._buttons), len(words)):
            self._buttons.append(button := QPushButton())
            button.setAutoDefault(True)  # so that Enter presses it
            button.clicked.connect(partial(self._on_clicked, at))
            self._row.insertWidget(at, button)
        for at, button in enumerate(self._buttons):
            button.setText(words[at] if at < len(words) else "")
            button.setVisible(at < len(words))
        way = QBoxLayout.Direction
        beside = len(words) == 1 and len(notice.sentence) <= _ONE_LINE
        self._box.setDirection(way.LeftToRight if beside else way.TopToBottom)
        restyle(self, "tone", notice.tone.value)
        self.setVisible(bool(notice.sentence))

    def _on_clicked(self, at: int) -> None:
        act = [*self._notice.ways.values()][at]
        self.pressed.emit()
        act()


class QuestionBar(QFrame):
    """What a running cell asks: a line, a password, or whether something may be installed."""

    answered = Signal(int, object)  # its command; a text, or None where there is no answer

    def __init__(self) -> None:
        super().__init__()
        self._asked: Asked | None = None
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._field = QLineEdit()
        self._field.setFont(look().letters.mono.font)
        self._field.setPlaceholderText(tr("Enter answers, Esc ends the input"))
        self._field.returnPressed.connect(lambda: self._answer(self._field.text()))
        self._yes, self._no = QPushButton(tr("Install")), QPushButton(tr("Don't install"))
        for button, text in ((self._yes, "yes"), (self._no, None)):
            button.setAutoDefault(True)
            button.clicked.connect(partial(self._answer, text))
        buttons = row(self._yes, self._no, FREE, gap=_GAP)
        column(self._label, self._field, buttons, within=self, gap=_GAP, margins=_MARGINS)
        self.hide()

    def show_question(self, asked: Asked | None) -> bool:
        """Whether it is another one, which wants the keyboard."""
        if asked == self._asked:
            return False
        self._asked = asked
        self._field.clear()
        self.setVisible(asked is not None)
        if asked is None:
            return False
        words, installs = asked.text.strip(), asked.what == "install"
        if installs:
            reaches = mark(
                "Install into the lab's Python? This runs as you, and reaches the network: "
                "{command}"
            )
            words = tr(reaches, command=asked.text)
        self._label.setText(words or tr("It waits for a line:"))
        for each in (self, self._field):
            each.setAccessibleName(self._label.text())
        mode, secret = QLineEdit.EchoMode, asked.what == "password"
        self._field.setEchoMode(mode.Password if secret else mode.Normal)
        self._field.setHidden(installs)
        self._yes.setVisible(installs)
        self._no.setVisible(installs)
        return True

    def begin(self) -> None:
        """Give it the keyboard; what would install something is not pressed by accident."""
        asks = self._no if self._field.isHidden() else self._field
        asks.setFocus(Qt.FocusReason.OtherFocusReason)

    def _answer(self, text: str | None) -> None:
        if (asked := self._asked) is not None:
            self.show_question(None)
            self.answered.emit(asked.id, text)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self._answer(None)
        else:
            super().keyPressEvent(event)
