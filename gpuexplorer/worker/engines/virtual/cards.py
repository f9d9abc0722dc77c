"""Cards: the make-believe cards of this process: their memory, and their work's time."""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.lab.events import Span, Transferred
from gpuexplorer.worker.copies import Check, Copies
from gpuexplorer.worker.engines.virtual.allocator import Allocator
from gpuexplorer.worker.failures import CardLost
from gpuexplorer.worker.tracks import Track

HOST = -1
_LAUNCH_SECONDS = 5e-6  # what it costs the host to ask for one kernel
_SHORTEST_KERNEL = 2e-6
_CONTEXT_SECONDS = 0.25  # to load the driver's part and the kernels, before the first of them


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
    def read(cls, told: "Mapping[str, object]") -> "CardFacts":
        facts = dict(told)
        capability = facts["capability"]
        assert isinstance(capability, (list, tuple))  # a list in JSON
        facts["capability"] = tuple(capability)
        return cls(**facts)  # type: ignore[arg-type]  # ours, from the window

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


@dataclass
class Work:
    """What one line did, for as long as it runs."""

    began: float = 0.0
    contexts: float = 0.0  # seconds for which the host waited for them, and no card worked
    busy: "dict[int, float]" = field(default_factory=dict)  # seconds, by card
    computing: "dict[int, Track]" = field(default_factory=dict)
    # Who waited, for whom, and why.
    waiting: "dict[tuple[int, int, str], Track]" = field(default_factory=dict)

    def computed(self, card: int, begin: float, end: float) -> None:
        self.computing.setdefault(card, Track()).add(begin - self.began, end - self.began)

    def waited(self, who: int, whom: int, why: str, begin: float, end: float) -> None:
        if end > begin:
            track = self.waiting.setdefault((who, whom, why), Track())
            track.add(begin - self.began, end - self.began)

    def spans(self) -> Sequence[Span]:
        computing = [
            Span(named(card), each.begin, each.end, each.busy, each.count)
            for card, track in self.computing.items()
            for each in track.stretches
        ]
        waiting = [
            Span(named(who), each.begin, each.end, each.busy, each.count, named(whom), why)
            for (who, whom, why), track in self.waiting.items()
            for each in track.stretches
        ]
        return [*computing, *waiting]


