"""Reach: what a session needs of the computer that it reads, beside the source of its cards:
its name, its processor and memory, its processes by name, and who asks the cards in which
rhythm. This computer is the usual one.
"""

import socket
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Protocol

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import Cadence, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.beat import BeatCount
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import Needs, Sampler
from gpuexplorer.telemetry.wants import Want

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


class Sampling(Protocol):
    """Asks the cards what somebody wants to know; see Sampler."""

    @property
    def interval(self) -> float: ...
    @property
    def host_period(self) -> float: ...
    @property
    def asks_for_processes(self) -> bool: ...
    def want(self, metrics: Collection[MetricId], processes: bool = False) -> Want: ...
    def release(self, want: Want) -> None: ...
    def start(self) -> None: ...
    def stop(self, seconds: float = 0.3) -> bool: ...
    def stopped_listening(self, seconds: float) -> bool: ...
    def set_interval(self, seconds: float) -> None: ...
    def asked(self, cadence: Cadence) -> bool: ...
    def beats(self) -> BeatCount: ...
    def silence(self, card: CardId) -> float | None: ...
    def wait_for_sweeps(self, number: int, seconds: float) -> bool: ...
    def wait_for_fast_sweep(self, number: int, seconds: float) -> bool: ...


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
