"""The outline of a recording: how busy its cards were together, and what happened."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.gui.recording.scrubber_marks import Marks
from gpuexplorer.recording.recording import Recording
from gpuexplorer.telemetry.trace import TraceSource

_COLUMNS = 600


@dataclass(frozen=True, slots=True, eq=False)
class Outline:
    """Columns of equal width over the whole span."""

    busy: NDArray[np.float64]  # 0 to 1; NaN where no card gave a figure
    marks: Marks


def outline_of(recording: Recording, past: TraceSource) -> Outline:
    """Reads the file; not for the window's thread."""
    began, ended = recording.began, recording.ended
    middles = began + (np.arange(_COLUMNS) + 0.5) * (ended - began) / _COLUMNS
    total, count = np.zeros(_COLUMNS), np.zeros(_COLUMNS)
    for card in recording.cards():
        trace = past.trace(card.id, GPU_UTILIZATION, began, ended, _COLUMNS)
        if not len(trace):
            continue
        at = np.searchsorted(trace.times, middles, side="right") - 1
        means = np.where(at >= 0, trace.means[at], np.nan)
        # What was read last says nothing of the time after it.
        means[middles > trace.times[-1] + max(trace.column_seconds, 60.0)] = np.nan
        known = ~np.isnan(means)
        total[known] += means[known]
        count[known] += 1
    with np.errstate(invalid="ignore"):
        busy = total / np.where(count > 0, count, np.nan)
    return Outline(busy, Marks([each for each in recording.happenings() if each.at >= began]))