class Cards:
    """Allocations come and go from whichever thread lets go of a tensor last.

    Time: the host has a clock and so has each queue of a card, and its engines for computing
    and for copying in and out. Asking for a kernel takes the host a moment, and it begins when
    its queue and its engine are free: cards, and the queues of one, work side by side. The
    pauses a person makes between two lines do not count.
    """

    def __init__(self, facts: "Sequence[CardFacts]", links: "Sequence[Link]" = ()) -> None:
        self.facts = tuple(facts)
        pid = os.getpid()
        self.allocators = tuple(
            Allocator(index, each.memory_bytes, each.context_bytes, each.elsewhere_bytes, pid)
            for index, each in enumerate(facts)
        )
        self.lock = threading.RLock()
        self._links = {frozenset((each.one, each.other)): each for each in links}
        self.now = 0.0
        self._queues: dict[tuple[int, int], float] = {}  # until when each is busy
        self._computing = [0.0] * len(self.facts)
        self._copying = {way: [0.0] * len(self.facts) for way in ("in", "out")}
        self.work = Work()
        self.copies = Copies()
        self.lost: frozenset[int] = frozenset()
        self.current = 0
        self._streams = [0] * len(self.facts)  # in which each card's work is queued now
        self._made_streams = 0

    def __len__(self) -> int:
        return len(self.facts)

    def begin(self) -> None:
        """A new line; whatever was still running has ended."""
        self.now = max((self.now, *self._queues.values()))
        self.work = Work(self.now)
        self.copies.begin()

    def computed(self, index: int, flops: float, moved_bytes: float, itemsize: int = 4) -> None:
        """A kernel: as long as the slower of computing and reading takes."""
        self.use(index)
        facts = self.facts[index]
        busy = max(flops / facts.flops_of(itemsize), moved_bytes / facts.bytes_per_second)
        self.now += _LAUNCH_SECONDS
        begin = max(self.moment(index), self._computing[index])
        end = begin + max(busy, _SHORTEST_KERNEL)
        self._computing[index] = end
        self._work_on(index, begin, end)
        self.work.computed(index, begin, end)

    def use(self, index: int) -> None:
        """Before all that reaches a card. For the first of it the host waits for a context."""
        allocator = self.allocators[index]
        if index in self.lost:
            raise CardLost(named(index), used=allocator.awake)
        if allocator.awake:
            return
        allocator.wake()
        self.work.waited(HOST, index, "context", self.now, self.now + _CONTEXT_SECONDS)
        self.now += _CONTEXT_SECONDS
        self.work.contexts += _CONTEXT_SECONDS
        self.work.busy.setdefault(index, 0.0)

    def copied(
        self,
        source: int,
        target: int,
        size: int,
        *,
        pinned: bool = False,
        non_blocking: bool = False,
        how: str = "",
        check: "Check | None" = None,
    ) -> None:
        """Between devices. Between cards the host never waits, and else for pinned memory
        need not; what is not pinned goes through its hands.
        """
        link = self.link(source, target)
        seconds = link.seconds(size, pinned=pinned)
        cards = [each for each in (source, target) if each != HOST]
        for each in cards:
            self.use(each)
        with_host = len(cards) == 1
        blocking = with_host and not (pinned and non_blocking)
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
        self.copies.add(copy, self.copies.note(), check)

    def new_stream(self) -> int:
        """The number of another queue; each card has its own of that number."""
        self._made_streams += 1
        return self._made_streams

    def stream(self, index: int) -> int:
        return self._streams[index]

    def choose_stream(self, index: int, stream: int) -> None:
        self._streams[index] = stream

    def synchronize(self, index: "int | None" = None, stream: "int | None" = None) -> None:
        """The host waits for one card, or for all; or for one queue of a card."""
        if index is not None:
            self.use(index)
        for (card, number), until in sorted(self._queues.items(), key=lambda each: each[1]):
            if index in (None, card) and stream in (None, number):
                self.wait_until(until, card)

    def wait_until(self, moment: float, card: int) -> None:
        """The host does."""
        self.work.waited(HOST, card, "synchronize", self.now, moment)
        self.now = max(self.now, moment)

    def queue_waits(self, index: int, stream: int, until: float, whom: int) -> None:
        """Whatever is asked of that queue from now on begins no earlier."""
        before = self.moment(index, stream)
        self.work.waited(index, whom, "event", before, until)
        self._queues[index, stream] = max(before, until)

    def moment(self, index: int, stream: "int | None" = None) -> float:
        """When a queue of the card can begin with what it is asked for now."""
        number = self._streams[index] if stream is None else stream
        return max(self.now, self._queues.get((index, number), 0.0))

    def spent(self) -> "tuple[float, float] | None":
        """Host's and devices' seconds since the line began; None where no card had to do."""
        if not self.work.busy:
            return None
        ends = [until for (card, _), until in self._queues.items() if card in self.work.busy]
        last = max((self.work.began, *ends))
        devices = last - self.work.began - self.work.contexts
        return self.now - self.work.began, max(0.0, devices)

    def _work_on(self, index: int, begin: float, end: float) -> None:
        self._queues[index, self._streams[index]] = end
        self.work.busy[index] = self.work.busy.get(index, 0.0) + (end - begin)

    def link(self, one: int, other: int) -> Link:
        known = self._links.get(frozenset((one, other)))
        return known or Link(one, other, 12e9, 10e-6, peer=False)

    def arrives_wrong(self, source: int, target: int) -> bool:
        return target in self.link(source, target).wrong_to


def named(number: int) -> str:
    """As PyTorch calls the device."""
    return "cpu" if number == HOST else f"cuda:{number}"
