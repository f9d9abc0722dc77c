"""Ending from the window: named, asked, done, and never the wrong one."""

from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPlainTextEdit, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.processes.end_dialog import EndDialog, ProcessToEnd
from gpuexplorer.telemetry.process_book import CAN_ASK, ProcessNames
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse
from tests.clocks import ManualClock
from tests.gui.fakes import GIB
from tests.gui.hands import button, click, press, texts
from tests.gui.processes.conftest import OpenScreen
from tests.gui.processes.programs import A, B, Machine, named, using
from tests.programs_that_end import Program, stubborn, willing

pytestmark = [
    # Only the screen without a screen says so.
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.skipif(not CAN_ASK, reason="there is no asking on Windows"),
]

__all__ = ["stubborn", "willing"]


def real(pid: int, tmp_path: Path) -> NamedProcess:
    names = ProcessNames(tmp_path / "proc without namespaces")
    return names.one(CardProcess(A, pid, ProcessUse.COMPUTE))


class Asked:
    """The question, and the clock by which it counts."""

    def __init__(
        self, held: list[ProcessToEnd], left_out: tuple[str, ...] = (), can_ask: bool = True
    ) -> None:
        self.clock = ManualClock()
        self.dialog = EndDialog(held, left_out, USUAL, self.clock, can_ask)
        self.dialog.open()

    def says(self, words: str) -> bool:
        return any(words in each for each in texts(self.dialog))


Ask = Callable[..., Asked]


@pytest.fixture
def ask(qtbot: QtBot, tmp_path: Path) -> Ask:
    opened: list[Asked] = []

    def open_one(*pids: int, can_ask: bool = True) -> Asked:
        held = [ProcessToEnd(real(pid, tmp_path), {"0": 17.9 * GIB}) for pid in pids]
        opened.append(Asked(held, can_ask=can_ask))
        with qtbot.waitActive(opened[-1].dialog):
            opened[-1].dialog.activateWindow()
        return opened[-1]

    return open_one


def test_it_names_the_process_and_what_is_lost(ask: Ask, willing: Program) -> None:
    asked = ask(willing.pid)
    [command] = [each.toPlainText() for each in asked.dialog.findChildren(QPlainTextEdit)]
    assert "input()" in command
    assert asked.says(f"pid {willing.pid}")
    assert asked.says(f"started by {psutil.Process().username()}")
    assert asked.says("What it has not saved is lost.")
    assert asked.says("This becomes free: 17.9 GiB on card 0.")
    assert button(asked.dialog, "Leave it alone").hasFocus()
    click(asked.dialog, "Leave it alone")
    assert willing.poll() is None


def test_what_does_not_listen_can_be_killed(ask: Ask, stubborn: Program, qtbot: QtBot) -> None:
    asked = ask(stubborn.pid)
    click(asked.dialog, "Ask it to end")
    assert asked.says("It was asked to end and has not yet.")
    asked.clock.advance(8.0)
    qtbot.waitUntil(lambda: asked.says("It has not ended for 8 s."), timeout=20_000)
    assert stubborn.poll() is None
    click(asked.dialog, "Kill at once")
    qtbot.waitUntil(lambda: asked.says("It has ended"), timeout=20_000)
    assert stubborn.wait(20) != 0


def test_several_are_counted(
    ask: Ask, willing: Program, stubborn: Program, qtbot: QtBot
) -> None:
    asked = ask(willing.pid, stubborn.pid)
    assert asked.dialog.windowTitle() == "End 2 processes?"
    assert asked.says("This becomes free: 35.8 GiB on card 0.")
    click(asked.dialog, "Ask it to end")
    qtbot.waitUntil(lambda: asked.says("1 of 2 have ended, 1 have not yet."), timeout=20_000)
    click(asked.dialog, "Kill at once")
    qtbot.waitUntil(lambda: asked.says("All 2 have ended at once."), timeout=20_000)


def test_one_that_ended_meanwhile_says_so(ask: Ask, willing: Program) -> None:
    asked = ask(willing.pid)
    willing.kill()
    willing.wait(20)
    click(asked.dialog, "Ask it to end")
    assert asked.says("It has ended at once.")


