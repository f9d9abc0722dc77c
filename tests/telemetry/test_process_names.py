"""Whose process that is, and never somebody else's name; and ending it, and nobody else."""

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.process_book import (
    CAN_ASK,
    ELSEWHERE,
    UNCOLLECTED,
    ProcessNames,
    end,
    has_ended,
    refusal,
)
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse, Way
from tests.programs_that_end import Program, stubborn, willing

__all__ = ["stubborn", "willing"]


@pytest.fixture
def names(tmp_path: Path) -> ProcessNames:
    """Of the computer itself: tests may run inside a container."""
    return ProcessNames(tmp_path / "proc without namespaces")


def named(pid: int, names: ProcessNames) -> NamedProcess:
    return names.one(CardProcess(CardId("GPU-a"), pid, ProcessUse.COMPUTE))


def under_its_own_name() -> subprocess.Popen[bytes]:
    """A process that has begun: until then it may bear our own name, or no arguments."""
    code = "print('here', flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    return other


def test_our_own_process_is_named_and_marked_and_not_ended_from_here(
    names: ProcessNames,
) -> None:
    own = named(os.getpid(), names)
    assert (own.resolved, own.ours) == (True, True)
    assert own.command is not None
    assert "python" in own.command.lower() or "pytest" in own.command.lower()
    assert (own.memory_bytes or 0) > 1e6
    assert own.started_at is not None
    with pytest.raises(Trouble, match="GPU Explorer itself"):
        end(own, Way.KILL)
    # The share of the processor comes with the second look.
    assert own.cpu is None
    assert named(os.getpid(), names).cpu is not None


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is left of a process there")
def test_one_that_ended_and_was_not_collected_has_a_reason_and_no_zeros(
    names: ProcessNames,
) -> None:
    with under_its_own_name() as other:
        assert named(other.pid, names).memory_bytes
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        for _ in range(6):
            one = named(other.pid, names)
    assert one.command is not None
    assert "input()" in one.command
    assert one.ended
    assert (one.cpu, one.memory_bytes) == (None, None)
    assert one.reason == UNCOLLECTED
    assert refusal(one) == "It has ended already."


def test_in_another_namespace_no_pid_is_ever_given_a_name(tmp_path: Path) -> None:
    inside = tmp_path / "self" / "ns"
    inside.mkdir(parents=True)
    (inside / "pid").touch()
    one = named(os.getpid(), ProcessNames(tmp_path))
    assert not one.resolved
    assert one.reason == ELSEWHERE
    assert one.command is None
    assert "another process" in refusal(one)


def test_simulated_processes_bring_their_own_names_and_cannot_be_ended(
    names: ProcessNames,
) -> None:
    made_up = CardProcess(CardId("SIM-0"), 1, ProcessUse.COMPUTE, {}, {}, "train.py", "ada")
    one = names.one(made_up)
    assert (one.command, one.user, one.resolved) == ("train.py", "ada", False)
    with pytest.raises(Trouble, match="simulated: there is nothing to end"):
        end(one, Way.ASK)


def test_a_process_that_is_asked_to_end_ends(willing: Program, names: ProcessNames) -> None:
    one = named(willing.pid, names)
    assert refusal(one) == ""
    assert not has_ended(one)
    end(one, Way.ASK)
    assert willing.wait(20) != 0
    assert has_ended(one)


@pytest.mark.skipif(not CAN_ASK, reason="there is no asking on Windows")
def test_one_that_will_not_listen_is_ended_the_harder_way(
    stubborn: Program, names: ProcessNames
) -> None:
    one = named(stubborn.pid, names)
    end(one, Way.ASK)
    assert stubborn.stdin is not None
    assert not has_ended(one)
    end(one, Way.KILL)
    stubborn.wait(20)
    assert has_ended(one)


def test_what_belongs_to_another_user_is_refused_by_name(
    willing: Program, names: ProcessNames
) -> None:
    theirs = replace(named(willing.pid, names), of_this_user=False, user="grace")
    assert refusal(theirs) == "It belongs to grace. Only they or an administrator may end it."


def test_where_the_system_refuses_a_sentence_says_so(
    willing: Program, names: ProcessNames, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise psutil.AccessDenied

    one = named(willing.pid, names)
    monkeypatch.setattr(psutil.Process, "terminate", refuse)
    with pytest.raises(Trouble, match=f"no permission to end process {willing.pid}"):
        end(one, Way.ASK)
    assert willing.poll() is None
