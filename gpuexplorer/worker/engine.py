"""Engine: what the worker needs to know of the devices, real or simulated."""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol

from gpuexplorer.lab.events import Device, Hello, Memory, Transferred


class Engine(Protocol):
    """One per process. Its methods are called from the thread that runs the lines."""

    def hello(self) -> Hello:
        """What this PyTorch is, and which devices it offers."""
        ...

    def devices(self) -> Sequence[Device]: ...

    def running(self) -> AbstractContextManager[object]:
        """Around the carrying out of a line."""
        ...

    # Any: torch is the stranger's, and its types are not ours to import here.
    def word(self, name: str) -> Any:  # noqa: ANN401
        """What `torch.nn.Linear` stands for."""
        ...

    def settle(self) -> None:
        """Wait until all devices have done what they were asked."""
        ...

    def device_seconds(self) -> "tuple[float | None, bool]":
        """How long the devices needed for the last line, and whether that is modelled."""
        ...

    def transfers(self, command: int) -> Sequence[Transferred]:
        """The copies between devices that the last line made."""
        ...

    def memory(self) -> Sequence[Memory]:
        """Of every device that was used. Does not make a context where there is none."""
        ...
