"""What the lab adds to a card's own work: spans of load, and memory that is held."""

import math
import threading
from bisect import bisect_right, insort
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from typing import NamedTuple

from gpuexplorer.simulation.course import Course, draw_at, is_at_limit, level_with


@dataclass(frozen=True, slots=True)
class Occupation:
    """Work from `start` to `end`; bytes per second are what it moves over the card's wires."""

    start: float
    end: float
    busy: float = 0.0  # 0 to 1
    pcie_receive: float = 0.0
    pcie_transmit: float = 0.0
    nvlink_receive: float = 0.0
    nvlink_transmit: float = 0.0

    def moved(self, seconds: float) -> "Occupation":
        return replace(self, start=self.start + seconds, end=self.end + seconds)


class Added(NamedTuple):
    """The difference that the lab makes at one instant; energy and seconds from its start."""

    level: float  # of own and added work together
    even: float  # watts
    swing: float
    energy: float
    temperature: float
    seconds_at_limit: float
    traffic: tuple[float, float, float, float]


class _Piece(NamedTuple):
    """A stretch in which neither the card's own work nor the lab's changes."""

    start: float
    end: float
    level: float
    even: float
    swing: float
    newly_at_limit: bool
    traffic: tuple[float, float, float, float]
    energy: float  # of all pieces before, as the next two
    temperature: float
    seconds_at_limit: float
    swung: float


QUIET = (0.0, 0.0, 0.0, 0.0)
# Seconds back from the newest work. Nobody asks for what was earlier; what is laid anew then,
# its sums do not change any more.
_KEPT = 600.0
_MOST_HOLDINGS = 2000


class Occupied:
    """One card's added load. Any thread may add and ask."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._lock = threading.Lock()
        self._occupations: list[Occupation] = []
        self._pieces: list[_Piece] = []
        self._holdings: list[tuple[float, int]] = []
        self._held: list[int] = []
        self._settled = -math.inf  # what lies before is forgotten, but for its sums

    def occupy(self, occupation: Occupation) -> None:
        if not -math.inf < occupation.start < occupation.end < math.inf:
            raise ValueError("An occupation ends after it starts.")
        with self._lock:
            self._occupations.append(occupation)
            self._rebuild(max(occupation.start, self._settled))
            self._forget(occupation.start - _KEPT)

    def hold(self, at: float, memory_bytes: int) -> None:
        with self._lock:
            insort(self._holdings, (at, memory_bytes))
            if len(self._holdings) > _MOST_HOLDINGS:  # the older half as one
                older = self._holdings[: _MOST_HOLDINGS // 2]
                self._holdings[: len(older)] = [(older[-1][0], sum(held for _, held in older))]
            self._held = list(accumulate(memory for _, memory in self._holdings))

    def memory_at(self, t: float) -> int:
        if not self._holdings:
            return 0
        with self._lock:
            count = bisect_right(self._holdings, t, key=lambda holding: holding[0])
            return max(0, self._held[count - 1]) if count else 0

    def at(self, t: float) -> Added | None:
        """None where the lab has done nothing yet."""
        if not self._pieces:
            return None
        with self._lock:
            at = bisect_right(self._pieces, t, key=lambda piece: piece.start) - 1
            return self._after(self._pieces[at], t) if at >= 0 else None

    def _rebuild(self, since: float) -> None:
        """Lay the pieces anew from the one that holds `since`: earlier ones cannot change."""
        while self._pieces and self._pieces[-1].end > since:
            since = min(since, self._pieces.pop().start)
        live = [occupation for occupation in self._occupations if occupation.end > since]
        edges = sorted({max(since, o.start) for o in live} | {o.end for o in live})
        for begin, end in pairwise(edges):
            here = [o for o in live if o.start <= begin < o.end]
            if here:
                self._lay(begin, end, here)

    def _forget(self, before: float) -> None:
        """As much again at a time, so that it is seldom."""
        if not self._pieces or self._pieces[0].end > before - _KEPT:
            return
        first = bisect_right(self._pieces, before, key=lambda piece: piece.start) - 1
        del self._pieces[:first]
        self._settled = self._pieces[0].end
        self._occupations = [each for each in self._occupations if each.end > self._settled]

    def _lay(self, begin: float, end: float, here: list[Occupation]) -> None:
        busy = sum(o.busy for o in here)
        traffic = (
            sum(o.pcie_receive for o in here),
            sum(o.pcie_transmit for o in here),
            sum(o.nvlink_receive for o in here),
            sum(o.nvlink_transmit for o in here),
        )
        for start, until, own in self._course.levels(begin, end):
            level = level_with(own, busy)
            before, now = draw_at(self._course.model, own), draw_at(self._course.model, level)
            past = self._after(self._pieces[-1], start) if self._pieces else None
            self._pieces.append(
                _Piece(
                    start,
                    until,
                    level,
                    now.even - before.even,
                    now.swing - before.swing,
                    is_at_limit(level) and not is_at_limit(own),
                    traffic,
                    past.energy if past else 0.0,
                    past.temperature if past else 0.0,
                    past.seconds_at_limit if past else 0.0,
                    self._course.swung(start),
                )
            )

    def _after(self, piece: _Piece, t: float) -> Added:
        inside = min(t, piece.end)
        seconds = inside - piece.start
        swung = self._course.swung(inside) - piece.swung
        energy = piece.energy + piece.even * seconds + piece.swing * swung
        lag = self._course.lag
        settled = self._course.warming * piece.even
        temperature = settled + (piece.temperature - settled) * math.exp(-seconds / lag)
        limited = piece.seconds_at_limit + (seconds if piece.newly_at_limit else 0.0)
        if t < piece.end:
            level, even, swing, traffic = piece.level, piece.even, piece.swing, piece.traffic
            return Added(level, even, swing, energy, temperature, limited, traffic)
        temperature *= math.exp(-(t - piece.end) / lag)
        return Added(0.0, 0.0, 0.0, energy, temperature, limited, QUIET)
