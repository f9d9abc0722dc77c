"""Column: what stands below one heading of a table, and how rows are sorted by it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Generic, TypeVar

from PySide6.QtCore import Qt

from gpuexplorer.gui.tables.cell import Cell

T = TypeVar("T")
RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Column(Generic[T]):
    """`key` is the name under which it is remembered."""

    key: str
    heading: str
    cell: Callable[[T], Cell]
    # What it is sorted by, None where that is not known; without it, the column does not sort.
    sorts: Callable[[T], float | str | None] | None = None
    meaning: str = ""
    name: str = ""  # in menus, where there is room for more than the heading
    width: int = 80
    narrowest: int = 0  # no narrower than this, also where a person drags it
    right: bool = False
    largest_first: bool = False  # by the first click on its heading
    kept: int = 0  # where the window is narrow, the lowest goes first; 0 is always there
    stretches: bool = False  # takes the room that the others leave, `width` at least
    share: float = 0.0  # of the whole room, at least, where it stretches
    widest: int = 0  # where another one stretches too, it takes what goes beyond; 0: no bound
    spoken: Callable[[T], str] | None = None  # to a screen reader, instead of the cell
    copied: bool = True  # of a curve there is nothing to take along

    @property
    def named(self) -> str:
        return self.name or self.heading

    @property
    def alignment(self) -> Qt.AlignmentFlag:
        return RIGHT if self.right else LEFT

    def heading_data(self, role: int) -> object:
        """What a model says of its heading."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.heading
            case Qt.ItemDataRole.AccessibleTextRole:
                return self.named
            case Qt.ItemDataRole.ToolTipRole:
                return self.meaning
            case Qt.ItemDataRole.TextAlignmentRole:
                return self.alignment
            case Qt.ItemDataRole.InitialSortOrderRole:
                order = Qt.SortOrder
                return order.DescendingOrder if self.largest_first else order.AscendingOrder
        return None
