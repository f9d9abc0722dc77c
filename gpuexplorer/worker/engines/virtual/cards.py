"""Cards: the make-believe cards of this process: what the simulation promises of them, their
memory, and their work's time; and the clock that a person's code reads on their machine, which
is Python's own time and the modelled time of what they do.

How long our stand-ins take does not count; what the real ones would have taken does. So the
difference of two time.time() around a product is that of the machine which is simulated.
"""

import functools
import importlib
import itertools
import os
import sys
import threading
import time
import timeit
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.engines.host_memory import refuse_what_the_host_cannot_hold
from gpuexplorer.worker.engines.virtual.memory import Allocator, Block
from gpuexplorer.worker.engines.virtual.refusals import ASSERTED, lost, put, refused
from gpuexplorer.worker.places import Check, Copies, Place, Spot, place
from gpuexplorer.worker.watching.seen import Seen
from gpuexplorer.worker.watching.tracing import Tracks


@dataclass(frozen=True)
class CardFacts:
    """What the simulation promises of a card; it comes with the worker's start."""

    name: str
    uuid: str
    memory_bytes: int
    context_bytes: int
    elsewhere_bytes: int
    capability: "tuple[int, int]"
    multiprocessors: int
    flops: float
    half_flops: float
    double_flops: float
    bytes_per_second: float


@dataclass(frozen=True)
class Link:
    """The way between two devices; -1 is the host. The same both ways. Memory of the host that
    is not pinned is copied twice, which the second rate stands for.
    """

    one: int
    other: int
    bytes_per_second: float
    latency: float
    peer: bool
    pageable_bytes_per_second: "float | None" = None
    wrong_to: "tuple[int, ...]" = ()  # what is sent to these ends arrives as zeros


HOST = -1


def named(number: int) -> str:
    """As PyTorch calls the device."""
    return "cpu" if number == HOST else f"cuda:{number}"


_LAUNCH_SECONDS = 5e-6  # what it costs the host to ask for one kernel
_SHORTEST_KERNEL = 2e-6
_CONTEXT_SECONDS = 0.25  # to load the driver's part and the kernels, before the first of them
_QUERY_SECONDS = 1e-6
_PAUSE = 2e-4  # of a card that waits for no more than the next call of the host it is no idling
_UNASKED = 64 << 20  # bytes that are given out before the host is asked again


class _Chosen(threading.local):
    """By one thread: the card meant where none is named, and the stream of each card."""

    card = 0

    def __init__(self) -> None:
        self.streams: dict[int, int] = defaultdict(int)


