"""The agent over there: what it reads and tells, what it answers, and how it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, CardState, Sample
from gpuexplorer.core.harmless import line_of
from gpuexplorer.core.metrics import MetricId
from gpuexplorer.core.records import from_text
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.remote import wire
from gpuexplorer.remote.parcel import Kind, parcel
from gpuexplorer.remote.wire import Settings
from gpuexplorer.telemetry.facts import Cards, Notes, Users, Watch
from gpuexplorer.telemetry.processes import Way
from gpuexplorer.telemetry.system import psutil
from gpuexplorer.telemetry.topology import Topology
from tests.nvml_stub import stub
from tests.programs_that_end import Program, stubborn, willing
from tests.remote.over_there import PATIENCE, SIMULATED, OverThere
from tests.remote.waiting import becomes, gone_within

__all__ = ["stubborn", "willing"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads Linux's own files")
needs_compiler = pytest.mark.skipif(stub.compiler() is None, reason="needs a C compiler")


def watch(*metrics: MetricId, processes: bool = False) -> Watch:
    return Watch(frozenset(metrics), processes, 0.1)


def test_it_greets_with_its_cards_and_who_it_is_and_reads_nothing_before_that_is_wanted() -> (
    None
):
    with OverThere() as there:
        listed, noted = there.until(Cards), there.until(Notes)
        hello = there.until(wire.Hello)
        there.order(wire.AskWiring(id=3))
        wired = there.until(wire.Answer)
    assert [card.id for card in listed.cards] == ["SIM-0", "SIM-1"]
    assert listed.source.simulated
    assert "These cards are simulated: every figure is made up." in noted.notes
    assert hello.host.id == HOST_ID
    assert hello.system.startswith("Linux ")
    assert hello.python == sys.version.partition(" ")[0]
    assert hello.computer == os.uname().nodename
    assert psutil.Process().username() == hello.user
    assert not hello.attempts
    assert wired.id == 3
    assert from_text(Topology, wired.text).cards == ("SIM-0", "SIM-1")
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
        there.order(wire.Knock(4.0))
        second = there.until(wire.Knocked)
    assert (first.sent_at, second.sent_at) == (1.0, 4.0)
    assert first.now <= second.now
    assert first.wall > 1.7e9


@needs_compiler
def test_real_cards_are_read_and_their_processes_have_names(willing: Program) -> None:
    """A real process, of which NVIDIA's stand-in says that it uses the card over there."""
    surroundings = stub.environment(f"cards=1 pids=0:{willing.pid}")
    with OverThere(Settings(), environment=surroundings) as there:
        assert there.until(Cards).source.name == "nvml"
        there.order(watch(m.POWER_DRAW, processes=True))
        facts, later = (
            (there.until(Users, lambda told: bool(told.processes)).processes or [])[0]
            for _ in range(2)
        )
    theirs = psutil.Process(willing.pid)
    assert facts.process.pid == willing.pid
    assert facts.command == " ".join(theirs.cmdline())
    assert facts.user == theirs.username()
    assert facts.memory_bytes == theirs.memory_info().rss
    assert facts.started_at == pytest.approx(theirs.create_time(), abs=0.02)
    assert facts.of_this_user
    assert not facts.ended
    assert later.cpu is not None


@pytest.mark.parametrize(
    ("program", "way", "by"),
    [("willing", Way.ASK, signal.SIGTERM), ("stubborn", Way.KILL, signal.SIGKILL)],
)
def test_a_process_is_ended_if_it_began_just_then(
    request: pytest.FixtureRequest, program: str, way: Way, by: int
) -> None:
    process: Program = request.getfixturevalue(program)
    began = psutil.Process(process.pid).create_time()
    with OverThere() as there:
        there.order(wire.AskProcess(process.pid, began - 5.0, Way.KILL, id=1))
        assert there.until(wire.Answer).trouble == "It has ended already."
        assert process.poll() is None
        there.order(wire.AskProcess(process.pid, began, way, id=2))
        assert there.until(wire.Answer) == wire.Answer(2, "null")
        assert process.wait(PATIENCE) == -by


def script(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


def test_pythons_over_there_are_found_and_one_that_was_named_is_asked(tmp_path: Path) -> None:
    no_python = script(tmp_path / "python", "echo hello")
    folder = Path(sys.executable).parent
    with OverThere(environment={"PATH": f"{folder}:{os.defpath}"}) as there:
        for number, named in enumerate((sys.executable, str(no_python), ""), 1):
            there.order(wire.AskPythons(named, id=number))
        told = [there.until(wire.Answer) for _ in range(3)]
    answers = {each.id: from_text(Sequence[LabPython], each.text) for each in told}
    assert answers[1][0].version == sys.version_info[:3]
    assert bool(answers[1][0].trouble) is (answers[1][0].build is None)
    assert "did not answer as a Python does" in answers[2][0].trouble
    assert sys.version_info[:3] in {each.version for each in answers[3]}


@pytest.mark.parametrize("number", [None, signal.SIGTERM, signal.SIGHUP])
def test_it_ends_with_the_pipe_or_a_signal_and_all_that_it_started(
    number: int | None, tmp_path: Path
) -> None:
    """Such as a Python which never answers, in a session of its own."""
    pid = tmp_path / "pid"
    python = script(
        tmp_path / "python", f"echo $$ > {pid}.new; mv {pid}.new {pid}", "exec sleep 600"
    )
    with OverThere() as there:
        there.order(wire.AskPythons(str(python), id=1))
        assert becomes(pid.exists, PATIENCE)
        child = psutil.Process(int(pid.read_text()))
        if number is None:
            there.hang_up()
        else:
            _agent_of(there).send_signal(number)
        assert there.end() == 0
    assert _ends(child)


def test_it_ends_when_it_hears_nothing_for_long_though_it_tells() -> None:
    with OverThere(replace(SIMULATED, alone=0.5)) as there:
        there.until(wire.Hello)
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


def _ends(process: psutil.Process) -> bool:
    """It was killed, and the system may take a moment for it."""
    return gone_within(process.pid, PATIENCE)


def _agent_of(there: OverThere) -> psutil.Process:
    """A shell may have started it, or become it."""
    process = psutil.Process(there.pid)
    return next(iter(process.children()), process) if process.name() == "sh" else process
