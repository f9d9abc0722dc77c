"""Pens for lines that are told apart without their colour."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPen

_GAP = 3.0  # pixels
# Marks in pixels, each followed by a gap; the first is a whole line.
_MARKS: tuple[tuple[float, ...], ...] = (
    (),
    (11.0,),
    (3.0,),
    (12.0, 3.0),
    (6.0,),
    (12.0, 3.0, 3.0),
    (22.0,),
    (9.0, 9.0, 3.0),
)


def line_pen(colour: QColor, width: float, dash: int = 0, *, ratio: float = 0.0) -> QPen:
    """For lines of few points: Qt takes long for a dashed line of many. In a view, whose units
    are no pixels, a pen's are those of the screen: of these the window's are `ratio` wide.
    """
    pen = QPen(colour, width * ratio if ratio else width)
    pen.setCosmetic(bool(ratio))
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    pen.setJoinStyle(Qt.PenJoinStyle.RoundJoin)
    marks = _MARKS[dash % len(_MARKS)]
    if marks:
        pen.setDashPattern([part / width for mark in marks for part in (mark, _GAP)])
    return pen


def dotted_pen(colour: QColor, *, ratio: float) -> QPen:
    """For limits in a view."""
    pen = line_pen(colour, 1.2, ratio=ratio)
    pen.setDashPattern([1.0, 2.2])
    return pen
