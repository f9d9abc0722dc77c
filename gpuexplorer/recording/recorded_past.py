"""RecordedPast: what plots get of a recording. Readings where they are few enough to be seen,
else the coarsest buckets that are not wider than a column.
"""

import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import reduce
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.harmless import LATEST
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.recording.past_strand import GAP, PastStrand
from gpuexplorer.recording.recording import Recording
from gpuexplorer.recording.schema import BUCKET, LEVELS
from gpuexplorer.telemetry.history.condense import Past, condensed
from gpuexplorer.telemetry.trace import Trace

Floats = NDArray[np.float64]
Piece = TypeVar("Piece")

_USUAL = 1.0
_LEARNT = 5  # distances of which the middle one is the usual one, as in the live past
_MOST_PIECES = 5000  # of one curve
_REMEMBERED = 4096  # pieces, of half a thousand readings as a rule


class _Timed(NamedTuple):
    """A piece of readings."""

    first: float
    times: Floats
    broken: NDArray[np.bool_]
    usual: float


class RecordedPast:
    """A TraceSource on the recording's axis. For any thread."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._pieces = recording.pieces
        self._known: OrderedDict[tuple[int, float], _Timed] = OrderedDict()

    @property
    def began(self) -> float:
        return self._recording.began

    @property
    def ended(self) -> float:
        return self._recording.ended

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
                last = min(end, before - level)
                parts.append(self._buckets(strand, metric, start, last, level))
            else:
                last = min(end, math.nextafter(before, 0))
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
        pieces = _in_turn(
            [self._timed(strand, first) for first in strand.within(start, end)[-_MOST_PIECES:]],
            lambda piece: piece.times,
        )
        if not pieces:
            return Past.nothing(_USUAL)
        times = np.concatenate([piece.times for piece in pieces])
        some = slice(times.searchsorted(start), times.searchsorted(end, side="right"))
        values = np.concatenate([_figures(strand, metric, piece) for piece in pieces])[some]
        broken = np.concatenate([piece.broken for piece in pieces])
        begins = np.cumsum([piece.times.size for piece in pieces[:-1]], dtype=np.intp)
        usual = pieces[-1].usual
        broken[begins] = times[begins] - times[begins - 1] > GAP * usual
        counts = (~np.isnan(values)).astype(np.uint8)
        return Past(times[some], broken[some], values, values, values, counts, usual)

    def _buckets(
        self, strand: PastStrand, metric: MetricId, start: float, last: float, level: int
    ) -> Past:
        """Those that reach past the start, and begin by `last`."""
        series = strand.series.get(metric)
        firsts = () if series is None else self._pieces.within(series, level, start, last)
        columns = [
            self._pieces.column(series or 0, level, first) for first in firsts[-_MOST_PIECES:]
        ]
        found = _in_turn(
            [np.asarray(each).reshape(BUCKET, -1) for each in columns if each is not None],
            lambda piece: piece[0],
        )
        if not found:
            return Past.nothing(level)
        whole = np.concatenate(found, axis=1) if len(found) > 1 else found[0]
        begin, end = whole[0].searchsorted((start - level, last), side="right")
        times, minima, maxima, means, counts = whole[:, begin:end]
        broken = _broken_buckets(times, counts, level)
        return Past(times, broken, minima, maxima, means, counts, level)

    def _timed(self, strand: PastStrand, first: float) -> _Timed:
        """Metrics that are read together share it."""
        key = (id(strand), first)
        known = self._known.get(key)
        if known is None:
            times = np.asarray(strand.times(first))
            apart = np.diff(times)
            usual = float(np.median(apart)) if apart.size else _USUAL
            self._known[key] = known = _Timed(first, times, _broken(apart, usual), usual)
            if len(self._known) > _REMEMBERED:
                self._known.popitem(last=False)
        return known


def _in_turn(pieces: Sequence[Piece], times: Callable[[Piece], Floats]) -> list[Piece]:
    """Without those that are damaged, or begin in another one."""
    found: list[Piece] = []
    for piece in pieces:
        at = times(piece)
        if at.size and (not found or at[0] >= times(found[-1])[-1]):
            found.append(piece)
    return found


def _figures(strand: PastStrand, metric: MetricId, piece: _Timed) -> Floats:
    count = piece.times.size
    column = strand.column(piece.first, metric, count)
    return np.full(count, np.nan) if column is None else np.asarray(column)


def _broken(apart: Floats, usual: float) -> NDArray[np.bool_]:
    """Before which readings something was not seen, by what was usual up to each."""
    before: float | Floats = usual
    if apart.size > _LEARNT:
        middle = np.partition(sliding_window_view(apart, _LEARNT), _LEARNT // 2, axis=1)
        before = np.append(np.full(_LEARNT, usual), middle[:-1, _LEARNT // 2])
    # Rounds that somebody asked for in between do not make a second seem long.
    return np.append(False, apart > GAP * np.maximum(before, min(usual, _USUAL)))


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
