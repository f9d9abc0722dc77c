"""Lane: what one engine of one device did over the session, found quickly among very much."""

from array import array
from bisect import bisect_left, bisect_right
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


class Bar(NamedTuple):
    """One stretch."""

    begin: float
    end: float
    busy: float  # seconds of it in which there was something, at most its length
    times: int  # what it is made of: copies, kernels, calls
    item: int  # its number in its lane


class Fold(NamedTuple):
    """Stretches to be drawn, as columns: those that begin within one pixel are one row."""

    begins: Numbers
    ends: Numbers
    busy: Numbers
    times: Counts
    first: Counts  # the number of the first in its lane
    after: Counts  # and that of the next row's


class Lane:
    """Stretches come in the order of their beginnings; they may overlap."""

    def __init__(self) -> None:
        self._begins = array("d")
        self._ends = array("d")
        self._latest = array("d")  # the latest end up to here, by which one can be looked for
        self._busy = array("d", [0.0])  # sums
        self._beside = array("d", [0.0])  # of that, beside a computation
        self._counts = array("q", [0])  # sums

    def __len__(self) -> int:
        return len(self._begins)

    @property
    def end(self) -> float:
        return self._latest[-1] if self._latest else 0.0

    def add(
        self, begin: float, end: float, busy: float, count: int = 1, beside: float = 0.0
    ) -> int:
        """Its number. What begins before the last one did is taken to begin with it."""
        begin = max(begin, self._begins[-1] if self._begins else 0.0)
        end = max(begin, end)
        self._begins.append(begin)
        self._ends.append(end)
        self._latest.append(max(end, self.end))
        self._busy.append(self._busy[-1] + busy)
        self._beside.append(self._beside[-1] + beside)
        self._counts.append(self._counts[-1] + count)
        return len(self._begins) - 1

    def bar(self, item: int) -> Bar:
        busy = self._busy[item + 1] - self._busy[item]
        count = self._counts[item + 1] - self._counts[item]
        return Bar(self._begins[item], self._ends[item], busy, count, item)

    def visible(self, begin: float, end: float, pixels: int) -> Fold:
        """What is to be drawn of a stretch that is so many pixels wide: at most about that many
        bars, however much there is.
        """
        # Arrays that numpy looks into cannot grow: these must not outlive the call.
        begins, ends = np.asarray(self._begins), np.asarray(self._ends)
        busy, counts = np.asarray(self._busy), np.asarray(self._counts)
        cell = (end - begin) / max(1, pixels)
        at, stop = bisect_right(self._latest, begin), bisect_left(self._begins, end)
        first = np.arange(at, max(at, stop))
        if first.size > pixels // 4 and cell > 0.0:
            # Cells lie where they lie, wherever the picture begins, so that nothing flickers.
            edges = (begin // cell + np.arange(1, pixels + 2)) * cell
            first = np.unique(np.append(at, begins.searchsorted(edges)))
            first = first[first < stop]
        after = np.append(first[1:], stop) if first.size else first
        return Fold(
            begins[first],
            np.maximum.reduceat(ends[at:stop], first - at) if first.size else ends[:0].copy(),
            busy[after] - busy[first],
            counts[after] - counts[first],
            first,
            after,
        )

    def longest(self, first: int, after: int) -> int:
        """The number of the longest among these."""
        lengths = np.asarray(self._ends[first:after]) - np.asarray(self._begins[first:after])
        return first + int(lengths.argmax())

    def at(self, moment: float) -> int | None:
        """The number of the latest that covers the moment."""
        first, last = bisect_right(self._latest, moment), bisect_right(self._begins, moment)
        for item in range(last - 1, first - 1, -1):
            if self._ends[item] >= moment:
                return item
        return None

    def busy_between(self, begin: float, end: float) -> float:
        """Seconds; what only reaches into the stretch counts in part."""
        return self._sum(self._busy, begin, end)

    def beside_between(self, begin: float, end: float) -> float:
        return self._sum(self._beside, begin, end)

    def _sum(self, sums: "array[float]", begin: float, end: float) -> float:
        first, last = bisect_right(self._latest, begin), bisect_left(self._begins, end)
        if first >= last:
            return 0.0
        total = sums[last] - sums[first]
        for item in {first, last - 1}:
            whole = self._ends[item] - self._begins[item]
            seen = min(end, self._ends[item]) - max(begin, self._begins[item])
            if whole > 0.0 and seen < whole:
                total -= (sums[item + 1] - sums[item]) * (1.0 - max(0.0, seen) / whole)
        return total
