"""FindingsPanel: what stands out, the gravest first, and the rest by kind."""

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QPushButton, QVBoxLayout, QWidget

from gpuexplorer.copies.findings import Cell
from gpuexplorer.copies.kin import Kin
from gpuexplorer.core.words import tr
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.views.copies.matrix.finding_block import FindingBlock
from gpuexplorer.gui.views.copies.matrix.rest_table import RestTable
from gpuexplorer.gui.widgets.elided_label import ElidedLabel
from gpuexplorer.gui.widgets.panel import Panel
from gpuexplorer.gui.widgets.remark import wrapped_label
from gpuexplorer.gui.widgets.scrolled import scrolled
from gpuexplorer.gui.wording.copies.matrix.matrix_words import Callout
from gpuexplorer.gui.wording.copies.matrix.question import Head


class FindingsPanel(Panel):
    """Scrolls by itself, so that the map stays beside it."""

    pressed = Signal(object)  # a Callout
    again_asked = Signal(object)
    staged_asked = Signal(object)
    detour_asked = Signal(object)
    report_asked = Signal(object)
    all_asked = Signal()

    def __init__(self, look: Look, parent: QWidget | None = None) -> None:
        super().__init__(look, tr("What stands out"), parent=parent)
        self._look = look
        self._callouts: Sequence[Callout] = ()
        self._heads: Mapping[str, Head] = {}
        self._blocks: list[FindingBlock] = []
        self._lines: list[QFrame] = []
        self._able = True
        self._detours: Collection[Cell] = ()
        self._count = ElidedLabel(look.letters.body, Tone.QUIET)
        self.head.addWidget(self._count)
        self._words = wrapped_label(look, "", Tone.QUIET)
        self.begin = QPushButton(tr("Measure all"))
        self.begin.setFont(look.letters.body.font)
        self.begin.clicked.connect(self.all_asked)
        self._more = wrapped_label(look, "", Tone.QUIET)
        self._rest = RestTable(look)
        content = QWidget()
        content.setProperty("panel", "clear")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 4, 0)
        self._column.setSpacing(8)
        self._column.addWidget(self._words)
        self._column.addWidget(self.begin)
        self._found = QVBoxLayout()
        self._found.setSpacing(4)
        self._column.addLayout(self._found)
        self._column.addWidget(self._more)
        self._column.addWidget(self._rest)
        self._column.addStretch(1)
        area = scrolled(content)
        area.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.body.addWidget(area, 1)

    def show_words(self, count: str, words: str, *, begin: bool) -> None:
        """`words` where nothing stands out; `begin` offers to measure all."""
        self._count.show_text(count)
        if words != self._words.text():
            self._words.setText(words)
        self._words.setVisible(bool(words))
        self.begin.setVisible(begin)

    def show_callouts(
        self, callouts: Sequence[Callout], heads: Mapping[str, Head], more: str
    ) -> None:
        if more != self._more.text():
            self._more.setText(more)
        self._more.setVisible(bool(more))
        if callouts == self._callouts and heads == self._heads:
            return
        self._callouts, self._heads = callouts, heads
        for old in (*self._blocks, *self._lines):
            self._found.removeWidget(old)
            old.hide()
            old.deleteLater()
        self._blocks, self._lines = [], []
        for callout in callouts:
            if self._blocks and not (callout.wrong or self._blocks[-1].wrong):
                self._add_line()
            block = FindingBlock(self._look, callout, heads)
            block.pressed.connect(self.pressed)
            block.again_asked.connect(self.again_asked)
            block.staged_asked.connect(self.staged_asked)
            block.detour_asked.connect(self.detour_asked)
            block.report_asked.connect(self.report_asked)
            block.show_able(self._able)
            block.show_detour(self._takes_detour(callout))
            self._blocks.append(block)
            self._found.addWidget(block)

    def show_rest(self, kin: Sequence[Kin], *, latency: bool) -> None:
        heading = tr("The rest, by kind") if self._callouts else tr("By kind")
        self._rest.show_kin(heading, kin, latency=latency)

    def show_able(self, able: bool) -> None:
        """Whether anything can be measured now."""
        self._able = able
        self.begin.setEnabled(able)
        for block in self._blocks:
            block.show_able(able)

    def show_detours(self, detours: Collection[Cell]) -> None:
        """Between which cards the lab goes through host memory."""
        self._detours = detours
        for block in self._blocks:
            block.show_detour(self._takes_detour(block.callout))

    def _takes_detour(self, callout: Callout) -> bool:
        return any(cell in self._detours for cell in callout.finding.cells)

    def _add_line(self) -> None:
        line = QFrame()
        line.setProperty("panel", "line")
        line.setFixedHeight(1)
        self._lines.append(line)
        self._found.addWidget(line)
