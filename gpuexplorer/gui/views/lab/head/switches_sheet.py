"""SwitchesSheet: every switch of the courses with PyTorch's line and TensorFlow's name."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QLabel, QPushButton, QScrollArea, QWidget

from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.head.sheet_labels import code_label, plain_label
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.centred_popup import CentredPopup
from gpuexplorer.gui.wording.lab.head.switch_words import ALL_SWITCHES, SwitchWords

_WIDTH, _HEIGHT = 760, 640


class SwitchesSheet(CentredPopup):
    """Courses explain them by TensorFlow's names; here one sees what they are in PyTorch."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, _WIDTH, _HEIGHT, window)
        self.setAccessibleName("The switches of the lab")
        title = QLabel("The switches of the lab")
        title.setFont(look.letters.title.font)
        inner = QWidget()
        inner.setProperty("panel", "clear")
        grid = QGridLayout(inner)
        grid.setContentsMargins(0, 0, 12, 0)
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for words in ALL_SWITCHES:
            _add(look, grid, words)
        grid.setRowStretch(grid.rowCount(), 1)
        area = QScrollArea()
        area.setProperty("panel", "clear")
        area.setWidgetResizable(True)
        area.setAccessibleName("Switches")
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setWidget(inner)
        self._close = QPushButton("Close")
        self._close.setFont(look.letters.body.font)
        self._close.setAutoDefault(True)
        self._close.clicked.connect(self.hide)
        self.panel.setContentsMargins(24, 20, 16, 16)
        self.panel.setSpacing(12)
        self.panel.addWidget(title)
        self.panel.addWidget(area, 1)
        self.panel.addWidget(self._close, 0, Qt.AlignmentFlag.AlignRight)

    def open(self) -> None:
        super().open()
        self._close.setFocus(Qt.FocusReason.PopupFocusReason)


def _add(look: Look, grid: QGridLayout, words: SwitchWords) -> None:
    row = grid.rowCount()
    title = QLabel(words.title)
    title.setFont(look.letters.strong.font)
    grid.addWidget(title, row, 0, 1, 2)
    said = f"{words.sentence} {words.differs}".strip()
    grid.addWidget(wrapped_label(look, said, Tone.QUIET), row + 1, 0, 1, 2)
    for below, (whose, line) in enumerate(
        (("PyTorch", words.torch), ("TensorFlow", words.tensorflow)), row + 2
    ):
        grid.addWidget(plain_label(look, whose), below, 0)
        grid.addWidget(code_label(look, line), below, 1)
    grid.setRowMinimumHeight(row + 4, 14)