class Cards:
    """Allocations come and go from whichever thread lets go of a tensor last. Time: the host
    has a clock and so has each queue of a card, and its engines for computing and for copying
    in and out. Asking for a kernel takes the host a moment, and it begins when its queue and
    its engine are free: cards, and the queues of one, work side by side. The pauses a person
    makes between two lines do not count in cells; in programs they do, since the clock moves
    `now` on.
    """

    def __init__(self, facts: "Sequence[CardFacts]", links: "Sequence[Link]" = ()) -> None:
        self.facts = tuple(facts)
        self.allocators = tuple(
            Allocator(index, each.memory_bytes, each.context_bytes, each.elsewhere_bytes)
            for index, each in enumerate(facts)
        )
        self.lock = threading.RLock()
        self.clock: Clock  # of the machine they are in
        self._links = {frozenset((each.one, each.other)): each for each in links}
        self.now = 0.0
        self._queues: dict[tuple[int, int], float] = {}  # until when each is busy
        self._engines: dict[tuple[int, str], float] = defaultdict(float)
        self.copies = Copies()
        self.begin()
        self._lost: frozenset[int] = frozenset()
        # What a kernel has to say that met what it must not, by card: none that comes after it
        # computes anything. Empty, once it was told.
        self.asserting: dict[int, str] = {}
        self._ready: set[int] = set()  # cards that are awake, and neither lost nor asserting
        self._launch_blocking = False
        self.chosen = _Chosen()
        # What Python lets go of in the midst of anything waits for the next who asks.
        self.returned: deque[tuple[int, Block]] = deque()
        self.unasked = 0  # bytes given out since the host was asked
        self.forked = False  # from a process that used a card
        self.watched = True
        self.seen: Seen | None = None  # of a program that is watched
        self.left = False  # something went to the host, of which nobody was told yet
        self.on_left: Callable[[], object] = bool
        self.new_streams = itertools.count(1)  # each card has its own queue of that number

    def __len__(self) -> int:
        return len(self.facts)

    def lose(self, names: "Sequence[str]") -> None:
        """These do not answer from now on; all others do."""
        self._lost = frozenset(each for each in range(len(self)) if named(each) in names)
        self._ready -= self._lost

    def after_fork(self) -> None:
        """In the child, which nobody watches, and where whoever held a lock is not: CUDA can be
        used there only where the parent had not begun to.
        """
        self.lock = threading.RLock()
        self.watched, self.seen, self.copies.tracing = False, None, None
        self.forked = any(each.awake for each in self.allocators)
        self.clock.after_fork()

    def begin(self) -> None:
        """A new cell, or a program; whatever was still running has ended."""
        self.now = self.began = max((self.now, *self._queues.values()))
        self._contexts = 0.0  # seconds for which the host waited for them, and no card worked
        self.busy: dict[int, float] = {}  # seconds, by card
        self.tracks = Tracks()
        self._dry: dict[int, float] = {}  # when a card has done all that was asked of it

    def computed(self, index: int, flops: float, moved_bytes: float, itemsize: int = 4) -> None:
        """A kernel: as long as the slower of computing and reading takes."""
        if index not in self._ready:
            self.use(index)
        facts = self.facts[index]
        rate = facts.half_flops if itemsize <= 2 else facts.flops
        rate = facts.double_flops if itemsize >= 8 else rate
        busy = max(flops / rate, moved_bytes / facts.bytes_per_second)
        self.now += _LAUNCH_SECONDS
        begin = max(self.moment(index), self._engines[index, "compute"])
        end = self._engines[index, "compute"] = begin + max(busy, _SHORTEST_KERNEL)
        self.copies.kernels += 1
        self._work_on(index, begin, end)
        since, until = begin - self.began, end - self.began
        self.tracks.add(named(index), since, until)
        self.copies.trace("compute", named(index), since, until)
        if self._launch_blocking:
            self.now = end

    def memory(self, index: int) -> Allocator:
        with self.lock:
            while self.returned:
                card, block = self.returned.popleft()
                self.allocators[card].release(block)
            return self.allocators[index]

    def use(self, index: int) -> None:
        """Before all that reaches a card. For the first of it the host waits for a context."""
        if index in self._ready:
            return
        allocator = self.allocators[index]
        if self.asserting.get(index) == "":
            raise refused(ASSERTED)
        if index in self._lost:
            raise lost(named(index), used=allocator.awake)
        self._ready.add(index)
        if allocator.awake:
            return
        allocator.awake = True
        # PyTorch imports it at the first operation on a tensor such as ours; here in no time of
        # the program's own.
        importlib.import_module("torch.distributed.tensor")
        self._launch_blocking = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"
        self._waited(HOST, index, "context", self.now, self.now + _CONTEXT_SECONDS)
        self.now += _CONTEXT_SECONDS
        self._contexts += _CONTEXT_SECONDS
        self.busy.setdefault(index, 0.0)

    def asserts(self, index: int, said: str) -> None:
        """A kernel does, and the host hears of it when it waits for the card."""
        self.asserting[index] = said
        if self._launch_blocking:
            self.hear(index)

    def hear(self, index: "int | None" = None) -> None:
        """Of one card or all: raises what a kernel had to say. The card is of no use then."""
        for each, said in self.asserting.items():
            if index in (None, each):
                if said:
                    sys.stderr.write(f"{said}\n")
                self.asserting[each] = ""
                self._ready.discard(each)
                raise refused(ASSERTED)

    def copied(
        self,
        source: int,
        target: int,
        size: int,
        *,
        pinned: bool = False,
        non_blocking: bool = False,
        how: str = "",
        noted: "Place | None" = None,
        check: "Check | None" = None,
        on_host: Any = None,
    ) -> None:
        """Between devices. Between cards the host never waits, and else for pinned memory
        need not; what is not pinned goes through its hands. `on_host`: the tensor there.
        """
        link = self.link(source, target)
        pageable = not pinned and link.pageable_bytes_per_second
        seconds = link.latency + size / (pageable or link.bytes_per_second)
        ends = [(e, way) for e, way in ((source, "out"), (target, "in")) if e != HOST]
        for card, _ in ends:
            self.use(card)
        with_host = len(ends) == 1
        blocking = with_host and not (pinned and non_blocking)
        if blocking:
            self.hear(ends[0][0])
        asked_at = self.now
        self.now += _LAUNCH_SECONDS
        ready = {card: max(self.moment(card), self._engines[card, way]) for card, way in ends}
        begin = max(ready.values())
        end = begin + seconds
        for card, way in ends:
            self._engines[card, way] = end
            self._work_on(card, begin, end)
        if not with_host:
            self._waited(source, target, "copy", ready[source], begin)
            self._waited(target, source, "copy", ready[target], begin)
        if blocking:
            self.now = end
        if not self.watched:
            return
        copy = Transferred(
            0,
            named(source),
            named(target),
            size,
            seconds,
            modelled=True,
            how=how,
            pinned=pinned if with_host else None,
            blocking=blocking,
            direct=None if with_host else link.peer,
            host_seconds=self.now - asked_at,
            asked_at=asked_at - self.began,
            begin=begin - self.began,
            end=end - self.began,
        )
        noted = noted or self.copies.note()
        numbered = self.copies.numbered(copy, noted)
        self.copies.add(copy, noted, check, numbered)
        if blocking and target == HOST:
            self._host_waited(source, noted.spot)
        if self.seen is not None and on_host is not None and numbered[0]:
            trips, storage = self.seen.trips, on_host.untyped_storage()
            if target == HOST:
                self.left = True
                trips.left(storage, named(source), numbered[0])
            else:
                trips.came(storage, named(target), size, numbered[0])

    def synchronize(self, index: "int | None" = None, stream: "int | None" = None) -> None:
        """The host waits for one card, or for all; or for one queue of a card."""
        with self.lock:
            if index is not None:
                self.use(index)
            self.hear(index)
            for (card, number), until in sorted(self._queues.items(), key=lambda it: it[1]):
                if index in (None, card) and stream in (None, number):
                    self.wait_until(until, card)

    def wait_until(self, moment: float, card: int) -> None:
        """The host does."""
        self.hear(card)
        if moment > self.now:
            self._waited(HOST, card, "synchronize", self.now, moment)
            since, self.now = self.now - self.began, moment
            if self.seen is not None:
                self.copies.trace("wait", named(card), since, moment - self.began)
                self._host_waited(card, place().spot)

    def has_come(self, moment: float) -> bool:
        """Asking takes the host a moment as well, or whoever asks on and on never went on."""
        self.now += _QUERY_SECONDS
        return moment <= self.now

    def queue_waits(self, index: int, stream: int, until: float, whom: int) -> None:
        """Whatever is asked of that queue from now on begins no earlier."""
        before = self.moment(index, stream)
        self._waited(index, whom, "event", before, until)
        self._queues[index, stream] = max(before, until)

    def moment(self, index: int, stream: "int | None" = None) -> float:
        """When a queue of the card can begin with what it is asked for now."""
        number = self.chosen.streams[index] if stream is None else stream
        return max(self.now, self._queues.get((index, number), 0.0))

    def device_seconds(self) -> float:
        """Since the cell began."""
        ends = [until for (card, _), until in self._queues.items() if card in self.busy]
        return max(0.0, max((self.began, *ends)) - self.began - self._contexts)

    def _work_on(self, index: int, begin: float, end: float) -> None:
        self._queues[index, self.chosen.streams[index]] = end
        dry = self._dry.get(index)
        if self.seen is not None:
            device, idling = named(index), self.seen.idling
            if device in idling.waits or (dry is not None and self.now - dry > _PAUSE):
                since = None if dry is None else dry - self.began
                idling.gap(device, self.now - self.began)(since)
            elif dry is not None and begin > dry:
                idling.pause(device, begin - dry)
            idling.asked_at = self.now
        dry = begin if dry is None else dry
        self.busy[index] = self.busy.get(index, 0.0) + max(0.0, end - max(begin, dry))
        self._dry[index] = max(dry, end)

    def _waited(self, who: int, whom: int, why: str, begin: float, end: float) -> None:
        if end > begin:
            since, until = begin - self.began, end - self.began
            self.tracks.add(named(who), since, until, named(whom), why)

    def _host_waited(self, card: int, spot: Spot) -> None:
        """Up to now, and the card has nothing to do since."""
        if self.seen is not None and self._dry.get(card, 0.0) <= self.now:
            self.seen.idling.waited(named(card), self.now - self.began, spot)

    def link(self, one: int, other: int) -> Link:
        known = self._links.get(frozenset((one, other)))
        return known or Link(one, other, 12e9, 10e-6, peer=False)