def test_where_there_is_no_permission_a_sentence_says_so(
    ask: Ask, willing: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("signal.pidfd_send_signal", refuse, raising=False)
    monkeypatch.setattr(psutil.Process, "terminate", refuse)
    asked = ask(willing.pid)
    click(asked.dialog, "Ask it to end")
    assert asked.says(f"There is no permission to end process {willing.pid}.")
    assert willing.poll() is None


def test_where_programs_cannot_be_asked_only_the_harder_way_is_offered(
    ask: Ask, willing: Program
) -> None:
    asked = ask(willing.pid, can_ask=False)
    shown = [each for each in asked.dialog.findChildren(QPushButton) if each.isVisible()]
    assert {each.text() for each in shown} == {"Leave it alone", "End it"}
    assert asked.says("Windows does not ask programs")


def on_screen(willing: Program, tmp_path: Path) -> Machine:
    who = real(willing.pid, tmp_path)
    here = [
        named(
            using(card, willing.pid, memory * GIB),
            who.command,
            user=who.user,
            identity=who.identity,
        )
        for card, memory in ((A, 3), (B, 1))
    ]
    return Machine(here)


def test_delete_asks_about_the_row_that_is_picked(
    open_screen: OpenScreen, willing: Program, tmp_path: Path, qtbot: QtBot
) -> None:
    screen = open_screen(on_screen(willing, tmp_path))
    screen.table.setFocus()
    screen.pick(0)
    press(screen.table, Qt.Key.Key_Delete)
    [dialog] = screen.view.findChildren(EndDialog)
    # The row is of one card; the process holds memory on two.
    won = "This becomes free: 3.00 GiB on card 0 and 1.00 GiB on card 1."
    assert {"What it has not saved is lost.", won} <= set(texts(dialog))
    click(dialog, "Ask it to end")
    qtbot.waitUntil(lambda: "It has ended at once." in texts(dialog), timeout=20_000)
    willing.wait(20)
    click(dialog, "Close")
    assert screen.window.focusWidget() is screen.table
    screen.machine.people = []
    screen.later()
    assert screen.column("Memory, GiB") == ["has ended", "has ended"]


def test_what_may_not_end_is_left_out_and_counted(
    open_screen: OpenScreen, willing: Program, tmp_path: Path
) -> None:
    machine = on_screen(willing, tmp_path)
    machine.people.append(named(using(A, 4_000_001), "Xorg", of_this_user=False, user="root"))
    screen = open_screen(machine)
    screen.table.setFocus()
    screen.table.selectAll()
    press(screen.table, Qt.Key.Key_Delete)
    [dialog] = screen.view.findChildren(EndDialog)
    assert any("Another that was picked is left out" in each for each in texts(dialog))
    click(dialog, "Leave it alone")


class FarAway:
    """A process of another machine, whose answers come when the test wants them."""

    def __init__(self) -> None:
        self.wishes: list[bool] = []
        self.ended = False
        self.refused: Trouble | None = None

    def terminate(self) -> None:
        self.wishes.append(False)

    def kill(self) -> None:
        self.wishes.append(True)

    def is_running(self) -> bool:
        return not self.ended

    def status(self) -> str:
        return ""


def asked_far_away(qtbot: QtBot, who: FarAway) -> Asked:
    process = CardProcess(A, 4711, ProcessUse.COMPUTE)
    there = NamedProcess(
        process, resolved=True, of_this_user=True, command="train.py", identity=who
    )
    asked = Asked([ProcessToEnd(there, {"0": 17.9 * GIB})])
    with qtbot.waitActive(asked.dialog):
        asked.dialog.activateWindow()
    return asked


def test_one_of_another_machine_is_followed_until_it_ended(qtbot: QtBot) -> None:
    who = FarAway()
    asked = asked_far_away(qtbot, who)
    click(asked.dialog, "Ask it to end")
    assert who.wishes == [False]
    assert asked.says("It was asked to end and has not yet.")
    who.ended = True
    qtbot.waitUntil(lambda: asked.says("It has ended"))


def test_a_refusal_that_comes_later_is_shown_in_its_own_words(qtbot: QtBot) -> None:
    who = FarAway()
    asked = asked_far_away(qtbot, who)
    click(asked.dialog, "Ask it to end")
    who.refused = Trouble("There is no permission to end process 4711.")
    qtbot.waitUntil(lambda: asked.says("There is no permission to end process 4711."))
    assert not asked.says("It was asked to end")
    offered = [
        each.text() for each in asked.dialog.findChildren(QPushButton) if each.isVisible()
    ]
    assert offered == ["Close"]
