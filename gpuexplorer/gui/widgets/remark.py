"""Remark: an icon and a sentence that may need several lines."""

import html
import re

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QSizePolicy, QWidget

from gpuexplorer.gui.paint.drawing import Drawing
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.painted import Painted


class Sign(Painted):
    """An icon by itself."""

    def __init__(
        self, look: Look, icon: Icon, tone: Tone, size: QSize, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, parent)
        self._icon, self._tone = icon, tone
        self.setFixedSize(size)

    def draw(self, drawing: Drawing) -> None:
        drawing.icon(self._icon, QRectF(self.rect()), drawing.theme.tone(self._tone))


class Remark(QWidget):
    """The sentence can be selected and copied."""

    def __init__(
        self,
        look: Look,
        sentence: str,
        icon: Icon = Icon.NOTE,
        tone: Tone = Tone.QUIET,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        label = wrapped_label(look, sentence, Tone.TEXT)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 4, 0, 4)
        row.setSpacing(10)
        sign = Sign(look, icon, tone, QSize(16, 16))
        row.addWidget(sign, 0, Qt.AlignmentFlag.AlignTop)
        row.addWidget(label, 1)


def wrapped_label(look: Look, sentence: str, tone: Tone) -> QLabel:
    """A sentence that may need several lines, and can be copied. What stands between backticks
    is shown as one would type it.
    """
    label = QLabel()
    label.setFont(look.letters.body.font)
    if "`" in sentence:
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setText(_with_commands(look, sentence))
        label.setAccessibleName(sentence.replace("`", ""))
    else:
        label.setTextFormat(Qt.TextFormat.PlainText)
        label.setText(sentence)
    label.setWordWrap(True)
    label.setProperty("tone", tone.value)
    label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
    policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
    policy.setHeightForWidth(True)
    label.setSizePolicy(policy)
    return label


def _with_commands(look: Look, sentence: str) -> str:
    mono = look.letters.mono.font
    style = f"font-family: '{mono.family()}'; font-size: {mono.pixelSize()}px"
    return re.sub("`([^`]*)`", rf'<span style="{style}">\1</span>', html.escape(sentence))
