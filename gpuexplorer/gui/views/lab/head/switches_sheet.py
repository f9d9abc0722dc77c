"""SwitchesSheet: every switch of the courses with PyTorch's line and TensorFlow's name."""

from PySide6.QtWidgets import QGridLayout, QWidget

from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.lab.head.sheet_labels import code_label, plain_label
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import Sheet, text_label
from gpuexplorer.gui.wording.lab.head.switch_words import ALL_SWITCHES, SwitchWords


class SwitchesSheet(Sheet):
    """Courses explain them by TensorFlow's names; here one sees what they are in PyTorch."""

    def __init__(self, look: Look, window: QWidget) -> None:
        super().__init__(look, tr("The switches of the lab"), window, 760)
        grid = QGridLayout()
        grid.setHorizontalSpacing(14)
        grid.setVerticalSpacing(3)
        grid.setColumnStretch(1, 1)
        for words in ALL_SWITCHES:
            _add(look, grid, words)
        self.body.addLayout(grid)
        self.add_close()


def _add(look: Look, grid: QGridLayout, words: SwitchWords) -> None:
    row = grid.rowCount()
    grid.addWidget(text_label(tr(words.title), look.letters.strong.font), row, 0, 1, 2)
    said = paragraph((tr(words.sentence), tr(words.differs)))
    grid.addWidget(wrapped_label(look, said, Tone.QUIET), row + 1, 0, 1, 2)
    for below, (whose, line) in enumerate(
        (("PyTorch", words.torch), ("TensorFlow", words.tensorflow)), row + 2
    ):
        grid.addWidget(plain_label(look, whose), below, 0)
        grid.addWidget(code_label(look, line), below, 1)
    grid.setRowMinimumHeight(row + 4, 14)
