"""The book of processes: by name, with a past, calm where the driver is not, and as psutil
has it.
"""

import math
import os
import subprocess
import sys
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry import system as proc_files
from gpuexplorer.telemetry.process_book import (
    ELSEWHERE,
    ENDED_STAYS,
    UNCOLLECTED,
    ProcessBook,
    ProcessNames,
    Standing,
    end,
    refusal,
)
from gpuexplorer.telemetry.processes import (
    CardProcess,
    NamedProcess,
    ProcessFigure,
    ProcessUse,
    Way,
)
from tests.clocks import ManualClock
from tests.programs_that_end import Program, stubborn, willing
from tests.telemetry.conftest import until

__all__ = ["stubborn", "willing"]

A, B = CardId("GPU-a"), CardId("GPU-b")


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def book(clock: ManualClock) -> ProcessBook:
    return ProcessBook(clock)


# Of the computer itself: tests may run inside a container.
_NAMES = ProcessNames(Path("no namespaces"))


def made_up(
    card: CardId, pid: int, sm: float | None = 0.5, memory: float = 1e9
) -> NamedProcess:
    told = {ProcessFigure.MEMORY: memory, ProcessFigure.SM: sm}
    values = {each: value for each, value in told.items() if value is not None}
    missing = {each: Absence.NO_NEW_SAMPLE for each in told if each not in values}
    command = f"train {pid}"
    return _NAMES.one(CardProcess(card, pid, ProcessUse.COMPUTE, values, missing, command))


def standings(book: ProcessBook) -> dict[int, Standing]:
    return {row.named.process.pid: row.standing for row in book.rows()}


def test_the_past_is_kept_for_each_process(book: ProcessBook, clock: ManualClock) -> None:
    for look in range(3):
        book.take(A, [made_up(A, 1, sm=look / 10, memory=look)])
        book.take(B, [made_up(B, 1, sm=0.9)])
        clock.advance(2.0)
    past = book.past(A, 1)
    assert list(past.times) == [1000.0, 1002.0, 1004.0]
    assert list(past.sm) == pytest.approx([0.0, 0.1, 0.2])
    assert list(past.memory) == [0.0, 1.0, 2.0]
    assert list(book.past(B, 1).sm) == pytest.approx([0.9] * 3)
    assert list(book.past(B, 2).times) == []
    book.take(A, [made_up(A, 1, sm=None)])
    assert math.isnan(book.past(A, 1).sm[-1])  # a gap, and not a zero
    assert book.living()[0].process.missing[ProcessFigure.SM] is Absence.NO_NEW_SAMPLE


def test_who_ended_stays_a_moment_and_says_so(book: ProcessBook, clock: ManualClock) -> None:
    book.take(A, [made_up(A, 1), made_up(A, 2)])
    clock.advance(2.0)
    book.take(A, [made_up(A, 2)])
    assert standings(book) == {1: Standing.ENDED, 2: Standing.THERE}
    assert [named.process.pid for named in book.living()] == [2]
    clock.advance(ENDED_STAYS)
    book.take(A, [made_up(A, 2)])
    assert standings(book) == {2: Standing.THERE}


def test_a_card_that_tells_nothing_keeps_rows(book: ProcessBook, clock: ManualClock) -> None:
    book.take(A, [made_up(A, 1)])
    book.take(B, [made_up(B, 2)])
    clock.advance(2.0)
    book.take(A, None)
    assert standings(book) == {1: Standing.UNKNOWN, 2: Standing.THERE}
    [unknown] = [row.named for row in book.rows() if row.standing is Standing.UNKNOWN]
    assert unknown.command == "train 1"
    assert not unknown.process.values
    assert set(unknown.process.missing) == set(ProcessFigure)
    assert [named.process.pid for named in book.living()] == [2]
    clock.advance(2.0)
    book.take(A, [made_up(A, 1)])
    assert standings(book) == {1: Standing.THERE, 2: Standing.THERE}


@pytest.fixture
def names(tmp_path: Path) -> ProcessNames:
    """Of the computer itself: tests may run inside a container."""
    return ProcessNames(tmp_path / "proc without namespaces")


def named(pid: int, names: ProcessNames) -> NamedProcess:
    return names.one(CardProcess(CardId("GPU-a"), pid, ProcessUse.COMPUTE))


def test_our_own_process_is_named_and_not_ended_from_here(names: ProcessNames) -> None:
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
def test_one_that_ended_uncollected_has_a_reason_and_no_zeros(names: ProcessNames) -> None:
    code = "print('here', flush=True); input()"
    pipe = subprocess.PIPE
    with subprocess.Popen([sys.executable, "-c", code], stdin=pipe, stdout=pipe) as other:
        assert other.stdout is not None
        other.stdout.readline()  # until then it may bear our own name, or no arguments
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


def test_what_is_of_another_user_is_refused(willing: Program, names: ProcessNames) -> None:
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


if sys.platform != "linux":
    pytest.skip("Linux has /proc", allow_module_level=True)


def both(pid: int) -> tuple[proc_files.Process, psutil.Process]:
    return proc_files.Process(pid), psutil.Process(pid)


def test_every_process_here_is_the_same_to_both() -> None:
    compared = 0
    for pid in psutil.pids():
        with suppress(psutil.Error, proc_files.Error):  # it ended meanwhile
            ours, theirs = both(pid)
            before = (theirs.name(), theirs.cmdline())
            told = (ours.name(), ours.cmdline())
            if before == (theirs.name(), theirs.cmdline()):  # else it renamed itself meanwhile
                assert told == before
                assert ours.username() == theirs.username()
                # Both add whole seconds, which may have gone on by one between the two looks.
                assert abs(ours.create_time() - theirs.create_time()) < 1.02
                compared += 1
    assert compared > 2


def test_a_process_has_the_same_figures_in_both(willing: Program) -> None:
    ours, theirs = both(willing.pid)
    until(lambda: theirs.status() == psutil.STATUS_SLEEPING)
    assert ours.memory_info().rss == theirs.memory_info().rss > 1e6
    assert ours.status() == "S"
    assert ours.create_time() == pytest.approx(theirs.create_time(), abs=0.02)
    assert ours.cpu_times().user == theirs.cpu_times().user
    assert ours.cpu_times().system == theirs.cpu_times().system


def test_memory_and_swap_are_the_same() -> None:
    ours, theirs = proc_files.virtual_memory(), psutil.virtual_memory()
    assert ours.total == theirs.total
    assert ours.available == pytest.approx(theirs.available, rel=0.2)
    assert proc_files.swap_memory().total == psutil.swap_memory().total
    assert proc_files.swap_memory().used == pytest.approx(psutil.swap_memory().used, rel=0.2)


def test_where_there_is_no_word_of_swap_it_is_not_called_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "meminfo").write_text("MemTotal: 8 kB\nMemAvailable: 5 kB\n")
    monkeypatch.setattr(proc_files, "_PROC", str(tmp_path))
    assert proc_files.virtual_memory().total == 8192
    with pytest.raises(KeyError, match="SwapTotal"):
        proc_files.swap_memory()
