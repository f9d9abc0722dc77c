"""EmptyState: one sentence where there is nothing to show, and one way on."""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import Sign, wrapped_label

_WIDTH = 440


class EmptyState(QWidget):
    """Made once and shown again with other words."""

    way_on_chosen = Signal()

    def __init__(self, look: Look, icon: Icon, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._heading = wrapped_label(look, "", Tone.TEXT)
        self._heading.setFont(look.letters.title.font)
        self._more = wrapped_label(look, "", Tone.QUIET)
        for label in (self._heading, self._more):
            label.setAlignment(Qt.AlignmentFlag.AlignHCenter)
            label.setFixedWidth(_WIDTH)
        self._button = QPushButton()
        self._button.setFont(look.letters.body.font)
        self._button.clicked.connect(self.way_on_chosen)
        sign = Sign(look, icon, Tone.FAINT, QSize(32, 32))
        column = QVBoxLayout(self)
        column.setContentsMargins(24, 24, 24, 24)
        column.setSpacing(8)
        column.addStretch(2)
        column.addWidget(sign, 0, Qt.AlignmentFlag.AlignHCenter)
        for label in (self._heading, self._more):
            # An alignment would ask how high it is where it is as wide as all this.
            row = QHBoxLayout()
            row.addStretch(1)
            row.addWidget(label)
            row.addStretch(1)
            column.addLayout(row)
        column.addSpacing(8)
        column.addWidget(self._button, 0, Qt.AlignmentFlag.AlignHCenter)
        column.addStretch(3)

    def show_words(self, heading: str, more: str = "", way_on: str = "") -> None:
        """Without a way on there is no button."""
        if heading != self._heading.text():
            self._heading.setText(heading)
        if more != self._more.text():
            self._more.setText(more)
        self._more.setVisible(bool(more))
        if way_on != self._button.text():
            self._button.setText(way_on)
        self._button.setVisible(bool(way_on))
