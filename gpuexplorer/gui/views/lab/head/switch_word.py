"""SwitchWord: a switch with its word beside it, which turns it too."""

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.wording.lab.head.switch_words import SwitchWords


class SwitchWord(QWidget):
    """`turned` tells what a person wants. Pointing at it shows PyTorch's line for it."""

    turned = Signal(bool)

    def __init__(self, look: Look, words: SwitchWords, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._switch = Switch(look, tr(words.title))
        self._switch.setAccessibleDescription(f"{tr(words.sentence)} PyTorch: {words.torch}")
        self._switch.turned.connect(self.turned)
        label = QLabel(tr(words.title))
        label.setFont(look.letters.body.font)
        label.setTextFormat(Qt.TextFormat.PlainText)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(5)
        row.addWidget(self._switch)
        row.addWidget(label)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.setToolTip(
            words.tooltip(look.letters.body.font.family(), look.letters.mono.font.family())
        )

    @property
    def anchor(self) -> QWidget:
        """What opens is opened below it."""
        return self._switch

    def show_on(self, on: bool) -> None:
        self._switch.show_on(on)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """On the word: the switch itself takes what is meant for it."""
        inside = self.rect().contains(event.position().toPoint())
        if inside and event.button() is Qt.MouseButton.LeftButton:
            self._switch.click()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # Taken, so that the release comes here too.
        event.accept()
