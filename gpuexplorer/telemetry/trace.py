"""Trace, what a chart draws of one metric of one card, and TraceSource, where charts get it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.metrics import MetricId


@dataclass(frozen=True, slots=True, eq=False)
class Trace:
    """One metric in columns, oldest first; a column of NaN is a gap, not to be bridged.

    Columns need not touch: where the past is sparser than was asked for there are fewer of
    them, and a time without samples, however long, is one column. None begins with a gap.
    """

    times: NDArray[np.float64]  # when each column starts, seconds on the steady clock
    minima: NDArray[np.float64]
    maxima: NDArray[np.float64]
    means: NDArray[np.float64]
    counts: NDArray[np.int64]  # how many readings a column stands for; 0 in a gap
    column_seconds: float  # the time one column usually stands for

    def __len__(self) -> int:
        return int(self.times.size)


def empty_trace(column_seconds: float = 0.0) -> Trace:
    nothing = np.empty(0)
    counts = np.empty(0, np.int64)
    return Trace(nothing, nothing, nothing, nothing, counts, column_seconds)


class TraceSource(Protocol):
    """The past of cards: the live history or an opened recording; a view cannot tell which."""

    @property
    def began(self) -> float | None:
        """When reading began, in steady seconds; None as long as nothing was read."""
        ...

    @property
    def ended(self) -> float | None:
        """When it ended, which may lie after now; None where it goes on with now."""
        ...

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        """What is known from `start` to `end`, in at most `columns` columns."""
        ...


class Past(TraceSource, Protocol):
    """All that a session remembers."""

    def cards(self) -> Sequence[CardId]:
        """Those with a past, in the order in which they were first heard of."""
        ...

    def memory_bytes(self) -> int: ...
