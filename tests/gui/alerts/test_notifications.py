"""One notification on the desktop, replaced by the next; none while the window is seen."""

import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtWidgets import QSystemTrayIcon, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.desktop.desktop import Notifications, NotifiedBy
from gpuexplorer.gui.window_alerts import AlertNotes
from gpuexplorer.telemetry.alerts import CLEARLY_BACK_FOR
from tests.gui.alerts.conftest import MakeScene, Scene

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no such bus there")

Calls = Callable[[], list[list[str]]]


@pytest.fixture
def bus(tmp_path: Path) -> Path:
    """A program that notes how it was called and answers like busctl."""
    program = tmp_path / "busctl"
    program.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$@" "--" >> {tmp_path}/calls\necho "u 7"\n', "utf-8"
    )
    program.chmod(0o755)
    return program


@pytest.fixture
def calls(tmp_path: Path) -> Calls:
    """What was said to the bus: the method and what follows it, call by call."""

    def read() -> list[list[str]]:
        noted = tmp_path / "calls"
        if not noted.exists():
            return []
        words = noted.read_text("utf-8").removesuffix("--\n").split("--\n")
        return [call.splitlines()[3:] for call in words[1::2]]

    return read


@pytest.fixture
def notices(bus: Path, qtbot: QtBot) -> Iterator[Notifications]:
    notices = Notifications(str(bus))
    yield notices
    notices.stop()


def test_a_notification_is_replaced_by_the_last_that_came_meanwhile(
    notices: Notifications, calls: Calls, qtbot: QtBot
) -> None:
    for at in range(10):
        notices.show("Alerts", f"Number {at}")
    qtbot.waitUntil(lambda: len(calls()) == 2)
    method, signature, program, number, _, title, text, *_ = calls()[0]
    assert (method, signature) == ("Notify", "susssasa{sv}i")
    assert (program, number, title, text) == ("GPU Explorer", "0", "Alerts", "Number 0")
    assert (calls()[1][3], calls()[1][6]) == ("7", "Number 9")


@pytest.mark.parametrize("script", ["#!/bin/sh\nexit 1\n", ""])
def test_a_bus_that_has_nobody_who_shows_notifications_is_given_up(
    bus: Path, qtbot: QtBot, script: str
) -> None:
    if script:
        bus.write_text(script, "utf-8")
    else:
        bus.unlink()
    notices = Notifications(str(bus))
    with qtbot.waitSignal(notices.way_changed):
        notices.show("An alert", "words")
    # Beside the clock, where there is such a place; offscreen there is none.
    there = QSystemTrayIcon.isSystemTrayAvailable()
    assert notices.way is (NotifiedBy.TRAY if there else NotifiedBy.NONE)
    notices.show("An alert", "more words")
    notices.stop()


def begin(scene: Scene, qtbot: QtBot, number: int, count: int) -> None:
    scene.heat(number, 85.0)
    qtbot.waitUntil(lambda: len(scene.watch.alerts()) == count)


def test_alerts_that_begin_together_are_one_notification_and_their_end_replaces_it(
    make_scene: MakeScene, notices: Notifications, calls: Calls, qtbot: QtBot
) -> None:
    scene = make_scene(2, simulated=True)
    notes = AlertNotes(scene.watch, notices, scene.watch)
    begin(scene, qtbot, 0, 1)
    begin(scene, qtbot, 1, 2)
    qtbot.waitUntil(lambda: len(calls()) == 1)
    assert calls()[0][5] == "SIMULATED: 2 alerts"
    assert "on cards 0 and 1" in calls()[0][6]
    for number in (0, 1):
        scene.tell(number, temperature=40.0)
    taken = scene.session.beats().taken
    qtbot.waitUntil(lambda: scene.session.beats().taken > taken + 1)
    scene.clock.ahead += CLEARLY_BACK_FOR
    qtbot.waitUntil(lambda: len(calls()) == 2)
    assert calls()[1][3] == "7"
    assert calls()[1][5] == "SIMULATED: All alerts have ended"
    notes.stop()


def test_who_looks_at_the_window_or_wants_no_notifications_gets_none(
    scene: Scene, notices: Notifications, calls: Calls, qtbot: QtBot
) -> None:
    scene.settings.choose(replace(scene.settings.choices, on_desktop=False))
    notes = AlertNotes(scene.watch, notices, scene.watch)
    begin(scene, qtbot, 0, 1)
    scene.settings.choose(replace(scene.settings.choices, on_desktop=True))
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    begin(scene, qtbot, 1, 2)
    taken = scene.session.beats().taken
    qtbot.waitUntil(lambda: scene.session.beats().taken > taken + 15)
    assert not calls()
    notes.stop()
    window.close()
