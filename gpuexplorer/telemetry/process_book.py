"""ProcessBook: who uses which card, by name, and what each of them did in the last minutes."""

import math
import threading
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.newer_python import StrEnum
from gpuexplorer.core.words import mark
from gpuexplorer.telemetry.ending import has_ended
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure

LOOKS = 120  # four minutes at one look in two seconds

# A row that vanished under the eye could not be told from one that moved: three looks long
# it stays and says that it ended.
ENDED_STAYS = 6.0
# Who lets a card go and takes it again within a minute goes on with the same history.
_REMEMBERED = 60.0
_MOST_ENDED = 256
# A card that is no longer listed is never looked at again.
_FORGOTTEN = 600.0


class Standing(StrEnum):
    """How a row of the book is to be read."""

    THERE = "there"
    UNKNOWN = mark("not known just now")  # its card does not say who uses it
    LEFT = mark("no longer on this card")
    ENDED = mark("has ended")


@dataclass(frozen=True, slots=True)
class BookRow:
    """One process on one card, there or there a moment ago."""

    named: NamedProcess
    standing: Standing
    since: float  # steady seconds: when it came, or when it ended or ceased to be told
    last_told: CardProcess  # to keep its place among others; its figures may be true no more

    @property
    def key(self) -> tuple[CardId, int]:
        return self.named.process.card, self.named.process.pid


@dataclass(frozen=True, slots=True)
class ProcessPast:
    """The last looks at one process on one card, oldest first; NaN where nothing was told."""

    times: Sequence[float] = ()  # steady seconds
    sm: Sequence[float] = ()
    memory: Sequence[float] = ()
    cpu: Sequence[float] = ()  # cores' worth of the computer's processor
    host_memory: Sequence[float] = ()


