"""Panel: a surface with a heading, on which a few lines stand."""

from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel


class Panel(QFrame):
    """Add what it holds to `body`, and to `head` what stands beside its heading."""

    def __init__(
        self, look: Look, heading: str, remark: str = "", parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(heading)
        self._title = ElidedLabel(look.letters.title, Tone.TEXT)
        self._title.show_text(heading)
        self.head = QHBoxLayout()
        self.head.addWidget(self._title)
        self.head.addStretch(1)
        if remark:
            quiet = ElidedLabel(look.letters.caption, Tone.QUIET)
            quiet.show_text(remark)
            self.head.addWidget(quiet)
        self.body = QVBoxLayout(self)
        self.body.setContentsMargins(16, 14, 16, 12)
        self.body.setSpacing(0)
        self.body.addLayout(self.head)
        self.body.addSpacing(8)

    def show_heading(self, heading: str) -> None:
        if heading != self._title.text():
            self._title.show_text(heading)
            self.setAccessibleName(heading)
