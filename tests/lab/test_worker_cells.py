"""Any Python runs in the worker: what a cell shows, prints, asks and draws, in its order."""

import base64
import importlib.util
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Asked, Began, Completed, Failed, Finished, Pictured, Printed
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Complete
from tests.lab.processes import CARD, Worker, needs_torch
from tests.remote.waiting import gone_within

pytestmark = [pytest.mark.long, needs_torch]

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="there is no matplotlib here"
)
FIRST = """
import os, pickle, subprocess, sys, threading, torch, warnings
from torch import nn
from torch.nn import functional as F
"""


@pytest.fixture(scope="module")
def lab() -> Iterator[Worker]:
    """On the processor alone, with what cells below need."""
    worker = Worker(Start())
    worker.run(FIRST)
    yield worker
    worker.process.stop()


@pytest.fixture(scope="module")
def simulated() -> Iterator[Worker]:
    worker = Worker(Start(cards=[CARD]))
    worker.run("import torch")
    yield worker
    worker.process.stop()


@pytest.fixture
def doomed(worker: Callable[[Start], Worker]) -> Worker:
    """One that a test may end."""
    return worker(Start())


def warnings_of(lab: Worker, code: str) -> list[tuple[str, int, int]]:
    command = lab.run(code).id
    said = lab.said(Printed, command)
    return [(e.text, e.cell - command, e.line) for e in said if e.stream == "warning"]


def asked(lab: Worker, command: int) -> Asked:
    """Waits for a cell's question."""
    lab.listener.wait(lambda: bool(lab.said(Asked, command)))
    [question] = lab.said(Asked, command)
    assert isinstance(question, Asked)
    return question


def stopped(lab: Worker, command: int) -> Failed:
    lab.process.cancel(command)
    outcome = lab.listener.outcome(command)
    assert isinstance(outcome, Failed)
    assert (outcome.cause, outcome.sentence) == ("cancelled", "Cancelled.")
    return outcome


