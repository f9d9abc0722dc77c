"""Idling: how long each card had nothing to do, and which line of code was why."""

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from gpuexplorer.lab.events import Idle, Why
from gpuexplorer.worker.places import Copies, Spot, place

_MOST_LOADS = 64  # waits for loaders, remembered until cards are asked for the next work
# Seconds. In a shorter pause the host goes from one operation to the next; a longer one is work
# of its own, and says nothing of where the host is in the shorter ones.
_WORK = 1e-3


class _Stretch(NamedTuple):
    begin: float
    end: float
    spot: Spot


class _Key(NamedTuple):
    device: str
    why: Why
    spot: Spot
    part_of: int = 0  # the number of a row of READ


@dataclass
class _Sum:
    seconds: float = 0.0
    times: int = 0
    longest: float = 0.0

    def add(self, seconds: float, times: int, longest: float) -> None:
        self.seconds += seconds
        self.times += times
        self.longest = max(self.longest, longest)


@dataclass
class _Pauses(_Sum):
    """Those of a kind. In most short ones nobody looked where the host was; there it was as
    often as in those of which this is known.
    """

    unseen: float = 0.0  # seconds in which nobody looked
    looked_at: int = 0
    there: "dict[Spot, _Sum]" = field(default_factory=dict)  # in the others

    def take(self, seconds: float, looks: "Sequence[tuple[Spot, float]]") -> None:
        """`looks`: where the host was, and for about how long."""
        self.add(seconds, 1, seconds)
        self.unseen += 0.0 if looks else seconds
        self.looked_at += bool(looks)
        spent: dict[Spot, float] = {}
        for spot, its in looks:
            spent[spot] = spent.get(spot, 0.0) + its
        whole = sum(spent.values())
        for spot, its in spent.items():
            part = seconds * its / whole
            self.there.setdefault(spot, _Sum()).add(part, 1, part)

    @property
    def most(self) -> "Spot | None":
        return max(self.there, key=lambda each: self.there[each].seconds, default=None)


