"""What a cell can do to its session by accident: the window goes on, and says what happened."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Asked, Began, Failed, Finished, Printed
from gpuexplorer.lab.start import Start
from tests.lab.processes import Worker, ended, needs_torch

pytestmark = [pytest.mark.long, needs_torch]
needs_linux = pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")


@pytest.fixture(scope="module")
def lab() -> Iterator[Worker]:
    """One for all that should not end it."""
    worker = Worker(Start())
    yield worker
    worker.process.stop()


@pytest.fixture
def doomed() -> Iterator[Worker]:
    """One that a test may end."""
    worker = Worker(Start())
    yield worker
    worker.process.stop()
    assert not worker.process.running


def goes_on(lab: Worker) -> bool:
    return lab.value("6 * 7") == "42"


def stopped(lab: Worker, run: int) -> Failed:
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed), outcome
    assert (outcome.cause, outcome.sentence) == ("cancelled", "Cancelled.")
    return outcome


# Stop


@pytest.mark.parametrize(
    "code",
    [
        "while True: pass",
        "import time\ntime.sleep(1000)",
        "import subprocess\nsubprocess.run(['sleep', '1000'])",
    ],
)
def test_stop_is_a_keyboard_interrupt(lab: Worker, code: str) -> None:
    run = lab.begin("print('begun')\n" + code)
    lab.listener.wait(lambda: lab.printed(run) == "begun\n")
    failure = stopped(lab, run)
    assert failure.error == "KeyboardInterrupt"
    assert failure.frames[0].cell == run
    assert failure.frames[0].line >= 2
    assert goes_on(lab)


def test_what_awaits_can_be_stopped_and_does_not_go_on_later(lab: Worker) -> None:
    run = lab.begin("import asyncio\nprint('begun')\nawait asyncio.sleep(0.2)\nprint('ended')")
    lab.listener.wait(lambda: lab.printed(run) == "begun\n")
    stopped(lab, run)
    assert lab.value("await asyncio.sleep(0.3, 'alone')") == "'alone'"
    assert "ended" not in lab.printed(run) + lab.printed(run + 1)


def test_what_catches_every_stop_can_be_stopped_again(lab: Worker) -> None:
    run = lab.begin(
        "for i in range(3):\n    try:\n        print(i)\n        while True: pass\n"
        "    except KeyboardInterrupt: pass\nprint('out')\nwhile True: pass"
    )
    for count in range(3):
        lab.listener.wait(lambda count=count: str(count) in lab.printed(run))  # type: ignore[misc]  # mypy cannot infer this default
        lab.process.cancel(run)
    lab.listener.wait(lambda: "out" in lab.printed(run))
    run_on = lab.begin("'waited'")
    stopped(lab, run)
    assert isinstance(lab.listener.outcome(run_on), Finished)


def test_a_stop_that_falls_into_a_destructor_is_not_lost(lab: Worker) -> None:
    run = lab.begin(
        "class Thing:\n    def __del__(self):\n        print('goes')\n        while 1: pass\n"
        "Thing()\nwhile True: pass"
    )
    lab.listener.wait(lambda: lab.printed(run) == "goes\n")
    stopped(lab, run)
    assert lab.printed(run, "err") == ""
    assert goes_on(lab)


def test_what_pytorch_imports_late_is_whole_after_a_stop(doomed: Worker) -> None:
    run = doomed.begin("print('begun')\nimport torch._dynamo\nwhile True: pass")
    doomed.listener.wait(lambda: doomed.printed(run) == "begun\n")
    stopped(doomed, run)
    assert doomed.value("torch._dynamo.utils.__name__") == "'torch._dynamo.utils'"


def test_a_waiting_cell_that_is_cancelled_never_runs(lab: Worker) -> None:
    lab.run("ran = []")
    run = lab.begin("while True: pass")
    waiting = lab.begin("ran.append('it did')")
    lab.process.cancel(waiting)
    lab.listener.wait(lambda: bool(lab.said(Began, run)))
    stopped(lab, run)
    outcome = lab.listener.outcome(waiting)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert lab.value("ran") == "[]"


# Ends


@pytest.mark.parametrize(
    ("code", "why"),
    [
        ("import os\nos._exit(3)", "The worker ended with status 3."),
        ("import os\nos.abort()", "The worker was killed by SIGABRT."),
        (
            "import ctypes\nctypes.string_at(0)",
            "The worker was killed by a memory fault of its own (SIGSEGV).",
        ),
        (
            "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)",
            "The worker was killed by somebody, or by the system for want of memory (SIGKILL).",
        ),
        (
            "import os\nos.closerange(3, 2000)",
            "Code in the worker closed its pipe to the window.",
        ),
    ],
)
def test_a_worker_that_a_cell_ends_says_why(doomed: Worker, code: str, why: str) -> None:
    failure = doomed.failure(code)
    assert (failure.cause, failure.sentence) == ("worker lost", why)
    assert doomed.listener.end == why


def test_a_memory_fault_says_in_which_line(doomed: Worker) -> None:
    doomed.run("import ctypes\ndef look(at):\n    return ctypes.string_at(at)")
    failure = doomed.failure("x = 0\nlook(x)")
    assert [(each.cell, each.line, each.name) for each in failure.frames] == [
        (2, 2, ""),
        (1, 3, "look"),
    ]


# Threads and processes


@needs_linux
def test_a_childs_child_does_not_keep_a_dead_workers_window_waiting(doomed: Worker) -> None:
    run = doomed.begin(
        "import os, time\npid = os.fork()\nif pid == 0:\n    time.sleep(1000)\nprint(pid)\n"
        "time.sleep(0.1)\nos._exit(1)"
    )
    assert isinstance(doomed.listener.outcome(run), Failed)
    assert doomed.listener.end.startswith("The worker ended with status 1")
    assert ended(int(doomed.printed(run) or "0") or 999_999_999)


# Files and names


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_too_many_open_files_are_an_error(lab: Worker) -> None:
    failure = lab.failure("files = []\nwhile True: files.append(open('/dev/zero'))")
    assert "Too many open files" in failure.message
    assert isinstance(lab.run("files.clear()"), Finished)
    assert goes_on(lab)


@pytest.mark.parametrize(
    "code",
    [
        "del __builtins__",
        "import builtins\ndel builtins.len, builtins.isinstance, builtins.print",
        "import sys\nsys.modules.clear()",
        "globals().clear()",
    ],
)
def test_a_cell_that_takes_python_apart_leaves_a_session(doomed: Worker, code: str) -> None:
    doomed.run(code)
    assert goes_on(doomed)


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("def f(): return f()\nf()", "RecursionError"),
        ("x = [0] * 10**15", "MemoryError"),
        ("class A:\n    def __repr__(self): raise ValueError('no words')\nA()", "ValueError"),
        ("class E(Exception):\n    def __str__(self): 1 / 0\nraise E", "E"),
        ("raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("(" * 1000, "SyntaxError"),
        ("x = " + "-" * 100_000 + "1", "RecursionError"),
    ],
)
def test_whatever_is_raised_is_an_answer(lab: Worker, code: str, error: str) -> None:
    failure = lab.failure(code)
    assert failure.error in (error, "MemoryError", "ValueError")
    assert goes_on(lab)


def test_printing_a_gigabyte_is_cut(lab: Worker) -> None:
    outcome = lab.run("print('x' * 10**9)")
    assert isinstance(outcome, Finished)
    said = [each for each in lab.said(Printed, outcome.id) if isinstance(each, Printed)]
    assert sum(len(each.text) for each in said) < 210_000


def test_a_debugger_is_stopped_though_it_takes_every_interrupt(lab: Worker) -> None:
    run = lab.begin("import pdb\npdb.set_trace()\nx = 1")
    lab.listener.wait(lambda: bool(lab.said(Asked, run)))
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert goes_on(lab)
