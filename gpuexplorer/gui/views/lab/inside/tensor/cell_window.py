"""CellWindow: the part of a tensor's plane whose values are known."""

from dataclasses import dataclass

from gpuexplorer.lab.events import Peeked


@dataclass(frozen=True, slots=True)
class CellWindow:
    """`size` is that of the whole plane, in rows and columns."""

    size: tuple[int, int] = (0, 0)
    row: int = 0
    column: int = 0
    rows: tuple[tuple[float | None, ...], ...] = ()

    @classmethod
    def of(cls, peeked: Peeked) -> "CellWindow":
        shape = (1, 1, *peeked.shape)[-2:]
        if 0 in peeked.shape:
            shape = (0, 0)
        row, column = (0, 0, *peeked.at)[-2:]
        return cls((shape[0], shape[1]), row, column, peeked.rows)

    def knows(self, row: int, column: int) -> bool:
        down, across = row - self.row, column - self.column
        return 0 <= down < len(self.rows) and 0 <= across < len(self.rows[down])

    def value(self, row: int, column: int) -> float | None:
        """None for what is no number, and for what is not known."""
        if not self.knows(row, column):
            return None
        return self.rows[row - self.row][column - self.column]

    def holds(self, rows: range, columns: range) -> bool:
        """All of them are known."""
        return self.knows(rows[0], columns[0]) and self.knows(rows[-1], columns[-1])
