"""Banner: says that no real card answers and that these are simulated, and why can be read."""

from PySide6.QtCore import QSize, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QWidget

from gpuexplorer.core.words import tr, trn
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label


class Banner(QFrame):
    """Stands above the tiles for as long as the cards are simulated for want of real ones."""

    reasons_asked_for = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "banner")
        self._sentence = wrapped_label(look, "", Tone.TEXT)
        button = QPushButton(tr("What was looked for"))
        button.setProperty("kind", "link")
        button.setFont(look.letters.body.font)
        button.setAutoDefault(True)
        button.clicked.connect(self.reasons_asked_for)
        row = QHBoxLayout(self)
        row.setContentsMargins(24, 6, 20, 6)
        row.setSpacing(10)
        row.addWidget(Sign(look, Icon.WARNING, Tone.WARN, QSize(18, 18)))
        row.addWidget(self._sentence, 1)
        row.addWidget(button)

    def show_count(self, cards: int) -> None:
        self._sentence.setText(
            trn(
                "No graphics card answers on this computer, so this is one simulated card.",
                "No graphics card answers on this computer, so these are {count} simulated "
                "cards.",
                cards,
            )
        )
