"""Idling: how long each card had nothing to do, and which line of code was why."""

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.lab.events import Idle, Why
from gpuexplorer.worker.copies import Copies
from gpuexplorer.worker.places import Spot, place

_MOST_LOADS = 64  # waits for loaders, remembered until cards are asked for the next work


@dataclass(frozen=True)
class _Stretch:
    begin: float
    end: float
    spot: Spot


@dataclass
class _Row:
    number: int
    device: str
    why: Why
    spot: Spot  # kept, since it is known by its identity
    seconds: float = 0.0
    times: int = 0
    longest: float = 0.0

    @property
    def told(self) -> Idle:
        frame = self.spot.frame
        return Idle(
            self.number, self.device, self.why, self.seconds, self.times, self.longest,
            frame.file, frame.cell, frame.line, self.spot.what,
        )  # fmt: skip


class Idling:
    """Times are seconds since the cell or program began. Any thread may call; the lock is that
    of the engine's copies.

    The engine says `waited` when the host has waited for a card (a blocking copy, a read, a
    synchronize), and `worked` or `gap` when a card is asked for work again. `loaded` is said
    by `Seen`, and `was_at` by the thread that looks now and then where the host is.
    """

    def __init__(self, copies: Copies) -> None:
        self._copies, self._lock = copies, copies.lock
        self.waits: dict[str, _Stretch] = {}  # by card; since then nothing was asked of it
        self._loads: deque[_Stretch] = deque(maxlen=_MOST_LOADS)
        self.asked_at = 0.0  # when a card was asked for anything last; the engine says it
        self._at: Counter[Spot] = Counter()  # where the host was seen since then
        self._at_since = 0.0
        self._learned: dict[Spot, Counter[Spot]] = {}  # by where work was asked for next
        self._rows: dict[tuple[str, Why, int], _Row] = {}
        self._changed: set[tuple[str, Why, int]] = set()
        self.paused: dict[str, float] = {}  # by card: pauses too short to have a line
        self.loading = False  # the host waits for a loader, which `loaded` will say
        self._started = 0.0  # until when whatever idled belongs to the start

    def start_ends(self, moment: float) -> None:
        """The first step begins: what idled before did so for no step."""
        with self._lock:
            self._started = moment
            self._at.clear()
            self._learned.clear()
            self.paused.clear()
            rows, self._rows = self._rows, {}
            for row in rows.values():
                row.why = Why.START
                self._rows[row.device, Why.START, -row.number] = row  # no identity
            self._changed = set(self._rows)

    def waited(self, device: str, until: float, spot: Spot) -> None:
        """The host did, there, for all that had been asked of the card."""
        with self._lock:
            self.waits[device] = _Stretch(until, until, spot)

    def loaded(self, begin: float, end: float, spot: Spot) -> None:
        """The host waited there for a loader's next batch."""
        with self._lock:
            self._loads.append(_Stretch(begin, end, spot))

    def was_at(self, spot: Spot) -> None:
        """The host is there; looked at now and then, while something is watched."""
        if self.loading:
            return
        with self._lock:
            if self._at_since != self.asked_at:
                self._at_since = self.asked_at
                self._at.clear()
            self._at[spot] += 1

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
            wait, loads = self.waits.pop(device, None), [*self._loads]
            if wait is not None:
                return Gap(self, device, now, wait, loads, wait.spot)
            spot = place().spot
            host, self._at = self._at, Counter()
            learned = self._learned.setdefault(spot, Counter())
            at = _most(host) or _most(learned) or spot
            if host:  # however long the pause was: the one before the first step is long
                learned[at] += 1
            return Gap(self, device, now, None, loads, at)

    def pause(self, device: str, seconds: float) -> None:
        """From one operation to the next; too short to be any line's."""
        with self._lock:
            self.paused[device] = self.paused.get(device, 0.0) + seconds

    def forget(self) -> None:
        """Nothing is watched for a while; what comes then has nothing to do with what was."""
        with self._lock:
            self.waits.clear()
            self._loads.clear()
            self._at.clear()

    def add(
        self, device: str, why: Why, stretches: "Sequence[tuple[float, float]]", spot: Spot
    ) -> None:
        """Together they count as one time."""
        first = self._started
        early = [(begin, min(end, first)) for begin, end in stretches if begin < first]
        if early and why is not Why.START:
            self.add(device, Why.START, early, spot)
            stretches = [(max(begin, first), end) for begin, end in stretches if end > first]
        seconds = sum(end - begin for begin, end in stretches)
        if seconds <= 0.0:
            return
        with self._lock:
            key = device, why, id(spot)
            row = self._rows.get(key)
            if row is None:
                row = self._rows[key] = _Row(len(self._rows) + 1, device, why, spot)
            row.seconds += seconds
            row.times += 1
            row.longest = max(row.longest, seconds)
            self._changed.add(key)
            if self._copies.tracing is not None:
                for begin, end in stretches:
                    self._copies.tracing.add("idle", device, begin, end, row.number)

    def changed(self) -> "tuple[Idle, ...]":
        """Rows that are not as they were last said."""
        with self._lock:
            said = tuple(row.told for key, row in self._rows.items() if key in self._changed)
            self._changed.clear()
            return said


def _most(seen: "Counter[Spot]") -> "Spot | None":
    return max(seen, key=lambda each: seen[each]) if seen else None


class Gap:
    """The time before a card was asked for work, in which it may have been idle."""

    def __init__(
        self,
        idling: Idling,
        device: str,
        now: float,
        wait: "_Stretch | None",
        loads: "list[_Stretch]",
        at: Spot,
    ) -> None:
        self._idling, self._device, self._now = idling, device, now
        self._wait, self._loads, self._at = wait, loads, at

    def since(self, dry: "float | None") -> float:
        """The card had done all it was asked for at `dry`; None: nobody knows, unless the host
        waited for it. Gives the seconds for which it was idle.
        """
        begin = self._wait.begin if self._wait is not None else dry
        if begin is None or begin >= self._now:
            return 0.0
        at, rest = begin, []
        for each in self._loads:  # in the order of their ends
            if each.end <= at:
                continue
            first, last = max(each.begin, at), min(each.end, self._now)
            if first < last:
                self._idling.add(self._device, Why.LOADER, [(first, last)], each.spot)
                rest.append((at, first))
                at = last
        rest.append((at, self._now))
        if self._wait is not None:
            self._idling.add(self._device, Why.READ, rest, self._wait.spot)
        else:
            self._idling.add(self._device, Why.HOST, rest, self._at)
        return self._now - begin
