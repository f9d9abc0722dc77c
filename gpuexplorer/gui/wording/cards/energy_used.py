"""Energy used over a stretch of time, as the card counted it or as its power adds up."""

from dataclasses import dataclass

import numpy as np

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.catalogue.heat_and_power import ENERGY, POWER_DRAW
from gpuexplorer.telemetry.trace import Trace, TraceSource

_COLUMNS = 400


@dataclass(frozen=True, slots=True)
class EnergyUsed:
    """Since the first reading there is, in steady seconds; `counted` by the card itself."""

    joules: float
    since: float
    counted: bool


def energy_used(past: TraceSource, card: CardId, start: float, end: float) -> EnergyUsed | None:
    """None where too little was read to tell."""
    counter = past.trace(card, ENERGY, start, end, _COLUMNS)
    return _counted(counter) or _added_up(past.trace(card, POWER_DRAW, start, end, _COLUMNS))


def _counted(trace: Trace) -> EnergyUsed | None:
    read = trace.counts > 0
    if np.sum(trace.counts) < 2:
        return None
    # A driver that was loaded anew counts from 0 again: only what was added is used.
    figures = np.column_stack((trace.minima[read], trace.maxima[read])).ravel()
    added = np.diff(figures)
    return EnergyUsed(
        float(np.sum(added[added > 0])), float(trace.times[read][0]), counted=True
    )


def _added_up(trace: Trace) -> EnergyUsed | None:
    read = trace.counts > 0
    if np.sum(trace.counts) < 2:
        return None
    following = np.append(trace.times[1:], trace.times[-1] + trace.column_seconds)
    lasting = np.where(read, following - trace.times, 0.0)
    joules = float(np.sum(lasting * np.nan_to_num(trace.means)))
    return EnergyUsed(joules, float(trace.times[read][0]), counted=False)
