"""Pens for lines that are told apart without their colour."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

from gpuexplorer.gui.plots.curves import COLUMN_PIXELS, MARKS


def line_pen(colour: QColor, width: float, dash: int = 0, *, ratio: float = 0.0) -> QPen:
    """For lines of few points: Qt takes long for a dashed line of many. In a view, whose units
    are no pixels, a pen's are those of the screen: of these the window's are `ratio` wide.
    """
    pen = QPen(colour, width * ratio if ratio else width)
    pen.setCosmetic(bool(ratio))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    pattern = [part * COLUMN_PIXELS / width for mark in MARKS[dash] for part in (mark, 2)]
    if pattern:
        pen.setDashPattern(pattern)
    return pen


def dotted_pen(colour: QColor, *, ratio: float) -> QPen:
    """For limits in a view."""
    pen = line_pen(colour, 1.2, ratio=ratio)
    pen.setDashPattern([1.0, 2.2])
    return pen
