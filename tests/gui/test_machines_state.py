"""MachinesState: what screens hear of machines, whatever their links do."""

import argparse
import json
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtWidgets import QMainWindow, QPushButton
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.event_loop import Bridge, FrameClock
from gpuexplorer.gui.rail.rail_machines import MachineEntry, RailMachines
from gpuexplorer.gui.state.far_machines import Reached, Wanted, kept_machines
from gpuexplorer.gui.state.machine_words import link_sentence
from gpuexplorer.gui.state.machines import HERE, MachineRow, MachinesState, Standing
from gpuexplorer.gui.state.machines_at_start import begin, machines_at_start
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.questions import Questions
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.widgets.bars.notices import Notices
from gpuexplorer.gui.window_commands import WindowCommands
from gpuexplorer.gui.window_machines import WindowMachines
from gpuexplorer.remote.link import LinkNow, LinkState
from gpuexplorer.remote.ssh import HostName, host_name
from tests.clocks import ManualClock
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

    def _reach(self, wanted: Wanted, on_change: Callable[[], None], _: object) -> Reached:
        far = self.made[host_name(wanted.host).text] = FakeFar(on_change)
        return Reached(far, lambda: session_of({card(0): working()}))

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
    room.state.add(Wanted("a"))
    room.state.show("a")
    assert room.state.shown == HERE
    with qtbot.waitSignal(room.state.shown_changed):
        room.made["a"].becomes(LinkState.UP)
    assert room.row("a").shown
    assert room.state.session is room.row("a").session


def test_who_chose_another_meanwhile_stays_there(room: Room, qtbot: QtBot) -> None:
    room.state.add(Wanted("a"))
    room.state.show("a")
    room.state.show(HERE)
    with qtbot.waitSignal(room.state.changed):
        room.made["a"].becomes(LinkState.UP)
    assert room.row("a").session is not None
    assert room.state.shown == HERE


def test_a_link_that_comes_back_has_the_session_of_before(room: Room, qtbot: QtBot) -> None:
    room.state.add(Wanted("a"))
    with qtbot.waitSignal(room.state.changed):
        room.made["a"].becomes(LinkState.UP)
    session = room.row("a").session
    for state in (LinkState.BROKEN, LinkState.CONNECTING, LinkState.UP):
        with qtbot.waitSignal(room.state.changed):
            room.made["a"].becomes(state)
    assert session is not None
    assert room.row("a").session is session


def test_a_machine_that_is_removed_while_it_is_shown_leads_back_here(
    room: Room, qtbot: QtBot
) -> None:
    room.state.add(Wanted("a"))
    room.state.show("a")
    with qtbot.waitSignal(room.state.shown_changed):
        room.made["a"].becomes(LinkState.UP)
    with qtbot.waitSignal(room.state.shown_changed):
        room.state.remove("a")
    assert room.state.shown == HERE
    assert [each.key for each in room.state.rows()] == [HERE]
    qtbot.waitUntil(lambda: "stop" in room.made["a"].done)
    room.made["a"].becomes(LinkState.UP)  # its last word comes late, and nobody minds


def test_a_name_can_be_added_once_and_a_bad_one_never(room: Room) -> None:
    room.state.add(Wanted("a"))
    with pytest.raises(Trouble, match="a is in the list already"):
        room.state.add(Wanted("a"))
    with pytest.raises(Trouble, match="cannot begin with a hyphen"):
        room.state.add(Wanted("-a"))
    assert len(room.state.rows()) == 2


def test_a_machine_that_never_answered_can_be_added_with_another_python(
    room: Room, settings: Settings, qtbot: QtBot
) -> None:
    room.state.add(Wanted("a", python="/no/python", remember=True))
    before = room.made["a"]
    with qtbot.waitSignal(room.state.changed):
        before.becomes(LinkState.REFUSED)
    room.state.add(Wanted("a", python="/opt/python3.12"))
    assert room.made["a"] is not before
    qtbot.waitUntil(lambda: "stop" in before.done)
    assert room.made["a"].done == ["connect"]
    assert [each.python for each in kept_machines(settings)] == ["/opt/python3.12"]


def test_only_what_is_to_be_remembered_is_there_next_time(
    room: Room, settings: Settings, qtbot: QtBot
) -> None:
    room.state.add(Wanted("a", remember=True))
    room.state.add(Wanted("b"))
    next_time = Room(settings)
    next_time.state.begin()
    assert [each.key for each in next_time.state.rows()] == [HERE, "a"]
    assert next_time.row("a").standing is Standing.ENDED
    assert not next_time.made
    next_time.state.retry("a")
    assert next_time.made["a"].done == ["connect"]
    next_time.state.stop()


def test_machines_of_last_time_are_connected_to_where_somebody_chose_so(
    room: Room, settings: Settings
) -> None:
    room.state.add(Wanted("a", python="/opt/python3.12", remember=True))
    settings.choose(replace(settings.choices, reconnect=True))
    next_time = Room(settings)
    next_time.state.begin([Wanted("b")])
    assert next_time.made["a"].done == next_time.made["b"].done == ["connect"]
    next_time.state.stop()


