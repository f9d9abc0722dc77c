"""The topology screen by itself, on simulated cards or on a driver that a test answers for."""

import threading
from collections.abc import Callable, Iterator, Mapping

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import Card
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.topology.view import MatrixTable, TopologyView
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from tests.gui.desks import desk_of
from tests.gui.fakes import NVML, Answer, FakeBackend
from tests.gui.hands import the


class WiredBackend(FakeBackend):
    """Tells a wiring, refuses to, or hangs until it is let go."""

    def __init__(self, cards: Mapping[Card, Answer], told: Topology | Trouble) -> None:
        super().__init__(cards, NVML)
        self.told = told
        self.answers_now = threading.Event()
        self.answers_now.set()
        self.asked = 0

    def topology(self) -> Topology:
        self.asked += 1
        self.answers_now.wait(10.0)
        if isinstance(self.told, Trouble):
            raise self.told
        return self.told


class Screen:
    """The screen in a window of its own, with what it shares with others."""

    def __init__(self, session: Session) -> None:
        self.window, self.session = QWidget(), session
        desk = desk_of(session, self.window)
        self.navigation = desk.navigation
        self.view = TopologyView(desk, self.window)
        for each in (self.window, self.view):
            each.resize(1392, 920)
        self.drawing, self.matrix = the(MachineDrawing, self.view), the(MatrixTable, self.view)


OpenScreen = Callable[[Session], Screen]


@pytest.fixture
def open_screen(qtbot: QtBot) -> Iterator[OpenScreen]:
    screens: list[Screen] = []

    def open_one(session: Session) -> Screen:
        screen = Screen(session)
        qtbot.addWidget(screen.window)
        screens.append(screen)
        with qtbot.waitActive(screen.window):
            screen.window.show()
            screen.window.activateWindow()
        # What is read all the time is asked for by the window, which is not here.
        session.want(processes=False)
        session.start()
        return screen

    yield open_one
    for screen in screens:
        screen.view.stop()
        screen.window.close()
        screen.session.stop()
