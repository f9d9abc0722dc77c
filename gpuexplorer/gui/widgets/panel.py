"""Panel: a surface with a heading, on which a few lines stand."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.paint.theme import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel


class Panel(QFrame):
    """Add what it holds to `body`."""

    def __init__(
        self, look: Look, heading: str, remark: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(heading)
        title = QLabel(heading)
        title.setFont(look.letters.title.font)
        head = QHBoxLayout()
        head.addWidget(title)
        head.addStretch(1)
        if remark:
            quiet = ElidedLabel(look.letters.caption, Tone.QUIET)
            quiet.show_text(remark)
            head.addWidget(quiet)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(16, 14, 16, 12)
        self.body.setSpacing(0)
        self.body.addLayout(head)
        self.body.addSpacing(8)
