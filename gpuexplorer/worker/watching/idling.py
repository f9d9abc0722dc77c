"""Idling: how long each card had nothing to do, and which line of code was why."""

import itertools
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.lab.events import Idle, Why
from gpuexplorer.worker.places import Copies, Spot, place, whole_line

_MOST_LOADS = 64  # waits for loaders, remembered until cards are asked for the next work
_WORK = 1e-3  # seconds, from which on a pause after a read is work of the host's own

_Key = tuple[str, Why, Spot, int]  # card, why, where; of a part of a READ that row's number


@dataclass
class _Sum:
    """In most short pauses nobody looked where the host was; there it was as in the others."""

    seconds: float = 0.0
    times: int = 0
    longest: float = 0.0
    looked_at: int = 0
    there: "dict[Spot, _Sum]" = field(default_factory=dict)  # with the seconds of the looks

    def add(self, seconds: float, times: int, longest: float) -> None:
        self.seconds += seconds
        self.times += times
        self.longest = max(self.longest, longest)

    def look(self, seconds: float, looks: "Sequence[tuple[Spot, float]]") -> None:
        """In a pause the host was there, for about so long each."""
        self.add(seconds, 1, seconds)
        self.looked_at += bool(looks)
        spent: dict[Spot, float] = {}
        for spot, its in looks:
            spent[spot] = spent.get(spot, 0.0) + its
        for spot, its in spent.items():
            self.there.setdefault(spot, _Sum()).add(its, 1, seconds * its / sum(spent.values()))


class Idling:
    """Times are seconds since the cell or program began. The engine says `waited` when the host
    has waited for a card (a blocking copy, a read, a synchronize), and `gap` when a card is
    asked for work again. Any thread may.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies, self._lock = copies, copies.lock
        # By card, until when it was waited for; since then nothing was asked of it.
        self.waits: dict[str, tuple[float, Spot]] = {}
        self._loads: deque[tuple[float, float, Spot]] = deque(maxlen=_MOST_LOADS)
        self.asked_at = 0.0  # when a card was asked for anything last; the engine says it
        self._looks: list[tuple[Spot, float]] = []  # since then
        self._looks_since = 0.0
        self._lines: dict[tuple[str, int, int], Spot] = {}  # where anybody looked
        self._sums: dict[_Key, _Sum] = {}
        # The host's own, by what ended them or the read after which they came.
        self._pauses: dict[_Key, _Sum] = {}
        self._numbers: dict[_Key, int] = defaultdict(itertools.count(1).__next__)  # of rows
        self._before: list[Idle] = []  # the first step
        self.paused: dict[str, float] = {}  # by card: pauses too short to have a line
        self.loading = False  # the host waits for a loader, which `loaded` will say
        self._started = 0.0  # until when whatever idled belongs to the start

    def start_ends(self, moment: float) -> None:
        """The first step begins: what idled before did so for no step."""
        with self._lock:
            self._started, self._looks = moment, []
            self._before = [replace(each, why=Why.START) for each in self.rows()]
            for each in (self.paused, self._sums, self._pauses, self._numbers):
                each.clear()

    def waited(self, device: str, until: float, spot: Spot) -> None:
        """The host did, there, for all that had been asked of the card."""
        with self._lock:
            self.waits[device] = until, spot

    def loaded(self, begin: float, end: float, spot: Spot) -> None:
        """The host waited there for a loader's next batch."""
        with self._lock:
            self._loads.append((begin, end, spot))

    def was_at(self, spot: Spot, seconds: float) -> None:
        """The host is there, and was for about so long. Takes no lock: the main thread says it
        between any two of its instructions, and may be within any of these methods.
        """
        if self.loading:
            return
        if self._looks_since != self.asked_at:
            self._looks_since, self._looks = self.asked_at, []
        line = spot.frame.file, spot.frame.cell, spot.frame.line
        if line not in self._lines:
            self._lines[line] = whole_line(spot)
        self._looks.append((self._lines[line], seconds))

    def gap(self, device: str, now: float) -> "Callable[[float | None], float]":
        """Work is asked of the card. What is given back is told later when the card had done
        all it was asked for (None: nobody knows), and gives the seconds for which it was idle.
        """
        with self._lock:
            looks = self._looks if self._looks_since == self.asked_at else []
            self._looks = []
            wait, loads = self.waits.pop(device, None), [*self._loads]
        asks = place().spot

        def since(dry: "float | None") -> float:
            begin = dry if wait is None else wait[0]
            if begin is None or begin >= now:
                return 0.0
            if begin < self._started:
                self._add(device, Why.START, [(begin, now)], looks[-1][0] if looks else asks)
                return now - begin
            at, rest = begin, []
            for loading, loaded, spot in loads:  # in the order of their ends
                first, last = max(loading, at), min(loaded, now)
                if first < last:
                    self._add(device, Why.LOADER, [(first, last)], spot)
                    rest.append((at, first))
                    at = last
            rest.append((at, now))
            why, spot = (Why.HOST, asks) if wait is None else (Why.READ, wait[1])
            self._add(device, why, rest, spot, looks)
            return now - begin

        return since

    def pause(self, device: str, seconds: float) -> None:
        """From one operation to the next; too short to be any line's."""
        with self._lock:
            self.paused[device] = self.paused.get(device, 0.0) + seconds

    def forget(self) -> None:
        """Nothing is watched for a while; what comes then has nothing to do with what was."""
        with self._lock:
            self.waits.clear()
            self._loads.clear()
            self._looks = []

    def _add(
        self,
        device: str,
        why: Why,
        stretches: "Sequence[tuple[float, float]]",
        spot: Spot,
        looks: "Sequence[tuple[Spot, float]]" = (),
    ) -> None:
        """One time. `spot`: where the host waited; for HOST where it asked for work again."""
        seconds = sum(end - begin for begin, end in stretches)
        if seconds <= 0.0:
            return
        key: _Key = device, why, spot, 0
        with self._lock:
            if why is not Why.HOST:
                self._sums.setdefault(key, _Sum()).add(seconds, 1, seconds)
            if why is Why.HOST or (why is Why.READ and seconds >= _WORK):
                pauses = self._pauses.setdefault(key, _Sum())
                pauses.look(seconds, looks)
                if why is Why.HOST:
                    there = pauses.there
                    most = max(there, key=lambda each: there[each].seconds, default=spot)
                    key = device, why, most, 0
            for begin, end in stretches:
                self._copies.trace("idle", device, begin, end, self._numbers[key])

    def rows(self) -> "list[Idle]":
        """Those of the host's own work by the lines where it was looked at."""
        with self._lock:
            sums = dict(self._sums)
            for key, pauses in self._pauses.items():
                device, why, asks, _ = key
                part_of = self._numbers[key] if why is Why.READ else 0
                looked = sum(each.seconds for each in pauses.there.values())
                for spot, its in pauses.there.items():
                    row = sums.setdefault((device, Why.HOST, spot, part_of), _Sum())
                    times = round(pauses.times * its.times / pauses.looked_at)
                    row.add(pauses.seconds * its.seconds / looked, max(1, times), its.longest)
                if not looked and not part_of:
                    sums.setdefault((device, why, asks, 0), _Sum()).add(
                        pauses.seconds, pauses.times, pauses.longest
                    )
            return self._before + [
                Idle(
                    self._numbers[device, why, spot, part_of], device, why,
                    its.seconds, its.times, its.longest,
                    spot.frame.file, spot.frame.cell, spot.frame.line, spot.what, part_of,
                )
                for (device, why, spot, part_of), its in sums.items()
            ]  # fmt: skip
