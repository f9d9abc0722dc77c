"""The agent over there: what it reads and tells, what it answers, and how it ends."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardState, Sample
from gpuexplorer.core.harmless import line_of
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import from_text
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.remote import agent as answers
from gpuexplorer.remote import wire
from gpuexplorer.remote.parcel import Kind, parcel
from gpuexplorer.remote.wire import Settings
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.facts import Cards, Notes, Users, Watch
from gpuexplorer.telemetry.processes import Way
from gpuexplorer.telemetry.system import psutil
from gpuexplorer.telemetry.topology import Topology
from tests.nvml_stub import stub
from tests.programs_that_end import Program, stubborn, willing
from tests.remote.over_there import PATIENCE, SIMULATED, OverThere

__all__ = ["stubborn", "willing"]
pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own files")
ALL = frozenset(METRICS)
needs_compiler = pytest.mark.skipif(stub.compiler() is None, reason="needs a C compiler")


def watch(*metrics: MetricId, processes: bool = False) -> Watch:
    return Watch(frozenset(metrics), processes, 0.1)


def test_it_greets_with_its_cards_and_who_it_is() -> None:
    with OverThere() as there:
        listed, hello = there.until(Cards), there.until(wire.Hello)
    assert [card.id for card in listed.cards] == ["SIM-0", "SIM-1"]
    assert listed.source.simulated
    assert hello.host.id == HOST_ID
    assert hello.system.startswith("Linux ")
    assert hello.python == sys.version.partition(" ")[0]
    assert hello.computer == os.uname().nodename
    assert psutil.Process().username() == hello.user
    assert not hello.attempts


def test_it_notes_that_its_cards_are_made_up() -> None:
    with OverThere() as there:
        noted = there.until(Notes)
    assert "These cards are simulated: every figure is made up." in noted.notes


def test_nothing_is_read_before_somebody_watches() -> None:
    with OverThere() as there:
        there.until(wire.Hello)
        there.order(wire.AskWiring(id=1), wire.Knock(2.0))
        there.until(wire.Answer)
    assert not [line for line in there.raw if b'"Sample"' in line]


def test_what_is_watched_comes_again_and_again_and_nothing_else() -> None:
    with OverThere() as there:
        there.order(watch(m.POWER_DRAW, m.TEMPERATURE))
        of_cards = [_sample_of_card(there) for _ in range(6)]
        assert {each.card for each in of_cards} == {"SIM-0", "SIM-1"}
        for each in of_cards:
            assert {*each.values, *each.missing} == {m.POWER_DRAW, m.TEMPERATURE}
            assert each.values[m.POWER_DRAW] > 0
        there.order(watch(m.GPU_UTILIZATION))
        there.until(Sample, lambda told: m.GPU_UTILIZATION in told.values)
        there.until(Sample, lambda told: m.GPU_UTILIZATION in told.values)
        for _ in range(4):
            later = _sample_of_card(there)
            assert {*later.values, *later.missing} == {m.GPU_UTILIZATION}


def test_the_computer_itself_is_read_too() -> None:
    with OverThere() as there:
        there.order(watch(m.POWER_DRAW))
        told = there.until(
            Sample,
            lambda told: told.card == HOST_ID and m.CPU_UTILIZATION in told.values,
        )
    assert 0 <= told.values[m.CPU_UTILIZATION] <= 1
    assert told.values[m.MEMORY_TOTAL] > 1e8


def test_a_card_that_hangs_keeps_neither_the_others_nor_a_knock() -> None:
    with OverThere(replace(SIMULATED, faults="hung:1@0s")) as there:
        there.order(watch(m.POWER_DRAW), wire.Knock(2.0))
        assert there.until(wire.Knocked).sent_at == 2.0
        assert there.until(Sample, lambda told: told.card == "SIM-0").values
        late = there.until(Sample, lambda told: told.card == "SIM-1")
        assert late.state is CardState.NO_ANSWER
        assert set(late.missing.values()) == {Absence.NO_ANSWER}


def test_a_knock_tells_both_clocks() -> None:
    with OverThere() as there:
        there.order(wire.Knock(1.0))
        first = there.until(wire.Knocked)
        there.order(wire.Knock(2.0))
        second = there.until(wire.Knocked)
    assert (first.sent_at, second.sent_at) == (1.0, 2.0)
    assert first.now <= second.now
    assert first.wall > 1.7e9


def test_the_wiring_is_told() -> None:
    with OverThere() as there:
        there.order(wire.AskWiring(id=3))
        wired = there.until(wire.Answer)
    assert wired.id == 3
    assert from_text(Topology, wired.text).cards == ("SIM-0", "SIM-1")


def test_cards_that_cannot_be_simulated_are_an_answer_and_the_end() -> None:
    with OverThere(Settings(simulate="2xBanana")) as there:
        done = there.until(wire.Answer)
        assert there.end() == 1
    assert done.id == 0
    assert "Banana" in done.trouble
    assert done.hint


def test_an_order_that_cannot_be_read_is_passed_over() -> None:
    with OverThere() as there:
        there.write(b"[]\nnothing\n" + b'{"is":"Knock","sent_at":"x"}\n')
        there.order(wire.Knock(4.0))
        assert there.until(wire.Knocked).sent_at == 4.0


@pytest.fixture
def with_program(willing: Program) -> "tuple[Program, dict[str, str]]":
    """A real process, of which NVIDIA's stand-in says that it uses the card over there."""
    surroundings = stub.environment(f"cards=1 pids=0:{willing.pid}")
    return willing, surroundings


