"""MachinesState: what screens hear of machines, whatever their links do."""

import argparse
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import cast

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.rail import RailMachines
from gpuexplorer.gui.state.machines import (
    HERE,
    MachineRow,
    MachinesState,
    Reached,
    Standing,
    machines_at_start,
)
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName, host_name
from tests.gui.fakes import card, session_of, working


class FakeFar:
    """A machine that does what a test tells it, from a thread of its own."""

    def __init__(self, on_change: Callable[[], None]) -> None:
        self._on_change = on_change
        self.now, self.lost_at = LinkNow(LinkState.ENDED, 0.0), None
        self.hello: object | None = None
        self.done: list[str] = []

    def becomes(self, state: LinkState) -> None:
        self.now = LinkNow(state, 0.0)
        if state is LinkState.UP:
            self.hello = "hello"
        thread = threading.Thread(target=self._on_change)
        thread.start()
        thread.join()

    def connect(self) -> None:
        self.done.append("connect")
        self.now = LinkNow(LinkState.CONNECTING, 0.0)

    def retry_now(self) -> None:
        self.done.append("retry")

    def stop(self) -> None:
        self.done.append("stop")


class Room:
    """Machines as they are made."""

    def __init__(self, settings: Settings) -> None:
        self.made: dict[str, FakeFar] = {}
        self.here = session_of({card(0): working()})
        self.state = MachinesState(settings, self.here, self._reach)

    def _reach(self, host: str, _: str, told: Callable[[], None], __: object) -> Reached:
        far = self.made[host_name(host).text] = FakeFar(told)
        return cast("FarMachine", far), lambda: session_of({card(0): working()})

    def row(self, key: str) -> MachineRow:
        return self.state.row(key)


@pytest.fixture
def settings() -> Settings:
    return Settings()


@pytest.fixture
def room(qtbot: QtBot, settings: Settings) -> Iterator[Room]:
    made = Room(settings)
    yield made
    made.state.stop()


def test_a_machine_is_shown_as_soon_as_it_answers_and_not_before(
    room: Room, qtbot: QtBot
) -> None:
    room.state.add("a")
    room.state.show("a")
    assert room.state.shown == HERE
    with qtbot.waitSignal(room.state.shown_changed):
        room.made["a"].becomes(LinkState.UP)
    assert room.row("a").shown
    assert room.state.session is room.row("a").session
    session = room.row("a").session
    room.state.add("b")
    room.state.show("b")
    room.state.show(HERE)  # who chose another meanwhile stays there
    with qtbot.waitSignal(room.state.changed):
        room.made["b"].becomes(LinkState.UP)
    for state in (LinkState.BROKEN, LinkState.CONNECTING, LinkState.UP):
        with qtbot.waitSignal(room.state.changed):
            room.made["a"].becomes(state)
    assert room.state.shown == HERE
    assert session is not None
    assert room.row("a").session is session


def test_a_machine_that_never_answered_can_be_added_with_another_python(
    room: Room, settings: Settings, qtbot: QtBot
) -> None:
    room.state.add("a", "/no/python", remember=True)
    before = room.made["a"]
    with qtbot.waitSignal(room.state.changed):
        before.becomes(LinkState.REFUSED)
    room.state.add("a", "/opt/python3.12")
    assert room.made["a"] is not before
    qtbot.waitUntil(lambda: "stop" in before.done)
    assert room.made["a"].done == ["connect"]
    assert [each.python for each in room.state.kept()] == ["/opt/python3.12"]


def test_only_what_is_to_be_remembered_is_there_next_time(
    room: Room, settings: Settings, qtbot: QtBot
) -> None:
    room.state.add("a", remember=True)
    room.state.add("b")
    next_time = Room(settings)
    next_time.state.begin()
    assert [each.key for each in next_time.state.rows()] == [HERE, "a"]
    assert next_time.row("a").standing is Standing.ENDED
    assert not next_time.made
    next_time.state.retry("a")
    assert next_time.made["a"].done == ["connect"]
    next_time.state.stop()
    settings.choose(replace(settings.choices, reconnect=True))
    at_once = Room(settings)
    at_once.state.begin(["c"])
    assert at_once.made["a"].done == at_once.made["c"].done == ["connect"]
    at_once.state.stop()


def test_the_python_that_is_named_at_the_start_is_used_over_there(
    settings: Settings, qtbot: QtBot
) -> None:
    commands: list[str] = []

    def launch(_: HostName, command: str) -> Sequence[str]:
        commands.append(command)
        return ["sh", "-c", "exit 127"]

    arguments = argparse.Namespace(
        **dict.fromkeys(("simulate", "screenshot", "fleet")), host=["a"], fault="", seed=0
    )
    here = session_of({card(0): working()})
    machines = machines_at_start(arguments, settings, Bridge(), here, launch)
    machines.begin(["a"], "/opt/python3.12")
    qtbot.waitUntil(lambda: bool(commands), timeout=30_000)
    assert "/opt/python3.12" in commands[0]
    machines.stop()


@pytest.mark.parametrize(
    "kept",
    ["{}", "[1]", '[{"host": 7}]', "no JSON", json.dumps([{"host": "-x", "python": ""}])],
)
def test_what_somebody_else_wrote_into_the_settings_does_no_harm(
    settings: Settings, qtbot: QtBot, kept: str
) -> None:
    settings.remember("machines", kept)
    room = Room(settings)
    room.state.begin()
    assert [each.key for each in room.state.rows()] == [HERE]
    room.state.stop()


def test_who_asks_waits_until_it_is_answered_or_nobody_wants_to_know_any_more(
    room: Room, qtbot: QtBot
) -> None:
    questions, answers = room.state.questions, list[str | None]()

    def ask(name: str) -> None:
        how = {"secret": True, "yes_no": False, "again": False}
        answers.append(questions.ask(HostName(name), "Password:", **how))

    threads = [threading.Thread(target=ask, args=(name,)) for name in "abcd"]
    for thread in threads[:3]:
        with qtbot.waitSignal(room.state.asked):
            thread.start()
    first = questions.next()
    assert first is not None
    assert (first.machine, first.text) == ("a", "Password:")
    first.answer("secret")
    threads[0].join()
    questions.withdraw(HostName("b"))
    threads[1].join()
    left = questions.next()
    assert left is not None
    assert left.machine == "c"
    questions.close()
    threads[2].join()
    threads[3].start()
    threads[3].join()
    assert answers == ["secret", None, None, None]
    assert questions.next() is None


def test_every_machine_is_in_the_rail_and_opens_from_there(room: Room, qtbot: QtBot) -> None:
    navigation = Navigation()
    for number in range(12):
        room.state.add(f"m{number}")
    rail = RailMachines(room.state, navigation)
    qtbot.addWidget(rail)
    rail.show_room(1000, narrow=False)
    rail.show()
    assert rail.list.model().rowCount() == 13
    assert rail.list.height() < 200
    last = rail.list.model().index(12, 0)
    rail.list.setCurrentIndex(last)
    with qtbot.waitSignal(navigation.machine_asked) as asked:
        QTest.keyClick(rail.list, Qt.Key.Key_Return)
    assert asked.args == ["m11"]
