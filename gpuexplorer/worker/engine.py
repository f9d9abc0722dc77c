"""Engine: what the worker needs to know of the devices, real or simulated."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, Union

from gpuexplorer.lab.events import (
    Device,
    Event,
    Finished,
    Hello,
    Memory,
    Span,
    Transferred,
    Watched,
)
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.copies import Copies


class Engine(Protocol):
    """One per process. Its methods are called from the thread that runs the cells."""

    def hello(self) -> Hello:
        """What this PyTorch is, and which devices it offers."""
        ...

    def devices(self) -> Sequence[Device]: ...

    def running(
        self, *, watched: bool = True, program: bool = False, sampled: bool = False
    ) -> AbstractContextManager[object]:
        """Around a cell, and whoever times it is within: entering and leaving take long.
        Unwatched, its copies are not seen and its times are Python's own. A program may run for
        days: what it copies is not held to be compared. Sampled, steps may be left out, so that
        watching takes little time.
        """
        ...

    def others_hold(self, held: "Sequence[tuple[str, int]]") -> None:
        """Bytes of other programs, by device. Real cards know by themselves."""
        ...

    def cards_lost(self, names: "Sequence[str]") -> None:
        """These do not answer from now on, all others do. Real cards know by themselves."""
        ...

    def measure(
        self,
        command: Union[Measure, Multiply],  # noqa: UP007 - Python 3.10
        say: "Callable[[Event], None]",
        checkpoint: "Callable[[], None]",
    ) -> None:
        """Says Sampled, then Measured or Multiplied. `checkpoint` raises to give it up."""
        ...

    def settle(self) -> None:
        """Wait until all devices have done what they were asked."""
        ...

    def times(self, command: int = 0, own: float = 0.0) -> Finished:
        """What the last cell took, after `settle`: `own` seconds of the host, unless its time
        is modelled too.
        """
        ...

    @property
    def copies(self) -> Copies:
        """Where they are noted, each with the place in the cell that caused it."""
        ...

    def transfers(self, command: int) -> Sequence[Transferred]:
        """The copies between devices that the last cell made, compared with what was sent."""
        ...

    def spans(self) -> Sequence[Span]:
        """When devices computed in the last cell, and who waited for whom."""
        ...

    def watched(self, command: int) -> Watched:
        """What was seen of the cell or program that runs or ran last, without the rows that are
        as they were when this was last asked. From any thread; `over` is whoever asks to say.
        """
        ...

    def memory(self) -> Sequence[Memory]:
        """On every device that was used. Does not make a context where there is none."""
        ...


# Any: the settings are JSON.
def engine_for(settings: "Mapping[str, Any]") -> Engine:
    """By what the worker is told of cards."""
    if settings.get("cards"):
        from gpuexplorer.worker.engines.virtual.engine import VirtualEngine  # noqa: PLC0415

        return VirtualEngine(settings["cards"], settings.get("links", []))
    from gpuexplorer.worker.engines.torch_engine import TorchEngine  # noqa: PLC0415

    return TorchEngine()