_NANO = 10**9
_SHORT = 2e-4  # seconds; in less, nobody waits for a core for long
_KEPT = 64 << 10  # bytes; what is smaller, the C library keeps for the next, in no time
_GIVEN_BACK = 2e9  # bytes a second at the least, where the system takes memory back
# What lies between two operations is our own way to them, up to so many seconds.
_WAY_IN = 20e-6
# Whose calls do not get it: Python's own library, PyTorch and this program. Of these, what
# measures a person's code gets it as well.
_OF_THIS_COMPUTER = sys.stdlib_module_names | {"torch", "gpuexplorer"}
_MEASURING = ("timeit", "torch.utils.benchmark", "gpuexplorer.worker.magics")


class Clock:
    """Stands still `with` it in any thread, while the modelled time goes on. In a program the
    cards' axis holds what the host does between two operations as well: its Python, its files,
    its pauses. In a cell it holds the modelled time alone.
    """

    def __init__(self, cards: Cards, real: "Callable[[], float]" = time.perf_counter) -> None:
        self._cards, self._real = cards, real
        # What a signal or the collector of garbage calls comes within what holds it.
        self._lock = threading.RLock()
        self._within = 0
        self._since = self._not_counted = 0.0
        self._giving_since = self._giving_most = 0.0
        self._left = real()  # when an operation ended last, or the clock was read
        self._schedule = _schedule()
        self._waited_before = 0.0  # for a core, when an operation ended last
        self.host_counts = False

    def begin(self, *, host_counts: bool) -> None:
        """A cell, or a program: nothing before it counts."""
        with self._lock:
            self._left, self._waited_before = self._now(), self._waited()
            self.host_counts = host_counts

    def after_fork(self) -> None:
        """In the child, whose one thread is not at work here."""
        self._lock = threading.RLock()
        self._within = 0
        self._schedule = _schedule()

    def __enter__(self) -> None:
        with self._lock:
            if not self._within:
                self._since = self._now()
                self._go_on(self._since, min(self._since - self._left, _WAY_IN))
            self._within += 1

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        with self._lock:
            self._within -= 1
            if not self._within:
                if self.host_counts:
                    self._waited_before = self._waited()
                self._left = self._real()
                self._not_counted += self._left - self._since

    def gives_back(self, size: int) -> None:
        """From now on, and who knows until when: cards give memory back in no time."""
        with self._lock:
            if size >= _KEPT and not self._within:
                self._giving_since = self._giving_since or self._real()
                self._giving_most += size / _GIVEN_BACK

    def _now(self) -> float:
        now = self._real()
        if self._giving_most:
            given = min(now - self._giving_since, self._giving_most)
            self._not_counted += given
            self._left += given
            self._giving_since = self._giving_most = 0.0
        return now

    def counts(self) -> bool:
        """What the host does just now; what our stand-ins do does not."""
        return self._within == 0

    def moment(self) -> float:
        """On the cards' axis."""
        self.ahead()
        return self._cards.now

    def told(self) -> float:
        """What a person's stopwatch shows."""
        return self._real() + self.ahead()

    def ahead(self) -> float:
        """By how many seconds, of the computer's own clock; less than 0 where it is behind."""
        with self._lock:
            now = self._now()
            if self._within:
                return self._cards.now - self._not_counted - (now - self._since)
            self._go_on(now, 0.0)
            self._left = now  # what was told once is not taken back
            return self._cards.now - self._not_counted

    def _go_on(self, now: float, way_in: float) -> None:
        """What the host did since the last operation ended, on the axis where it belongs."""
        if not self.host_counts:
            self._not_counted += way_in
            return
        pause = own = now - self._left
        if pause > _SHORT:
            before, self._waited_before = self._waited_before, self._waited()
            own -= self._waited_before - before
        self._cards.now += max(0.0, own - way_in)
        self._not_counted += pause

    def _waited(self) -> float:
        """Seconds for which the main thread waited for a core of this computer, which no
        program does on the machine that is simulated; 0 where nobody tells.
        """
        with suppress(OSError, IndexError, ValueError):
            return int(os.pread(self._schedule, 64, 0).split()[1]) * 1e-9
        return 0.0


