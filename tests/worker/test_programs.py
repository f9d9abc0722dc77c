"""What is said of a person's program, and how it is ended, asked and told."""

from pathlib import Path

import pytest

from gpuexplorer.lab.events import Asked, Began, Event, Failed, Finished, Hello, Printed
from gpuexplorer.lab.wire import Answer
from tests.lab.processes import Worker, needs_torch
from tests.worker.programs import begun, ended, watched

pytestmark = needs_torch


def written(folder: Path, code: str) -> str:
    (folder / "train.py").write_text(code, "utf-8")
    return "train.py"


def _wait_for(worker: Worker, kind: type[Event], count: int = 1) -> None:
    worker.listener.wait(lambda: len(worker.said(kind, 1)) >= count)


def test_a_program_says_hello_begins_and_finishes(tmp_path: Path) -> None:
    worker = begun(written(tmp_path, "print('mine')\n"), folder=tmp_path)
    life = ended(worker)
    hello, began, *_ = worker.listener.events
    assert isinstance(hello, Hello)
    assert hello.torch
    assert began == Began(1)
    assert isinstance(life.outcome, Finished)
    assert life.outcome.host_seconds > 0
    assert [each.over for each in life.seen][-1:] == [True]
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
    outcome = watched(written(tmp_path, code), folder=tmp_path).outcome
    assert isinstance(outcome, Failed)
    assert outcome.cause == cause
    assert outcome.sentence.startswith(words)
    assert outcome.host_seconds is not None


def test_what_a_program_asks_is_answered(tmp_path: Path) -> None:
    code = "print(input('Who? ') + input('And? '))"
    worker = begun(written(tmp_path, code), folder=tmp_path)
    for number, (question, answer) in enumerate((("Who? ", "me"), ("Who? And? ", "you")), 1):
        _wait_for(worker, Asked, number)
        worker.listener.wait(lambda: worker.printed(1) == question)  # noqa: B023
        worker.process.send(Answer(1, answer))
    assert ended(worker).out == "Who? And? meyou\n"


def test_a_program_that_never_ends_is_interrupted(tmp_path: Path) -> None:
    code = """
import os, time
try:
    os.write(1, b'on\\n')
    time.sleep(1000)
finally:
    print('off')
"""
    worker = begun(written(tmp_path, code), folder=tmp_path)
    _wait_for(worker, Printed)
    worker.process.cancel(1)
    life = ended(worker)
    assert life.out == "on\noff\n"
    assert life.err.endswith("KeyboardInterrupt\n")
    assert life.status == -2
    assert isinstance(life.outcome, Failed)
    assert life.outcome.cause == "cancelled"


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
    life = watched(written(tmp_path, code), folder=tmp_path)
    assert life.err == ""
    assert life.seen[-1].children == children
