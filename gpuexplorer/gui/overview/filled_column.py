"""FilledColumn: parts below each other; height that is left over goes to whom it helps most."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QEvent, QMargins
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

HeightFor = Callable[[int], float]


@dataclass(frozen=True, slots=True)
class ColumnPart:
    """One widget, the least and the most height it takes at a width, and its share of what is
    left over.
    """

    widget: QWidget
    least: HeightFor
    most: HeightFor
    share: float


class FilledColumn(QWidget):
    """Unlike a layout of Qt it asks only when something changed in height, and never twice."""

    def __init__(self, margins: QMargins, gap: int) -> None:
        super().__init__()
        self._margins, self._gap = margins, gap
        self._parts: list[ColumnPart] = []
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def add(self, part: ColumnPart) -> None:
        part.widget.setParent(self)
        self._parts.append(part)

    def inner_width(self, width: int) -> int:
        return width - self._margins.left() - self._margins.right()

    def others_height(self, width: int, widget: QWidget) -> float:
        """What everything else takes at least."""
        shown = self._shown()
        rest = [
            part.least(self.inner_width(width)) for part in shown if part.widget is not widget
        ]
        return sum(rest) + self._around(len(shown))

    def above_height(self, width: int, widget: QWidget) -> float:
        """Down to where this one begins, while nothing is taller than it must be."""
        inner, height = self.inner_width(width), float(self._margins.top())
        for part in self._shown():
            if part.widget is widget:
                break
            height += part.least(inner) + self._gap
        return height

    def arrange(self) -> None:
        """Again, after a part has come, gone, or wants another height."""
        self.updateGeometry()
        self._place()

    def _shown(self) -> Sequence[ColumnPart]:
        return [part for part in self._parts if not part.widget.isHidden()]

    def _around(self, count: int) -> float:
        gaps = self._gap * max(0, count - 1)
        return float(self._margins.top() + self._margins.bottom() + gaps)

    def _place(self) -> None:
        shown = self._shown()
        width = self.inner_width(self.width())
        if width <= 0:
            return
        heights = self._heights(shown, width)
        y = float(self._margins.top())
        for part, height in zip(shown, heights, strict=True):
            top = round(y)
            part.widget.setGeometry(self._margins.left(), top, width, round(y + height) - top)
            y += height + self._gap

    def _heights(self, shown: Sequence[ColumnPart], width: int) -> list[float]:
        heights = [part.least(width) for part in shown]
        most = [
            max(part.most(width), least) for part, least in zip(shown, heights, strict=True)
        ]
        spare = self.height() - sum(heights) - self._around(len(shown))
        # Who has enough hands on to the others.
        hungry = [at for at, part in enumerate(shown) if part.share > 0]
        while spare > 1 and hungry:
            shares = sum(shown[at].share for at in hungry)
            given = 0.0
            for at in hungry:
                more = min(spare * shown[at].share / shares, most[at] - heights[at])
                heights[at] += more
                given += more
            spare -= given
            hungry = [at for at in hungry if most[at] - heights[at] > 1]
            if given < 1:
                break
        return heights

    def heightForWidth(self, width: int) -> int:
        inner = self.inner_width(width)
        shown = self._shown()
        return round(sum(part.least(inner) for part in shown) + self._around(len(shown)))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            self._place()
        return super().event(event)
