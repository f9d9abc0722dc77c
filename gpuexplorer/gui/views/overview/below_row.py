"""BelowRow: panels beside each other, or below each other where it is narrow."""

from collections.abc import Sequence

from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QWidget

GAP = 16
_LEAST, _LEAST_SHORT = 180, 120


class BelowRow(QWidget):
    """`parts` are widgets with their shares of the width."""

    def __init__(
        self,
        parts: Sequence[tuple[QWidget, float]],
        narrow_below: int,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self._parts = parts
        self._narrow_below = narrow_below
        for widget, _ in parts:
            widget.setParent(self)

    def least_height(self, width: float) -> float:
        count = len(self._shown())
        if width >= self._narrow_below:
            return _LEAST
        return count * _LEAST + (count - 1) * GAP

    def most_height(self, width: float) -> float:
        del width
        return 4000.0

    def arrange(self) -> None:
        shown = self._shown()
        if not shown:
            return
        if self.width() >= self._narrow_below:
            room = self.width() - GAP * (len(shown) - 1)
            shares = sum(share for _, share in shown)
            x = 0.0
            for widget, share in shown:
                right = x + room * share / shares
                widget.setGeometry(round(x), 0, round(right) - round(x), self.height())
                x = right + GAP
            return
        tall = (self.height() - GAP * (len(shown) - 1)) / len(shown)
        y = 0.0
        for widget, _ in shown:
            widget.setGeometry(0, round(y), self.width(), round(tall))
            y += tall + GAP

    def _shown(self) -> Sequence[tuple[QWidget, float]]:
        return [(widget, share) for widget, share in self._parts if not widget.isHidden()]

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.arrange()