EXIT = "The cell asked Python to end. It ended the cell; the session goes on."
SAID: list[tuple[str, Mapping[str, str]]] = [
    # The last expression is shown.
    ("1 + 1", {"value": "2"}),
    ("x = 3", {"value": ""}),
    ("None", {"value": ""}),
    ("'a;b'", {"value": "'a;b'"}),
    ("'hidden';  # by its semicolon", {"value": ""}),
    ("import asyncio\nawait asyncio.sleep(0, 'waited')", {"value": "'waited'"}),
    ("__name__", {"value": "'__main__'"}),
    ("class P: n = 5\npickle.loads(pickle.dumps(P())).n", {"value": "5"}),
    ("def f(): pass\nimport inspect\ninspect.getsource(f)", {"value": r"'def f(): pass\n'"}),
    # What is printed below Python is the cell's.
    ("os.system('echo below');", {"out": "below\n"}),
    ("import ctypes\nc = ctypes.CDLL(None)\nc.printf(b'below\\n')\n1;", {"out": "below\n"}),
    ("if os.fork() == 0:\n    print('below')\n    os._exit(0)\nos.wait();", {"out": "below\n"}),
    ("import threading\nt = threading.Thread(target=print, args=('by',))\nt.start()\nt.join()",
     {"out": "by\n"}),
    # Commands and magics.
    ("x = 'there'\n!echo {x} $x\n!exit 3",
     {"out": "there there\n", "note": "The command ended with status 3."}),
    ("lines = !printf 'a\\nb\\n'\nlines", {"value": "['a', 'b']"}),
    ("a, b = 17, 5\n(a\n% b)", {"value": "2"}),
    ('"""\n!no command\n%no magic\nno help?\n"""\n!echo yes', {"out": "yes\n"}),
    ("def f(n):\n    for i in range(n):\n        !echo line\nf(2)", {"out": "line\nline\n"}),
    ("%time 6 * 7", {"value": "42"}),
    ("!echo one \\\n  two\n%matplotlib inline", {"out": "one two\n", "note": ""}),
    ("%%capture\nprint('unseen')\n5", {"out": "", "value": ""}),
    ("%%bash\necho {by} its shell", {"out": "{by} its shell\n"}),
    ("%who\n7", {"value": "7", "note": "%who is not offered here, and was passed over."}),
    ("def area(w, h=1):\n    '''Of one.'''\narea?", {"out": "area(w, h=1)\n\nOf one.\n"}),
    # Ends of a cell, and what it leaves behind.
    ("exit()\nprint('not reached')", {"out": "", "note": EXIT}),
    ("if os.fork() == 0:\n    sys.exit(4)\nos.waitstatus_to_exitcode(os.wait()[1])",
     {"value": "1"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said"), SAID, ids=range(len(SAID)))
def test_a_cell_says_what_python_says(lab: Worker, code: str, said: Mapping[str, str]) -> None:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished), outcome
    assert {each: lab.printed(outcome.id, each) for each in said} == said


def test_a_cell_can_be_written_to_a_module_which_is_found(
    worker: Callable[[Start], Worker], tmp_path: Path
) -> None:
    there = worker(Start(folder=tmp_path))
    there.run("%%writefile mine.py\nvalue = 'from my folder'")
    assert there.value("import mine\nmine.value") == "'from my folder'"


def test_an_error_names_the_cell_and_its_line(lab: Worker) -> None:
    lab.run("def broken(x):\n    y = 1\n    return x / 0")
    definition = lab.run("broken").id - 1
    failure = lab.failure("a = 1\nbroken(a)")
    assert (failure.error, failure.message) == ("ZeroDivisionError", "division by zero")
    frames = [(each.cell - definition, each.line, each.name) for each in failure.frames]
    assert frames == [(2, 2, ""), (0, 3, "broken")]
    failure = lab.failure("a = 1\nif a\n    b")
    assert failure.error == "SyntaxError"
    assert "expected ':'" in failure.message


# What is printed


def test_what_is_printed_comes_in_its_order_with_what_is_shown(lab: Worker) -> None:
    outcome = lab.run("print('a')\nprint('b', file=sys.stderr)\nprint('c')\n'd'")
    said = lab.said(Printed, outcome.id)
    assert [(each.stream, each.text) for each in said] == [
        ("out", "a\n"),
        ("err", "b\n"),
        ("out", "c\n"),
        ("value", "'d'"),
    ]


def test_what_is_printed_comes_while_the_cell_runs_also_without_an_end(lab: Worker) -> None:
    run = lab.begin("print('50 %', end='')\nthreading.Event().wait()")
    lab.listener.wait(lambda: lab.printed(run) == "50 %")
    stopped(lab, run)


def test_a_flood_is_cut_with_a_sentence(lab: Worker) -> None:
    outcome = lab.run("for i in range(100_000): print(i)\n'and on'")
    assert lab.printed(outcome.id, "value") == "'and on'"
    assert len(lab.printed(outcome.id)) <= 200_000
    assert "This prints too much for the lab" in lab.printed(outcome.id, "note")
    assert len(lab.said(Printed, outcome.id)) < 100


@pytest.mark.parametrize("code", ["while True: print('again')", "!yes"])
def test_an_endless_flood_can_be_stopped(lab: Worker, code: str) -> None:
    run = lab.begin(code)
    lab.listener.wait(lambda: "too much" in lab.printed(run, "note"))
    stopped(lab, run)
    assert lab.value("'at once'") == "'at once'"


def test_a_stop_that_a_destructor_swallows_ends_the_cell_all_the_same(lab: Worker) -> None:
    slow = "    def __del__(self): print('begun'); __import__('time').sleep(1000)"
    run = lab.begin(f"class Slow:\n{slow}\nSlow()\nwhile True: pass")
    lab.listener.wait(lambda: "begun" in lab.printed(run))
    stopped(lab, run)


def test_what_is_very_long_is_cut(lab: Worker) -> None:
    shown = lab.value("'x' * 10**8")
    assert len(shown) < 21_000
    assert shown.endswith("x …")
    assert len(lab.failure("raise Exception('m' * 10**7)").message) < 30_000


def test_warnings_stand_at_the_line_of_the_cell_that_called(lab: Worker) -> None:
    for _ in range(2):
        assert warnings_of(lab, "x = 1\nwarnings.warn('mind')") == [("UserWarning: mind", 0, 2)]
    [(_, cell, line)] = warnings_of(lab, "x = 1\ntorch.ones(2, 3, 4).T")
    assert (cell, line) == (0, 2)


# What is asked


@pytest.mark.parametrize(
    ("code", "what", "value"),
    [
        ("'Hello ' + input('Your name? ')", "input", "'Hello Ada'"),
        ("from getpass import getpass\nlen(getpass())", "password", "3"),
    ],
)
def test_what_a_cell_asks_for_is_answered(
    lab: Worker, code: str, what: str, value: str
) -> None:
    run = lab.begin(code)
    assert asked(lab, run).what == what
    lab.process.send(Answer(run, "Ada"))
    assert isinstance(lab.listener.outcome(run), Finished)
    assert lab.printed(run, "value") == value


def test_stopping_a_command_ends_what_it_started(lab: Worker, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    run = lab.begin(
        f"!sh -c 'sleep 1000 & echo $! > {mark}.part; mv {mark}.part {mark}; echo on; wait'"
    )
    lab.listener.wait(lambda: lab.printed(run) == "on\n")
    stopped(lab, run)
    assert gone_within(int(mark.read_text()), 10.0)


def test_changing_the_folder_stays(lab: Worker, tmp_path: Path) -> None:
    assert lab.printed(lab.run(f"%cd {tmp_path}").id) == f"{tmp_path}\n"
    assert lab.printed(lab.run("!pwd").id) == f"{tmp_path}\n"


def test_installing_asks_first(lab: Worker) -> None:
    run = lab.begin("!pip install no-such-package-of-ours")
    assert asked(lab, run) == Asked(run, "install", "pip install no-such-package-of-ours")
    lab.process.send(Answer(run, None))
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.sentence == "It was not allowed, so nothing was installed."


def test_whoever_started_the_worker_answers_for_a_simulated_machine(simulated: Worker) -> None:
    run = simulated.begin("!nvidia-smi -L | tail -n 1")
    assert asked(simulated, run) == Asked(run, "nvidia-smi", "-L")
    simulated.process.send(Answer(run, "GPU 0: one\nGPU 1: another\n"))
    assert isinstance(simulated.listener.outcome(run), Finished)
    assert simulated.printed(run) == "GPU 1: another\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("%time x = sum(range(10))", "s, until all cards were done."),
        ("%%time\nx = 3\nx = 45", "s, until all cards were done."),
        ("%timeit -n 10 -r 3 sum(range(10))", "(3 samples of 10 loops"),
        ("%%timeit -r 3 -n 10 n = 10\nsum(range(n))", "(3 samples of 10 loops"),
    ],
)
def test_a_line_or_a_cell_can_be_timed(lab: Worker, code: str, said: str) -> None:
    assert said in lab.printed(lab.run(code).id, "note")
    failure = lab.failure("a = 1\n%time 1 / 0")
    assert (failure.error, failure.frames[-1].line) == ("ZeroDivisionError", 2)


def test_times_on_simulated_cards_are_said_to_be_modelled(simulated: Worker) -> None:
    outcome = simulated.run("x = torch.ones(2000, 2000, device='cuda')\n%timeit -r 2 x @ x")
    assert isinstance(outcome, Finished), outcome
    notes = simulated.printed(outcome.id, "note")
    assert notes.endswith("These times are modelled: the cards are simulated.")


# What is drawn


@needs_matplotlib
def test_figures_come_as_pictures_in_their_order_and_are_closed(lab: Worker) -> None:
    lab.run("import matplotlib.pyplot as plt")
    outcome = lab.run("for i in range(2):\n    plt.plot([i])\n    print(i)\n    plt.show()")
    said = [each for each in lab.listener.events if getattr(each, "id", None) == outcome.id]
    kinds = [type(each) for each in said if isinstance(each, Printed | Pictured)]
    assert kinds == [Printed, Pictured] * 2
    [picture] = lab.said(Pictured, lab.run("plt.figure();").id)
    assert isinstance(picture, Pictured)
    assert base64.b64decode(picture.png).startswith(b"\x89PNG")
    assert lab.value("plt.get_fignums()") == "[]"


# What is typed


def test_completions_are_answered_while_a_cell_runs(lab: Worker) -> None:
    run = lab.begin("value_of_mine = 5\nprint('begun')\nwhile True: pass")
    lab.listener.wait(lambda: bool(lab.printed(run)))
    typed = lab.send(lambda number: Complete(number, "value_of", 8))
    lab.listener.wait(lambda: bool(lab.said(Completed, typed)))
    [answer] = lab.said(Completed, typed)
    assert isinstance(answer, Completed)
    assert (answer.begin, answer.words) == (0, ("value_of_mine",))
    stopped(lab, run)


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
    assert lab.value("6 * 7") == "42"


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
        ("import os\nos._exit(3)", "with status 3."),
        ("import ctypes\nctypes.string_at(0)", "by a memory fault of its own (SIGSEGV)."),
        ("import os, signal\nos.kill(os.getpid(), signal.SIGKILL)", "memory (SIGKILL)."),
    ],
)
def test_a_worker_that_a_cell_ends_says_why(doomed: Worker, code: str, why: str) -> None:
    failure = doomed.failure(code)
    assert failure.cause == "worker lost"
    assert failure.sentence.endswith(why)
    assert doomed.listener.end == failure.sentence


def test_a_memory_fault_says_in_which_line(doomed: Worker) -> None:
    doomed.run("import ctypes\ndef look(at):\n    return ctypes.string_at(at)")
    failure = doomed.failure("x = 0\nlook(x)")
    assert [(each.cell, each.line, each.name) for each in failure.frames] == [
        (2, 2, ""),
        (1, 3, "look"),
    ]


def test_a_debugger_is_stopped_though_it_takes_every_interrupt(lab: Worker) -> None:
    run = lab.begin("import pdb\npdb.set_trace()\nx = 1")
    lab.listener.wait(lambda: bool(lab.said(Asked, run)))
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert lab.value("6 * 7") == "42"
