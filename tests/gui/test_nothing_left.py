"""What is opened and closed leaves nothing: no object, timer, thread, handle or reference."""

import gc
import sys
import threading
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest
import shiboken6
from PySide6.QtCore import QCoreApplication, QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desk import VIEWS, Desk, Entry
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.screens import made
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.lessons import LessonsState
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.live_view import LiveView
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow

pytestmark = pytest.mark.long

# What is made once, when something is first shown, is there before the count begins.
WARM, ROUNDS = 3, 12
OPENED = 200
HANDLES = Path("/proc/self/fd")


@dataclass
class Opener:
    """Opens a screen as the window does, draws it, and closes it for good."""

    window: MainWindow
    desk: Desk

    def open_and_close(self, entry: Entry) -> None:
        view = made(entry.name, self.desk)
        view.setParent(self.window)
        view.resize(900, 600)
        view.show()
        view.grab()
        view.stop()
        view.hide()
        view.deleteLater()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def held_none() -> int:
    """How often None is held. Python counts it no longer from 3.12 on."""
    return sys.getrefcount(None) if sys.version_info < (3, 12) else 0


@pytest.fixture
def opener(open_window: OpenWindow, qtbot: QtBot) -> Opener:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    window = open_window(session)
    qtbot.waitUntil(lambda: session.beats().taken > 2)
    machine = MachineState(session, window.settings, window)
    lab = lab_of(machine, LabPythons(window.settings, window))
    lessons = LessonsState(window.settings, lab, window)
    desk = Desk(
        machine,
        window.time_window,
        window.navigation,
        window.settings,
        window.frame_clock,
        lab,
        lambda: lessons,
        window.machines.state,
    )
    return Opener(window, desk)


def there_is(window: QWidget) -> Counter[str]:
    """All that is there now."""
    gc.collect()
    inside = window.findChildren(QObject)
    found = Counter(type(each).__name__ for each in inside)
    # By the type: to ask some of PyTorch's objects what they are is deprecated.
    known = [each for each in gc.get_objects() if issubclass(type(each), QObject)]
    # Looking at an object of Qt's own makes a wrapper for it, which may outlive it.
    found["objects known to Python"] = sum(map(shiboken6.isValid, known))
    found["screens kept in mind"] = sum(isinstance(each, LiveView) for each in known)
    found["running timers"] = sum(each.isActive() for each in window.findChildren(QTimer))
    found["windows"] = len(QApplication.topLevelWidgets())
    found["threads"] = threading.active_count()
    if HANDLES.is_dir():
        found["handles"] = sum(1 for _ in HANDLES.iterdir())
    return found


@pytest.mark.parametrize("entry", VIEWS, ids=lambda entry: entry.name)
def test_a_screen_that_is_closed_leaves_nothing(opener: Opener, entry: Entry) -> None:
    for _ in range(WARM):
        opener.open_and_close(entry)
    before, nothing = there_is(opener.window), held_none()
    for _ in range(ROUNDS):
        opener.open_and_close(entry)
    after = there_is(opener.window)
    # Python may meet some of Qt's own objects for the first time, but not one in each round.
    grown = {what: after[what] - before[what] for what in after}
    assert not {what: more for what, more in grown.items() if more >= ROUNDS}
    assert grown["threads"] <= 0
    assert grown["windows"] <= 0
    assert held_none() > nothing - ROUNDS


def test_going_through_the_screens_leaves_nothing(opener: Opener) -> None:
    window = opener.window
    names = [entry.name for entry in VIEWS]
    for name in names:
        window.navigation.open_screen(name)
    # What tests before this one left to be deleted is no part of the difference.
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    before, nothing = there_is(window), held_none()
    for number in range(OPENED):
        window.navigation.open_screen(names[number % len(names)])
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    after = there_is(window)
    grown = {what: after[what] - before[what] for what in after}
    assert not {what: more for what, more in grown.items() if more >= 40}
    assert grown["threads"] <= 0
    # What tests before this one left is let go meanwhile: fewer than one at each screen.
    assert held_none() > nothing - OPENED


def test_another_session_takes_the_screens_of_the_one_before_with_it(
    opener: Opener, qtbot: QtBot
) -> None:
    window = opener.window
    sessions = [remembering(session_on(simulated("1xT4"))) for _ in range(WARM + ROUNDS)]

    def show(count: int) -> None:
        for _ in range(count):
            window.show_session(sessions.pop())
            window.navigation.open_screen("events")
            window.navigation.open_screen("overview")
            QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)

    show(WARM)
    before = there_is(window)
    show(ROUNDS)
    after = there_is(window)
    grown = {what: after[what] - before[what] for what in after}
    assert not {what: more for what, more in grown.items() if more >= ROUNDS}
