"""Remark: an icon and a sentence that may need several lines."""

import html
import re

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.letters import Lettering
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.painted import Painted


class Sign(Painted):
    """An icon by itself."""

    def __init__(self, icon: Icon, tone: Tone, size: QSize) -> None:
        super().__init__()
        self._icon, self._tone = icon, tone
        self.setFixedSize(size)

    def show_sign(self, icon: Icon, tone: Tone) -> None:
        if (icon, tone) != (self._icon, self._tone):
            self._icon, self._tone = icon, tone
            self.update()

    def draw(self, drawing: Drawing) -> None:
        drawing.icon(self._icon, QRectF(self.rect()), drawing.theme.tone(self._tone))


class Remark(QWidget):
    """The sentence can be selected and copied."""

    def __init__(self, sentence: str, icon: Icon = Icon.NOTE, tone: Tone = Tone.QUIET) -> None:
        super().__init__()
        label = wrapped_label(sentence, Tone.TEXT)
        sign = Sign(icon, tone, QSize(16, 16))
        top = Qt.AlignmentFlag.AlignTop
        row(sign, top, label, GROWS, within=self, gap=10, margins=(0, 4, 0, 4))


def wrapped_label(sentence: str, tone: Tone, letters: Lettering | None = None) -> QLabel:
    """A sentence that may need several lines, and can be copied. What stands between backticks
    is shown as one would type it.
    """
    label = QLabel()
    if letters is not None:
        label.setFont(letters.font)
    show_sentence(label, sentence)
    label.setWordWrap(True)
    label.setProperty("tone", tone.value)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    return label


def show_sentence(label: QLabel, sentence: str) -> None:
    """Another one, in a label that was made for one."""
    if "`" in sentence:
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setText(_with_commands(sentence))
        label.setAccessibleName(sentence.replace("`", ""))
    else:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(sentence)
        label.setAccessibleName("")


def say_sentence(label: QLabel, sentence: str) -> None:
    """One that is only there where there is something to say."""
    show_sentence(label, sentence)
    label.setVisible(bool(sentence))


def _with_commands(sentence: str) -> str:
    mono = look().letters.mono.font
    style = f"font-family: '{mono.family()}'; font-size: {mono.pixelSize()}px"
    lines = html.escape(sentence).replace("\n", "<br>")
    return re.sub("`([^`]*)`", rf'<span style="{style}">\1</span>', lines)
