"""Labels for the sheets of the head: a quiet line, and a line of code that can be copied."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone


def plain_label(look: Look, text: str, tone: Tone = Tone.QUIET) -> QLabel:
    label = QLabel(text)
    label.setFont(look.letters.caption.font)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setProperty("tone", tone.value)
    return label


def code_label(look: Look, text: str = "") -> QLabel:
    label = QLabel(text)
    label.setFont(look.letters.mono.font)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    return label
