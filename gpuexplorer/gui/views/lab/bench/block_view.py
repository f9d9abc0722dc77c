"""BlockView: the blocks of one column, how far they are scrolled, and where the keyboard is."""

from collections.abc import Collection, Sequence

from PySide6.QtCore import QRectF

from gpuexplorer.gui.theme.letters import Letterings
from gpuexplorer.gui.views.lab.bench.block_drawing import shape_fits
from gpuexplorer.gui.views.lab.bench.block_stack import (
    GAP,
    ONE_LINE,
    BlockStack,
    Measured,
    Slab,
    measured,
)
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, Key

_BAR = 10.0  # room for the scroll bar


class BlockView:
    """Stands on the ground of its view where all fit, else at the top of it."""

    def __init__(self, letters: Letterings) -> None:
        self._letters = letters
        self._view = QRectF()
        self._stack = BlockStack((), 0.0)
        self._width = 0.0
        self._blocks: Sequence[Block] = ()
        self._found: Sequence[Measured] = ()
        self._scrolled = 0.0
        self._at: Key | None = None

    @property
    def stack(self) -> BlockStack:
        return self._stack

    @property
    def at(self) -> Key | None:
        """Where the keyboard is; None only where there are no blocks."""
        return self._at

    @property
    def overflows(self) -> bool:
        return self._stack.height > self._view.height() + 0.5

    @property
    def scrolled(self) -> float:
        return self._scrolled

    @property
    def most_scrolled(self) -> float:
        return max(0.0, self._stack.height - self._view.height())

    @property
    def place(self) -> QRectF:
        """Through which they are seen, without the scroll bar."""
        return self._view.adjusted(0, 0, -_BAR if self.overflows else 0, 0)

    @property
    def top(self) -> float:
        """The top of the first block, as it stands now."""
        rest = self._view.height() - self._stack.height
        return self._view.top() + (max(0.0, rest) if rest > 0 else -self._scrolled)

    def lay_out(
        self, blocks: Sequence[Block], view: QRectF, opened: Collection[Key] = ()
    ) -> None:
        self._view = view
        before = self._stack.number_of(self._at)
        # Twice at most: a scroll bar takes room from what stands beside a name.
        surely = len(blocks) * (ONE_LINE + GAP) - GAP > view.height()
        for taken in (_BAR,) if surely else (0.0, _BAR):
            self._stack = BlockStack(
                self._measured(blocks, view.width() - taken), view.height(), opened
            )
            if not self.overflows:
                break
        self.scroll_to(self._scrolled)
        if self._stack.number_of(self._at) is None:
            nearest = min(before or 0, len(blocks) - 1)
            self._at = blocks[nearest].key if blocks else None

    def scroll_to(self, scrolled: float) -> None:
        self._scrolled = min(max(0.0, scrolled), self.most_scrolled)

    def go_to(self, key: Key) -> None:
        if self._stack.number_of(key) is not None:
            self._at = key

    def step(self, steps: int) -> bool:
        """True where there was one to go to."""
        number = self._stack.number_of(self._at)
        if number is None:
            return False
        there = min(max(0, number + steps), len(self._stack) - 1)
        self._at = self._stack.key_of(there)
        return there != number

    def show_at(self) -> None:
        if self._at is not None:
            self.show(self._at)

    def show(self, key: Key) -> None:
        """Scroll as little as brings it into sight."""
        slab = self._stack.slab_of(key)
        if slab is None:
            return
        low = slab.top + slab.height - self._view.height() + 4
        self.scroll_to(min(max(self._scrolled, low), max(0.0, slab.top - 4)))

    def seen(self) -> Sequence[Slab]:
        above = self._view.top() - self.top
        return self._stack.between(above, above + self._view.height())

    def slab_at(self, x: float, y: float) -> Slab | None:
        if not self.place.contains(x, y):
            return None
        return self._stack.at(y - self.top)

    def nearest(self, y: float) -> Key | None:
        """For who comes from the column beside."""
        seen = self.seen()
        if not seen:
            return None
        middle = y - self.top
        return min(seen, key=lambda slab: abs(slab.top + slab.height / 2 - middle)).block.key

    def place_of(self, slab: Slab) -> QRectF:
        view = self.place
        return QRectF(view.left(), self.top + slab.top, view.width(), slab.height)

    def _measured(self, blocks: Sequence[Block], width: float) -> Sequence[Measured]:
        """Only what is new, or stands at another width, is measured."""
        if blocks is self._blocks and width == self._width:
            return self._found
        kept = {}
        if width == self._width:
            kept = {each.block.key: each for each in self._found}
        found = []
        for block in blocks:
            each = kept.get(block.key)
            if each is None or each.block is not block:
                each = measured(block, fits=shape_fits(self._letters, block, width))
            found.append(each)
        self._blocks, self._width, self._found = blocks, width, found
        return found
