"""Cards: the make-believe cards of this process, their memory, and the time their work takes."""

import os
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from gpuexplorer.worker.engines.virtual.allocator import Allocator

_LAUNCH_SECONDS = 5e-6


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
    bytes_per_second: float

    @classmethod
    def read(cls, told: "Mapping[str, object]") -> "CardFacts":
        facts = dict(told)
        facts["capability"] = tuple(facts["capability"])  # type: ignore[call-overload]  # a list in JSON
        return cls(**facts)  # type: ignore[arg-type]  # checked by the contract test


@dataclass(frozen=True)
class Link:
    """The way between two devices; -1 is the host. The same both ways."""

    one: int
    other: int
    bytes_per_second: float
    latency: float
    peer: bool

    def seconds(self, size: int) -> float:
        return self.latency + size / self.bytes_per_second


@dataclass
class Work:
    """What one line did, for as long as it runs."""

    seconds: "dict[int, float]" = field(default_factory=dict)
    transfers: "list[tuple[int, int, int, float]]" = field(default_factory=list)


class Cards:
    """Allocations come and go from whichever thread lets go of a tensor last."""

    def __init__(
        self, facts: "Sequence[CardFacts]", links: "Sequence[Link]" = ()
    ) -> None:
        self.facts = tuple(facts)
        pid = os.getpid()
        self.allocators = tuple(
            Allocator(
                index,
                each.memory_bytes,
                each.context_bytes,
                each.elsewhere_bytes,
                pid,
            )
            for index, each in enumerate(facts)
        )
        self.lock = threading.RLock()
        self._links = {frozenset((each.one, each.other)): each for each in links}
        self.work = Work()
        self.current = 0

    def __len__(self) -> int:
        return len(self.facts)

    def begin(self) -> None:
        self.work = Work()

    def computed(self, index: int, flops: float, moved_bytes: float) -> None:
        """A kernel ran: as long as the slower of computing and reading took."""
        facts = self.facts[index]
        busy = max(flops / facts.flops, moved_bytes / facts.bytes_per_second)
        self._add(index, _LAUNCH_SECONDS + busy)

    def copied(self, source: int, target: int, size: int) -> float:
        """Between devices, -1 being the host. The engine of the source is busy with it."""
        seconds = self.link(source, target).seconds(size)
        self._add(source if source >= 0 else target, seconds)
        self.work.transfers.append((source, target, size, seconds))
        return seconds

    def link(self, one: int, other: int) -> Link:
        return self._links.get(frozenset((one, other))) or Link(one, other, 12e9, 10e-6, False)

    def _add(self, index: int, seconds: float) -> None:
        self.work.seconds[index] = self.work.seconds.get(index, 0.0) + seconds
