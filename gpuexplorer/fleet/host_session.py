"""The session of a host of a fleet: its screens get what Prometheus knows, and its past."""

from collections.abc import Collection, Sequence

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.fleet.client import PATIENCE, Prometheus
from gpuexplorer.fleet.host_backend import HostBackend
from gpuexplorer.fleet.host_past import HostPast
from gpuexplorer.fleet.host_questions import HostQuestions
from gpuexplorer.fleet.watching import Watching
from gpuexplorer.telemetry.process_names import NamedProcess
from gpuexplorer.telemetry.processes import CardProcess
from gpuexplorer.telemetry.processor_time import ProcessorTime
from gpuexplorer.telemetry.remembering import RememberingSession
from gpuexplorer.telemetry.sampler import Needs, Sampler
from gpuexplorer.telemetry.session import Attempt


class HostSession(RememberingSession):
    """Of the past the server remembers more than this computer; nothing is kept here but what
    was looked at.
    """

    def __init__(self, watching: Watching, host: str, server: Prometheus) -> None:
        """`server`: a client of its own, which ends with it."""
        backend = HostBackend(watching, host, HostQuestions(watching.fleet, server))
        clock = watching.clock
        super().__init__(
            backend,
            (),
            watching.beat,
            clock,
            # An answer may take as long as the client waits.
            patience=PATIENCE + watching.beat,
            full_seconds=60.0,
            day_seconds=60.0,
            reach=HostReach(host),
        )
        self.host_past = HostPast(backend, clock)
        self.past = self.host_past
        for card in self.cards():
            # Known at once: nobody will tell who uses it.
            self._take_processes(card.id, None)

    def start(self) -> None:
        super().start()
        self.host_past.start()

    def stop(self, seconds: float = 0.3) -> bool:
        self.backend.close()  # or what waits for the server would keep it
        ended = self.host_past.stop(seconds)
        return super().stop(seconds) and ended


class HostReach:
    """A host of which nothing but its cards is known."""

    def __init__(self, host: str) -> None:
        self.computer = host

    def attempts(self) -> Sequence[Attempt]:
        return ()

    def host(self, clock: Clock, looked_before: ProcessorTime | None) -> "HostUnknown":
        return HostUnknown(self.computer, clock)

    def names(self) -> "NoNames":
        return NoNames()

    def sampler(self, needs: Needs) -> "AtTheBeat":
        return AtTheBeat(needs._replace(on_fault=None, read_host=None))


class AtTheBeat(Sampler):
    """Asks when there is something new, however often a person wants to look at real cards."""

    def set_interval(self, seconds: float) -> None:
        """As it is."""


class HostUnknown:
    """Its processor and memory are nobody's to tell."""

    def __init__(self, name: str, clock: Clock) -> None:
        self.card = Card(HOST_ID, 0, name, None, kind=CardKind.HOST)
        self._clock = clock

    def read(self, metrics: Collection[MetricId]) -> Sample:
        return Sample(HOST_ID, self._clock.now(), {}, dict.fromkeys(metrics, Absence.NOT_TOLD))

    def notes(self) -> Sequence[Message]:
        return ()


class NoNames:
    """Prometheus is not asked for processes."""

    elsewhere = False

    def name(self, processes: Sequence[CardProcess]) -> list[NamedProcess]:
        return []

    def one(self, process: CardProcess) -> NamedProcess:
        return NamedProcess(process, resolved=False)

    def forget_all_but(self, pids: Collection[int]) -> None:
        """Nothing is remembered."""
