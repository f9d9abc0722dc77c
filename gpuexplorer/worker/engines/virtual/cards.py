"""Cards: the make-believe cards of this process: their memory, and their work's time."""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.worker.engines.virtual.allocator import Allocator

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

    def seconds(self, size: int, *, pinned: bool = True) -> float:
        pageable = self.pageable_bytes_per_second
        rate = self.bytes_per_second if pinned or pageable is None else pageable
        return self.latency + size / rate


@dataclass
class Work:
    """What one line did, for as long as it runs."""

    began: float = 0.0
    busy: "dict[int, float]" = field(default_factory=dict)  # seconds, by card
    transfers: "list[tuple[int, int, int, float]]" = field(default_factory=list)


class Cards:
    """Allocations come and go from whichever thread lets go of a tensor last.

    Time: the host has a clock and so has each card. Asking for a kernel takes the host a moment
    and the card begins when it is free, so cards work side by side. The pauses a person makes
    between two lines do not count.
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
        self._clocks = [0.0] * len(self.facts)
        self.work = Work()
        self.current = 0

    def __len__(self) -> int:
        return len(self.facts)

    def begin(self) -> None:
        """A new line; whatever was still running has ended."""
        self.synchronize()
        self.work = Work(self.now)

    def computed(self, index: int, flops: float, moved_bytes: float, itemsize: int = 4) -> None:
        """A kernel: as long as the slower of computing and reading takes."""
        facts = self.facts[index]
        busy = max(flops / facts.flops_of(itemsize), moved_bytes / facts.bytes_per_second)
        self.now += _LAUNCH_SECONDS
        self._work_on(index, self.moment(index), max(busy, _SHORTEST_KERNEL))

    def woke(self, index: int) -> None:
        """The first that a card is used for: the host waits for its context."""
        self.now += _CONTEXT_SECONDS
        self.work.busy.setdefault(index, 0.0)

    def copied(self, source: int, target: int, size: int, *, pinned: bool = False) -> None:
        """Between devices. From or to the host, the host waits; between cards it does not."""
        seconds = self.link(source, target).seconds(size, pinned=pinned)
        cards = [each for each in (source, target) if each != HOST]
        self.now += _LAUNCH_SECONDS
        begin = max(self.moment(each) for each in cards)
        for each in cards:
            self._work_on(each, begin, seconds)
        if HOST in (source, target):
            self.now = begin + seconds
        self.work.transfers.append((source, target, size, seconds))

    def synchronize(self, index: "int | None" = None) -> None:
        """The host waits for one card, or for all."""
        waited = self._clocks if index is None else [self._clocks[index]]
        self.now = max((self.now, *waited))

    def moment(self, index: int) -> float:
        """When the card can begin with what it is asked for now."""
        return max(self.now, self._clocks[index])

    def spent(self) -> "tuple[float, float] | None":
        """Host's and devices' seconds since the line began; None where no card had to do."""
        if not self.work.busy:
            return None
        last = max(self._clocks[each] for each in self.work.busy)
        return self.now - self.work.began, last - self.work.began

    def _work_on(self, index: int, begin: float, seconds: float) -> None:
        self._clocks[index] = begin + seconds
        self.work.busy[index] = self.work.busy.get(index, 0.0) + seconds

    def link(self, one: int, other: int) -> Link:
        known = self._links.get(frozenset((one, other)))
        return known or Link(one, other, 12e9, 10e-6, peer=False)
