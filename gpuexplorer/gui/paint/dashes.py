"""Dashes: which stretches of a line are left out, so that lines differ without their colour.

Qt's dashed pens take forty times as long as the line itself.
"""

import numpy as np
from numpy.typing import NDArray

_GAP = 3.0  # pixels; twice the pen
# Marks in pixels, each followed by a gap; 0 is a whole line.
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
DASHES = len(_MARKS)
# Where marks end and begin in turn within one period.
_EDGES = [np.cumsum([part for mark in marks for part in (mark, _GAP)]) for marks in _MARKS]


def cuts_of(left: float, right: float, phase: float, dash: int) -> NDArray[np.float64]:
    """Where marks end and begin between `left` and `right`; at `phase` one begins."""
    edges = _EDGES[dash]
    period = edges[-1]
    first = np.floor((left - phase) / period)
    count = int((right - left) / period) + 2
    periods = phase + (first + np.arange(count)) * period
    cuts: NDArray[np.float64] = (periods[:, np.newaxis] + edges).ravel()
    return cuts[(cuts > left) & (cuts < right)]


def marked(x: NDArray[np.float64], phase: float, dash: int) -> NDArray[np.bool_]:
    """Whether there is a mark at each of these places."""
    edges = _EDGES[dash]
    marks: NDArray[np.bool_] = edges.searchsorted(np.mod(x - phase, edges[-1])) % 2 == 0
    return marks
