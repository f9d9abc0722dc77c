"""Several machines in one window: each is this computer, reached by the real agent."""

import os
import shlex
import signal
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from gpuexplorer.remote.ssh import HostName
from tests.lab.processes import needs_torch
from tests.remote.conftest import run_here
from tests.screens.at_the_bench import enters
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person
from tests.screens.test_live_screens import busy_cards_are_worth_an_alert

LONG = 30_000


class Machines:
    """Where commands go: each runs here, or says what a test has it say."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.said: dict[str, str] = {}  # by a machine, instead of being reached
        self.asked: dict[str, str] = {}  # by ssh, before that; the right answer is "yes"

    def launch(self, host: HostName, command: str) -> Sequence[str]:
        if host.text in self.said:
            return ["sh", "-c", f"echo '{self.said[host.text]}' >&2; exit 255"]
        shell, option, whole = run_here(host, command)
        if host.text in self.asked:
            ask = f"""test "$("$SSH_ASKPASS" '{self.asked[host.text]}')" = yes"""
            whole = f"sh -c {shlex.quote(f'{ask} || exit 255; exec {whole}')}"
        return [shell, option, f"echo $$ > '{self._folder / host.text}'; exec {whole}"]

    def cut(self, name: str) -> None:
        """The link to it, as far as this side can tell."""
        os.kill(int((self._folder / name).read_text()), signal.SIGKILL)


@pytest.fixture
def machines(tmp_path: Path) -> Machines:
    folder = tmp_path / "pids"
    folder.mkdir()
    return Machines(folder)


@pytest.fixture
def open_on(open_program: OpenProgram, machines: Machines) -> Callable[..., Person]:
    """Opens the window with these machines, each with two cards."""

    def open_one(*hosts: str, simulate: str = "2xH100", **more: object) -> Person:
        person = open_program(
            simulate=simulate, hosts=hosts, launch=machines.launch, past=None, **more
        )
        person.patience = LONG
        return person

    return open_one


OpenOn = Callable[..., Person]


def goes_to(person: Person, machine: str) -> None:
    person.click(f"{machine}: Connected", within="Machines of this window")
    person.waits(lambda: machine in person.title())


def test_a_machine_is_shown_like_any_other_and_a_link_that_breaks_is_said_with_the_past(
    open_on: OpenOn, machines: Machines
) -> None:
    person = open_on("alice@box")
    person.sees("alice@box: Connected")
    goes_to(person, "alice@box")
    assert person.title().startswith("SIMULATED")
    person.go_to("Processes")
    person.sees("train.py")
    person.go_to("Overview")
    person.sees("H100 80GB HBM3")
    person.does_not_see("Stop simulating")
    machines.said["alice@box"] = "ssh: connect to host box port 22: No route to host"
    machines.cut("alice@box")
    person.sees("alice@box: No connection for", "Next try in", within="Connection")
    person.sees("H100 80GB HBM3")
    machines.said.clear()
    person.click("Try now", within="Connection")
    person.sees("alice@box: Connected")
    person.waits(lambda: "alice@box: No connection" not in person.said())
    person.runs("Disconnect this machine")
    person.sees("alice@box: Not connected", within="Connection")
    person.sees("H100 80GB HBM3")
    person.click("Connect", within="Connection")
    person.sees("alice@box: Connected")


@pytest.mark.long
def test_a_key_goes_round_and_what_was_begun_on_a_machine_is_there_when_one_comes_back(
    open_on: OpenOn, tmp_path: Path
) -> None:
    person = open_on("alice@box", "bob@box")
    person.sees("alice@box: Connected", "bob@box: Connected")
    person.press("Ctrl+Shift+PgDown")
    person.waits(lambda: "alice@box" in person.title())
    person.go_to("Lab")
    person.press("Ctrl+L")
    person.types("x = 41")
    person.sees("x = 41")
    person.go_to("Overview")
    person.press("Ctrl+R")
    person.saves_as(tmp_path / "alice.gpurec")
    person.sees("Stop recording")
    person.window.activateWindow()
    person.press("Ctrl+Shift+PgDown")
    person.waits(lambda: "bob@box" in person.title())
    person.does_not_see("x = 41", "The recording ended")
    person.press("Ctrl+Shift+PgDown")
    person.waits(lambda: "bob@box" not in person.title())
    goes_to(person, "alice@box")
    person.go_to("Lab")
    person.sees("x = 41")
    person.go_to("Overview")
    person.press("Ctrl+R")
    person.sees("Open it")
    person.click("Open it")
    person.sees("Back to the live cards")
    person.click("bob@box: Connected", within="Machines of this window")
    person.waits(lambda: "bob@box" in person.title())
    person.does_not_see("Back to the live cards")


def test_who_is_refused_or_misnamed_is_told_why(open_on: OpenOn, machines: Machines) -> None:
    machines.said["eve@box"] = "eve@box: Permission denied (publickey)."
    person = open_on("eve@box")
    person.sees("eve@box: Refused")
    person.press("Ctrl+Shift+N")
    person.type_into("Machine", "-oProxyCommand=x")
    person.sees("cannot begin with a hyphen")
    person.type_into("Machine", "a b")
    person.sees("cannot hold spaces")
    person.press("Escape")
    person.window.activateWindow()
    person.click("eve@box: Refused", within="Machines of this window")
    person.sees("eve@box: Refused", "publickey", within="Connection")
    person.does_not_see("Next try in")  # it is not tried again
    person.click("Remove", within="Connection")
    person.does_not_see("eve@box")


@pytest.mark.long
def test_a_machine_that_was_remembered_is_offered_and_not_connected_to(open_on: OpenOn) -> None:
    person = open_on("alice@box")
    person.sees("alice@box: Connected")
    person.press("Ctrl+Shift+N")
    person.type_into("Machine", "alice@box")
    person.press("Return")
    person.sees("alice@box is in the list already.")
    person.type_into("Machine", "bob@box")
    person.press("Return")
    person.waits(lambda: "bob@box" in person.title())
    person.closes()
    again = open_on("alice@box")
    again.sees("bob@box: Not connected")
    again.click("bob@box: Not connected", within="Machines of this window")
    again.sees("bob@box: Not connected", within="Connection")
    again.click("Connect", within="Connection")
    again.waits(lambda: "bob@box" in again.title())
    again.runs("Remove this machine")
    again.does_not_see("bob@box")
    again.closes()
    open_on("alice@box").does_not_see("bob@box")


def test_an_alert_of_another_machine_is_told_with_its_name(open_on: OpenOn) -> None:
    person = open_on("alice@box", interval=0.2)
    person.sees("alice@box: Connected")
    busy_cards_are_worth_an_alert(person)
    person.sees("alice@box (simulated): Card 0: GPU utilisation above 95 %")
    person.click("Open card 0")
    person.waits(lambda: "alice@box" in person.title())
    person.sees("Facts")


def test_a_machine_without_a_card_says_so_and_shows_itself(
    open_program: OpenProgram, machines: Machines
) -> None:
    person = open_program(launch=machines.launch)
    person.patience = LONG
    person.press("Ctrl+Shift+N")
    person.type_into("Machine", "bare@box")
    person.press("Return")
    person.waits(lambda: "bare@box" in person.title())
    person.go_to("Overview")
    person.sees("No graphics card answers on bare@box")
    person.click("See its processor and memory")
    person.sees("Processor")


def test_what_ssh_asks_is_plain_text_and_a_strange_key_is_trusted_only_by_who_says_so(
    open_on: OpenOn, machines: Machines
) -> None:
    machines.asked["bob@box"] = "Are you <b>sure</b> you want to connect (yes/no)?"
    person = open_on("bob@box")
    person.sees("ssh asks about bob@box", "Are you <b>sure</b> you want to connect")
    assert person.keyboard_is_on() == "No, do not connect"
    person.press("Return")
    person.sees("bob@box: Refused")
    person.click("bob@box: Refused", within="Machines of this window")
    person.click("Try now", within="Connection")
    person.click("Yes, connect")
    person.sees("bob@box: Connected")


def test_questions_of_two_machines_come_one_after_the_other(
    open_on: OpenOn, machines: Machines
) -> None:
    machines.asked |= {"a@box": "Password:", "b@box": "Password:"}
    person = open_on("a@box", "b@box")
    person.sees("ssh asks about ", "Password:")
    first = "a@box" if "ssh asks about a@box" in person.said() else "b@box"
    second = {"a@box": "b@box", "b@box": "a@box"}[first]
    person.does_not_see(f"ssh asks about {second}")
    person.type_into("Answer", "yes")
    person.does_not_see("yes")  # a password is not shown
    person.press("Return")
    person.sees(f"ssh asks about {second}")
    person.press("Escape")
    person.sees(f"{first}: Connected", f"{second}: Refused")


@needs_torch
@pytest.mark.long
def test_the_lab_of_a_machine_lives_on_while_another_is_looked_at(open_on: OpenOn) -> None:
    person = open_on("alice@box", "bob@box", size=(1440, 900))
    person.sees("alice@box: Connected", "bob@box: Connected")
    goes_to(person, "alice@box")
    person.go_to("Lab")
    enters(person, "print('still', x := 40 + 2)")
    person.sees("still 42")
    goes_to(person, "bob@box")
    person.does_not_see("still 42")
    goes_to(person, "alice@box")
    enters(person, "x * 100")
    person.sees("4200")
    person.click("bob@box: Connected", within="Machines of this window")
    person.press("Ctrl+Shift+PgUp")
    person.waits(lambda: "alice@box" in person.title())
    person.runs("Remove this machine")
    person.sees("Leave what is in the lab?", "x")
    person.click("Remove the machine")
    person.does_not_see("alice@box")


@needs_torch
@pytest.mark.long
def test_disconnecting_asks_before_what_lies_on_the_cards_over_there_goes(
    open_on: OpenOn,
) -> None:
    person = open_on("alice@box")
    person.sees("alice@box: Connected")
    goes_to(person, "alice@box")
    person.go_to("Lab")
    enters(person, "kept = torch.ones(3, device='cuda:1'); print('they', 'lie there')")
    person.sees("they lie there")
    person.runs("Disconnect this machine")
    person.sees("Release the cards?")
    person.click("Release the cards and disconnect")
    person.sees("alice@box: Not connected", within="Connection")
    enters(person, "kept.sum()")
    person.sees("There is no connection to alice@box.")
