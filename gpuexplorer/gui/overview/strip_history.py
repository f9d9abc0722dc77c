"""StripHistory: one metric of very many cards over time, kept from picture to picture."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.overview.plotted import Plotted, summed_trace, value_of
from gpuexplorer.telemetry.trace import Trace, TraceSource

# The whole past of so many cards is asked for at each picture; of the others it is kept, and
# the newest reading is added. To ask for all of 64 would take longer than to draw them.
_ASKED_EACH_TIME = 3
_STALE = 3.0  # columns, or seconds if that is longer: beyond it nothing is known


class StripHistory:
    """A row for each card, a column for each moment; NaN where nothing was read."""

    def __init__(self, past: TraceSource) -> None:
        self._past = past
        self._cards: tuple[CardId, ...] = ()
        self._plotted: Plotted | None = None
        self._columns = 0
        self._seconds = 0.0  # of one column
        self._last = 0  # the number of the last column, counted from when time began
        self._turn = 0
        self.values: NDArray[np.float64] = np.empty((0, 0))

    @property
    def start(self) -> float:
        """When the first column begins, in steady seconds."""
        return (self._last - self._columns + 1) * self._seconds

    @property
    def end(self) -> float:
        return (self._last + 1) * self._seconds

    def bring_up(
        self,
        cards: Sequence[CardFace],
        plotted: Plotted,
        stretch: tuple[float, float],
        columns: int,
    ) -> None:
        """To the end of this stretch."""
        seconds = (stretch[1] - stretch[0]) / columns
        last = int(np.ceil(stretch[1] / seconds - 1e-6)) - 1
        ids = tuple(each.id for each in cards)
        same = (ids, plotted, columns) == (self._cards, self._plotted, self._columns)
        moved = last - self._last
        if not same or abs(seconds - self._seconds) > 1e-9 or not 0 <= moved < columns:
            self._cards, self._plotted = ids, plotted
            self._columns, self._seconds, self._last = columns, seconds, last
            self.values = np.full((len(ids), columns), np.nan)
            asked: Sequence[int] = range(len(ids))
        else:
            self._move(moved)
            for row, each in enumerate(cards):
                self._add_newest(row, each, plotted, moved)
            count = max(1, len(ids))
            asked = [(self._turn + at) % count for at in range(min(count, _ASKED_EACH_TIME))]
            self._turn += _ASKED_EACH_TIME
        for row in asked:
            self._ask(row, plotted)

    def _move(self, columns: int) -> None:
        if columns == 0:
            return
        self.values[:, :-columns] = self.values[:, columns:]
        # A reading holds until the next one comes.
        self.values[:, -columns:] = self.values[:, -columns - 1 : -columns]
        self._last += columns

    def _add_newest(self, row: int, face: CardFace, plotted: Plotted, moved: int) -> None:
        """From the reading on to the end; nothing where there is none."""
        value = value_of(face, plotted) if face.answers else None
        stale = max(_STALE, _STALE / self._seconds)
        if value is not None:
            first = int((face.reading.at - self.start) / self._seconds)
            if self._columns - first <= stale:
                self.values[row, max(0, first) :] = value
                return
        if moved:
            self.values[row, -moved:] = np.nan

    def _ask(self, row: int, plotted: Plotted) -> None:
        card = self._cards[row]
        trace = summed_trace(self._past, card, plotted, self.start, self.end, self._columns)
        self.values[row] = self._sampled(trace)

    def _sampled(self, trace: Trace) -> NDArray[np.float64]:
        """What held in the middle of each column: a reading holds until the next one."""
        if len(trace) == 0:
            return np.full(self._columns, np.nan)
        middles = self.start + (np.arange(self._columns) + 0.5) * self._seconds
        at = np.searchsorted(trace.times, middles, side="right") - 1
        found = trace.means[np.maximum(at, 0)]
        since = middles - trace.times[np.maximum(at, 0)]
        usual = max(trace.column_seconds, self._seconds, 1.0)
        stale = (at == len(trace) - 1) & (since > _STALE * usual)
        return np.where((at < 0) | stale, np.nan, found)
