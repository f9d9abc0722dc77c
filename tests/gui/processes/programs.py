"""Programs for tests: who they are, what they hold, and a session that lists them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.process_book import ELSEWHERE, GONE, BookRow, ProcessNames, Standing
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.session import Session, remembering
from tests.clocks import ManualClock
from tests.gui.fakes import GIB, NVML, FakeBackend, card, working

A, B = CardId("GPU-0"), CardId("GPU-1")
FIGURES = tuple(ProcessFigure)


def using(
    on: CardId,
    pid: int,
    memory: float | None = 1 * GIB,
    sm: float | None = 0.5,
    why: Absence = Absence.NO_NEW_SAMPLE,
    use: ProcessUse = ProcessUse.COMPUTE,
) -> CardProcess:
    """A process as the driver tells of it; None for what it does not tell."""
    told = {ProcessFigure.MEMORY: memory, **dict.fromkeys(FIGURES[1:], sm)}
    values = {figure: value for figure, value in told.items() if value is not None}
    missing = {figure: why for figure, value in told.items() if value is None}
    return CardProcess(on, pid, use, values, missing)


def named(process: CardProcess, command: str | None = "", **facts: object) -> NamedProcess:
    known: dict[str, object] = {
        "resolved": True,
        "command": f"python {process.pid}.py" if command == "" else command,
        "user": "ana",
        "cpu": 0.5,
        "memory_bytes": int(2 * GIB),
        "started_at": 1_699_990_000.0,
        "of_this_user": True,
    }
    return NamedProcess(process, **(known | facts))  # type: ignore[arg-type]  # a test names what it changes


def row(who: NamedProcess, standing: Standing = Standing.THERE) -> BookRow:
    return BookRow(who, standing, 0.0, who.process)


@dataclass
class Nobody:
    """Who bears the number of a made-up process: nobody who runs."""

    def is_running(self) -> bool:
        return False

    def terminate(self) -> None:
        """There is nobody to be asked."""

    kill = terminate


@dataclass
class Names(ProcessNames):
    """Tells of each pid what a test says; of all others that they are gone."""

    known: Mapping[int, NamedProcess]
    foreign: bool = False

    def __post_init__(self) -> None:
        super().__init__()
        self.elsewhere = self.foreign

    def one(self, process: CardProcess) -> NamedProcess:
        if self.foreign:
            return NamedProcess(process, resolved=False, reason=ELSEWHERE, elsewhere=True)
        who = self.known.get(process.pid)
        if who is None:
            return NamedProcess(process, resolved=False, reason=GONE)
        return replace(who, process=process, identity=who.identity or Nobody())


class Machine:
    """A session that is never started: each look is taken by the test."""

    def __init__(
        self,
        people: Sequence[NamedProcess] = (),
        cards: Sequence[Card] = (card(0), card(1)),
        source: Source = NVML,
        foreign: bool = False,
    ) -> None:
        self.clock = ManualClock()
        self.people = list(people)
        self.names = Names({who.process.pid: who for who in people}, foreign)
        stream = Local(FakeBackend({each: working() for each in cards}, source), (), self.clock)
        vars(stream)["names"] = self.names
        self.session = remembering(Session(stream))

    def look(self, *unknown: CardId) -> None:
        """What each card tells now; of the unknown ones nothing."""
        self.names.known = {who.process.pid: who for who in self.people}
        for each in self.session.cards():
            told = [
                self.names.one(who.process)
                for who in self.people
                if who.process.card == each.id
            ]
            self.session.process_book.take(each.id, None if each.id in unknown else told)

    def later(self, seconds: float = 2.0, *unknown: CardId) -> None:
        self.clock.advance(seconds)
        self.look(*unknown)
