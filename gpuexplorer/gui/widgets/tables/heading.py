"""Heading: what the head of a table's column says, lies at, and sorts by first."""

from dataclasses import dataclass

from PySide6.QtCore import Qt

RIGHT = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True, slots=True)
class Heading:
    """Of one column; `largest_first` is how a first click on it sorts."""

    caption: str
    meaning: str
    right: bool
    largest_first: bool

    def answer(self, role: int) -> object:
        """As a model of Qt's is asked."""
        match role:
            case Qt.ItemDataRole.DisplayRole:
                return self.caption
            case Qt.ItemDataRole.ToolTipRole:
                return self.meaning
            case Qt.ItemDataRole.TextAlignmentRole:
                return RIGHT if self.right else LEFT
            case Qt.ItemDataRole.InitialSortOrderRole:
                order = Qt.SortOrder
                return order.DescendingOrder if self.largest_first else order.AscendingOrder
        return None
