"""FarMachine: connects, keeps on, says why not, and ends."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import ManualClock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.link import LinkState
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.remote.wire import AskWiring, End
from gpuexplorer.telemetry.facts import Users
from gpuexplorer.telemetry.process_book import end, has_ended, refused
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse, Way
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology
from tests.remote.far import HERE, PATIENCE, Cable, Changes, machine

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="agents run on Linux")


@pytest.fixture
def cable(tmp_path: Path) -> Cable:
    return Cable(tmp_path)


@pytest.fixture
def changes() -> Changes:
    return Changes()


@pytest.fixture
def far(cable: Cable, changes: Changes) -> Iterator[FarMachine]:
    with machine(cable, changes) as made:
        made.wait_until_up(PATIENCE)
        yield made


@pytest.fixture
def sleeper() -> Iterator[psutil.Process]:
    with subprocess.Popen(["sleep", "600"]) as program:
        yield psutil.Process(program.pid)
        program.kill()


def test_it_is_up_once_the_other_side_said_who_it_is(far: FarMachine, changes: Changes) -> None:
    assert far.now.state is LinkState.UP
    assert far.hello is not None
    assert [card.id for card in far.stream.cards()] == ["SIM-0", "SIM-1"]
    assert not far.now.why
    changes.wait(lambda: far.stream.far_clock.round_trip < 60)
    assert far.stream.far_clock.differs is None


@pytest.mark.parametrize(("shift", "said"), [(90, "90 s ahead of"), (-7200, "7200 s behind")])
def test_a_clock_over_there_that_differs_is_said(
    tmp_path: Path, changes: Changes, shift: int, said: str
) -> None:
    wrong = f"import time; right = time.time; time.time = lambda: right() + {shift}"
    (tmp_path / "sitecustomize.py").write_text(wrong, "utf-8")

    def launch(_: HostName, command: str) -> list[str]:
        return ["env", f"PYTHONPATH={tmp_path}", "sh", "-c", command]

    far = FarMachine(HERE, simulate="2xH100", launch=launch, on_change=changes.on_change)
    far.connect()
    far.wait_until_up(PATIENCE)
    session = Session(far.stream)
    changes.wait(lambda: any(f"here is {said}" in each for each in session.notes()))
    assert far.stop(PATIENCE)


def test_a_question_is_answered(far: FarMachine) -> None:
    assert far.ask(Topology, AskWiring(), PATIENCE).links


def test_a_question_without_a_connection_is_refused_at_once(
    far: FarMachine, cable: Cable, changes: Changes
) -> None:
    cable.pull()
    changes.wait(lambda: far.now.state is LinkState.BROKEN)
    with pytest.raises(Trouble, match="There is no connection to here"):
        far.ask(Topology, AskWiring(), PATIENCE)


def test_a_broken_link_says_since_when_and_why_and_is_tried_again(
    far: FarMachine, cable: Cable, changes: Changes
) -> None:
    cable.pull()
    changes.wait(lambda: "No way leads to here" in far.now.why)
    assert far.lost_at is not None
    assert far.now.hint
    cable.put_in()
    changes.wait(lambda: far.lost_at is None)
    assert far.now.state is LinkState.UP
    assert not far.now.why
    assert far.ask(Topology, AskWiring(), PATIENCE).links


def test_a_link_that_falls_silent_is_given_up(cable: Cable, changes: Changes) -> None:
    with machine(cable, changes, patience=1.0) as far:
        far.wait_until_up(PATIENCE)
        cable.freeze()
        changes.wait(lambda: "here has not answered for" in far.now.why)


def test_it_waits_longer_and_longer_before_it_tries_again() -> None:
    clock, waits, gone_since = ManualClock(), list[float](), set[float | None]()
    refused = "echo 'ssh: connect to host here port 22: Connection refused' >&2; exit 255"

    def on_change() -> None:
        if trying.now.retry_at is not None:
            waits.append(trying.now.retry_at - trying.now.since)
            gone_since.add(trying.lost_at)
        if len(waits) == 8:
            trying.stop(0.0)

    trying = FarMachine(
        HERE, launch=lambda *_: ["sh", "-c", refused], on_change=on_change, clock=clock
    )
    trying.connect()
    Changes().wait(lambda: trying.now.state is LinkState.ENDED)
    assert waits == pytest.approx([1, 2, 4, 8, 16, 32, 60, 60])
    assert len(gone_since) == 1  # not since the last try


def test_what_only_a_person_can_mend_is_not_tried_again(changes: Changes) -> None:
    tries = []

    def launch(host: HostName, command: str) -> list[str]:
        tries.append(host)
        said = "Permission denied (publickey)."
        return ["sh", "-c", f"echo 'me@here: {said}' >&2; exit 255"]

    far = FarMachine(HERE, launch=launch, on_change=changes.on_change)
    far.connect()
    with pytest.raises(Trouble, match="here refuses this login"):
        far.wait_until_up(PATIENCE)
    assert far.now.state is LinkState.REFUSED
    assert far.now.retry_at is None
    far.retry_now()
    changes.wait(lambda: len(tries) == 2 and far.now.state is LinkState.REFUSED)
    assert far.stop(PATIENCE)
    changes.wait(lambda: far.now.state is LinkState.ENDED)


def test_a_simulation_that_nobody_knows_is_refused_over_there(changes: Changes) -> None:
    far = FarMachine(HERE, simulate="3xFoo", launch=lambda _, c: ["sh", "-c", c])
    far.connect()
    with pytest.raises(Trouble, match="a card that is not known: 'Foo'"):
        far.wait_until_up(PATIENCE)
    assert far.stop(PATIENCE)


def test_a_process_over_there_is_asked_to_end(
    far: FarMachine, sleeper: psutil.Process, changes: Changes
) -> None:
    named = over_there(far, sleeper.pid, sleeper.create_time())
    assert not has_ended(named)
    end(named, Way.ASK)
    changes.wait(lambda: has_ended(named))
    assert refused(named) is None


def test_a_process_that_has_its_number_since_is_left_alone(
    far: FarMachine, sleeper: psutil.Process, changes: Changes
) -> None:
    named = over_there(far, sleeper.pid, sleeper.create_time() - 60)
    end(named, Way.KILL)
    changes.wait(lambda: refused(named) is not None)
    assert str(refused(named)) == "It has ended already."
    assert sleeper.is_running()
    assert sleeper.status() != psutil.STATUS_ZOMBIE
    changes.wait(lambda: has_ended(named))  # the one that was meant has


def test_what_cannot_be_told_over_there_is_refused_with_the_reason(
    far: FarMachine, cable: Cable, changes: Changes, sleeper: psutil.Process
) -> None:
    named = over_there(far, sleeper.pid, sleeper.create_time())
    cable.pull()
    changes.wait(lambda: far.now.state is LinkState.BROKEN)
    end(named, Way.ASK)
    assert "There is no connection to here." in str(refused(named))
    assert not has_ended(named)


def test_nobody_who_waits_for_an_answer_waits_on_when_it_ends(
    far: FarMachine, sleeper: psutil.Process
) -> None:
    far.stop(PATIENCE)
    answer = far.ask_later(End(sleeper.pid, 0.0, Way.ASK))
    assert isinstance(answer.exception(0.0), Trouble)


def over_there(far: FarMachine, pid: int, started_at: float) -> NamedProcess:
    process = CardProcess(CardId("SIM-0"), pid, ProcessUse.COMPUTE)
    named = NamedProcess(process, resolved=True, started_at=started_at, of_this_user=True)
    session = Session(far.stream)
    session.start()
    far.stream.take(Users(process.card, [named]))
    return session.named_processes()[0]
