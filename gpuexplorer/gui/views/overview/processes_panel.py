"""ProcessesPanel: who uses the cards most, in a few rows, and the way to all of them."""

from collections.abc import Sequence

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QPushButton, QWidget

from gpuexplorer.core.words import tr
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.widgets.controls.arrow_keys import ArrowKeys
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.now_tag import NowTag
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.rows.pressable_row import SIDE
from gpuexplorer.gui.widgets.rows.process_row import (
    ROW_HEIGHT,
    ProcessCaptions,
    ProcessRow,
    chips_width,
)
from gpuexplorer.gui.widgets.rows.row_list import RowList
from gpuexplorer.gui.wording.processes.programs import ProgramFace

_ROWS = 24


class ProcessesPanel(Panel):
    """A row leads to the card it uses."""

    chosen = Signal(str)
    all_asked = Signal()

    def __init__(
        self, look: Look, time_window: TimeWindow, parent: QWidget | None = None
    ) -> None:
        super().__init__(look, tr("Processes"), parent=parent)
        self._remark = ElidedLabel(look.letters.caption, Tone.QUIET)
        link = QPushButton(tr("All processes"))
        link.setProperty("kind", "link")
        link.setFont(look.letters.body.font)
        link.clicked.connect(self.all_asked)
        self.head.insertSpacing(1, 8)
        self.head.insertWidget(2, NowTag(look, time_window))
        self.head.insertWidget(3, self._remark, 100)
        self.head.addWidget(link)
        self._captions = ProcessCaptions(look)
        self._nobody = wrapped_label(look, "", Tone.QUIET)
        self._nobody.setMargin(SIDE)
        self._rows = [ProcessRow(look) for _ in range(_ROWS)]
        for row in self._rows:
            row.chosen.connect(self.chosen)
        self._list = RowList(self._rows, ROW_HEIGHT)
        self.body.setContentsMargins(16 - SIDE, 14, 16 - SIDE, 12)
        self.head.setContentsMargins(SIDE, 0, SIDE, 0)
        self.body.addWidget(self._captions)
        self.body.addWidget(self._nobody)
        self.body.addWidget(self._list, 1)
        self._keys = ArrowKeys(self, sideways=False)
        self._keys.take(self._rows)

    def show_programs(self, programs: Sequence[ProgramFace], remark: str, nobody: str) -> None:
        """`nobody` is what to say where there are none: that, or why it is not known."""
        self._remark.show_text(remark)
        if self._nobody.text() != nobody:
            self._nobody.setText(nobody)
        self._nobody.setVisible(not programs)
        self._captions.setVisible(bool(programs))
        shown = programs[: self._list.fitting()]
        chips = chips_width(max((len(each.chips) for each in shown), default=1))
        for row, program in zip(self._rows, shown, strict=False):
            row.show_program(program, chips)
        if programs:
            self._captions.show_columns(programs[0].unit, chips)
        self._list.show_count(len(shown))
