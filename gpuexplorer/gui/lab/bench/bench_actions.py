"""BenchActions: what can be done with a block, by mouse, keys or menu."""

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.bench.blocks import Block, BlockKind
from gpuexplorer.gui.state.lab.bench_lines import copy_line, delete_line
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab


class BenchActions(QObject):
    """Nothing is changed by it but through `lab.run`."""

    touched = Signal()  # a person does something else, by mouse or keyboard
    opened = Signal(str)
    refused = Signal(Block, str)

    def __init__(self, lab: Lab, parent: QObject) -> None:
        super().__init__(parent)
        self._lab = lab
        self.devices: Sequence[BenchDevice] = ()  # from left to right
        self.held: Block | None = None  # by the mouse

    def line_to(self, block: Block, device: BenchDevice) -> str:
        """Raises Trouble where there is nothing to copy."""
        by_host = (block.key.device, device.name) in self._lab.switches.by_host
        taken = self._lab.ledger.things
        return copy_line(block.placed, device, taken, by_host=by_host)

    def carry(self, block: Block, device: BenchDevice) -> None:
        """A tensor is copied, a model moves."""
        try:
            self._lab.run(self.line_to(block, device), by_form=True)
        except Trouble as trouble:
            self.refused.emit(block, trouble.told)

    def carry_beside(self, block: Block, side: int) -> None:
        """One device to the left (-1) or right (1)."""
        names = [each.name for each in self.devices]
        at = names.index(block.key.device) + side
        if 0 <= at < len(names):
            self.carry(block, self.devices[at])

    def delete(self, block: Block, names: Sequence[str] = ()) -> None:
        """All its names, where none is picked."""
        try:
            self._lab.run(delete_line(names or block.names), by_form=True)
        except Trouble as trouble:
            self.refused.emit(block, trouble.told)

    def open(self, block: Block) -> None:
        if block.kind.opens:
            self.opened.emit(block.names[0])

    def choose(self, block: Block | None) -> None:
        """On all parts of the lab: the thing, and the cell that made it."""
        made = None if block is None or block.cause is None else block.cause.cell
        if block is not None and block.placed is not None:
            cell = self._lab.ledger.cell(block.placed.id)
            made = None if cell is None else cell.id
        self._lab.selection.choose(made, () if block is None else block.names)

    def copy_name(self, block: Block) -> None:
        if block.names:
            QApplication.clipboard().setText(block.names[0])

    def open_menu(self, block: Block, place: QPoint, parent: QWidget) -> None:
        """Goes away by itself."""
        self.touched.emit()
        if not block.names:
            return
        menu = QMenu(parent)
        menu.aboutToHide.connect(menu.deleteLater)
        menu.setFont(parent.window().font())  # the system has another for menus
        if block.kind.opens:
            menu.addAction(f"{tr('Look inside')}\tEnter", partial(self.open, block))
        if block.kind in (BlockKind.TENSOR, BlockKind.MODEL):
            word = tr("Move to") if block.kind is BlockKind.MODEL else tr("Copy to")
            self._add_targets(menu.addMenu(word), block)
        menu.addAction(f"{tr('Copy name')}\tCtrl+C", partial(self.copy_name, block))
        menu.addSeparator()
        menu.addAction(f"{tr('Delete')}\tDel", partial(self.delete, block))
        for name in block.names if len(block.names) > 1 else ():
            words = tr("Delete the name {name}", name=name)
            menu.addAction(words, partial(self.delete, block, (name,)))
        menu.popup(place)

    def _add_targets(self, menu: QMenu, block: Block) -> None:
        menu.setToolTipsVisible(True)
        for device in self.devices:
            name = device.name or device.label
            label = name if name == device.label else f"{name}   {device.label}"
            action = menu.addAction(label.strip(), partial(self.carry, block, device))
            try:
                action.setToolTip(self.line_to(block, device))
            except Trouble as trouble:
                action.setToolTip(trouble.told)
                action.setEnabled(False)
