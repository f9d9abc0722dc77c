"""What the simulation promises of cards and of the ways between them; and what a cell did."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

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
