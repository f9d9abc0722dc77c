"""Cards: the make-believe cards of this process: what the simulation promises of them, their
memory, and their work's time.
"""

import os
import sys
import threading
import warnings
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.engines.virtual.memory import Allocator, Block
from gpuexplorer.worker.engines.virtual.refusals import asserted, lost
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

    @classmethod
    def read(cls, told: "Mapping[str, Any]") -> "CardFacts":
        """JSON has lists alone."""
        return cls(**{**told, "capability": tuple(told["capability"])})

    def flops_of(self, itemsize: int) -> float:
        """By the size of the numbers: half, single, double."""
        if itemsize <= 2:
            return self.half_flops
        return self.double_flops if itemsize >= 8 else self.flops


@dataclass(frozen=True)
class Link:
    """The way between two devices; -1 is the host. The same both ways.

    Memory of the host that is not pinned is copied twice, which the second rate stands for.
    """

    one: int
    other: int
    bytes_per_second: float
    latency: float
    peer: bool
    pageable_bytes_per_second: "float | None" = None
    wrong_to: "tuple[int, ...]" = ()  # what is sent to these ends arrives as zeros

    def seconds(self, size: int, *, pinned: bool = True) -> float:
        pageable = self.pageable_bytes_per_second
        rate = self.bytes_per_second if pinned or pageable is None else pageable
        return self.latency + size / rate


HOST = -1


@dataclass
class Work:
    """What one cell did, for as long as it runs."""

    began: float = 0.0
    contexts: float = 0.0  # seconds for which the host waited for them, and no card worked
    busy: "dict[int, float]" = field(default_factory=dict)  # seconds, by card
    tracks: Tracks = field(default_factory=Tracks)

    def computed(self, card: int, begin: float, end: float) -> None:
        self.tracks.add(named(card), begin - self.began, end - self.began)

    def waited(self, who: int, whom: int, why: str, begin: float, end: float) -> None:
        if end > begin:
            began = self.began
            self.tracks.add(named(who), begin - began, end - began, named(whom), why)


def named(number: int) -> str:
    """As PyTorch calls the device."""
    return "cpu" if number == HOST else f"cuda:{number}"


_LAUNCH_SECONDS = 5e-6  # what it costs the host to ask for one kernel
_SHORTEST_KERNEL = 2e-6
_CONTEXT_SECONDS = 0.25  # to load the driver's part and the kernels, before the first of them
# The processor: sixteen cores of 3 GHz that multiply and add eight pairs twice at a time, as
# large products reach it, and two channels of memory to each four of them.
_PROCESSOR_FLOPS = 1.0e12
_PROCESSOR_BYTES = 80e9
_CALL_SECONDS = 1e-6  # what one operation costs PyTorch and Python, before it computes
_PAUSE = 2e-4  # of a card that waits for no more than the next call of the host it is no idling


class _Chosen(threading.local):
    """By one thread: the card meant where none is named, and the stream of each card."""

    card = 0

    def __init__(self) -> None:
        self.streams: dict[int, int] = {}