class ProcessBook:
    """`take` comes from the threads that read; everything else is for any thread."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._entries: dict[tuple[CardId, int], _Entry] = {}
        self._looked_at: dict[CardId, float] = {}
        self._rows: tuple[BookRow, ...] = ()
        self._living: tuple[NamedProcess, ...] = ()
        self._stale_from = float("-inf")  # when the rows above have to be put together anew

    def take(self, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        """What a look at one card brought; None where the card did not tell."""
        now = self._clock.now()
        if named is None:
            with self._lock:
                self._do_not_know(card, now)
            return
        gone = self._standing_of_gone(card, {each.process.pid for each in named})
        with self._lock:
            self._write(card, named, gone, now)
            self._forget(now)

    def rows(self) -> Sequence[BookRow]:
        """Also who ended a moment ago. The very same object until something changes."""
        with self._lock:
            self._put_together()
            return self._rows

    def living(self) -> Sequence[NamedProcess]:
        """Who uses a card as of the last look. The very same object until something changes."""
        with self._lock:
            self._put_together()
            return self._living

    def past(self, card: CardId, pid: int) -> ProcessPast:
        with self._lock:
            entry = self._entries.get((card, pid))
            return entry.past.copy() if entry is not None else ProcessPast()

    def command(self, card: CardId, pid: int) -> str | None:
        """How it was started; None where nobody can tell."""
        with self._lock:
            entry = self._entries.get((card, pid))
            return entry.row.named.command if entry is not None else None

    def looked_at(self, card: CardId) -> float | None:
        """When this card last told, in steady seconds; None before it did."""
        return self._looked_at.get(card)

    def _standing_of_gone(self, card: CardId, there: set[int]) -> dict[int, Standing]:
        """Asked before the lock is taken: the system is asked who runs still."""
        with self._lock:
            gone = {
                pid: entry.row.named
                for (of, pid), entry in self._entries.items()
                if of == card and pid not in there and entry.standing is not Standing.ENDED
            }
        return {
            pid: Standing.ENDED if has_ended(named) else Standing.LEFT
            for pid, named in gone.items()
        }

    def _write(
        self,
        card: CardId,
        named: Sequence[NamedProcess],
        gone: dict[int, Standing],
        now: float,
    ) -> None:
        self._looked_at[card] = now
        self._stale_from = float("-inf")
        for each in named:
            entry = self._entries.get((card, each.process.pid))
            if entry is None or _another(entry.row.named, each):
                entry = _Entry(BookRow(each, Standing.THERE, now, each.process), _Ring())
                self._entries[card, each.process.pid] = entry
            since = entry.row.since if entry.standing is Standing.THERE else now
            entry.row = BookRow(each, Standing.THERE, since, each.process)
            entry.past.append(now, each)
        for pid, standing in gone.items():
            entry = self._entries[card, pid]
            since = entry.row.since if entry.over else now
            entry.row = replace(entry.row, standing=standing, since=since)

    def _do_not_know(self, card: CardId, now: float) -> None:
        self._stale_from = float("-inf")
        for (of, _), entry in self._entries.items():
            if of == card and entry.standing is Standing.THERE:
                entry.row = replace(
                    entry.row,
                    named=_untold(entry.row.named),
                    standing=Standing.UNKNOWN,
                    since=now,
                )

    def _forget(self, now: float) -> None:
        over = sorted(
            (entry.row.since, key) for key, entry in self._entries.items() if entry.over
        )
        for position, (since, key) in enumerate(reversed(over)):
            if now - since > _REMEMBERED or position >= _MOST_ENDED:
                del self._entries[key]
        silent = {card for card, at in self._looked_at.items() if now - at > _FORGOTTEN}
        if silent:
            self._entries = {k: e for k, e in self._entries.items() if k[0] not in silent}
            self._looked_at = {c: at for c, at in self._looked_at.items() if c not in silent}

    def _put_together(self) -> None:
        now = self._clock.now()
        if now < self._stale_from:
            return
        rows = [
            entry.row
            for entry in self._entries.values()
            if not entry.over or now - entry.row.since < ENDED_STAYS
        ]
        ends = [row.since + ENDED_STAYS for row in rows if row.standing in _OVER]
        self._stale_from = min(ends, default=math.inf)
        self._rows = tuple(rows)
        self._living = tuple(row.named for row in rows if row.standing is Standing.THERE)


_OVER = frozenset({Standing.LEFT, Standing.ENDED})


@dataclass(slots=True)
class _Entry:
    row: BookRow
    past: "_Ring"

    @property
    def standing(self) -> Standing:
        return self.row.standing

    @property
    def over(self) -> bool:
        return self.row.standing in _OVER


class _Ring:
    """The last looks, in memory that is set aside once."""

    def __init__(self) -> None:
        nothing = [math.nan] * LOOKS
        # As `ProcessPast` has them: shares need no more than single precision.
        self._rings = [array(kind, nothing) for kind in "dfdfd"]
        self._count = 0

    def append(self, now: float, named: NamedProcess) -> None:
        values, held = named.process.values, named.memory_bytes
        told = (
            now,
            values.get(ProcessFigure.SM, math.nan),
            values.get(ProcessFigure.MEMORY, math.nan),
            math.nan if named.cpu is None else named.cpu,
            math.nan if held is None else held,
        )
        for ring, value in zip(self._rings, told, strict=True):
            ring[self._count % LOOKS] = value
        self._count += 1

    def copy(self) -> ProcessPast:
        return ProcessPast(*map(self._in_order, self._rings))

    def _in_order(self, ring: "array[float]") -> "array[float]":
        if self._count <= LOOKS:
            return ring[: self._count]
        oldest = self._count % LOOKS
        return ring[oldest:] + ring[:oldest]


def _another(before: NamedProcess, now: NamedProcess) -> bool:
    """Whether the same number is somebody else by now."""
    return (
        before.identity is not None
        and now.identity is not None
        and before.identity != now.identity
    )


def _untold(named: NamedProcess) -> NamedProcess:
    """The same process without figures that may be true no more."""
    missing = dict.fromkeys(ProcessFigure, Absence.NOT_YET)
    return replace(named, process=named.process._replace(values={}, missing=missing))
