"""A program of a thousand lines that copy: what is said of it takes no longer a line."""

import sys
from collections.abc import Callable
from types import FrameType

import pytest

from gpuexplorer.lab.events import Idle, Why
from gpuexplorer.programs.findings import findings
from gpuexplorer.programs.program_run import ProgramRun, lines_of
from tests.programs.made import FILE, program, read, seen


def of_lines(count: int) -> ProgramRun:
    """Each reads from the card, which idles because of it."""
    copies = [read(line=each, row=each, waited=0.1) for each in range(1, count + 1)]
    idle = [
        Idle(each, "cuda:0", Why.READ, 0.1, 12_000, 0.001, str(FILE), 0, each, "x.item()")
        for each in range(1, count + 1)
    ]
    return program(seen(copies=copies, idle=idle))


def calls_of(does: Callable[[ProgramRun], object], run: ProgramRun) -> int:
    calls = 0

    def count(frame: FrameType, event: str, what: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count)
    try:
        does(run)
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("does", [findings, lines_of])
def test_four_times_the_lines_take_four_times_the_work(
    does: Callable[[ProgramRun], object],
) -> None:
    few, many = of_lines(50), of_lines(200)
    assert calls_of(does, many) < 6 * calls_of(does, few)
