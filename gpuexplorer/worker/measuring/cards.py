"""Cards: what a measurement asks of PyTorch and the driver, so that neither need be there."""

from collections.abc import Callable, Sequence, Set
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeVar

T = TypeVar("T")


class Event(Protocol):
    """A mark in a queue. Only queues of one card share a clock."""

    def record(self, stream: Any) -> object: ...  # Any: a stream of the same maker

    def query(self) -> bool:
        """Whether the queue came past it."""
        ...

    def synchronize(self) -> object: ...

    def elapsed_time(self, other: Any) -> float:
        """Milliseconds."""
        ...


class Stream(Protocol):
    """A queue of one card."""

    def wait_event(self, event: Any) -> object: ...


# Any: tensors are PyTorch's.
class Cards(Protocol):
    """Devices are named as in PyTorch: `cpu`, `cuda:0`."""

    def now(self) -> float:
        """The host's clock, in seconds."""
        ...

    def names(self) -> "tuple[str, ...]":
        """Those that can be measured."""
        ...

    def threads(self) -> int:
        """With which PyTorch copies within the host."""
        ...

    def free_bytes(self, device: str) -> "int | None": ...

    def cache_bytes(self, device: str) -> "int | None":
        """What a card's L2 cache holds."""
        ...

    def are_peers(self, source: str, target: str) -> bool: ...

    def capability(self, device: str) -> "tuple[int, int] | None":
        """NVIDIA's number for what a card can do; None for everything else."""
        ...

    def tf32(self, *, on: bool) -> "AbstractContextManager[object]":
        """Products of float32 may be made by tensor cores, or not; then all is as it was."""
        ...

    def on_processors(self, numbers: "Set[int]") -> "AbstractContextManager[bool]":
        """Of the host, for whatever is taken and asked for meanwhile. False: it cannot be."""
        ...

    def at_once(self, tasks: "Sequence[Callable[[], T]]") -> "list[T]":
        """Each in a thread of its own."""
        ...

    def empty(self, device: str, size: int, *, pinned: bool = False) -> Any:
        """Contiguous bytes."""
        ...

    def untouched(self, size: int) -> Any:
        """Bytes of the host that were never written to: the first write finds them."""
        ...

    def stream(self, device: str) -> Any: ...

    def event(self) -> Any: ...

    def on(self, *streams: Any) -> "AbstractContextManager[object]":
        """Copies are put into these queues, and the last one's card is the current one."""
        ...

    def sleep(self, cycles: int) -> None:
        """Hold the current card's queue for so many of its cycles."""
        ...

    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        """As PyTorch does it. `wait`: the host goes on when it is done."""
        ...

    def raw_copy(self, target: Any, source: Any, stream: Any) -> None:
        """As the driver does it; without a stream: as the C library does it."""
        ...

    def multiply(self, out: Any, left: Any, right: Any) -> None: ...

    def synchronize(self, *devices: str) -> None: ...

    def give_back(self) -> None:
        """Whatever memory PyTorch keeps for later."""
        ...
