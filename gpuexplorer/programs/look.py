"""Look: what was watched of one cell, ready to be asked about, and when a loss counts; Finding:
what is then worth a change.
"""

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import duration, plain, seconds_words
from gpuexplorer.core.words import NOTHING, Message, told
from gpuexplorer.lab.events import Idle, Loader, Watched, Why
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.programs.program_run import WORTH, ProgramRun, Spot, row_of, sampled, spot_of


class Matter(StrEnum):
    """What a finding is about."""

    READ = "read"  # the host reads from a card so often that the card waits
    BLOCKING = "blocking"  # copies of pinned memory for which the host waits all the same
    PAGEABLE = "pageable"  # large copies from memory that is not pinned
    SMALL = "small"  # many small copies where one large would do
    TRIP = "trip"  # a tensor that goes to the host and back
    LOADER = "loader"  # batches come too slowly
    HOST = "host"  # the host itself keeps a card waiting


@dataclass(frozen=True, slots=True)
class Finding:
    """`sentence` begins with the place and has the figures."""

    matter: Matter
    spot: Spot
    place: Message  # "train.py:84"
    what: str  # the expression, such as "loss.item()"; empty where it is not known
    sentence: Message
    cure: Message
    # Of those watched, what the cure can give back at most. None: it cannot be estimated.
    seconds: float | None
    figures: Mapping[str, float | int | None] = field(default_factory=dict)
    device: str = ""  # the card that waited
    other: Spot | None = None  # a second line that belongs to it, as of a trip
    rows: frozenset[int] = frozenset()  # of the copies that it is about

    def share(self, whole: float) -> str:
        """How many per cent of so many seconds the cure can give back at most: "23". Empty
        where it cannot be estimated.
        """
        if self.seconds is None or whole <= 0:
            return ""
        return plain(float(f"{min(1.0, self.seconds / whole) * 100:.2g}"))


# The same where a cure has to be tried out, and is more than a word in one line.
WORTH_TRYING = 0.05
# What happens less often is no loop, but how a program begins or ends: the first call makes a
# context, the last reads a result.
OFTEN = 10
# What is done in fewer than one of so many steps is done seldom already.
SELDOM = 20


