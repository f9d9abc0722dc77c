"""When a card was slowed and why, as it said of its clocks; and how much energy it used."""

from collections import deque
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import ENERGY, METRICS, POWER_DRAW, MetricId
from gpuexplorer.core.words import tr
from gpuexplorer.gui.cards.reasons import HARMFUL, ORDINARY
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.card_course import BRIEFLY
from gpuexplorer.telemetry.happenings import Episode, EventBook, Happening, Kind
from gpuexplorer.telemetry.trace import Trace, TraceSource

# The gravest first: where two hold at once, this one is told.
REASONS = (*HARMFUL, *ORDINARY)
_KEPT = _COLUMNS = 400
_WHOLE = 0.97  # rounding of beats is no gap in the recording
_GOING = frozenset({Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE})


class SlowedSpan(NamedTuple):
    """A stretch in which one reason held."""

    start: float
    end: float
    reason: MetricId

    @property
    def word(self) -> str:
        """Short enough for a narrow band, since half a word says nothing."""
        return tr(BRIEFLY.get(self.reason, METRICS[self.reason].label))

    @property
    def tone(self) -> Tone:
        """A busy card stands at its power limit as a rule; that is no reason for a warning."""
        return Tone.WARN if self.reason in HARMFUL else Tone.QUIET


class SlowedTime(NamedTuple):
    """How long in a stretch of time; `recorded` is how much of it anybody read."""

    seconds: float
    recorded: float
    by_reason: Mapping[MetricId, float]


def slowed_time(traces: Mapping[MetricId, Trace]) -> SlowedTime | None:
    """None where nothing was read. Within a column the flag's mean is the share of its time."""
    read = {reason: trace for reason, trace in traces.items() if trace.counts.any()}
    if not read:
        return None
    widths = {e: np.where(trace.counts > 0, _lasting(trace), 0.0) for e, trace in read.items()}
    seconds = {e: widths[e] * np.nan_to_num(trace.means) for e, trace in read.items()}
    by_reason = {e: float(np.sum(each)) for e, each in seconds.items() if each.any()}
    # Two reasons at once are one slow moment.
    together = float(np.sum(np.maximum.reduce([*seconds.values()])))
    return SlowedTime(together, max(float(np.sum(e)) for e in widths.values()), by_reason)


def _lasting(trace: Trace) -> NDArray[np.float64]:
    """How long each column lasts: to the next one, the last one as long as usual."""
    return np.diff(trace.times, append=trace.times[-1:] + trace.column_seconds)


class SlowedBook:
    """When cards were slowed, as the log says it while it grows."""

    def __init__(self) -> None:
        self._book = EventBook()
        self._slowed: dict[CardId | None, deque[Episode]] = {}

    def take(self, log: Sequence[Happening]) -> None:
        episodes = self._book.take(log)
        if self._book.anew:
            self._slowed.clear()
        for episode in episodes:
            first = episode.first
            if first.kind is Kind.THROTTLING_BEGAN and first.about in REASONS:
                self._slowed.setdefault(first.card, deque(maxlen=_KEPT)).append(episode)

    def stretches(self, card: CardId, start: float, end: float) -> Sequence[SlowedSpan]:
        spans = (
            SlowedSpan(
                each.first.at,
                end if each.running else each.first.at + (each.lasted or 0.0),
                MetricId(each.first.about),
            )
            for each in self._slowed.get(card, ())
        )
        found = (span for span in spans if span.end > start and span.start < end)
        return sorted(found, key=lambda span: REASONS.index(span.reason))

    def gone_at(self, card: CardId) -> float | None:
        """When it was lost, or the driver of all went, in steady seconds."""
        return self._book.since(_GOING, card)


class EnergyUsed(NamedTuple):
    """Since the first reading there is, in steady seconds; `counted` by the card itself."""

    joules: float
    since: float
    seconds: float  # of how much time, which may be less than was asked for
    counted: bool


def time_covered(seconds: float, span: float) -> float:
    """As it is said of a figure for a span of which so many seconds are known."""
    return span if seconds >= span * _WHOLE else seconds


def energy_used(past: TraceSource, card: CardId, start: float, end: float) -> EnergyUsed | None:
    """What came before the counter's first reading and after its last is added up from the
    power. None where too little was read to tell.
    """
    counter = past.trace(card, ENERGY, start, end, _COLUMNS)
    power = past.trace(card, POWER_DRAW, start, end, _COLUMNS)
    joules, since, known, read = 0.0, np.inf, (0.0, 0.0), counter.counts > 0
    counted = bool(np.sum(read) > 1)
    if counted:
        # A driver that was loaded anew counts from 0 again: only what was added is used.
        added = np.diff(np.column_stack((counter.minima[read], counter.maxima[read])).ravel())
        joules = float(np.sum(added[added > 0]))
        known = float(counter.times[read][0]), float(counter.times[read][-1])
        since = known[0]
    seconds, drawn = known[1] - known[0], power.counts > 0
    if np.sum(power.counts) > 1:
        lasting = _lasting(power)
        within = np.minimum(power.times + lasting, known[1]) - np.maximum(power.times, known[0])
        lasting = np.where(drawn, lasting - np.clip(within, 0.0, None), 0.0)
        joules += float(np.sum(lasting * np.nan_to_num(power.means)))
        seconds += float(np.sum(lasting))
        since = min(since, float(power.times[drawn][0]))
    return EnergyUsed(joules, since, seconds, counted) if np.isfinite(since) else None
