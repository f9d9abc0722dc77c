"""Facts: all that a session is told, whoever tells it: the driver of this computer, another
machine, a Prometheus, or a recording. Times are steady seconds of this computer.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Union

from gpuexplorer.core.cards import Card, CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import METRICS, Cadence, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import HardwareFault, Source
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.processes import NamedProcess
from gpuexplorer.telemetry.topology import Topology


@dataclass(frozen=True, slots=True)
class Cards:
    """Those that are listed from now on, each card before its MIG instances; and who tells."""

    cards: "Sequence[Card]"
    source: Source


@dataclass(frozen=True, slots=True)
class Notes:
    """Sentences about the machine that a person should read, from now on."""

    notes: "Sequence[Message]"


@dataclass(frozen=True, slots=True)
class Users:
    """Who uses a card as of a look; None where nobody can tell just now."""

    card: CardId
    processes: "Sequence[NamedProcess] | None"


def round_of(sample: Sample) -> "Cadence | None":
    """All metrics of a sample are of one; None where it has none."""
    return next((METRICS[each].cadence for each in (*sample.values, *sample.missing)), None)


# A sample, a fault and a happening are facts as they are.
Fact = Union[Cards, Notes, Sample, Users, HardwareFault, Happening]  # noqa: UP007 - Python 3.10
Tell = Callable[[Fact], None]


# What samples of all rounds come to, as of the newest: a metric that was not asked for is in
# neither of the two.
Reading = Sample


@dataclass(frozen=True, slots=True)
class Watch:
    """What is to be told from now on, in which rhythm."""

    metrics: "frozenset[MetricId]" = frozenset()
    users: bool = False
    interval: float = 1.0
    host: bool = True  # the computer itself, like a card


class Attempt(NamedTuple):
    """A source that was tried and cannot be used, and why."""

    name: str
    sentence: Message
    hint: Message

    @property
    def note(self) -> Message:
        return Message(
            "{source}: {why} {hint}", source=self.name, why=self.sentence, hint=self.hint
        )


class Stream(Protocol):
    """Tells facts, from threads of its own and one at a time for each card. What it is asked
    here it answers at once, but for `wiring` and `stop`, which wait.
    """

    @property
    def clock(self) -> Clock: ...

    @property
    def here(self) -> bool:
        """Whether it is this computer, now."""
        ...

    @property
    def computer(self) -> str:
        """The name of the one that is read; empty where it has none."""
        ...

    @property
    def host(self) -> Card:
        """That computer's processor and memory."""
        ...

    @property
    def attempts(self) -> "Sequence[Attempt]":
        """Sources that were tried there before this one."""
        ...

    @property
    def elsewhere(self) -> bool:
        """Whether pids are those of another namespace, as in a container."""
        ...

    def listen(self, tell: Tell) -> None:
        """Tells cards and notes at once, in this thread; the rest once it was started."""
        ...

    def start(self) -> None: ...

    def watch(self, watch: Watch) -> None: ...

    def silence(self, card: CardId) -> "float | None":
        """Seconds for which a card has not answered; None while it does."""
        ...

    def host_now(self) -> Sample:
        """The newest of the computer itself; read on the spot where that is possible."""
        ...

    def wiring(self) -> Topology:
        """Costly. Raises Trouble where there is no answer."""
        ...

    def stop(self, seconds: float) -> bool:
        """True when everything ended. A driver call that hangs is left behind."""
        ...