@needs_compiler
def test_real_cards_are_read_and_their_processes_have_names(
    with_program: "tuple[Program, dict[str, str]]",
) -> None:
    program, surroundings = with_program
    with OverThere(Settings(), environment=surroundings) as there:
        assert there.until(Cards).source.name == "nvml"
        there.order(watch(m.POWER_DRAW, processes=True))
        used = there.until(Users, lambda told: bool(told.processes))
        facts = used.processes[0]  # type: ignore[index]  # as was just asked
        later = there.until(Users, lambda told: bool(told.processes))
        assert later.processes[0].cpu is not None  # type: ignore[index]
    theirs = psutil.Process(program.pid)
    assert facts.process.pid == program.pid
    assert facts.command == " ".join(theirs.cmdline())
    assert facts.user == theirs.username()
    assert facts.memory_bytes == theirs.memory_info().rss
    assert facts.started_at == pytest.approx(theirs.create_time(), abs=0.02)
    assert facts.of_this_user
    assert not facts.ended


@needs_compiler
def test_a_driver_that_hangs_at_once_keeps_neither_a_knock_nor_the_end() -> None:
    surroundings = stub.environment("cards=1 hang=nvmlInit_v2 hang=nvmlInitWithFlags")
    with OverThere(Settings(), environment=surroundings) as there:
        there.order(wire.Knock(1.0))
        assert isinstance(there.next(), wire.Knocked)
        there.hang_up()
        assert there.end() == 0
    assert not [line for line in there.raw if b'"Hello"' in line]


@needs_compiler
def test_a_driver_over_there_leaves_no_file_in_the_home(tmp_path: Path) -> None:
    surroundings = {**stub.environment("cards=1"), "HOME": str(tmp_path)}
    surroundings["XDG_CACHE_HOME"] = str(tmp_path / "cache")
    with OverThere(Settings(), environment=surroundings) as there:
        assert there.until(Cards).cards
        assert there.end() == 0
    assert not list(tmp_path.iterdir())


@needs_compiler
def test_where_no_driver_answers_the_computer_is_read_and_the_reason_told() -> None:
    surroundings = stub.environment("init=not_loaded")
    with OverThere(Settings(), environment=surroundings) as there:
        listed, hello = there.until(Cards), there.until(wire.Hello)
        assert not listed.cards
        assert not listed.source.cards
        assert hello.attempts
        there.order(watch(m.POWER_DRAW))
        assert there.until(Sample).card == HOST_ID


def test_a_process_is_ended_if_it_began_just_then(willing: Program) -> None:
    began = psutil.Process(willing.pid).create_time()
    with OverThere() as there:
        there.order(wire.End(willing.pid, began - 5.0, Way.KILL, id=1))
        refused = there.until(wire.Answer)
        assert refused.trouble == "It has ended already."
        assert willing.poll() is None
        there.order(wire.End(willing.pid, began, Way.ASK, id=2))
        assert there.until(wire.Answer) == wire.Answer(2, "null")
        assert willing.wait(PATIENCE) == -signal.SIGTERM


def test_one_that_does_not_listen_is_killed_when_that_is_ordered(stubborn: Program) -> None:
    began = psutil.Process(stubborn.pid).create_time()
    with OverThere() as there:
        there.order(wire.End(stubborn.pid, began, Way.KILL, id=1))
        assert there.until(wire.Answer) == wire.Answer(1, "null")
        assert stubborn.wait(PATIENCE) == -signal.SIGKILL


def test_whether_a_process_runs_still_is_told_of_just_that_one(willing: Program) -> None:
    began = psutil.Process(willing.pid).create_time()
    with OverThere() as there:
        there.order(wire.AskRunning(willing.pid, began, id=1))
        assert there.until(wire.Answer) == wire.Answer(1, "true")
        there.order(wire.AskRunning(willing.pid, began - 5.0, id=2))
        assert there.until(wire.Answer) == wire.Answer(2, "false")
        willing.kill()
        assert _ends(psutil.Process(willing.pid))
        there.order(wire.AskRunning(willing.pid, began, id=3))
        assert there.until(wire.Answer) == wire.Answer(3, "false")
        willing.wait(PATIENCE)
        there.order(wire.AskRunning(willing.pid, began, id=4))
        assert there.until(wire.Answer) == wire.Answer(4, "false")


def test_the_agent_does_not_end_itself_by_an_order() -> None:
    with OverThere() as there:
        there.until(wire.Hello)
        own = _agent_of(there)
        there.order(wire.End(own.pid, own.create_time(), Way.KILL, id=1))
        assert there.until(wire.Answer).trouble
        there.order(wire.Knock(2.0))
        there.until(wire.Knocked)


