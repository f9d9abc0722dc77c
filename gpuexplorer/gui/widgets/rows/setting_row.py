"""SettingRow: one thing to choose: what it is, what it means, and the control for it."""

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QLabel, QSizePolicy, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import wrapped_label

_LEAST_WORDS = 200
_GAP = 24


class SettingRow(QWidget):
    """The control stands at the right, or below the words where these would become narrow."""

    def __init__(
        self,
        look: Look,
        title: str,
        meaning: str,
        control: QWidget,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._control = control
        self._title = QLabel(title)
        self._title.setFont(look.letters.body.font)
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._meaning = wrapped_label(look, meaning, Tone.QUIET)
        self._meaning.setMinimumWidth(0)
        control.setAccessibleDescription(meaning)
        words = QVBoxLayout()
        words.setSpacing(3)
        words.addWidget(self._title)
        words.addWidget(self._meaning)
        self._line = QBoxLayout(QBoxLayout.Direction.LeftToRight, self)
        self._line.setContentsMargins(0, 10, 0, 10)
        self._line.setSpacing(_GAP)
        self._line.addLayout(words, 1)
        self._line.addWidget(control, 0, Qt.AlignmentFlag.AlignTop)
        policy = QSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_meaning(self, meaning: str) -> None:
        if meaning != self._meaning.text():
            self._meaning.setText(meaning)
            self._control.setAccessibleDescription(meaning)

    def _beside(self, width: int) -> bool:
        return width - self._control.sizeHint().width() - _GAP >= _LEAST_WORDS

    def resizeEvent(self, event: QResizeEvent) -> None:
        beside = self._beside(event.size().width())
        direction = QBoxLayout.Direction
        wanted = direction.LeftToRight if beside else direction.TopToBottom
        if self._line.direction() is not wanted:
            self._line.setDirection(wanted)
            self._line.setSpacing(_GAP if beside else 8)
        super().resizeEvent(event)

    def minimumSizeHint(self) -> QSize:
        return QSize(0, super().minimumSizeHint().height())