class Idling:
    """Times are seconds since the cell or program began. Any thread may call; the lock is that
    of the engine's copies.

    The engine says `waited` when the host has waited for a card (a blocking copy, a read, a
    synchronize), and `worked` or `gap` when a card is asked for work again. `loaded` is said
    by `Seen`, and `was_at` by who looks now and then where the host is.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies, self._lock = copies, copies.lock
        self.waits: dict[str, _Stretch] = {}  # by card; since then nothing was asked of it
        self._loads: deque[_Stretch] = deque(maxlen=_MOST_LOADS)
        self.asked_at = 0.0  # when a card was asked for anything last; the engine says it
        self._looks: list[tuple[Spot, float]] = []  # since then
        self._looks_since = 0.0
        self._lines: dict[tuple[str, int, int], Spot] = {}  # of one, whatever it is at
        self._sums: dict[_Key, _Sum] = {}
        # The host's own, by what ended them or the read after which they came; whether short.
        self._pauses: dict[tuple[_Key, bool], _Pauses] = {}
        self._numbers: dict[_Key, int] = {}
        self._said: dict[int, Idle] = {}
        self.paused: dict[str, float] = {}  # by card: pauses too short to have a line
        self.loading = False  # the host waits for a loader, which `loaded` will say
        self._started = 0.0  # until when whatever idled belongs to the start

    def start_ends(self, moment: float) -> None:
        """The first step begins: what idled before did so for no step."""
        with self._lock:
            self._started = moment
            self._looks = []
            self.paused.clear()
            before, self._sums = self._all_sums(), {}
            self._pauses.clear()
            self._numbers.clear()
            for key, its in before.items():
                if not key.part_of:
                    self._sum(key._replace(why=Why.START)).add(
                        its.seconds, its.times, its.longest
                    )

    def waited(self, device: str, until: float, spot: Spot) -> None:
        """The host did, there, for all that had been asked of the card."""
        with self._lock:
            self.waits[device] = _Stretch(until, until, spot)

    def loaded(self, begin: float, end: float, spot: Spot) -> None:
        """The host waited there for a loader's next batch."""
        with self._lock:
            self._loads.append(_Stretch(begin, end, spot))

    def was_at(self, spot: Spot, seconds: float) -> None:
        """The host is there, and was for about so long. Takes no lock: the main thread says it
        between any two of its instructions, and may be within any of these methods.
        """
        if self.loading:
            return
        if self._looks_since != self.asked_at:
            self._looks_since, self._looks = self.asked_at, []
        line = spot.frame.file, spot.frame.cell, spot.frame.line
        self._looks.append((self._lines.setdefault(line, spot), seconds))

    def worked(self, device: str, dry: "float | None", begin: float) -> None:
        """Work that begins then is asked of the card, which had done all earlier work at
        `dry`. None, or no earlier than `begin`: it was not idle. For simulated cards, before
        each kernel and copy; from the thread that asks.
        """
        if device in self.waits or (dry is not None and dry < begin):
            self.gap(device, begin).since(dry)

    def gap(self, device: str, now: float) -> "Gap":
        """Work is asked of the card. For real cards, which say later how long they had been
        idle; from the thread that asks.
        """
        with self._lock:
            looks, self._looks = self._looks, []
            if self._looks_since != self.asked_at:
                looks = []
            wait = self.waits.pop(device, None)
            return Gap(self, device, now, wait, [*self._loads], place().spot, looks)

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

    def add(
        self,
        device: str,
        why: Why,
        stretches: "Sequence[tuple[float, float]]",
        spot: Spot,
        looks: "Sequence[tuple[Spot, float]]" = (),
    ) -> None:
        """Together they count as one time. `spot`: for READ and LOADER where the host waited;
        for HOST where it asked for work again.
        """
        first = self._started
        early = [(begin, min(end, first)) for begin, end in stretches if begin < first]
        if early and why is not Why.START:
            self.add(device, Why.START, early, looks[-1][0] if looks else spot)
            stretches = [(max(begin, first), end) for begin, end in stretches if end > first]
        seconds = sum(end - begin for begin, end in stretches)
        if seconds <= 0.0:
            return
        with self._lock:
            key = _Key(device, why, spot)
            if why is not Why.HOST:
                self._sum(key).add(seconds, 1, seconds)
            if why is Why.HOST or (why is Why.READ and seconds >= _WORK):
                pauses = self._pauses.setdefault((key, seconds < _WORK), _Pauses())
                pauses.take(seconds, looks)
                if why is Why.HOST:
                    key = _Key(device, why, pauses.most or spot)
            if self._copies.tracing is not None:
                for begin, end in stretches:
                    self._copies.tracing.add("idle", device, begin, end, self._number(key))

    def changed(self) -> "tuple[Idle, ...]":
        """Rows that are not as they were last said."""
        with self._lock:
            rows = [
                Idle(
                    self._number(key), key.device, key.why,
                    its.seconds, its.times, its.longest,
                    key.spot.frame.file, key.spot.frame.cell, key.spot.frame.line,
                    key.spot.what, key.part_of,
                )
                for key, its in self._all_sums().items()
            ]  # fmt: skip
            new = tuple(each for each in rows if self._said.get(each.row) != each)
            self._said = {each.row: each for each in rows}
            return new

    def _all_sums(self) -> "dict[_Key, _Sum]":
        """Those of the host's own work by the lines where it was looked at."""
        sums = dict(self._sums)
        for (key, _), pauses in self._pauses.items():
            part_of = self._number(key) if key.why is Why.READ else 0
            seen = sum(each.times for each in pauses.there.values())
            if not seen and not part_of:
                sums.setdefault(key, _Sum()).add(pauses.seconds, pauses.times, pauses.longest)
            for spot, its in pauses.there.items():
                sums.setdefault(_Key(key.device, Why.HOST, spot, part_of), _Sum()).add(
                    its.seconds + pauses.unseen * its.times / seen,
                    max(1, round(pauses.times * its.times / pauses.looked_at)),
                    its.longest,
                )
        return sums

    def _sum(self, key: _Key) -> _Sum:
        return self._sums.setdefault(key, _Sum())

    def _number(self, key: _Key) -> int:
        return self._numbers.setdefault(key, len(self._numbers) + 1)


@dataclass
class Gap:
    """The time before a card was asked for work, in which it may have been idle."""

    idling: Idling
    device: str
    now: float
    wait: "_Stretch | None"
    loads: "Sequence[_Stretch]"
    spot: Spot  # where it is asked
    looks: "Sequence[tuple[Spot, float]]"

    def since(self, dry: "float | None") -> float:
        """The card had done all it was asked for at `dry`; None: nobody knows, unless the host
        waited for it. Gives the seconds for which it was idle.
        """
        begin = self.wait.begin if self.wait is not None else dry
        if begin is None or begin >= self.now:
            return 0.0
        at, rest = begin, []
        for each in self.loads:  # in the order of their ends
            if each.end <= at:
                continue
            first, last = max(each.begin, at), min(each.end, self.now)
            if first < last:
                self.idling.add(self.device, Why.LOADER, [(first, last)], each.spot)
                rest.append((at, first))
                at = last
        rest.append((at, self.now))
        why, spot = Why.HOST, self.spot
        if self.wait is not None:
            why, spot = Why.READ, self.wait.spot
        self.idling.add(self.device, why, rest, spot, self.looks)
        return self.now - begin
