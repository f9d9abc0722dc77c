"""The session of a host of a fleet: its screens get what Prometheus knows, and its past."""

from dataclasses import replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind, Sample
from gpuexplorer.core.metrics import metrics_of
from gpuexplorer.fleet.client import PATIENCE, Prometheus
from gpuexplorer.fleet.host_backend import HostBackend
from gpuexplorer.fleet.host_past import HostPast
from gpuexplorer.fleet.host_questions import HostQuestions
from gpuexplorer.fleet.watching import Watching
from gpuexplorer.telemetry.facts import Tell, Users, Watch
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session


def host_session(watching: Watching, host: str, server: Prometheus) -> Session:
    """Of the past the server remembers more than this computer; nothing is kept here but what
    was looked at. `server`: a client of its own, which ends with it.
    """
    stream = HostStream(watching, host, server)
    session = Session(stream, watching.beat, host=False)
    session.past = stream.past
    return session


class HostStream(Local):
    """Asks when there is something new, however often a person wants to look at real cards. Of
    its processor, its memory and who uses the cards nobody tells.
    """

    here = elsewhere = False

    def __init__(self, watching: Watching, host: str, server: Prometheus) -> None:
        backend = HostBackend(watching, host, HostQuestions(watching.fleet, server))
        # An answer may take as long as the client waits.
        patience = PATIENCE + watching.beat
        super().__init__(backend, (), watching.clock, patience, faults=False)
        self.computer = host
        self.past = HostPast(backend, watching.clock)
        self._beat = watching.beat

    @property
    def host(self) -> Card:
        return Card(HOST_ID, 0, self.computer, None, kind=CardKind.HOST)

    def listen(self, tell: Tell) -> None:
        super().listen(tell)
        for card in self.backend.cards():
            tell(Users(card.id, None))

    def watch(self, watch: Watch) -> None:
        super().watch(replace(watch, interval=self._beat, users=False, host=False))

    def host_now(self) -> Sample:
        missing = dict.fromkeys(metrics_of(self.host), Absence.NOT_TOLD)
        return Sample(HOST_ID, self.clock.now(), {}, missing)

    def start(self) -> None:
        super().start()
        self.past.start()

    def stop(self, seconds: float = 0.3) -> bool:
        self.backend.close()  # or what waits for the server would keep it
        ended = self.past.stop(seconds)
        return super().stop(seconds) and ended
