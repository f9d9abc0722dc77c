"""Engine: what the worker needs to know of the devices, real or simulated."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Protocol

from gpuexplorer.lab.events import Device, Event, Hello, Memory, Span, Transferred
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.copies import Copies


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

    def running(
        self, stays_on_host: "Callable[[], bool] | None" = None
    ) -> AbstractContextManager[object]:
        """Around the carrying out of a line. What stays on the host need not be watched."""
        ...

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        """Bytes of other programs, by device. Real cards know by themselves."""
        ...

    def cards_lost(self, names: "Sequence[str]") -> None:
        """These do not answer from now on, all others do. Real cards know by themselves."""
        ...

    def log_placement(self, say: "Callable[[str], None] | None") -> None:
        """From the next line on tell where each operation ran; None: no longer."""
        ...

    # Any: torch is the stranger's, and its types are not ours to import here.
    def word(self, name: str) -> Any:
        """What `torch.nn.Linear` stands for."""
        ...

    def measure(
        self,
        command: Measure,
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """Says Sampled and Measured. `checkpoint` raises where it was given up."""
        ...

    def multiply(
        self,
        command: Multiply,
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """Says Sampled and Multiplied. `checkpoint` raises where it was given up."""
        ...

    def settle(self) -> None:
        """Wait until all devices have done what they were asked."""
        ...

    def times(self) -> Times:
        """Of the last line, after `settle`."""
        ...

    @property
    def copies(self) -> Copies:
        """Where copies are noted, and what causes them is told."""
        ...

    def transfers(self, command: int) -> Sequence[Transferred]:
        """The copies between devices that the last line made, compared with what was sent."""
        ...

    def spans(self) -> Sequence[Span]:
        """When devices computed in the last line, and who waited for whom."""
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
