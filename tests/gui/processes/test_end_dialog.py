"""Ending from the window: named, asked, done, and never the wrong one."""

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.processes.process_lines import ProcessLine
from gpuexplorer.gui.processes.view import EndDialog
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.process_book import CAN_ASK, ProcessNames
from gpuexplorer.telemetry.processes import NamedProcess
from tests.gui.fakes import GIB
from tests.gui.hands import click, in_front, press, texts
from tests.gui.processes.conftest import A, B, Machine, Nobody, OpenScreen, named, row, using
from tests.programs_that_end import Program, stubborn, willing

pytestmark = [
    # Only the screen without a screen says so.
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.skipif(not CAN_ASK, reason="there is no asking on Windows"),
]
__all__ = ["stubborn", "willing"]


def real(pid: int, tmp_path: Path) -> NamedProcess:
    return ProcessNames(tmp_path / "proc without namespaces").one(using(A, pid, 17.9 * GIB))


class Asked:
    """The question, and the clock by which it counts."""

    def __init__(self, qtbot: QtBot, *named: NamedProcess, can_ask: bool = True) -> None:
        machine = Machine()
        self.clock = machine.clock
        lines = [ProcessLine(each.process.pid, (row(each),)) for each in named]
        shown = MachineState(machine.session, Settings())
        self.dialog = EndDialog(lines, shown, can_ask)
        self.dialog.open()
        with qtbot.waitActive(self.dialog):
            self.dialog.activateWindow()

    def says(self, words: str) -> bool:
        return any(words in each for each in texts(self.dialog))

    def offers(self) -> set[str]:
        buttons = self.dialog.findChildren(QPushButton)
        return {each.text() for each in buttons if each.isVisible()}


Ask = Callable[..., Asked]


@pytest.fixture
def ask(qtbot: QtBot, tmp_path: Path) -> Ask:
    return lambda *pids, **facts: Asked(qtbot, *(real(pid, tmp_path) for pid in pids), **facts)


def test_what_does_not_listen_can_be_killed(ask: Ask, stubborn: Program, qtbot: QtBot) -> None:
    asked = ask(stubborn.pid)
    click(asked.dialog, "Ask it to end")
    assert asked.says("Asked 0 s ago: 0 of 1 ended.")
    asked.clock.advance(8.0)
    qtbot.waitUntil(lambda: asked.says("Asked 8 s ago: 0 of 1"), timeout=20_000)
    assert stubborn.poll() is None
    click(asked.dialog, "Kill at once")
    qtbot.waitUntil(lambda: asked.says("It has ended after"), timeout=20_000)
    assert stubborn.wait(20) != 0


def test_several_are_counted(
    ask: Ask, willing: Program, stubborn: Program, qtbot: QtBot
) -> None:
    asked = ask(willing.pid, stubborn.pid)
    assert asked.dialog.windowTitle() == "End 2 processes?"
    assert asked.says("This becomes free: 35.8 GiB on card 0.")
    click(asked.dialog, "Ask it to end")
    qtbot.waitUntil(lambda: asked.says("Asked 0 s ago: 1 of 2 ended."), timeout=20_000)
    click(asked.dialog, "Kill at once")
    qtbot.waitUntil(lambda: asked.says("All 2 have ended after"), timeout=20_000)


def test_where_programs_cannot_be_asked_only_the_harder_way_is_offered(
    ask: Ask, willing: Program
) -> None:
    asked = ask(willing.pid, can_ask=False)
    assert asked.offers() == {"Leave it alone", "End it"}
    assert asked.says("Windows does not ask programs")


def test_delete_asks_about_the_row_that_is_picked_and_ends_no_other(
    open_screen: OpenScreen, willing: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    who = real(willing.pid, tmp_path)
    facts = {"command": who.command, "user": who.user, "identity": who.identity}
    held = {A: 3 * GIB, B: 1 * GIB}
    people = [named(using(card, willing.pid, its), **facts) for card, its in held.items()]
    people.append(named(using(A, 4_000_001), "Xorg", of_this_user=False, user="root"))
    screen = open_screen(Machine(people))
    screen.table.setFocus()
    screen.table.selectAll()
    press(screen.table, Qt.Key.Key_Delete)
    dialog = in_front(EndDialog, screen.view)
    assert "1 other that was picked may not be ended from here." in texts(dialog)
    click(dialog, "Leave it alone")
    qtbot.waitUntil(screen.table.hasFocus)
    screen.pick(0)
    press(screen.table, Qt.Key.Key_Delete)
    dialog = in_front(EndDialog, screen.view)
    # The row is of one card; the process holds memory on two.
    won = "This becomes free: 3.00 GiB on card 0 and 1.00 GiB on card 1."
    assert {"What it has not saved is lost.", won} <= set(texts(dialog))
    click(dialog, "Ask it to end")
    ended = "It has ended after"
    qtbot.waitUntil(lambda: any(ended in each for each in texts(dialog)), timeout=20_000)
    willing.wait(20)
    click(dialog, "Close")
    assert screen.window.focusWidget() is screen.table
    screen.machine.people = []
    screen.later()
    assert screen.column("Memory, GiB")[:2] == ["has ended", "has ended"]


@pytest.mark.parametrize("refused", ["", "at once", "later"])
def test_one_of_another_machine_is_followed_until_it_ended_or_is_refused(
    qtbot: QtBot, refused: str
) -> None:
    who = Nobody(ended=False, denied=refused == "at once")
    asked = Asked(qtbot, named(using(A, 4711), "train.py", identity=who))
    click(asked.dialog, "Ask it to end")
    assert who.asked == 1
    assert asked.says("Asked 0 s ago: 0 of 1 ended.") is not who.denied
    if refused == "later":
        who.refused = Trouble("There is no permission to end process 4711.")
    who.ended = not refused
    said = "There is no permission to end process 4711." if refused else "It has ended"
    qtbot.waitUntil(lambda: asked.says(said))
    assert not asked.says("Asked 0 s ago")
    assert asked.offers() == {"Close"}
