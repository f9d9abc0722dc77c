"""Ending processes: the one that was looked at, with permission, and nobody else."""

import os
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.process_book import (
    CAN_ASK,
    ELSEWHERE,
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


@pytest.mark.skipif(not CAN_ASK, reason="Windows leaves no entries")
def test_a_process_of_which_only_the_entry_is_left_has_ended(
    willing: Program, names: ProcessNames
) -> None:
    one = named(willing.pid, names)
    end(one, Way.KILL)
    # Waited for by another way than reaping it, so that the entry stays.
    os.waitid(os.P_PID, willing.pid, os.WEXITED | os.WNOWAIT)
    assert psutil.Process(willing.pid).status() == psutil.STATUS_ZOMBIE
    assert has_ended(one)


def test_ending_what_has_ended_says_so(willing: Program, names: ProcessNames) -> None:
    one = named(willing.pid, names)
    willing.kill()
    willing.wait(20)
    with pytest.raises(Trouble, match=r"It has ended already\."):
        end(one, Way.ASK)


def test_a_number_that_was_given_to_another_process_is_never_hit(
    willing: Program, stubborn: Program, names: ProcessNames
) -> None:
    """The number is the stubborn one's; the process that was looked at is another."""
    looked_at = named(willing.pid, names)
    reused = replace(
        looked_at,
        process=looked_at.process._replace(pid=stubborn.pid),
        identity=_with_pid(looked_at, stubborn.pid),
    )
    for way in Way:
        with pytest.raises(Trouble, match=r"It has ended already\."):
            end(reused, way)
    assert has_ended(reused)
    assert stubborn.poll() is None
    assert willing.poll() is None


def test_our_own_process_is_not_ended_from_here(names: ProcessNames) -> None:
    own = named(os.getpid(), names)
    assert "GPU Explorer itself" in refusal(own)
    with pytest.raises(Trouble, match="GPU Explorer itself"):
        end(own, Way.KILL)


def test_a_simulated_process_says_that_there_is_nothing_to_end(names: ProcessNames) -> None:
    process = CardProcess(CardId("SIM-0"), 1, ProcessUse.COMPUTE, simulated_command="a")
    with pytest.raises(Trouble, match="simulated: there is nothing to end"):
        end(names.one(process), Way.ASK)


def test_nothing_is_ended_whose_number_counts_elsewhere() -> None:
    process = CardProcess(CardId("GPU-a"), os.getpid(), ProcessUse.COMPUTE)
    named = NamedProcess(process, resolved=False, reason=ELSEWHERE, elsewhere=True)
    assert "another process" in refusal(named)


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


def _with_pid(named: NamedProcess, pid: int) -> psutil.Process:
    """What psutil would hold of a process whose number was given on: its own start time."""
    assert isinstance(named.identity, psutil.Process)
    identity = psutil.Process(pid)
    identity._ident = (pid, named.identity._ident[1] - 1)  # type: ignore[attr-defined]  # no other way to wait for a reuse
    return identity
