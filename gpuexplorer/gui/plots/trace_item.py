"""TraceItem: one trace in a view: a line of means, a band from least to most, a fill."""

from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.paint.curve import draw_trace
from gpuexplorer.telemetry.trace import Trace, empty_trace


class TraceItem(pg.GraphicsObject):
    """Lies in a view whose x are steady seconds and whose y are the metric's units.

    PlotCurveItem outlines a line wider than 1 px as a shape, which takes ten times as long, and
    knows neither columns of several readings nor that a gap is not to be bridged.
    """

    def __init__(self) -> None:
        super().__init__()
        self._trace = empty_trace()
        self._colour = QColor()
        self._fill, self._dash = False, 0
        self._bare: tuple[tuple[float, float], ...] = ()

    def show_trace(
        self,
        trace: Trace,
        colour: QColor,
        *,
        fill: bool = False,
        dash: int = 0,
        bare: Sequence[tuple[float, float]] = (),
    ) -> None:
        """No fill in the stretches of time that are `bare`."""
        self._trace, self._colour = trace, colour
        self._fill, self._dash, self._bare = fill, dash, tuple(bare)
        self.update()

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem | None = None,
        widget: QWidget | None = None,
    ) -> None:
        seen = self.boundingRect()
        if seen.isEmpty():
            return
        place = painter.transform().mapRect(seen)
        painter.save()
        painter.resetTransform()
        draw_trace(
            painter,
            place,
            self._trace,
            seen.left(),
            seen.right(),
            seen.top(),
            seen.bottom(),
            self._colour,
            fill=self._fill,
            dash=self._dash,
            bare=self._bare,
        )
        painter.restore()

    def boundingRect(self) -> QRectF:
        view = self.getViewBox()
        return QRectF() if view is None else QRectF(view.viewRect())

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()
