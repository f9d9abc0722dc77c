"""FarReach: what a session needs of another machine, as it was told."""

from collections.abc import Callable, Collection, Sequence
from typing import Protocol

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.remote.far.names import FarNames, Known
from gpuexplorer.remote.far.sampler import FarSampler
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.wire import Hello, Order
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.sampler import Needs
from gpuexplorer.telemetry.session import Attempt


class Machine(Protocol):
    """The machine, as far as it is needed here."""

    host: HostName
    hello: Hello | None

    @property
    def host_card(self) -> Card: ...
    def cards(self) -> Sequence[Card]: ...
    def tell(self, order: Order) -> bool: ...


class FarReach:
    """One session at a time hears what is told: the one made last."""

    def __init__(
        self, far: Machine, known: Known, attach: Callable[[FarSampler], None]
    ) -> None:
        self._far, self._known, self._attach = far, known, attach

    @property
    def computer(self) -> str:
        """As it was asked for: its own name may say nothing to anybody here."""
        return self._far.host.text

    def attempts(self) -> Sequence[Attempt]:
        hello = self._far.hello
        told = () if hello is None else hello.attempts
        return [Attempt(self.computer, each, NOTHING) for each in told]

    def host(self, clock: Clock, looked_before: ProcessorTime | None) -> "FarHost":
        return FarHost(self._far, self._known, clock)

    def names(self) -> FarNames:
        return FarNames(self._known)

    def sampler(self, needs: Needs) -> FarSampler:
        sampler = FarSampler(self._far, needs)
        self._attach(sampler)
        return sampler


class FarHost:
    """Its processor and its memory, as they were told last."""

    def __init__(self, far: Machine, known: Known, clock: Clock) -> None:
        self._far, self._known, self._clock = far, known, clock

    @property
    def card(self) -> Card:
        return self._far.host_card

    def read(self, metrics: Collection[MetricId]) -> Sample:
        told = self._known.host
        if told is None:
            told = Sample(HOST_ID, self._clock.now(), {})
        values = {id_: value for id_, value in told.values.items() if id_ in metrics}
        missing = {
            id_: told.missing.get(id_, Absence.NOT_YET) for id_ in metrics if id_ not in values
        }
        return told._replace(values=values, missing=missing)

    def notes(self) -> Sequence[Message]:
        """They are among those of the source: over there they are told together."""
        return ()


def host_card(far: HostName, hello: Hello | None) -> Card:
    """Before it has said what it has, there is its name."""
    if hello is not None:
        return hello.host
    return Card(HOST_ID, 0, far.text, None, kind=CardKind.HOST)
