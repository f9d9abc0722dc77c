"""The topology screen by itself, on simulated cards or on a driver that a test answers for;
what a person does on it, and the wirings a driver may tell.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import combinations

import pytest
from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.topology.view import MatrixTable, TopologyView
from gpuexplorer.gui.topology.wiring_facts import PartFactsPanel
from gpuexplorer.gui.widgets.machine.layout import Part
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate
from tests.gui.desks import desk_of
from tests.gui.fakes import NVML, Answer, FakeBackend
from tests.gui.frame.steps import called, press_with_mouse
from tests.gui.hands import texts, the


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
        self.view = TopologyView(desk)
        self.view.setParent(self.window)
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


def made_up(spec: str, fault: str = "") -> Session:
    return remembering(session_on(simulated(spec, fault), interval=0.1))


def told_of(cards: Sequence[Card]) -> Topology:
    rate = pcie_rate(3, 16)
    ids = [each.id for each in cards]
    links = [Link(each, HOST_ID, PathKind.HOST_BRIDGE, rate=rate) for each in ids]
    why = Message("the chipset of the mainboard does not allow it")
    links += [
        Link(a, b, PathKind.HOST_BRIDGE, peer_to_peer=False, peer_reason=why, rate=rate)
        for a, b in combinations(ids, 2)
    ]
    return Topology(ids, links, dict.fromkeys(ids, 0), dict.fromkeys(ids, "0-15"))


def session_of(backend: WiredBackend) -> Session:
    return remembering(session_on(backend, interval=0.1, patience=0.2))


def sim(number: int) -> CardId:
    return CardId(f"SIM-{number}")


def wait_for_words(qtbot: QtBot, screen: Screen, words: str) -> None:
    qtbot.waitUntil(lambda: any(words in text for text in texts(screen.view)))


def wait_drawn(qtbot: QtBot, screen: Screen) -> MachineDrawing:
    qtbot.waitUntil(lambda: screen.drawing.isVisible() and screen.drawing.list.count() > 0)
    qtbot.waitUntil(lambda: the(PartFactsPanel, screen.view).isVisible())
    qtbot.waitUntil(lambda: not screen.drawing.size().isEmpty())
    return screen.drawing


def place_of(drawing: MachineDrawing, part: Part) -> QRect:
    """In the view; empty where it is not drawn."""
    found = [each.boundingRect() for each in drawing.parts if each.part == part]
    return drawing.mapFromScene(found[0]).boundingRect() if found else QRect()


def click_on(drawing: MachineDrawing, part: Part) -> None:
    place = place_of(drawing, part).center()
    QTest.mouseClick(drawing.viewport(), Qt.MouseButton.LeftButton, pos=place)


def click_cell(screen: Screen, row: int, column: int) -> QModelIndex:
    cell = screen.matrix.model().index(row, column)
    screen.matrix.scrollTo(cell)
    place = screen.matrix.visualRect(cell).center()
    QTest.mouseClick(screen.matrix.viewport(), Qt.MouseButton.LeftButton, pos=place)
    return cell


def ringed(screen: Screen) -> list[Index]:
    """The cells of what is chosen."""
    return [index for index, ink, _ in screen.matrix.rings() if ink == look().theme.text]


def named(drawing: MachineDrawing, name: str) -> str:
    """What the list says of the part of that name, or of a name that begins so."""
    rows = [drawing.list.item(row).text() for row in range(drawing.list.count())]
    found = [each for each in rows if each.startswith(f"{name}: ")] or [
        each for each in rows if each.startswith(name)
    ]
    assert len(found) == 1, f"{len(found)} parts named {name!r}"
    return found[0].partition(": ")[2]


def shown_fact(screen: Screen, label: str) -> str:
    """What stands beside this label among the facts."""
    rows = [
        each.accessibleName()
        for each in screen.view.findChildren(QWidget)
        if each.accessibleName().startswith(f"{label}: ") and each.isVisible()
    ]
    assert len(rows) == 1, f"{len(rows)} facts {label!r}"
    return rows[0].removeprefix(f"{label}: ")


def press_button(screen: Screen, name: str) -> None:
    """By what it is called to a screen reader."""
    press_with_mouse(called(QAbstractButton, screen.view, name))
