"""CopyJob: one copy to be measured, as window, command line and worker mean it."""

from collections.abc import Callable
from dataclasses import dataclass, replace

LATENCY_BYTES = 16
_FEWEST_BYTES = 1 << 20  # of fewer, the time tells little of the wire
# How the bytes get there.
MODES = frozenset(
    {
        "copy",  # as PyTorch takes them, from one buffer into another, again and again
        "staged",  # from card to card through pinned memory of the host
        "fresh",  # from and to memory that nobody has touched yet
        "latency",  # so few that only the beginning costs
        "blocking",  # beside a computation, where each copy keeps the host waiting
        "overlap",  # beside a computation, where none does
        "strided",  # every other row: not one piece of memory
        "converted",  # float32 arrives as float16
        "raw",  # the driver's own call, without what PyTorch adds
    }
)


@dataclass(frozen=True)
class CopyJob:
    """Bytes from one device to another; `cpu` to `cpu` and a card to itself are copies too."""

    source: str  # "cpu", "cuda:0"
    target: str
    bytes: int
    mode: str = "copy"
    pinned: "bool | None" = None  # the host's memory; None where none takes part
    both_ways: bool = False  # the same the other way round, at the same time
    pieces: int = 1  # of which the bytes are the sum
    beside: "tuple[tuple[str, str], ...]" = ()  # other copies at the same time: source, target
    fit: bool = False  # fewer bytes will do where so many do not fit

    @property
    def touches_host(self) -> bool:
        return "cpu" in (self.source, self.target)

    @property
    def is_timed_by_host(self) -> bool:
        """No card takes part, or the call keeps the host waiting until it is done.

        Rows from the host are brought together by the host, and numbers are made shorter there
        in both directions; rows from a card are brought together by the card.
        """
        if self.source == self.target == "cpu":
            return True
        if not self.touches_host:
            return False
        by_host = self.mode == "converted" or (self.mode == "strided" and self.source == "cpu")
        return by_host or not self.pinned

    @property
    def local(self) -> bool:
        return self.source == self.target


def fitted(job: CopyJob, fits: "Callable[[CopyJob], bool]") -> CopyJob:
    """With half as many bytes, and half again, until they fit; unchanged if none would do."""
    smaller = job
    while job.fit and smaller.bytes >= 2 * _FEWEST_BYTES and not fits(smaller):
        smaller = replace(smaller, bytes=smaller.bytes // 2)
    return smaller if fits(smaller) else job
