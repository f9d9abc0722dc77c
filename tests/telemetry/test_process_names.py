"""Whose process that is, and never somebody else's name."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.process_book import (
    ELSEWHERE,
    GONE,
    UNCOLLECTED,
    ProcessNames,
    refusal,
)
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessUse

CARD = CardId("GPU-a")


@pytest.fixture
def first_namespace(tmp_path: Path) -> Path:
    """A /proc of the computer itself: tests may run inside a container."""
    return tmp_path / "proc without namespaces"


def name(pid: int, names: ProcessNames) -> NamedProcess:
    return names.one(CardProcess(CARD, pid, ProcessUse.COMPUTE))


def under_its_own_name() -> subprocess.Popen[bytes]:
    """A process that has begun: until then it may bear our own name, or no arguments."""
    code = "print('here', flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert other.stdout is not None
    other.stdout.readline()
    return other


def test_our_own_process_is_named_and_marked(first_namespace: Path) -> None:
    named = name(os.getpid(), ProcessNames(first_namespace))
    assert named.resolved
    assert named.ours
    assert named.command is not None
    assert "python" in named.command.lower() or "pytest" in named.command.lower()
    assert (named.memory_bytes or 0) > 1e6
    assert named.started_at is not None


def test_the_processor_share_comes_with_the_second_look(first_namespace: Path) -> None:
    names = ProcessNames(first_namespace)
    assert name(os.getpid(), names).cpu is None
    assert name(os.getpid(), names).cpu is not None


def test_another_process_is_named_and_not_marked(first_namespace: Path) -> None:
    with under_its_own_name() as other:
        named = name(other.pid, ProcessNames(first_namespace))
        other.communicate(b"\n")
    assert named.ancestors[0].pid == os.getpid()  # it was started by these tests
    assert named.ancestors[0].command
    assert named.resolved
    assert not named.ours
    assert named.command is not None
    assert "input()" in named.command


@pytest.mark.skipif(sys.platform == "win32", reason="nothing takes in orphans there")
def test_what_outlived_its_parent_stands_under_nobody(first_namespace: Path) -> None:
    shell = 'sleep 60 >&- & echo "$!"'
    pid = int(subprocess.run(["sh", "-c", shell], stdout=subprocess.PIPE, check=True).stdout)
    try:
        named = name(pid, ProcessNames(first_namespace))
    finally:
        os.kill(pid, signal.SIGKILL)
    assert named.resolved
    assert named.ancestors == ()


def test_a_process_that_has_ended_says_so(first_namespace: Path) -> None:
    named = name(5_000_000, ProcessNames(first_namespace))
    assert not named.resolved
    assert named.reason == GONE


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is left of a process there")
def test_one_that_ended_and_was_not_collected_has_a_reason_and_no_zeros(
    first_namespace: Path,
) -> None:
    names = ProcessNames(first_namespace)
    with under_its_own_name() as other:
        assert name(other.pid, names).memory_bytes
        other.kill()
        os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)
        for _ in range(6):
            named = name(other.pid, names)
    assert named.command is not None
    assert "input()" in named.command
    assert named.ended
    assert (named.cpu, named.memory_bytes) == (None, None)
    assert named.reason == UNCOLLECTED
    assert refusal(named) == "It has ended already."


def test_in_another_namespace_no_pid_is_ever_given_a_name(tmp_path: Path) -> None:
    inside = tmp_path / "self" / "ns"
    inside.mkdir(parents=True)
    (inside / "pid").touch()
    named = name(os.getpid(), ProcessNames(tmp_path))
    assert not named.resolved
    assert named.reason == ELSEWHERE
    assert named.command is None


def test_a_container_is_told_where_its_group_names_it(tmp_path: Path) -> None:
    folder = tmp_path / str(os.getpid())
    folder.mkdir()
    digest = "0123456789abcdef" * 4
    (folder / "cgroup").write_text(f"0::/system.slice/docker-{digest}.scope\n")
    assert name(os.getpid(), ProcessNames(tmp_path)).container == digest[:12]


def test_simulated_processes_bring_their_own_names(first_namespace: Path) -> None:
    process = CardProcess(
        CARD, 1, ProcessUse.COMPUTE, simulated_command="train.py", simulated_user="ada"
    )
    named = ProcessNames(first_namespace).one(process)
    assert (named.command, named.user, named.resolved) == ("train.py", "ada", False)
