"""BlockDrag: a block is carried with the mouse over the columns and let go on one of them."""

from collections.abc import Callable

from PySide6.QtCore import QObject, QPoint, QRectF, Signal
from PySide6.QtWidgets import QWidget

from gpuexplorer.gui.views.lab.bench.block_stack import ONE_LINE, Slab
from gpuexplorer.gui.views.lab.bench.column import BenchColumn
from gpuexplorer.gui.views.lab.bench.fills import hue
from gpuexplorer.gui.views.lab.bench.overlay import BenchOverlay, Ghost
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, Key


class BlockDrag(QObject):
    """Tells over which device it is, for that one to light up."""

    aimed = Signal(object, object)  # the Block and a device's name, or None twice
    dropped = Signal(Block, str)

    def __init__(
        self,
        overlay: BenchOverlay,
        field: QWidget,
        device_at: Callable[[QPoint], str | None],
    ) -> None:
        super().__init__(field)
        self._overlay, self._field = overlay, field
        self._device_at = device_at
        self._block: Block | None = None
        self._width = 0.0

    def move(self, column: BenchColumn, key: Key, there: QPoint) -> None:
        """`there` is a place of the screen."""
        block = column.block(key)
        if block is None or not block.names:
            return
        if self._block is None:
            self._block = block
            self._width = column.view.place.width()
        at = self._field.mapFromGlobal(there)
        place = QRectF(at.x() - 14, at.y() - 14, self._width, ONE_LINE)
        place.moveRight(min(place.right(), self._field.width() - 4))
        slab = Slab(self._block, 0.0, ONE_LINE, (), cells=False, beside=True)
        self._overlay.show_ghost(Ghost(place, slab, hue(column.look.theme, column.face)))
        self.aimed.emit(self._block, self._device_at(at))

    def let_go(self, there: QPoint) -> None:
        block = self._block
        device = self._device_at(self._field.mapFromGlobal(there))
        self.give_up()
        if block is not None and device is not None:
            self.dropped.emit(block, device)

    def give_up(self) -> None:
        """Everything stays where it was."""
        self._block = None
        self._overlay.show_ghost(None)
        self.aimed.emit(None, None)
