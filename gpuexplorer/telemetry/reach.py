"""Reach: what a session needs of the computer that it reads, beside the source of its cards:
its name, its processor and memory, its processes by name, and who asks the cards in which
rhythm. This computer is the usual one.
"""

import socket
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from gpuexplorer.core.cards import Card, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import Needs, Sampler
from gpuexplorer.telemetry.sampling import Sampling

if TYPE_CHECKING:
    from gpuexplorer.telemetry.process_names import NamedProcess
    from gpuexplorer.telemetry.session import Attempt


class Host(Protocol):
    """The computer itself, read like a card. One thread at a time; never hangs."""

    @property
    def card(self) -> Card: ...
    def read(self, metrics: Collection[MetricId]) -> Sample: ...
    def notes(self) -> Sequence[Message]: ...


class Names(Protocol):
    """Whose process that is. One thread at a time; see ProcessNames."""

    @property
    def elsewhere(self) -> bool: ...
    def name(self, processes: Sequence[CardProcess]) -> "list[NamedProcess]": ...
    def one(self, process: CardProcess) -> "NamedProcess": ...
    def forget_all_but(self, pids: Collection[int]) -> None: ...


class Reach(Protocol):
    """Where a session reads. Nothing here waits for another computer."""

    @property
    def computer(self) -> str:
        """Its own name."""
        ...

    def attempts(self) -> "Sequence[Attempt]":
        """Sources that were tried there, where that is known by the reach alone."""
        ...

    def host(self, clock: Clock, looked_before: ProcessorTime | None) -> Host: ...

    def names(self) -> Names: ...

    def sampler(self, needs: Needs) -> Sampling: ...


class ThisComputer:
    """The one on which the program runs."""

    @property
    def computer(self) -> str:
        return socket.gethostname()

    def attempts(self) -> "Sequence[Attempt]":
        return ()

    def host(self, clock: Clock, looked_before: ProcessorTime | None) -> Host:
        # psutil, which it needs, takes long to import, and the cards can be asked meanwhile.
        from gpuexplorer.telemetry.backends.host import HostReader  # noqa: PLC0415

        return HostReader(clock, looked_before)

    def names(self) -> Names:
        from gpuexplorer.telemetry.process_names import ProcessNames  # noqa: PLC0415 - as above

        return ProcessNames()

    def sampler(self, needs: Needs) -> Sampling:
        return Sampler(needs)


THIS_COMPUTER = ThisComputer()
