"""EmptyState: one sentence where there is nothing to show, and one or two ways on."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.laid_out import FREE, Space, column, row
from gpuexplorer.gui.widgets.remark import Sign, show_sentence, wrapped_label

_WIDTH = 440


class EmptyState(QWidget):
    """Made once and shown again with other words."""

    way_on_chosen = Signal()
    other_way_chosen = Signal()

    def __init__(self, icon: Icon) -> None:
        super().__init__()
        self._heading = wrapped_label("", Tone.TEXT)
        self._heading.setFont(look().letters.title.font)
        self._more = wrapped_label("", Tone.QUIET)
        middle = Qt.AlignmentFlag.AlignHCenter
        for each in (self._heading, self._more):
            each.setAlignment(middle)
            each.setFixedWidth(_WIDTH)
        self._button = QPushButton()
        self._button.clicked.connect(self.way_on_chosen)
        self._other = QPushButton()
        self._other.clicked.connect(self.other_way_chosen)
        sign = Sign(icon, Tone.FAINT, QSize(32, 32))
        # An alignment would ask how high they are where they are as wide as all this.
        words = [row(FREE, each, FREE) for each in (self._heading, self._more)]
        buttons = (Space(8), self._button, middle, self._other, middle, Space(stretch=3))
        column(Space(stretch=2), sign, middle, *words, *buttons, within=self, margins=24)

    def show_words(
        self, heading: str, more: str = "", way_on: str = "", other_way: str = ""
    ) -> None:
        """Without a way on there is no button."""
        self._heading.setText(heading)
        show_sentence(self._more, more)
        self._more.setVisible(bool(more))
        for words, part in ((way_on, self._button), (other_way, self._other)):
            part.setText(words)
            part.setVisible(bool(words))
