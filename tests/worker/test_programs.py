"""What is said of a person's program when it is over."""

from pathlib import Path

import pytest

from gpuexplorer.lab.events import Failed, Finished
from tests.lab.processes import needs_torch
from tests.worker.programs import watched

pytestmark = needs_torch


def test_a_program_that_ends_well_is_told_to_its_end(tmp_path: Path) -> None:
    life = watched("print('mine')\n", folder=tmp_path)
    assert isinstance(life.outcome, Finished)
    assert life.outcome.host_seconds > 0
    assert life.seen[-1].over
    assert life.why == "The program ended."


@pytest.mark.parametrize(
    ("code", "cause", "words"),
    [
        ("1 / 0", "raised", ""),
        ("import sys; sys.exit(3)", "ended", "The program ended with status 3."),
        ("import os; os.kill(os.getpid(), 9)", "ended", "The program was killed by somebody"),
        ("import ctypes; ctypes.string_at(0)", "ended", "The program was killed by a memory"),
        ("if", "raised", ""),
    ],
)
def test_a_program_that_fails_says_why(
    code: str, cause: str, words: str, tmp_path: Path
) -> None:
    outcome = watched(code, folder=tmp_path).outcome
    assert isinstance(outcome, Failed)
    assert outcome.cause == cause
    assert outcome.sentence.startswith(words)
    assert outcome.host_seconds is not None


OTHERS = """
import os, subprocess
os.system('true')
subprocess.run('true')
"""
POOLS = """
import multiprocessing
if __name__ == '__main__':
    for way in ('fork', 'spawn'):
        each = multiprocessing.get_context(way).Process(target=print)
        each.start()
        each.join()
"""
LOADERS = """
from torch.utils.data import DataLoader
for _ in DataLoader(range(4), num_workers=2):
    pass
"""


@pytest.mark.parametrize(
    ("code", "children"),
    [
        (OTHERS, (("other program", 2),)),
        (POOLS, (("multiprocessing", 2),)),
        (LOADERS, (("loader", 2),)),
    ],
)
def test_processes_that_are_not_watched_are_counted_by_kind(
    code: str, children: tuple[tuple[str, int], ...], tmp_path: Path
) -> None:
    life = watched(code, folder=tmp_path)
    assert life.err == ""
    assert life.seen[-1].children == children
