"""Engine: what the worker needs to know of the devices, real or simulated."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from gpuexplorer.lab.events import Device, Hello, Memory, Transferred


@dataclass(frozen=True)
class Times:
    """What one line took. None: no device had to do, or it cannot be told."""

    host_seconds: "float | None" = None  # where the host's time is modelled too
    device_seconds: "float | None" = None
    modelled: bool = False
    busy: "tuple[tuple[str, float], ...]" = ()  # seconds of work by device


class Engine(Protocol):
    """One per process. Its methods are called from the thread that runs the lines."""

    def hello(self) -> Hello:
        """What this PyTorch is, and which devices it offers."""
        ...

    def devices(self) -> Sequence[Device]: ...

    def running(self) -> AbstractContextManager[object]:
        """Around the carrying out of a line."""
        ...

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        """Bytes of other programs, by device. Real cards know by themselves."""
        ...

    def log_placement(self, say: "Callable[[str], None] | None") -> None:
        """From the next line on tell where each operation ran; None: no longer."""
        ...

    # Any: torch is the stranger's, and its types are not ours to import here.
    def word(self, name: str) -> Any:
        """What `torch.nn.Linear` stands for."""
        ...

    def settle(self) -> None:
        """Wait until all devices have done what they were asked."""
        ...

    def times(self) -> Times:
        """Of the last line, after `settle`."""
        ...

    def transfers(self, command: int) -> Sequence[Transferred]:
        """The copies between devices that the last line made."""
        ...

    def memory(self) -> Sequence[Memory]:
        """Of every device that was used. Does not make a context where there is none."""
        ...

    def random_state(self) -> object:
        """Of all generators; two states are equal where nothing was drawn between them."""
        ...

    def set_random_state(self, state: object) -> None: ...

    def seed(self, number: int) -> None:
        """Of all generators."""
        ...
