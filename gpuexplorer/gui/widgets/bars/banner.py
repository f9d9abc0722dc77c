"""Banner: says that no real card answers and that these are simulated, and why can be read."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.buttons import link_button
from gpuexplorer.gui.widgets.laid_out import GROWS, row
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label


class Banner(QFrame):
    """Stands above the tiles for as long as the cards are simulated for want of real ones."""

    reasons_asked_for = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self.setProperty("panel", "banner")
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        button = link_button(tr("What was looked for"))
        button.clicked.connect(self.reasons_asked_for)
        sign = Sign(look, Icon.WARNING, Tone.WARN, QSize(18, 18))
        parts = (sign, self._sentence, GROWS, button)
        row(*parts, within=self, gap=10, margins=(24, 6, 20, 6))

    def show_count(self, cards: int) -> None:
        self._sentence.setText(
            trn(
                "No graphics card answers on this computer, so this is one simulated card.",
                "No graphics card answers on this computer, so these are {count} simulated "
                "cards.",
                cards,
            )
        )
