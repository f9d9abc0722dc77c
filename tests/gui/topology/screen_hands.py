"""What a person does on the topology screen, and the wirings a driver may tell."""

from collections.abc import Sequence
from itertools import combinations

from PySide6.QtCore import QModelIndex, QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import HOST_ID, Card, CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.paint.drawing import Index
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.topology.wiring_facts import PartFactsPanel
from gpuexplorer.gui.widgets.machine.layout import Part
from gpuexplorer.gui.widgets.machine.machine_drawing import MachineDrawing
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from gpuexplorer.telemetry.topology import Link, PathKind, Topology, pcie_rate
from tests.gui.frame.steps import called, press_with_mouse
from tests.gui.hands import texts, the
from tests.gui.topology.conftest import Screen, WiredBackend


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
