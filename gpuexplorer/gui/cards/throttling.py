"""Throttling: when a card was slowed and why, found in what it said of its clocks."""

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId, throttle
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.cards.reasons import HARMFUL, ORDINARY
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.happenings import Episode, EventBook, Happening, Kind
from gpuexplorer.telemetry.trace import Trace, TraceSource

# The gravest first: where two hold at once, this one is told.
REASONS = (*HARMFUL, *ORDINARY)
_WORDS = {
    throttle("sw_power_cap"): mark("power limit"),
    throttle("hw_slowdown"): mark("hardware"),
    throttle("sync_boost"): mark("its group"),
    throttle("sw_thermal_slowdown"): mark("too warm"),
    throttle("hw_thermal_slowdown"): mark("much too hot"),
    throttle("hw_power_brake_slowdown"): mark("power brake"),
}
# Reasons flicker while a card runs along its limit; a band for each flicker says nothing.
_BRIDGED = 2.0
_BRIDGED_SHARE = 1 / 250
_KEPT = 400
_BY_NAME = {str(reason): reason for reason in REASONS}


_GOING = frozenset({Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE})


@dataclass(frozen=True, slots=True)
class SlowedSpan:
    """A stretch in which one reason held."""

    start: float
    end: float
    reason: MetricId

    @property
    def word(self) -> str:
        """Short enough for a narrow band, since half a word says nothing."""
        return tr(_WORDS[self.reason])

    @property
    def tone(self) -> Tone:
        """A busy card stands at its power limit as a rule; that is no reason for a warning."""
        return Tone.WARN if self.reason in HARMFUL else Tone.QUIET


@dataclass(frozen=True, slots=True)
class SlowedTime:
    """How long in a stretch of time; `recorded` is how much of it anybody read."""

    seconds: float
    recorded: float
    by_reason: Mapping[MetricId, float]

    @property
    def harmful(self) -> bool:
        return any(self.by_reason.get(reason, 0.0) > 0 for reason in HARMFUL)


def ever_held(past: TraceSource, card: CardId, start: float, end: float) -> set[MetricId]:
    """Reasons that held at all: of the others no finer trace has to be asked for."""
    traces = ((reason, past.trace(card, reason, start, end, 2)) for reason in REASONS)
    return {reason for reason, trace in traces if bool((trace.maxima >= 1).any())}


def slowed_stretches(traces: Mapping[MetricId, Trace], span: float) -> Sequence[SlowedSpan]:
    """In the order of time. Short breaks are bridged; a time that was not read is not."""
    bridged = max(_BRIDGED, span * _BRIDGED_SHARE)
    found = [
        SlowedSpan(start, end, reason)
        for reason, trace in traces.items()
        for start, end in _runs(trace, bridged)
    ]
    found.sort(key=lambda each: (each.start, REASONS.index(each.reason)))
    return found


def slowed_time(traces: Mapping[MetricId, Trace]) -> SlowedTime | None:
    """None where nothing was read. Within a column the flag's mean is the share of its time."""
    recorded = 0.0
    by_reason: dict[MetricId, float] = {}
    together: NDArray[np.float64] | None = None
    widths = np.empty(0)
    for reason, trace in traces.items():
        if not np.any(trace.counts):
            continue
        widths = _widths(trace)
        shares = np.where(trace.counts > 0, np.nan_to_num(trace.means), 0.0)
        recorded = max(recorded, float(np.sum(widths)))
        seconds = float(np.sum(widths * shares))
        if seconds > 0:
            by_reason[reason] = seconds
        if together is None or together.size != shares.size:
            together = shares
        else:
            # Two reasons at once are one slow moment.
            together = np.maximum(together, shares)
    if together is None:
        return None
    return SlowedTime(float(np.sum(widths * together)), recorded, by_reason)


def _runs(trace: Trace, bridged: float) -> Sequence[tuple[float, float]]:
    held = trace.maxima >= 1
    if not held.any():
        return ()
    edges = np.flatnonzero(np.diff(np.concatenate(([False], held, [False])).astype(np.int8)))
    ends = trace.times + _lasting(trace)
    gaps = np.flatnonzero(trace.counts == 0)
    runs: list[tuple[float, float]] = []
    last = 0
    for first, beyond in zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True):
        start, end = float(trace.times[first]), float(ends[beyond - 1])
        unread = bool(np.any((gaps >= last) & (gaps < first)))
        if runs and start - runs[-1][1] <= bridged and not unread:
            runs[-1] = (runs[-1][0], end)
        else:
            runs.append((start, end))
        last = beyond
    return runs


def _lasting(trace: Trace) -> NDArray[np.float64]:
    """How long each column lasts: to the next one, the last one as long as usual."""
    usual = trace.column_seconds
    following = np.append(trace.times[1:], trace.times[-1] + usual)
    return np.asarray(following - trace.times, np.float64)


def _widths(trace: Trace) -> NDArray[np.float64]:
    """The same without the gaps."""
    return np.where(trace.counts > 0, _lasting(trace), 0.0)


class SlowedBook:
    """Takes the log in as it grows: among many cards the flags of each would cost too much."""

    def __init__(self) -> None:
        self._book = EventBook()
        self._slowed: dict[CardId | None, deque[Episode]] = {}

    def take(self, log: Sequence[Happening]) -> None:
        episodes = self._book.take(log)
        if self._book.anew:
            self._slowed.clear()
        for episode in episodes:
            first = episode.first
            if first.kind is Kind.THROTTLING_BEGAN and first.about in _BY_NAME:
                kept = self._slowed.setdefault(first.card, deque(maxlen=_KEPT))
                kept.append(episode)

    def stretches(self, card: CardId, start: float, end: float) -> Sequence[SlowedSpan]:
        """Those that reach into the time from `start` to `end`; what goes on ends there."""
        spans = [
            SlowedSpan(
                each.first.at,
                end if each.running else each.first.at + (each.lasted or 0.0),
                _BY_NAME[each.first.about],
            )
            for each in self._slowed.get(card, ())
        ]
        found = [span for span in spans if span.end > start and span.start < end]
        found.sort(key=lambda span: REASONS.index(span.reason))
        return found

    def gone_at(self, card: CardId) -> float | None:
        """When it was lost, or the driver of all went, in steady seconds."""
        return self._book.since(_GOING, card)
