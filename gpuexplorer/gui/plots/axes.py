"""Axis: few labels and hairlines, drawn at once; pyqtgraph's own searches and records them."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.theme.look import look

_APART = 10.0  # pixels between words
_TICK = 4  # pixels below a view without upright hairlines


class Axis(pg.AxisItem):
    """Shows the ticks it is given, in the units of its view, and a hairline at each of them."""

    def __init__(self, orientation: str, *, lines: bool = True, inside: bool = False) -> None:
        """`inside`: the words at the ends do not stand out."""
        super().__init__(orientation)
        self._lines, self._inside = lines, inside
        self._ticks: tuple[tuple[float, str], ...] = ()
        self._marked: float | None = None
        self.setZValue(-200)  # a view has -100: traces lie over the hairlines
        look().changed.connect(self._on_look_changed)

    def show_ticks(
        self, ticks: Sequence[tuple[float, str]], marked: float | None = None
    ) -> None:
        """Values of the view with their words, the weightier first: where words along the
        bottom would touch, the first of them is kept. The word of `marked` stands out.
        """
        if (tuple(ticks), marked) != (self._ticks, self._marked):
            self._ticks, self._marked = tuple(ticks), marked
            self.update()

    @guarded
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem | None = None,
        widget: QWidget | None = None,
    ) -> None:
        view = self.linkedView()
        low, high = self.range
        if view is None or high <= low:
            return
        place = QRectF(self.mapRectFromParent(self.geometry()))
        theme, letters = look().theme, look().letters
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        upright = self.orientation in {"left", "right"}
        words_top = 6 if self.orientation == "bottom" else place.bottom() - 18
        taken: list[tuple[float, float]] = []
        for value, words in self._ticks:
            share = (value - low) / (high - low)
            if not 0 <= share <= 1:
                continue
            marked = letters.badge if value == self._marked else letters.caption
            painter.setPen(theme.line)
            if upright:
                y = round(place.bottom() - share * place.height())
                if self._lines:
                    end = QPointF(place.right() + view.width() - 0.5, y)
                    painter.drawLine(QPointF(place.right() + 0.5, y), end)
                box, side = QRectF(0, y - 8, place.width() - 8, 16), Qt.AlignmentFlag.AlignRight
            else:
                x = round(place.left() + share * place.width())
                if self._lines or (self.orientation == "bottom" and not self._inside):
                    reach = -view.height() if self._lines else _TICK
                    painter.drawLine(QPointF(x, place.top()), QPointF(x, place.top() + reach))
                width = marked.width(words)
                start = x - width / 2
                if self._inside:
                    start = min(max(start, place.left()), place.right() - width)
                if any(start < last and first < start + width for first, last in taken):
                    continue
                taken.append((start - _APART, start + width + _APART))
                box, side = QRectF(start, words_top, width + 1, 16), Qt.AlignmentFlag.AlignLeft
            ink = theme.text if value == self._marked else theme.faint
            if value == self._marked and self.orientation == "bottom":
                painter.setRenderHint(QPainter.RenderHint.Antialiasing)
                painter.setPen(Qt.PenStyle.NoPen)
                painter.setBrush(theme.text)
                painter.drawRoundedRect(box.adjusted(-8, -1, 7, 1), 4, 4)
                painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
                ink = theme.ground
            painter.setPen(ink)
            painter.setFont(marked.font)
            painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, words)

    def boundingRect(self) -> QRectF:
        """With the hairlines, which lie over the plot, and words that stand out at the ends."""
        place = QRectF(self.mapRectFromParent(self.geometry()))
        view = self.linkedView()
        if view is None:
            return place
        if self.orientation in {"left", "right"}:
            return place.adjusted(0, -8, view.width() if self._lines else 0, 8)
        return place.adjusted(-60, -view.height() if self._lines else 0, 60, 0)

    def _on_look_changed(self) -> None:
        self.update()
