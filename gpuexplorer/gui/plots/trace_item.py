"""TraceItem: traces in a view: lines of means, bands from least to most, fills."""

import math
from collections.abc import Sequence

import pyqtgraph as pg
from PySide6.QtCore import QRectF
from PySide6.QtGui import QColor, QPainter
from PySide6.QtWidgets import QStyleOptionGraphicsItem, QWidget

from gpuexplorer.gui.guard import guarded
from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, Curve, Frame
from gpuexplorer.gui.plots.kept_picture import KeptPicture
from gpuexplorer.telemetry.trace import Trace


def columns_for(width: float) -> int:
    """How many columns to ask the history for, so that each is two whole pixels wide."""
    return max(2, int(width) // COLUMN_PIXELS + 1)


def steady_stretch(start: float, end: float, width: float) -> tuple[float, float]:
    """The stretch to draw: it moves by whole pixels, so that what it shows does not shimmer.

    The history's columns begin at multiples of their width, and so fall on whole pixels too.
    """
    pixel = (end - start) / max(1.0, width)
    later = math.ceil(end / pixel - 1e-6) * pixel
    return later - (end - start), later


class TraceItem(pg.GraphicsObject):
    """Lies in a view whose x are steady seconds and whose y are the metric's units.

    PlotCurveItem outlines a line wider than 1 px as a shape, which takes ten times as long, and
    knows neither columns of several readings nor that a gap is not to be bridged.
    """

    def __init__(self, *, kept: bool = True) -> None:
        """Not `kept` from frame to frame: right for what is small, or does not move."""
        super().__init__()
        self._curves: tuple[Curve, ...] = ()
        self._kept = KeptPicture() if kept else None
        self._seen = QRectF()

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
        self.show_curves([Curve(trace, colour, fill, dash, tuple(bare))])

    def show_curves(self, curves: Sequence[Curve]) -> None:
        """The first lies on top."""
        self._curves = tuple(curves)
        self.update()

    @guarded
    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionGraphicsItem | None = None,
        widget: QWidget | None = None,
    ) -> None:
        to = painter.transform()
        place = to.mapRect(self._seen)
        # A view that is squeezed to nothing still reaches from a value to another.
        if place.toRect().isEmpty() or not any(len(curve.trace) for curve in self._curves):
            return
        painter.save()
        painter.resetTransform()
        frame = Frame(place, to, self._curves)
        try:
            if self._kept is None:
                frame.draw(painter, place.left(), place.right())
            else:
                self._kept.draw(painter, frame)
        finally:
            painter.restore()

    def boundingRect(self) -> QRectF:
        return self._seen

    def viewRangeChanged(self) -> None:
        self.prepareGeometryChange()
        view = self.getViewBox()
        self._seen = QRectF() if view is None else QRectF(view.viewRect())
