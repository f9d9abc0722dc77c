"""Banner: says in a sentence what it is that one looks at, and leads elsewhere."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame

from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label


class Banner(QFrame):
    """Stands above the screen for as long as that holds."""

    link_clicked = Signal()

    def __init__(self, link: str, *, warns: bool) -> None:
        super().__init__()
        self.setProperty("panel", "banner")
        self._sentence = wrapped_label("", Tone.TEXT)
        button = link_button(link)
        button.clicked.connect(self.link_clicked)
        icon, tone = (Icon.WARNING, Tone.WARN) if warns else (Icon.NOTE, Tone.QUIET)
        sign = Sign(icon, tone, QSize(18, 18))
        parts = (sign, self._sentence, GROWS, button)
        row(*parts, within=self, gap=10, margins=(24, 6, 20, 6))

    def say(self, sentence: str) -> None:
        self._sentence.setText(sentence)
