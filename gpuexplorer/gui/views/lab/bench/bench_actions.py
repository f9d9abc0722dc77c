"""BenchActions: what a person does with a block becomes a line of PyTorch, or a refusal."""

from collections.abc import Collection

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QApplication

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockKind
from gpuexplorer.gui.wording.lab.bench.bench_lines import copy_line, delete_line
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


class BenchActions(QObject):
    """Nothing is changed by it but through `lab.run`."""

    opened = Signal(str)
    refused = Signal(Block, str)

    def __init__(self, lab: LabState, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._lab = lab

    def line_to(self, block: Block, device: BenchDevice) -> str:
        """Raises Trouble where there is nothing to copy."""
        taken, switches = self._lab.ledger.things, self._lab.switches
        by_host = (block.key.device, device.name) in switches.by_host
        return copy_line(block, device, taken, fall_back=switches.fall_back, by_host=by_host)

    def carry(self, block: Block, device: BenchDevice) -> None:
        """A tensor is copied, a model moves."""
        try:
            self._lab.run(self.line_to(block, device))
        except Trouble as trouble:
            self.refused.emit(block, trouble.told)

    def delete(self, block: Block, names: Collection[str]) -> None:
        try:
            self._lab.run(delete_line(names))
        except Trouble as trouble:
            self.refused.emit(block, trouble.told)

    def open(self, block: Block) -> None:
        if block.kind in (BlockKind.TENSOR, BlockKind.MODEL):
            self.opened.emit(block.names[0])

    def choose(self, block: Block) -> None:
        """On all parts of the lab: the thing, and the line that made it."""
        made = block.line
        if block.placed is not None:
            entry = self._lab.ledger.entry(block.placed.id)
            made = None if entry is None else entry.id
        self._lab.selection.choose(made, block.names)

    def copy_name(self, block: Block) -> None:
        if block.names:
            QApplication.clipboard().setText(block.names[0])
