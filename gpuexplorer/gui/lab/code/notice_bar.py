"""NoticeBar and QuestionBar: what stands above the editor while something wants an answer."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QLineEdit, QPushButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.code.words import Answer, LabNotice
from gpuexplorer.gui.theme.look import look, restyle
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, column, row, wrapped_label
from gpuexplorer.lab.events import Asked

_MARGIN, _ABOVE, _GAP = 12, 8, 8
_BESIDE = 4  # between buttons: four have to fit beside each other
_ONE_LINE = 60  # letters that have room beside a button


class NoticeBar(QFrame):
    """A sentence, and what can be done about it."""

    answered = Signal(Answer)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._notice: LabNotice | None = None
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._buttons = {each: self._button(each) for each in Answer}
        buttons = row(*self._buttons.values(), FREE, gap=_BESIDE)
        self._box = QBoxLayout(QBoxLayout.Direction.TopToBottom, self)
        self._box.setContentsMargins(_MARGIN, _ABOVE, _MARGIN, _ABOVE)
        self._box.setSpacing(_GAP)
        self._box.addWidget(self._label, 1)
        self._box.addLayout(buttons)
        self.hide()

    def show_notice(self, notice: LabNotice) -> bool:
        """Whether it is another one, which takes another height."""
        if notice == self._notice:
            return False
        self._notice = notice
        self._label.setText(notice.sentence)
        self.setAccessibleName(notice.sentence)
        for answer, button in self._buttons.items():
            words = notice.answers.get(answer, "")
            button.setVisible(bool(words))
            button.setText(words)
            button.setAccessibleName(words)
        way = QBoxLayout.Direction
        beside = len(notice.answers) == 1 and len(notice.sentence) <= _ONE_LINE
        self._box.setDirection(way.LeftToRight if beside else way.TopToBottom)
        restyle(self, "tone", notice.tone.value)
        self.setVisible(bool(notice.sentence))
        return True

    def _button(self, answer: Answer) -> QPushButton:
        button = QPushButton(self)
        button.setAutoDefault(True)  # so that Enter presses it
        button.hide()
        button.clicked.connect(lambda: self.answered.emit(answer))
        return button


class QuestionBar(QFrame):
    """What a running cell asks: a line, a password, or whether something may be installed."""

    answered = Signal(int, object)  # its command; a text, or None where there is no answer

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._asked: Asked | None = None
        self.setProperty("panel", "notice")
        self._label = wrapped_label("", Tone.TEXT)
        self._field = _Field()
        self._field.setFont(look().letters.mono.font)
        self._field.returnPressed.connect(self._on_entered)
        self._field.given_up.connect(self._on_refused)
        self._yes, self._no = QPushButton(tr("Install")), QPushButton(tr("Don't install"))
        for button, press in ((self._yes, self._on_entered), (self._no, self._on_refused)):
            button.setAutoDefault(True)
            button.clicked.connect(press)
        buttons = row(self._yes, self._no, FREE, gap=_GAP)
        margins = (_MARGIN, _ABOVE, _MARGIN, _ABOVE)
        column(self._label, self._field, buttons, within=self, gap=_ABOVE, margins=margins)
        self.hide()

    def show_question(self, asked: Asked | None) -> bool:
        """Whether it is another one, which wants the keyboard."""
        if asked == self._asked:
            return False
        self._asked = asked
        self.setVisible(asked is not None)
        if asked is None:
            self._field.clear()
            return False
        installs = asked.what == "install"
        words = asked.text.strip() or tr("It waits for a line:")
        if installs:
            words = tr(
                "Install into the lab's Python? This runs as you, and reaches the network: "
                "{command}",
                command=asked.text,
            )
        self._label.setText(words)
        self._field.setAccessibleName(words)
        self.setAccessibleName(words)
        self._field.setPlaceholderText(tr("Enter answers, Esc ends the input"))
        secret = asked.what == "password"
        mode = QLineEdit.EchoMode
        self._field.setEchoMode(mode.Password if secret else mode.Normal)
        self._field.setVisible(not installs)
        self._yes.setVisible(installs)
        self._no.setVisible(installs)
        return True

    def begin(self) -> None:
        """Give it the keyboard; what would install something is not pressed by accident."""
        asks = self._field if not self._field.isHidden() else self._no
        asks.setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_entered(self) -> None:
        self._answer("yes" if self._field.isHidden() else self._field.text())

    def _on_refused(self) -> None:
        self._answer(None)

    def _answer(self, text: str | None) -> None:
        asked, self._asked = self._asked, None
        if asked is not None:
            self._field.clear()
            self.hide()
            self.answered.emit(asked.id, text)


class _Field(QLineEdit):
    given_up = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.given_up.emit()
        else:
            super().keyPressEvent(event)