class Cards:
    """Allocations come and go from whichever thread lets go of a tensor last.

    Time: the host has a clock and so has each queue of a card, and its engines for computing
    and for copying in and out. Asking for a kernel takes the host a moment, and it begins when
    its queue and its engine are free: cards, and the queues of one, work side by side. The
    pauses a person makes between two lines do not count in cells; in programs they do, since
    the clock moves `now` on.
    """

    def __init__(self, facts: "Sequence[CardFacts]", links: "Sequence[Link]" = ()) -> None:
        self.facts = tuple(facts)
        self.allocators = tuple(
            Allocator(index, each.memory_bytes, each.context_bytes, each.elsewhere_bytes)
            for index, each in enumerate(facts)
        )
        self.lock = threading.RLock()
        self._links = {frozenset((each.one, each.other)): each for each in links}
        self.now = 0.0
        self._queues: dict[tuple[int, int], float] = {}  # until when each is busy
        self._computing = [0.0] * len(self.facts)
        self._copying = {way: [0.0] * len(self.facts) for way in ("in", "out")}
        self._dry: dict[int, float] = {}  # when a card has done all that was asked of it
        self.work = Work()
        self.copies = Copies()
        self._lost: frozenset[int] = frozenset()
        self._asserting: dict[int, str] = {}  # what a kernel has to say, by card
        self._broken: set[int] = set()  # cards of which it was told
        self._ready: set[int] = set()  # cards that are awake, and neither lost nor broken
        self._launch_blocking = False
        self.sync_debug = 0  # 1 warns of what waits for a card, 2 refuses
        self.chosen = _Chosen()
        self._returned: deque[tuple[int, Block]] = deque()
        self.watched = True
        self.seen: Seen | None = None  # of a program that is watched
        self._dividing = False  # an allocator is at it, here or further out
        self._made_streams = 0

    def __len__(self) -> int:
        return len(self.facts)

    @property
    def current(self) -> int:
        return self.chosen.card

    @current.setter
    def current(self, index: int) -> None:
        self.chosen.card = index

    def lose(self, names: "Sequence[str]") -> None:
        """These do not answer from now on; all others do."""
        self._lost = frozenset(each for each in range(len(self)) if named(each) in names)
        self._ready -= self._lost

    def after_fork(self) -> None:
        """In the child, which nobody watches."""
        self.lock = threading.RLock()
        self.watched, self.seen = False, None

    def begin(self) -> None:
        """A new cell, or a program; whatever was still running has ended."""
        self.now = max((self.now, *self._queues.values()))
        self.work = Work(self.now)
        self._dry.clear()

    def computed(self, index: int, flops: float, moved_bytes: float, itemsize: int = 4) -> None:
        """A kernel: as long as the slower of computing and reading takes."""
        if index not in self._ready:
            self.use(index)
        facts = self.facts[index]
        busy = max(flops / facts.flops_of(itemsize), moved_bytes / facts.bytes_per_second)
        self.now += _LAUNCH_SECONDS
        queue = self._queues.get((index, self.chosen.streams.get(index, 0)), 0.0)
        begin = max(self.now, queue, self._computing[index])
        end = begin + max(busy, _SHORTEST_KERNEL)
        self._computing[index] = end
        self.copies.kernels += 1
        self._work_on(index, begin, end)
        if self._launch_blocking:
            self.now = end
        self.work.computed(index, begin, end)
        if self.watched and self.copies.tracing is not None:
            began = self.work.began
            self.copies.tracing.add("compute", named(index), begin - began, end - began)

    def computed_on_host(self, flops: float, moved_bytes: float, itemsize: int = 4) -> None:
        rate = _PROCESSOR_FLOPS if itemsize <= 4 else _PROCESSOR_FLOPS / 2
        self.now += _CALL_SECONDS + max(flops / rate, moved_bytes / _PROCESSOR_BYTES)

    def release(self, index: int, block: Block) -> None:
        """Whenever Python lets go of a tensor, which may be in the midst of an allocation."""
        self._returned.append((index, block))
        if self.lock.acquire(blocking=False):
            try:
                self._take_back()
            finally:
                self.lock.release()

    def allocate(self, index: int, size: int) -> Block:
        """Raises OutOfMemory, and then nothing was taken."""
        with self.lock:
            if index not in self._ready:
                self.use(index)
            if self._returned:
                self._take_back()
            self._dividing = True
            try:
                return self.allocators[index].allocate(size)
            finally:
                self._dividing = False

    def memory(self, index: int) -> Allocator:
        with self.lock:
            self._take_back()
            return self.allocators[index]

    def use(self, index: int) -> None:
        """Before all that reaches a card. For the first of it the host waits for a context."""
        allocator = self.allocators[index]
        if index in self._ready:
            return
        if index in self._broken:
            raise asserted()
        if index in self._lost:
            raise lost(named(index), used=allocator.awake)
        self._ready.add(index)
        if allocator.awake:
            return
        allocator.awake = True
        self._launch_blocking = os.environ.get("CUDA_LAUNCH_BLOCKING") == "1"
        self.work.waited(HOST, index, "context", self.now, self.now + _CONTEXT_SECONDS)
        self.now += _CONTEXT_SECONDS
        self.work.contexts += _CONTEXT_SECONDS
        self.work.busy.setdefault(index, 0.0)

    def is_asserting(self, index: int) -> bool:
        """A kernel met what it must not; none that comes after it computes anything."""
        return index in self._asserting

    def asserts(self, index: int, said: str) -> None:
        """A kernel does, and the host hears of it when it waits for the card."""
        self._asserting[index] = said
        if self._launch_blocking:
            self.hear(index)

    def hear(self, index: "int | None" = None) -> None:
        """Of one card or all: raises what a kernel had to say. The card is of no use then."""
        for each, said in self._asserting.items():
            if index in (None, each):
                if each not in self._broken:
                    sys.stderr.write(f"{said}\n")
                self._broken.add(each)
                self._ready.discard(each)
                raise asserted()

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
    ) -> int:
        """Between devices. Between cards the host never waits, and else for pinned memory
        need not; what is not pinned goes through its hands. Gives the number of the copy's
        row; 0: nobody watches.
        """
        link = self.link(source, target)
        seconds = link.seconds(size, pinned=pinned)
        cards = [each for each in (source, target) if each != HOST]
        for each in cards:
            self.use(each)
        with_host = len(cards) == 1
        blocking = with_host and not (pinned and non_blocking)
        if blocking:
            self.hear(cards[0])
            if self.sync_debug:
                self._tell_of_waiting()
        asked_at = self.now
        self.now += _LAUNCH_SECONDS
        ways = {target: "in", source: "out"}
        ready = {
            each: max(self.moment(each), self._copying[ways[each]][each]) for each in cards
        }
        begin = max(ready.values())
        end = begin + seconds
        for each in cards:
            self._copying[ways[each]][each] = end
            self._work_on(each, begin, end)
        if not with_host:
            self.work.waited(source, target, "copy", ready[source], begin)
            self.work.waited(target, source, "copy", ready[target], begin)
        if blocking:
            self.now = end
        began = self.work.began
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
            asked_at=asked_at - began,
            begin=begin - began,
            end=end - began,
        )
        if not self.watched:
            return 0
        noted = noted or self.copies.note()
        numbered = self.copies.numbered(copy, noted)
        self.copies.add(copy, noted, check, numbered)
        if blocking and target == HOST:
            self._host_waited(source, noted.spot)
        return numbered[0]

    def travelled(
        self, source: Any, arrived: Any, here: int, there: int, size: int, row: int
    ) -> None:
        """By the copy of that row."""
        if row and self.seen is not None:
            trips = self.seen.trips
            if there != HOST:
                trips.came(source, named(there), size, row)
            if here != HOST:
                trips.left(arrived, named(here), row)

    def derived(self, made: "Iterable[Any]", given: "Iterable[Any]", *, changed: bool) -> None:
        """On the host; `changed`: it is no view and no copy."""
        if self.seen is not None and not self.seen.trips.none:
            self.seen.trips.derived(made, given, changed=changed)

    def new_stream(self) -> int:
        """The number of another queue; each card has its own of that number."""
        self._made_streams += 1
        return self._made_streams

    def stream(self, index: int) -> int:
        return self.chosen.streams.get(index, 0)

    def choose_stream(self, index: int, stream: int) -> None:
        self.chosen.streams[index] = stream

    def synchronize(self, index: "int | None" = None, stream: "int | None" = None) -> None:
        """The host waits for one card, or for all; or for one queue of a card."""
        if index is not None:
            self.use(index)
        self.hear(index)
        for (card, number), until in sorted(self._queues.items(), key=lambda each: each[1]):
            if index in (None, card) and stream in (None, number):
                self.wait_until(until, card)

    def wait_until(self, moment: float, card: int) -> None:
        """The host does."""
        self.hear(card)
        if moment > self.now:
            self.work.waited(HOST, card, "synchronize", self.now, moment)
            before, self.now = self.now, moment
            if self.seen is not None:
                if self.copies.tracing is not None:
                    began = self.work.began
                    self.copies.tracing.add("wait", named(card), before - began, moment - began)
                self._host_waited(card, place().spot)

    def has_come(self, moment: float) -> bool:
        """Asking takes the host a moment as well, or whoever asks on and on never went on."""
        self.now += _CALL_SECONDS
        return moment <= self.now

    def queue_waits(self, index: int, stream: int, until: float, whom: int) -> None:
        """Whatever is asked of that queue from now on begins no earlier."""
        before = self.moment(index, stream)
        self.work.waited(index, whom, "event", before, until)
        self._queues[index, stream] = max(before, until)

    def moment(self, index: int, stream: "int | None" = None) -> float:
        """When a queue of the card can begin with what it is asked for now."""
        number = self.stream(index) if stream is None else stream
        return max(self.now, self._queues.get((index, number), 0.0))

    def spent(self) -> "tuple[float, float | None] | None":
        """Host's and devices' seconds since the cell began; None where nobody had to do."""
        host = self.now - self.work.began
        if not self.work.busy:
            return (host, None) if host else None
        ends = [until for (card, _), until in self._queues.items() if card in self.work.busy]
        last = max((self.work.began, *ends))
        devices = last - self.work.began - self.work.contexts
        return host, max(0.0, devices)

    def _take_back(self) -> None:
        if self._dividing:
            return
        self._dividing = True
        try:
            while self._returned:
                index, block = self._returned.popleft()
                self.allocators[index].release(block)
        finally:
            self._dividing = False

    def _work_on(self, index: int, begin: float, end: float) -> None:
        self._queues[index, self.stream(index)] = end
        dry = self._dry.get(index)
        if self.seen is not None:
            device, idling = named(index), self.seen.idling
            if device in idling.waits or (dry is not None and self.now - dry > _PAUSE):
                began = self.work.began
                idling.worked(device, None if dry is None else dry - began, self.now - began)
            elif dry is not None and begin > dry:
                idling.pause(device, begin - dry)
            idling.asked_at = self.now
        alone = end - begin if dry is None else max(0.0, end - max(begin, dry))
        self.work.busy[index] = self.work.busy.get(index, 0.0) + alone
        self._dry[index] = end if dry is None else max(dry, end)

    def _tell_of_waiting(self) -> None:
        if self.sync_debug > 1:
            raise RuntimeError("called a synchronizing CUDA operation")
        warnings.warn("called a synchronizing CUDA operation", stacklevel=2)

    def _host_waited(self, card: int, spot: Spot) -> None:
        """Up to now, and the card has nothing to do since."""
        if self.seen is not None and self._dry.get(card, 0.0) <= self.now:
            self.seen.idling.waited(named(card), self.now - self.work.began, spot)

    def link(self, one: int, other: int) -> Link:
        known = self._links.get(frozenset((one, other)))
        return known or Link(one, other, 12e9, 10e-6, peer=False)

    def arrives_wrong(self, source: int, target: int) -> bool:
        return target in self.link(source, target).wrong_to
