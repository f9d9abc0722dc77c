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

# Where two hold at once, the gravest is told.
REASONS = (*HARMFUL, *ORDINARY)
_KEPT = _COLUMNS = 400
_WHOLE = 0.97  # rounding of beats is no gap in the recording
_GOING = frozenset({Kind.CARD_LOST, Kind.CARD_UNLISTED, Kind.DRIVER_GONE})


class SlowedSpan(NamedTuple):
    """A stretch in which one reason held."""

    start: float
    end: float
    word: str
    tone: Tone


def slowed_time(
    past: TraceSource, card: CardId, start: float, end: float
) -> tuple[float, float, Mapping[MetricId, float]] | None:
    """How many seconds, of how many that anybody read, and by reason. None where nothing was
    read. Within a column the flag's mean is the share of its time.
    """
    traces = {each: past.trace(card, each, start, end, _COLUMNS) for each in REASONS}
    read = {reason: trace for reason, trace in traces.items() if trace.counts.any()}
    if not read:
        return None
    widths = {e: np.where(trace.counts > 0, _lasting(trace), 0.0) for e, trace in read.items()}
    seconds = {e: widths[e] * np.nan_to_num(trace.means) for e, trace in read.items()}
    by_reason = {e: float(np.sum(each)) for e, each in seconds.items() if each.any()}
    # Two reasons at once are one slow moment.
    together = float(np.sum(np.maximum.reduce([*seconds.values()])))
    return together, max(float(np.sum(e)) for e in widths.values()), by_reason


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
        """The gravest reason first; what goes on ends at `end`."""
        found, order = [], {reason: at for at, reason in enumerate(REASONS)}
        for each in self._slowed.get(card, ()):
            first, reason = each.first, MetricId(each.first.about)
            over = end if each.running else first.at + (each.lasted or 0.0)
            if over > start and first.at < end:
                word = tr(BRIEFLY.get(reason, METRICS[reason].label))
                # A busy card stands at its power limit as a rule.
                tone = Tone.WARN if reason in HARMFUL else Tone.QUIET
                found.append((order[reason], SlowedSpan(first.at, over, word, tone)))
        return [span for _, span in sorted(found)]

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
