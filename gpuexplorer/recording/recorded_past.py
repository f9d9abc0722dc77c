"""RecordedPast: what plots get of a recording. Readings where they are few enough to be seen,
else the coarsest buckets that are not wider than a column.
"""

import math
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.harmless import LATEST
from gpuexplorer.recording.pieces import GAP, PastStrand
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.schema import BUCKET, LEVELS
from gpuexplorer.telemetry.history.condense import Past, condensed
from gpuexplorer.telemetry.history.tables import Lengths
from gpuexplorer.telemetry.trace import Trace

Floats = NDArray[np.float64]

_USUAL = 1.0
_LEARNT = 5  # distances of which the middle one is the usual one, as in the live past
_REMEMBERED = 64


class _Times(NamedTuple):
    times: Floats
    broken: NDArray[np.bool_]
    usual: float


class RecordedPast:
    """A TraceSource on the recording's axis. For any thread."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._pieces = recording.pieces
        self._times: OrderedDict[tuple[int, float, float], _Times] = OrderedDict()

    @property
    def began(self) -> float:
        return self._recording.began

    @property
    def ended(self) -> float:
        return self._recording.ended

    @property
    def lengths(self) -> Lengths:
        """Any stretch of it can be looked at in full."""
        seconds = self.ended - self.began
        return Lengths(seconds, seconds, LEVELS[0])

    def cards(self) -> Sequence[CardId]:
        return self._recording.with_readings()

    def memory_bytes(self) -> int:
        return self._pieces.memory_bytes()

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        width = (end - start) / max(columns, 1)
        return condensed(self.past(card, metric, start, end, width), start, end, columns)

    def past(
        self,
        card: CardId,
        metric: MetricId,
        start: float,
        end: float,
        width: float,
        *,
        cut: bool = False,
    ) -> Past:
        """As fine as columns of that width can show. `cut`: nothing that goes on after it."""
        start, end = max(start, self.began), min(end, self.ended)
        for strand in self._recording.strands(card):
            if metric in strand.metrics and start <= end:
                parts = self._parts(strand, metric, start, end, width, cut)
                return reduce(joined, reversed(parts), Past.nothing(_USUAL))
        return Past.nothing(_USUAL)

    def _parts(
        self,
        strand: PastStrand,
        metric: MetricId,
        start: float,
        end: float,
        width: float,
        cut: bool,
    ) -> Sequence[Past]:
        """Newest first. Where the best level does not reach back, others do."""
        best = max((level for level in LEVELS if level <= width), default=0)
        coarser = [level for level in LEVELS if level > best]
        finer = [level for level in (*reversed(LEVELS), 0) if level < best]
        parts: list[Past] = []
        if best:
            # What is in no piece yet is in no bucket.
            rest = strand.tail_began
            last = min(end, math.nextafter(rest, 0))
            part = self._buckets(strand, metric, start, last - best if cut else last, best)
            if cut:
                rest = part.times[-1] + best if part.times.size else start
            if rest <= end:
                parts.append(self._readings(strand, metric, max(start, rest), end))
            parts.append(part)
        else:
            parts.append(self._readings(strand, metric, start, end))
        before = self._since(strand, metric, best)
        for level in (*coarser, *finer):
            if before <= start:
                break
            since = self._since(strand, metric, level)
            if since >= before:
                continue
            if level:
                # One that reaches into what is there already holds some of it.
                parts.append(self._buckets(strand, metric, start, before - level, level))
            else:
                last = math.nextafter(before, 0)
                parts.append(self._readings(strand, metric, start, last))
            before = since
        return parts

    def _since(self, strand: PastStrand, metric: MetricId, level: int) -> float:
        """From when on there is something of that level."""
        if not level:
            return strand.began
        firsts = self._pieces.firsts(strand.series.get(metric, -1), level)
        return firsts[0] if firsts else LATEST

    def _readings(self, strand: PastStrand, metric: MetricId, start: float, end: float) -> Past:
        firsts = strand.within(start, end)
        if not firsts:
            return Past.nothing(_USUAL)
        times, broken, usual = self._times_of(strand, firsts)
        some = slice(times.searchsorted(start), times.searchsorted(end, side="right"))
        values = np.concatenate(
            [_figures(strand, metric, first, len(strand.times(first))) for first in firsts]
        )[some]
        counts = (~np.isnan(values)).astype(np.uint8)
        return Past(times[some], broken[some], values, values, values, counts, usual)

    def _buckets(
        self, strand: PastStrand, metric: MetricId, start: float, last: float, level: int
    ) -> Past:
        """Those that reach past the start, and begin by `last`."""
        series = strand.series.get(metric)
        firsts = () if series is None else self._pieces.within(series, level, start, last)
        found = [
            np.asarray(piece).reshape(BUCKET, -1)
            for first in firsts
            if (piece := self._pieces.column(series or 0, level, first)) is not None
        ]
        if not found:
            return Past.nothing(level)
        whole = np.concatenate(found, axis=1) if len(found) > 1 else found[0]
        times = np.maximum.accumulate(whole[0])
        begin, end = times.searchsorted((start - level, last), side="right")
        _, minima, maxima, means, counts = whole[:, begin:end]
        times = times[begin:end]
        broken = _broken_buckets(times, counts, level)
        return Past(times, broken, minima, maxima, means, counts, level)

    def _times_of(self, strand: PastStrand, firsts: Sequence[float]) -> _Times:
        """Metrics that are read together share them."""
        key = (id(strand), firsts[0], firsts[-1])
        known = self._times.get(key)
        if known is None:
            times = np.concatenate([np.asarray(strand.times(first)) for first in firsts])
            usual = float(np.median(np.diff(times))) if times.size > 1 else _USUAL
            known = _Times(np.maximum.accumulate(times), _broken(times, usual), usual)
            self._times[key] = known
            while len(self._times) > _REMEMBERED:
                self._times.popitem(last=False)
        return known


def _figures(strand: PastStrand, metric: MetricId, first: float, count: int) -> Floats:
    column = strand.column(first, metric, count)
    return np.full(count, np.nan) if column is None else np.asarray(column)


def _broken(times: Floats, usual: float) -> NDArray[np.bool_]:
    """Before which readings something was not seen, by what was usual up to each."""
    apart = np.diff(times)
    before: float | Floats = usual
    if apart.size > _LEARNT:
        middle = np.partition(sliding_window_view(apart, _LEARNT), _LEARNT // 2, axis=1)
        before = np.append(np.full(_LEARNT, usual), middle[:-1, _LEARNT // 2])
    # Rounds that somebody asked for in between do not make a second seem long.
    return np.append(False, apart > GAP * np.maximum(before, min(usual, _USUAL)))[: times.size]


def _broken_buckets(times: Floats, counts: Floats, level: int) -> NDArray[np.bool_]:
    """Between which there is more than slow readings leave out."""
    apart = np.diff(times)
    if not apart.size or apart.max() <= level:
        return np.zeros(times.size, np.bool_)
    seldom = counts.mean() < GAP
    return np.append(False, apart > (GAP * float(np.median(apart)) if seldom else level))


def joined(older: Past, newer: Past) -> Past:
    """With a gap between them where there is one."""
    if not older.times.size or not newer.times.size:
        return older if older.times.size else newer
    broken = newer.broken.copy()
    broken[0] = newer.times[0] - older.times[-1] > older.usual + GAP * newer.usual
    return older.followed_by(replace(newer, broken=broken))
