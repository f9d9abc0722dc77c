"""Panel: a surface with a heading, on which a few lines stand."""

from PySide6.QtWidgets import QFrame, QWidget

from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.laid_out import FREE, Space, column, row


class Panel(QFrame):
    """Add what it holds to `body`, and to `head` what stands beside its heading."""

    def __init__(self, heading: str, remark: str = "", parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("panel", "card")
        self.setAccessibleName(heading)
        self._title = ElidedLabel(look().letters.title, Tone.TEXT, heading)
        self.head = row(self._title, FREE)
        if remark:
            self.head.addWidget(ElidedLabel(look().letters.caption, Tone.QUIET, remark))
        self.body = column(self.head, Space(8), within=self, gap=0, margins=(16, 14, 16, 12))

    def show_heading(self, heading: str) -> None:
        if heading != self._title.text():
            self._title.show_text(heading)
            self.setAccessibleName(heading)
