"""FarReach: what a session needs of another machine, as it was told."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

from gpuexplorer.core.cards import HOST_ID, Card, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.remote.far.backend import only
from gpuexplorer.remote.far.names import FarNames
from gpuexplorer.remote.far.sampler import FarSampler
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import Needs
from gpuexplorer.telemetry.session import Attempt

if TYPE_CHECKING:
    from gpuexplorer.remote.far.machine import FarMachine


class FarReach:
    """One session at a time hears what is told: the one made last."""

    def __init__(self, far: "FarMachine") -> None:
        self._far = far

    @property
    def computer(self) -> str:
        """As it was asked for: its own name may say nothing to anybody here."""
        return self._far.host.text

    def attempts(self) -> Sequence[Attempt]:
        hello = self._far.hello
        told = () if hello is None else hello.attempts
        return [Attempt(self.computer, each, NOTHING) for each in told]

    def host(self, clock: Clock, looked_before: ProcessorTime | None) -> "FarHost":
        return FarHost(self._far, clock)

    def names(self) -> FarNames:
        return self._far.names

    def sampler(self, needs: Needs) -> FarSampler:
        sampler = self._far.hearing.sampler = FarSampler(self._far, needs)
        return sampler


class FarHost:
    """Its processor and its memory, as they were told last."""

    def __init__(self, far: "FarMachine", clock: Clock) -> None:
        self._far, self._clock = far, clock

    @property
    def card(self) -> Card:
        return self._far.host_card

    def read(self, metrics: Collection[MetricId]) -> Sample:
        told = self._far.backend.host or Sample(HOST_ID, self._clock.now(), {})
        return only(told, metrics)

    def notes(self) -> Sequence[Message]:
        """They are among those of the source: over there they are told together."""
        return ()
