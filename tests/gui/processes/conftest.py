"""Programs for tests: who they are, what they hold; a session that lists them, and the screen
of it, whose looks a test takes.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.processes.view import ProcessesView
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.process_book import ELSEWHERE, BookRow, Standing
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from gpuexplorer.telemetry.session import Session, remembering
from tests.clocks import ManualClock
from tests.gui.desks import desk_of
from tests.gui.fakes import GIB, NVML, FakeBackend, card, working

A, B = CardId("GPU-0"), CardId("GPU-1")


def using(
    on: CardId,
    pid: int,
    memory: float | None = 1 * GIB,
    sm: float | None = 0.5,
    why: Absence = Absence.NO_NEW_SAMPLE,
    use: ProcessUse = ProcessUse.COMPUTE,
) -> CardProcess:
    """A process as the driver tells of it; None for what it does not tell."""
    told = {ProcessFigure.MEMORY: memory, **dict.fromkeys([*ProcessFigure][1:], sm)}
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
    """Who bears the number of a made-up process: nobody who runs, unless a test says so."""

    ended: bool = True
    refused: Trouble | None = None  # heard of later
    denied: bool = False  # at once
    asked: int = 0

    def is_running(self) -> bool:
        return not self.ended

    def status(self) -> str:
        return ""

    def terminate(self) -> None:
        self.asked += 1
        if self.denied:
            raise PermissionError

    kill = terminate


class Machine:
    """A session that is never started: each look is taken by the test."""

    def __init__(
        self,
        people: Sequence[NamedProcess] = (),
        cards: Sequence[Card] = (card(0), card(1)),
        source: Source = NVML,
        foreign: bool = False,
    ) -> None:
        self.clock, self.people = ManualClock(), list(people)
        stream = Local(FakeBackend({each: working() for each in cards}, source), (), self.clock)
        stream.names.elsewhere = foreign
        self.session = remembering(Session(stream))

    def look(self) -> None:
        """What each card tells now."""
        for each in self.session.cards():
            told = [self._seen(who) for who in self.people if who.process.card == each.id]
            self.session.process_book.take(each.id, told)

    def later(self, seconds: float = 2.0) -> None:
        self.clock.advance(seconds)
        self.look()

    def _seen(self, who: NamedProcess) -> NamedProcess:
        if self.session.stream.elsewhere:
            return NamedProcess(who.process, resolved=False, reason=ELSEWHERE, elsewhere=True)
        return replace(who, identity=who.identity or Nobody())


class Screen:
    """What a person has before them."""

    def __init__(self, machine: Machine, settings: Settings) -> None:
        self.machine, self.window = machine, QWidget()
        time_window = TimeWindow(machine.clock)
        desk = desk_of(machine.session, self.window, settings=settings, time_window=time_window)
        self.navigation = desk.navigation
        self.view = ProcessesView(desk)
        self.table = self.view.table
        column = QVBoxLayout(self.window)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self.window.setStyleSheet(look().style_sheet())
        self.window.resize(1400, 800)

    def column(self, caption: str) -> list[str]:
        """What stands under a caption, from the top down, also under others."""
        model, across = self.table.model(), Qt.Orientation.Horizontal
        captions = [str(model.headerData(at, across)) for at in range(model.columnCount())]
        at = captions.index(caption)

        def under(parent: QModelIndex) -> Iterator[str]:
            for row in range(model.rowCount(parent)):
                yield str(model.index(row, at, parent).data())
                yield from under(model.index(row, 0, parent))

        return list(under(QModelIndex()))

    def pick(self, row: int) -> None:
        self.table.setCurrentIndex(self.table.model().index(row, 0))

    def later(self, seconds: float = 2.0) -> None:
        self.machine.later(seconds)
        self.view.pull()


OpenScreen = Callable[..., Screen]


@pytest.fixture
def open_screen(qtbot: QtBot) -> Iterator[OpenScreen]:
    screens: list[Screen] = []

    def open_one(machine: Machine, settings: Settings | None = None) -> Screen:
        machine.look()
        screen = Screen(machine, settings or Settings())
        screens.append(screen)
        qtbot.addWidget(screen.window)
        with qtbot.waitActive(screen.window):
            screen.window.show()
            screen.window.activateWindow()
        return screen

    yield open_one
    for screen in screens:
        screen.view.stop()
        screen.window.close()
