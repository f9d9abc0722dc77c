"""What is read from /proc by ourselves is just what psutil reads."""

import sys
import time
from contextlib import suppress
from pathlib import Path

import psutil
import pytest

from tests.programs_that_end import Program, stubborn, willing

if sys.platform != "linux":
    pytest.skip("Linux has /proc", allow_module_level=True)

from gpuexplorer.telemetry import system as proc_files

__all__ = ["stubborn", "willing"]

PATIENCE = 30.0


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


def test_a_sleeping_process_has_the_same_figures_in_both(willing: Program) -> None:
    ours, theirs = both(willing.pid)
    until = time.monotonic() + PATIENCE
    while theirs.status() != psutil.STATUS_SLEEPING:  # it said so, and went on a little
        assert time.monotonic() < until
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