def script(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def test_a_python_that_was_named_is_asked_and_its_trouble_told(tmp_path: Path) -> None:
    no_python = script(tmp_path / "python", "echo hello")
    with OverThere() as there:
        there.order(wire.AskPythons(sys.executable, id=1))
        there.order(wire.AskPythons(str(no_python), id=2))
        told = [there.until(wire.Answer) for _ in range(2)]
    answers = {each.id: _pythons(each)[0] for each in told}
    assert answers[1].version == sys.version_info[:3]
    assert bool(answers[1].trouble) is (answers[1].build is None)
    assert "did not answer as a Python does" in answers[2].trouble


def test_the_pythons_over_there_are_found() -> None:
    folder = Path(sys.executable).parent
    with OverThere(environment={"PATH": f"{folder}:{os.defpath}"}) as there:
        there.order(wire.AskPythons(id=1))
        found = _pythons(there.until(wire.Answer))
    assert sys.version_info[:3] in {each.version for each in found}


def test_the_doctor_looks_at_what_concerns_a_computer_without_our_window() -> None:
    with OverThere(Settings()) as there:
        there.order(wire.CheckUp(id=1))
        report = json.loads(there.until(wire.Answer).text)
    topics = {each["topic"] for each in report["topics"]}
    assert {"driver", "cards", "pytorch", "memory"} <= topics
    assert not {"display", "parts"} & topics


def test_it_ends_with_the_pipe_and_all_that_it_started(tmp_path: Path) -> None:
    told, pid = _with_sleeping_child(tmp_path)
    with told as there:
        _wait_for_file(there, pid)
        child = psutil.Process(int(pid.read_text()))
        there.hang_up()
        assert there.end() == 0
    assert _ends(child)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_it_ends_when_the_system_asks(number: int, tmp_path: Path) -> None:
    told, pid = _with_sleeping_child(tmp_path)
    with told as there:
        _wait_for_file(there, pid)
        child = psutil.Process(int(pid.read_text()))
        _agent_of(there).send_signal(number)
        assert there.end() == 0
    assert _ends(child)


def test_it_ends_when_it_hears_nothing_for_long() -> None:
    with OverThere(replace(SIMULATED, alone=0.3)) as there:
        there.until(wire.Hello)
        assert there.end() == 0
        assert there.process.stdin is not None
        assert not there.process.stdin.closed


def test_it_hears_nothing_while_it_only_tells() -> None:
    with OverThere(replace(SIMULATED, alone=0.5)) as there:
        there.order(watch(m.POWER_DRAW))
        assert there.end() == 0
    assert [line for line in there.raw if b'"Sample"' in line]


def test_it_ends_when_nobody_reads_what_it_tells() -> None:
    sent = parcel(Kind.AGENT, SIMULATED.environment)
    there = subprocess.Popen(
        ["sh", "-c", sent.command(sys.executable)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with there:
        assert there.stdin is not None
        assert there.stdout is not None
        there.stdin.write(sent.preamble + line_of(watch(m.POWER_DRAW)))
        there.stdin.flush()
        there.stdout.close()
        assert there.wait(PATIENCE) == 0


def _sample_of_card(there: OverThere) -> Sample:
    return there.until(Sample, lambda told: told.card != HOST_ID)


def _pythons(told: wire.Answer) -> Sequence[LabPython]:
    found: Sequence[LabPython] = from_text(Sequence[LabPython], told.text)
    return found


def _with_sleeping_child(tmp_path: Path) -> "tuple[OverThere, Path]":
    """An agent that asks a Python which never answers, in a session of its own."""
    pid = tmp_path / "pid"
    python = script(
        tmp_path / "python", f"echo $$ > {pid}.new; mv {pid}.new {pid}", "exec sleep 600"
    )
    there = OverThere()
    there.order(wire.AskPythons(str(python), id=1))
    return there, pid


def _wait_for_file(there: OverThere, path: Path) -> None:
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        if path.exists():
            return
        there.order(wire.Knock(1.0))
        there.until(wire.Knocked)
    raise AssertionError("nothing was started")


def _ends(process: psutil.Process) -> bool:
    """It was killed, and the system may take a moment for it."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        try:
            if not process.is_running() or process.status() == psutil.STATUS_ZOMBIE:
                return True
        except psutil.NoSuchProcess:
            return True
    return False


def _agent_of(there: OverThere) -> psutil.Process:
    """A shell may have started it, or become it."""
    process = psutil.Process(there.process.pid)
    return next(iter(process.children()), process) if process.name() == "sh" else process


class Hangs(NoCards):
    """A driver that does not report how cards are wired before the test is over."""

    def __init__(self) -> None:
        super().__init__()
        self.over = threading.Event()

    def topology(self) -> Topology:
        self.over.wait(60)
        return super().topology()


def test_a_driver_that_hangs_there_does_not_keep_the_answer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(answers, "_WIRING_PATIENCE", 0.1)
    driver = Hangs()
    with pytest.raises(Trouble, match="The driver over there did not report "):
        answers.wiring(driver)
    driver.over.set()
