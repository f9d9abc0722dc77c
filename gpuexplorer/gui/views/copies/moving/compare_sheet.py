"""CompareSheet: two copies side by side; what differs stands out, with its ratio."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QGridLayout, QWidget

from gpuexplorer.core.units import Units
from gpuexplorer.core.words import paragraph, tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.sheets.sheet import Sheet, line_between, text_label
from gpuexplorer.gui.wording.copies.moving.comparing import differences, heading
from gpuexplorer.gui.wording.copies.moving.moved import Moved


class CompareSheet(Sheet):
    """What is the same in both is quiet."""

    def __init__(
        self, look: Look, one: Moved, other: Moved, units: Units, window: QWidget
    ) -> None:
        super().__init__(look, tr("Two copies compared"), window, 620)
        modelled = one.row.modelled or other.row.modelled
        note = tr("Times are modelled.") if modelled else ""
        self.add_sentence(paragraph((heading(one, other), note)))
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(6)
        grid.setColumnMinimumWidth(0, 98)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)
        for column, each in enumerate((one, other), 1):
            head = tr("{what}, line {line}", what=each.what, line=each.row.line)
            label = wrapped_label(look, head, Tone.TEXT)
            label.setFont(look.letters.strong.font)
            grid.addWidget(label, 0, column)
        grid.addWidget(line_between(), 1, 0, 1, 4)
        for at, row in enumerate(differences(one, other, units), 2):
            tone = Tone.TEXT if row.differs else Tone.QUIET
            caption = text_label(row.caption, look.letters.body.font, Tone.QUIET)
            grid.addWidget(caption, at, 0, Qt.AlignmentFlag.AlignTop)
            for column, said in enumerate((row.one, row.other), 1):
                label = wrapped_label(look, said, tone)
                label.setAlignment(Qt.AlignmentFlag.AlignTop)
                grid.addWidget(label, at, column)
            ratio = text_label(row.ratio, look.letters.body.font, tone)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop
            grid.addWidget(ratio, at, 3, right)
        self.body.addLayout(grid)
        self.add_close()
