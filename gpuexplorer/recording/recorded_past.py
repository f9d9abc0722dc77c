"""What plots get of a recording: readings where they are few enough to be seen, else sums a
minute. RecordedPast is that alone, JoinedPast has the live past after it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.schema import MINUTE
from gpuexplorer.recording.strands import GAP, Floats
from gpuexplorer.telemetry.history import History, Past, condensed
from gpuexplorer.telemetry.trace import Trace

_USUAL = 1.0
_LEARNT = 5  # distances of which the middle one is the usual one, as in the live past
_WIDE = MINUTE / 2  # seconds of a column, from which sums are as good as readings
_ROUNDED = 0.001  # seconds; the axis counts since 1970


class RecordedPast:
    """A TraceSource on the recording's axis. For any thread."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording

    @property
    def began(self) -> float:
        return self._recording.began

    @property
    def ended(self) -> float:
        return self._recording.ended

    def cards(self) -> Sequence[CardId]:
        return self._recording.with_readings()

    def memory_bytes(self) -> int:
        return self._recording.memory_bytes()

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        width = (end - start) / max(columns, 1)
        return condensed(self.past(card, metric, start, end, width), start, end, columns)

    def past(
        self, card: CardId, metric: MetricId, start: float, end: float, width: float
    ) -> Past:
        """As fine as columns of that width can show."""
        start, end = max(start, self.began), min(end, self.ended)
        for strand in self._recording.strands(card):
            if metric in strand.metrics and start <= end:
                if width >= _WIDE:
                    return _of_sums(strand.sums(metric, start, end))
                return joined(
                    _of_sums(strand.sums(metric, start, end, forgotten=True)),
                    _of_readings(*strand.readings(metric, start, end)),
                )
        return Past.nothing(_USUAL)


class JoinedPast:
    """A TraceSource on the live steady clock, to which `shift` takes the recording's axis."""

    def __init__(self, live: History, stored: Recording, shift: float) -> None:
        self._live = live
        self._stored = RecordedPast(stored)
        self._shift = shift

    @property
    def began(self) -> float:
        return self._stored.began + self._shift

    @property
    def ended(self) -> None:
        """It goes on."""

    def cards(self) -> Sequence[CardId]:
        return tuple(dict.fromkeys((*self._stored.cards(), *self._live.cards())))

    def memory_bytes(self) -> int:
        return self._stored.memory_bytes() + self._live.memory_bytes()

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        now = self._live.past(card, metric, start, end)
        # Nothing of what is kept of this very run: the live past knows it better.
        began = self._live.began
        stop = end if began is None else min(end, began - _ROUNDED)
        before = Past.nothing(_USUAL)
        if self.began <= stop >= start:
            width = (end - start) / max(columns, 1)
            shift = self._shift
            before = self._stored.past(card, metric, start - shift, stop - shift, width)
            before = replace(before, times=before.times + shift)
        return condensed(joined(before, now), start, end, columns)


def joined(older: Past, newer: Past) -> Past:
    """With a gap between them where there is one."""
    if not older.times.size or not newer.times.size:
        return older if older.times.size else newer
    broken = newer.broken.copy()
    broken[0] = newer.times[0] - older.times[-1] > older.usual + GAP * newer.usual
    return older.followed_by(replace(newer, broken=broken))


def _of_readings(times: Floats, values: Floats) -> Past:
    apart = np.diff(times)
    usual = float(np.median(apart)) if apart.size else _USUAL
    counts = (~np.isnan(values)).astype(np.uint8)
    return Past(times, _broken(apart, usual), values, values, values, counts, usual)


def _broken(apart: Floats, usual: float) -> NDArray[np.bool_]:
    """Before which readings something was not seen, by what was usual up to each."""
    # Rounds that somebody asked for in between do not make a second seem long.
    shortest = min(usual, _USUAL)
    found = np.zeros(apart.size + 1, np.bool_)
    some = np.flatnonzero(apart > GAP * shortest)
    before = np.concatenate((np.full(_LEARNT, usual), apart))
    learnt = np.median(before[some[:, None] + np.arange(_LEARNT)], axis=1)
    found[some + 1] = apart[some] > GAP * np.maximum(learnt, shortest)
    return found


def _of_sums(sums: Floats) -> Past:
    times, minima, maxima, means, counts = sums
    broken = np.zeros(times.size, np.bool_)
    # A minute that is left out, or more than slow readings leave out.
    seldom = bool(counts.size) and counts.mean() < GAP
    if seldom:
        apart = np.diff(times)
        broken[1:] = apart > GAP * max(float(np.median(apart)) if apart.size else 0, MINUTE)
    else:
        broken[1:] = np.diff(times // MINUTE) > 1
    return Past(times, broken, minima, maxima, means, counts.astype(np.int64), MINUTE)
