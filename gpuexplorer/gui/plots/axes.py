"""Axis: few labels and hairlines, drawn at once; pyqtgraph's own searches and records them."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QGraphicsItem, QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.theme.look import Look

_TICK = 4  # pixels below a view without upright hairlines


class Axis(pg.AxisItem):
    """Shows the ticks it is given, in the units of its view, and a hairline at each of them."""

    def __init__(self, look: Look, orientation: str, *, lines: bool = True) -> None:
        super().__init__(orientation)
        self._look, self._lines = look, lines
        self._ticks: tuple[tuple[float, str], ...] = ()
        self.setZValue(-1)  # traces lie over the hairlines
        # Moving over a plot does not draw its axes again.
        self.setCacheMode(QGraphicsItem.CacheMode.DeviceCoordinateCache)
        look.changed.connect(self._on_look_changed)

    def show_ticks(self, ticks: Sequence[tuple[float, str]]) -> None:
        """Values of the view with their words."""
        if tuple(ticks) != self._ticks:
            self._ticks = tuple(ticks)
            self.update()

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
        theme = self._look.theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing, on=False)
        painter.setFont(self._look.letters.caption.font)
        upright = self.orientation in {"left", "right"}
        for value, words in self._ticks:
            share = (value - low) / (high - low)
            if not 0 <= share <= 1:
                continue
            painter.setPen(theme.line)
            if upright:
                y = round(place.bottom() - share * place.height())
                if self._lines:
                    end = QPointF(place.right() + view.width(), y)
                    painter.drawLine(QPointF(place.right(), y), end)
                box, side = QRectF(0, y - 8, place.width() - 8, 16), Qt.AlignmentFlag.AlignRight
            else:
                x = round(place.left() + share * place.width())
                top = place.top() - view.height() if self._lines else place.top() + _TICK
                painter.drawLine(QPointF(x, place.top()), QPointF(x, top))
                box, side = QRectF(x - 60, 6, 120, 16), Qt.AlignmentFlag.AlignHCenter
            painter.setPen(theme.faint)
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
