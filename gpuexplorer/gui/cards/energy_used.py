"""Energy used over a stretch of time, as the card counted it or as its power adds up."""

from dataclasses import dataclass, replace

import numpy as np

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import ENERGY, POWER_DRAW
from gpuexplorer.telemetry.trace import Trace, TraceSource

_COLUMNS = 400
# Rounding of beats is no gap in the recording.
_WHOLE = 0.97


@dataclass(frozen=True, slots=True)
class EnergyUsed:
    """Since the first reading there is, in steady seconds; `counted` by the card itself."""

    joules: float
    since: float
    seconds: float  # of how much time, which may be less than was asked for
    counted: bool


def time_covered(seconds: float, span: float) -> float:
    """As it is said of a figure for a span of which so many seconds are known."""
    return span if seconds >= span * _WHOLE else seconds


def energy_used(past: TraceSource, card: CardId, start: float, end: float) -> EnergyUsed | None:
    """None where too little was read to tell.

    The counter is read every few seconds, so what came before its first reading and after its
    last one is added up from the power.
    """
    counter = past.trace(card, ENERGY, start, end, _COLUMNS)
    power = past.trace(card, POWER_DRAW, start, end, _COLUMNS)
    read = counter.counts > 0
    if np.sum(counter.counts) < 2:
        return _added_up(power)
    # A driver that was loaded anew counts from 0 again: only what was added is used.
    figures = np.column_stack((counter.minima[read], counter.maxima[read])).ravel()
    added = np.diff(figures)
    counted = float(np.sum(added[added > 0]))
    first, last = counter.times[read][0], counter.times[read][-1]
    used = EnergyUsed(counted, float(first), float(last - first), counted=True)
    edges = _added_up(power, first, last)
    if edges is None:
        return used
    return replace(
        used,
        joules=counted + edges.joules,
        since=min(used.since, edges.since),
        seconds=used.seconds + edges.seconds,
    )


def _added_up(
    power: Trace, known_from: float = 0.0, known_to: float = 0.0
) -> EnergyUsed | None:
    """Without the stretch of which the energy is known."""
    read = power.counts > 0
    if np.sum(power.counts) < 2:
        return None
    begin, end = power.times, np.append(power.times[1:], power.times[-1] + power.column_seconds)
    known = np.clip(np.minimum(end, known_to) - np.maximum(begin, known_from), 0.0, None)
    lasting = np.where(read, end - begin - known, 0.0)
    joules = float(np.sum(lasting * np.nan_to_num(power.means)))
    seconds = float(np.sum(lasting))
    return EnergyUsed(joules, float(begin[read][0]), seconds, counted=False)