def _schedule() -> int:
    with suppress(OSError):
        return os.open("/proc/self/schedstat", os.O_RDONLY)
    return -1


def put_clock(clock: Clock) -> None:
    # Any: seconds, or a whole number of nanoseconds.
    def shifted(real: "Callable[[], Any]", ahead: "Callable[[], Any]") -> Any:
        def now() -> Any:
            """The machine's to who asks how long the person's work takes, such as a progress
            bar; and not to what waits for something of this computer.
            """
            name = sys._getframe(1).f_globals.get("__name__") or ""
            ours = name.partition(".")[0] in _OF_THIS_COMPUTER
            return real() if ours and not name.startswith(_MEASURING) else real() + ahead()

        return now

    names = ("time", "perf_counter", "monotonic")
    clocks = {name: shifted(getattr(time, name), clock.ahead) for name in names}
    for name in (f"{each}_ns" for each in names):
        clocks[name] = shifted(getattr(time, name), lambda: int(clock.ahead() * _NANO))
    put(time, clocks)
    put(timeit, {"default_timer": clocks["perf_counter"]})


machines: "list[Cards]" = []  # one, once an engine is made


def in_force() -> Cards:
    """The cards of this process's one simulated machine, with the clock that goes there."""
    return machines[-1]


class Stretch:
    """Part of a card's memory. The storage that lies there keeps it for as long as it lives."""

    def __init__(self, card: int, size: int) -> None:
        """Raises PyTorch's own error where it does not fit, and Trouble where the computer
        itself has no room; then nothing was taken.
        """
        self.card, self.size = card, size
        self._cards = cards = in_force()
        with cards.lock:
            cards.use(card)
            self._block = cards.memory(card).allocate(size)
            cards.unasked += size
            if cards.unasked >= _UNASKED:
                cards.unasked = 0
                given_out = sum(each.allocated for each in cards.allocators) - size
                refuse_what_the_host_cannot_hold(size, given_out)

    def __del__(self) -> None:
        if hasattr(self, "_block"):
            self._cards.clock.gives_back(self.size)
            self._cards.returned.append((self.card, self._block))


# Any: a storage of PyTorch's. Views share one, and so a stretch.
def hold(storage: Any, card: int) -> None:
    size, known = storage.nbytes(), getattr(storage, "stretch", None)
    if known is None or known.card != card or known.size < size:
        storage.stretch = Stretch(card, size)


def card_of(storage: Any) -> "int | None":
    """None: it lies in the host's memory."""
    stretch = getattr(getattr(storage, "_untyped_storage", storage), "stretch", None)
    return None if stretch is None else int(stretch.card)


# Any: whatever the function takes and gives.
def in_modelled_time(function: "Callable[..., Any]") -> "Callable[..., Any]":
    """What it does to the cards comes after all that the host did before, and it takes the
    modelled time alone.
    """

    @functools.wraps(function)
    def call(*args: Any, **words: Any) -> Any:
        with in_force().clock:
            return function(*args, **words)

    return call
