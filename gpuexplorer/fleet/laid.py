"""What Prometheus tells of a stretch of time, laid out evenly for numpy."""

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.fleet.answers import Line

Floats = NDArray[np.float64]


def laid(line: Line, start: float, step: float, count: int) -> Floats:
    """At each of so many moments; NaN where nothing is told."""
    found = np.full(count, np.nan)
    places = np.rint((np.array(line.times) - start) / step)
    good = (places >= 0) & (places < count)
    found[places[good].astype(np.intp)] = np.array(line.values)[good]
    return found
