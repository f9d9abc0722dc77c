"""Recording: an opened file, read and never written. For any thread."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.recording.told import Machine, ProgramSeen, Said, Turn
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.topology import Topology


@dataclass(frozen=True, slots=True)
class Run:
    id: int
    began: float
    ended: float  # where it has no end, its last sign of life
    whole: bool  # whether it came to its end
    machine: Machine


class Readings(NamedTuple):
    """Readings of one metric, oldest first: NaN where there was none."""

    times: Sequence[float]
    values: Sequence[float]


class Buckets(NamedTuple):
    """Buckets of one metric, oldest first; none stands for a time without readings."""

    times: Sequence[float]  # when each begins
    minima: Sequence[float]
    maxima: Sequence[float]
    means: Sequence[float]
    counts: Sequence[int]


class Recording:
    """What `open_recording` gives."""

    path: Path
    anonymous: bool
    being_written: bool  # by another process, just now
    runs: Sequence[Run]
    began: float  # axis
    ended: float

    def close(self) -> None:
        raise NotImplementedError

    def notes(self) -> Sequence[Message]:
        """What could not be read, and the like: sentences for a banner."""
        raise NotImplementedError

    def wall(self, at: float) -> float:
        """The time of day, in seconds since 1970, of a moment of the axis."""
        raise NotImplementedError

    def at(self, wall: float) -> float:
        """The moment of the axis at that time of day; the last one where there are several."""
        raise NotImplementedError

    def run(self, at: float) -> Run:
        """The one that was written then, or the last before; else the first."""
        raise NotImplementedError

    def cards(self, at: float | None = None) -> Sequence[Card]:
        """Those listed then: the same object as long as they stay so. None: all there ever
        were, in the order in which they were first listed.
        """
        raise NotImplementedError

    def topology(self, at: float) -> Topology | None:
        raise NotImplementedError

    def metrics(self, card: CardId) -> Sequence[MetricId]:
        """Of which there are readings, in the catalogue's order."""
        raise NotImplementedError

    def sample(self, card: CardId, metrics: Collection[MetricId], at: float) -> Sample:
        """What was known then of each of these: its newest reading, not older than its rhythm
        lets one expect; else the reason. `Sample.at` is the newest of theirs.
        """
        raise NotImplementedError

    def processes(self, card: CardId, at: float) -> Sequence[ProgramSeen] | None:
        """Who used it then; None where nobody could tell."""
        raise NotImplementedError

    def happenings(self) -> Sequence[Happening]:
        """Oldest first; `at` is the axis. At most the newest 10 000."""
        raise NotImplementedError

    def said(self) -> Iterator[Said]:
        """What lab and copies said, oldest first."""
        raise NotImplementedError

    def turns(self, kind: Turn) -> Sequence[tuple[float, object]]:
        """When, and what JSON has of it."""
        raise NotImplementedError

    def readings(self, card: CardId, metric: MetricId, start: float, end: float) -> Readings:
        """Every reading from start to end; nothing where only buckets are kept of that time."""
        raise NotImplementedError

    def buckets(
        self, card: CardId, metric: MetricId, start: float, end: float, level: int
    ) -> Buckets:
        raise NotImplementedError


def open_recording(path: Path) -> Recording:
    """Raises Trouble for what is no recording, or one that nothing can be read of."""
    raise NotImplementedError