class Look:
    """One cell of a program; a `.py` has no other."""

    def __init__(self, run: ProgramRun, cell: Cell, seen: Watched) -> None:
        self.run, self.seen = run, seen
        self.rows = {
            each.row: row_of(run, cell, each) for each in seen.copies if not each.already_there
        }
        used = {each.device for each in seen.idle} | {name for name, _ in seen.busy}
        self._several = len(used) > 1

    @property
    def whole(self) -> float:
        """The seconds that were watched, without those before the first step."""
        return max(0.0, self.seen.seen_seconds - self.seen.started)

    def worth(self, seconds: float, share: float = WORTH) -> bool:
        return seconds >= share * self.whole and seconds > 0.0

    def seldom(self, times: int) -> bool:
        """No loop, or not in every so many steps of it."""
        return times < OFTEN or times * SELDOM < self._steps

    def mostly(self, times: int) -> bool:
        """In a loop; a pause of now and then may come from what else runs on the computer."""
        return times >= OFTEN and 2 * times >= self._steps

    @property
    def _steps(self) -> int:
        """Slices of time are none."""
        return self.seen.seen_steps if self.seen.step else 0

    def at(self, spot: Spot) -> Sequence[CopyRow]:
        """The copies of that line."""
        return self._by_spot.get(spot, ())

    def idle(self, why: Why, spot: Spot | None = None) -> Sequence[Idle]:
        if spot is not None:
            return [each for each in self._idle_by_spot.get(spot, ()) if each.why == why]
        return [each for each in self.seen.idle if each.why == why and not each.part_of]

    def behind_reads(self, trips: Collection[Spot]) -> Sequence[Idle]:
        """The host's own work after reads, as far as a card would have waited for it without
        them: the host runs ahead by no more than it stood still for a read. `trips`: the reads
        with which the host begins what ends with a copy back.
        """
        found = []
        reads = {each.row: each for each in self.idle(Why.READ)}
        for each in self.seen.idle:
            read = reads.get(each.part_of)
            if read is None or spot_of(read) in {spot_of(each), *trips}:
                continue
            if not self.mostly(each.times):
                continue
            copies = [row for row in self.at(spot_of(read)) if row.target == HOST]
            waited = self.host_waited(sum(row.copies for row in copies))
            if waited is not None and waited < read.seconds:
                rest = 1.0 - waited / read.seconds
                found.append(
                    replace(each, seconds=each.seconds * rest, longest=each.longest * rest)
                )
        return found

    def host_waited(self, times: int) -> float | None:
        """For reads of about so many times, which are of the same loop: a card idles after the
        last read of a step, the host waits at the first. None: they were not timed, or there
        are none.
        """
        reads = self._reads
        first, last = (
            bisect_left(reads.times, 0.9 * times),
            bisect_right(reads.times, 1.1 * times),
        )
        if first == last or reads.untimed[last] > reads.untimed[first]:
            return None
        return reads.seconds[last] - reads.seconds[first]

    @cached_property
    def _by_spot(self) -> Mapping[Spot, Sequence[CopyRow]]:
        found: dict[Spot, list[CopyRow]] = defaultdict(list)
        for each in self.rows.values():
            found[spot_of(each)].append(each)
        return found

    @cached_property
    def _idle_by_spot(self) -> Mapping[Spot, Sequence[Idle]]:
        found: dict[Spot, list[Idle]] = defaultdict(list)
        for each in self.seen.idle:
            if not each.part_of:
                found[spot_of(each)].append(each)
        return found

    @cached_property
    def _reads(self) -> "_Reads":
        rows = [each for each in self.rows.values() if each.target == HOST and each.blocking]
        rows.sort(key=lambda each: each.copies)
        return _Reads(
            [each.copies for each in rows],
            [*accumulate((each.host_seconds or 0.0 for each in rows), initial=0.0)],
            [*accumulate((each.host_seconds is None for each in rows), initial=0)],
        )

    def card(self, device: str) -> str:
        """By its name where there are several."""
        return device if self._several else Message("the card")

    def head(self, row: CopyRow | Idle, what: str = "") -> Message:
        """What a sentence begins with: "train.py:84 `loss.item()`"."""
        place, what = self.run.place(spot_of(row)), what or row.what
        return Message("{place} `{what}`", place=place, what=what) if what else place

    def finding(
        self,
        matter: Matter,
        at: CopyRow | Idle,
        sentence: Message,
        cure: Message,
        *,
        spent: float,
        gain: float | None,
        figures: Mapping[str, float | int | None],
        device: str = "",
        what: str = "",
        other: CopyRow | Loader | None = None,
        rows: Iterable[int] = (),
    ) -> Finding:
        """`spent`: the seconds that the sentence names. `device`: if it is not that of `at`."""
        return Finding(
            matter,
            spot_of(at),
            self.run.place(spot_of(at)),
            what or at.what,
            told(sentence, self.over_all(spent)),
            cure,
            gain,
            figures,
            device or (at.device if isinstance(at, Idle) else at.target),
            None if other is None else spot_of(other),
            frozenset(rows),
        )

    def of_whole(self, seconds: float) -> Message:
        """ "3.1 of 41 s"."""
        whole = duration(self.whole)
        part = duration(min(seconds, self.whole))
        spent = part.number if part.unit == whole.unit else str(part)
        return Message("{spent} of {whole}", spent=spent, whole=str(whole))

    def over_all(self, seconds: float) -> Message:
        """What it would be without sampling; empty where everything was watched."""
        seen = self.seen
        if not sampled(seen) or not self.whole:
            return NOTHING
        times = (seen.seconds - seen.started) / self.whole
        if seen.step and seen.steps > seen.seen_steps > 0:
            times = seen.steps / seen.seen_steps
        return Message("Over the whole run: about {time}.", time=seconds_words(seconds * times))


class _Reads(NamedTuple):
    """Those for which the host waited, the rarest first; sums of all before each."""

    times: Sequence[int]
    seconds: Sequence[float]
    untimed: Sequence[int]


def by_spot(rows: Iterable[Idle]) -> Sequence[Sequence[Idle]]:
    """Of each line those of the card that idled longest, the longest first."""
    groups: dict[Spot, dict[str, list[Idle]]] = {}
    for each in rows:
        groups.setdefault(spot_of(each), {}).setdefault(each.device, []).append(each)
    return [
        sorted(max(cards.values(), key=total), key=lambda each: -each.seconds)
        for cards in groups.values()
    ]


def total(rows: Iterable[Idle]) -> float:
    return sum(each.seconds for each in rows)


def repeated(rows: Iterable[Idle]) -> float:
    """Without the longest time, which may have been the first or the last."""
    return sum(max(0.0, each.seconds - each.longest) for each in rows)