def test_the_python_that_is_named_at_the_start_is_used_over_there(
    settings: Settings, qtbot: QtBot
) -> None:
    commands: list[str] = []

    def launch(_: HostName, command: str) -> Sequence[str]:
        commands.append(command)
        return ["sh", "-c", "exit 127"]

    arguments = argparse.Namespace(
        **dict.fromkeys(("simulate", "screenshot", "fleet")),
        host=["a"],
        host_python="/opt/python3.12",
        fault="",
        seed=0,
    )
    here = session_of({card(0): working()})
    machines = machines_at_start(arguments, settings, Bridge(), here, launch)
    begin(machines, arguments)
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
    for row in room.state.rows()[1:]:
        room.state.retry(row.key)
        assert room.row(row.key).standing is Standing.REFUSED
    room.state.stop()


def test_a_broken_link_is_told_with_since_when_why_and_what_next() -> None:
    clock = ManualClock(100.0)
    row = MachineRow(
        "a",
        "a",
        Standing.BROKEN,
        Message("There is no route to a."),
        Message("Look at the network."),
        since=88.0,
        retry_at=103.2,
    )
    said = link_sentence(row, clock)
    assert said.startswith("No connection to a since ")
    assert said.endswith(
        ", for 12 s. There is no route to a. Look at the network. Next try in 4 s."
    )


def test_who_asks_waits_for_an_answer_in_a_thread_of_their_own(qtbot: QtBot) -> None:
    questions = Questions()
    answers: list[str | None] = []

    def ask() -> None:
        host = HostName("a")
        answers.append(
            questions.asker.ask(host, "Password:", secret=True, yes_no=False, again=False)
        )

    thread = threading.Thread(target=ask)
    with qtbot.waitSignal(questions.changed):
        thread.start()
    question = questions.next()
    assert question is not None
    assert (question.machine, question.text) == ("a", "Password:")
    question.answer("secret")
    thread.join()
    assert answers == ["secret"]
    assert questions.next() is None


def test_what_nobody_wants_to_know_any_more_is_over(qtbot: QtBot) -> None:
    questions = Questions()
    answers: list[str | None] = []

    def ask(name: str) -> None:
        answers.append(
            questions.asker.ask(
                HostName(name), "Password:", secret=True, yes_no=False, again=False
            )
        )

    threads = [threading.Thread(target=ask, args=(each,)) for each in ("a", "b")]
    for thread in threads:
        with qtbot.waitSignal(questions.changed):
            thread.start()
    questions.asker.withdraw(HostName("a"))
    threads[0].join()
    left = questions.next()
    assert left is not None
    assert left.machine == "b"
    questions.stop()
    threads[1].join()
    assert answers == [None, None]
    assert (
        questions.asker.ask(HostName("c"), "?", secret=True, yes_no=False, again=False) is None
    )


def test_why_one_waits_is_said_on_the_screen_of_all_machines_alone(
    room: Room, qtbot: QtBot
) -> None:
    window, strip, settings = QMainWindow(), Notices(), Settings()
    navigation, clock, time = Navigation(), FrameClock(window), TimeWindow(parent=window)
    for each in (window, strip):
        qtbot.addWidget(each)
    commands = WindowCommands(window, time, navigation, settings)
    of_window = (room.state, strip, lambda: None, window)
    machines = WindowMachines(settings, commands, navigation, clock, *of_window)
    room.state.add(Wanted("a"))
    room.state.show("a")
    navigation.open_screen("machines")
    assert strip.accessibleDescription().startswith("Connecting to a, for ")
    navigation.open_screen("overview")
    assert strip.isHidden()
    machines.stop()


@pytest.mark.parametrize(("narrow", "words"), [(False, "8 more…"), (True, "+8")])
def test_the_rail_leads_to_machines_that_it_has_no_room_for(
    room: Room, qtbot: QtBot, narrow: bool, words: str
) -> None:
    navigation = Navigation()
    for number in range(12):
        room.state.add(Wanted(f"m{number}"))
    rail = RailMachines(room.state, navigation)
    qtbot.addWidget(rail)
    rail.show_within(1000, narrow=narrow)
    (more,) = [each for each in rail.findChildren(QPushButton) if each.text() == words]
    assert not more.isHidden()
    more.click()
    assert navigation.screen == "machines"


def test_the_name_of_a_machine_is_never_taken_for_markup(qtbot: QtBot) -> None:
    row = MachineRow("a", "<img src=x>", Standing.UP)
    entry = MachineEntry(row)
    qtbot.addWidget(entry)
    entry.show_face(row, narrow=False)
    assert entry.accessibleName() == "<img src=x>: Connected"
    assert "&lt;img src=x&gt;" in entry.toolTip()
