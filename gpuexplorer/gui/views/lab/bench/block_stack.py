"""BlockStack: how high each block of a column is and where it stands; only sums, no drawing."""

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate

from gpuexplorer.gui.wording.lab.bench.bench_blocks import Block, BlockKind, Key

GAP = 6.0
PAD = 8.0
LINE = 17.0  # of text
CELL = 17.0  # a row of values, with the gap to the next
_ABOVE_CELLS = 2.0
ONE_LINE = 2 * PAD + 14.0


@dataclass(frozen=True, slots=True)
class Slab:
    """One block in its place, counted from the top of the whole stack."""

    block: Block
    top: float
    height: float
    lines: tuple[str, ...]  # what stands below its name
    cells: bool  # its values are shown
    beside: bool  # its shape stands beside its name


@dataclass(frozen=True, slots=True)
class Measured:
    """A block at one width, in whole."""

    block: Block
    beside: bool  # its shape has room beside its name
    lines: tuple[str, ...]
    height: float


def measured(block: Block, *, fits: bool) -> Measured:
    beside = fits and block.kind is BlockKind.TENSOR
    shape = "" if beside else block.shape
    lines = tuple(each for each in (shape, block.remark) if each)
    cells = 0.0 if block.grid is None else _ABOVE_CELLS + block.grid[0] * CELL
    return Measured(block, beside, lines, ONE_LINE + len(lines) * LINE + cells)


class BlockStack:
    """Laid out once per change; which of very many are seen is found by halving."""

    def __init__(
        self, blocks: Sequence[Measured], room: float, opened: Collection[Key] = ()
    ) -> None:
        """Where not all fit in whole, each gets one line, but for those that are `opened`."""
        whole = sum(each.height for each in blocks) + GAP * max(0, len(blocks) - 1)
        fits = whole <= room
        self._full = [fits or each.block.key in opened for each in blocks]
        heights = [
            each.height if full else ONE_LINE
            for each, full in zip(blocks, self._full, strict=True)
        ]
        self._measured = blocks
        self._heights = heights
        self._tops = list(accumulate((each + GAP for each in heights[:-1]), initial=0.0))
        self._at = {each.block.key: number for number, each in enumerate(blocks)}
        self.height = self._tops[-1] + heights[-1] if heights else 0.0

    def __len__(self) -> int:
        return len(self._measured)

    def key_of(self, number: int) -> Key:
        return self._measured[number].block.key

    def slab(self, number: int) -> Slab:
        each, full = self._measured[number], self._full[number]
        return Slab(
            each.block,
            self._tops[number],
            self._heights[number],
            each.lines if full else (),
            full and each.block.grid is not None,
            each.beside,
        )

    def number_of(self, key: Key | None) -> int | None:
        return None if key is None else self._at.get(key)

    def slab_of(self, key: Key | None) -> Slab | None:
        number = self.number_of(key)
        return None if number is None else self.slab(number)

    def between(self, top: float, bottom: float) -> Sequence[Slab]:
        """Those of which something lies there."""
        if not self._measured:
            return ()
        first = max(0, bisect_right(self._tops, top) - 1)
        last = bisect_right(self._tops, bottom)
        return [self.slab(number) for number in range(first, last)]

    def at(self, y: float) -> Slab | None:
        for slab in self.between(y, y):
            if slab.top <= y <= slab.top + slab.height:
                return slab
        return None
