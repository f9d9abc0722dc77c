"""Any Python runs in the worker: what a cell shows, prints, asks and draws, in its order."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Asked,
    Began,
    Completed,
    Evaluated,
    Failed,
    Finished,
    Freed,
    Placed,
    Printed,
    Transferred,
    Worth,
)
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Complete, Evaluate
from tests.lab.processes import CARD, Worker, ended, needs_torch

pytestmark = needs_torch

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
    worker.run("import torch\nX = torch.ones(2, 3, device='cuda:0')")
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


@pytest.mark.long
@pytest.mark.parametrize("code", ["while True: print('again')", "!yes"])
def test_an_endless_flood_can_be_stopped(lab: Worker, code: str) -> None:
    run = lab.begin(code)
    lab.listener.wait(lambda: "too much" in lab.printed(run, "note"))
    stopped(lab, run)
    assert lab.value("'at once'") == "'at once'"


@pytest.mark.long
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


@pytest.mark.long
def test_stopping_a_command_ends_what_it_started(lab: Worker, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    run = lab.begin(
        f"!sh -c 'sleep 1000 & echo $! > {mark}.part; mv {mark}.part {mark}; echo on; wait'"
    )
    lab.listener.wait(lambda: lab.printed(run) == "on\n")
    stopped(lab, run)
    assert ended(int(mark.read_text()))


def test_installing_asks_first(lab: Worker) -> None:
    run = lab.begin("!pip install no-such-package-of-ours")
    assert asked(lab, run) == Asked(run, "install", "pip install no-such-package-of-ours")
    lab.process.send(Answer(run, None))
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.sentence == "It was not allowed, so nothing was installed."


@pytest.mark.long
def test_whoever_started_the_worker_answers_for_a_simulated_machine(simulated: Worker) -> None:
    run = simulated.begin("!nvidia-smi -L | tail -n 1")
    question = asked(simulated, run)
    assert (question.what, question.text) == ("nvidia-smi", "-L")
    simulated.process.send(Answer(run, "GPU 0: one\nGPU 1: another\n"))
    assert isinstance(simulated.listener.outcome(run), Finished)
    assert simulated.printed(run) == "GPU 1: another\n"


@pytest.mark.long
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


def test_completions_are_answered_while_a_cell_runs(lab: Worker) -> None:
    run = lab.begin("value_of_mine = 5\nprint('begun')\nwhile True: pass")
    lab.listener.wait(lambda: bool(lab.printed(run)))
    typed = lab.send(lambda number: Complete(number, "value_of", 8))
    lab.listener.wait(lambda: bool(lab.said(Completed, typed)))
    [answer] = lab.said(Completed, typed)
    assert isinstance(answer, Completed)
    assert (answer.begin, answer.words) == (0, ("value_of_mine",))
    stopped(lab, run)


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


@pytest.mark.long
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


@pytest.mark.long
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


@pytest.mark.long
def test_a_memory_fault_says_in_which_line(doomed: Worker) -> None:
    doomed.run("import ctypes\ndef look(at):\n    return ctypes.string_at(at)")
    failure = doomed.failure("x = 0\nlook(x)")
    assert [(each.cell, each.line, each.name) for each in failure.frames] == [
        (2, 2, ""),
        (1, 3, "look"),
    ]


@pytest.mark.long
def test_a_debugger_is_stopped_though_it_takes_every_interrupt(lab: Worker) -> None:
    run = lab.begin("import pdb\npdb.set_trace()\nx = 1")
    lab.listener.wait(lambda: bool(lab.said(Asked, run)))
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert lab.value("6 * 7") == "42"


LACKS = Message("Power of card 0 is missing: this card does not report it.")
HANDED = [
    {"is": "card 0", "has": {"index": 0, "used": 512}, "lacks": {"power": LACKS.as_json()}}
]


def evaluate(simulated: Worker, *sources: str, seconds: float = 10.0, **values: object) -> int:
    told = json.dumps(values)
    return simulated.send(lambda number: Evaluate(number, sources, told, seconds))


def answered(simulated: Worker, command: int) -> list[Worth]:
    simulated.listener.outcome(command)
    said = simulated.said(Evaluated, command)
    return [worth for each in said for worth in each.worths]


def test_each_expression_gives_a_truth_a_number_or_a_text(simulated: Worker) -> None:
    sources = "cards[0].used == 512", "cards[0].used / MiB", "'a' + 'b'", "X.sum()", "X.numel()"
    more = "torch.tensor(True)", "[]"
    said = answered(simulated, evaluate(simulated, *sources, *more, cards=HANDED, MiB=1024))
    assert [each.number for each in said] == [1.0, 0.5, None, 6.0, 6.0, 1.0, None]
    assert [each.truth for each in said] == [True, True, True, True, True, True, False]
    assert said[2].text == "ab"


def test_nothing_in_the_session_is_another_afterwards(simulated: Worker) -> None:
    simulated.run("X.sum()")
    command = evaluate(
        simulated, "(X := X + 1).sum().item()", "(Z := 3)", "print('heard')", "_ == 6"
    )
    assert [each.number for each in answered(simulated, command)] == [12.0, 3.0, None, 1.0]
    for kind in (Transferred, Placed, Freed):
        assert simulated.said(kind, command) == []
    assert simulated.value("'Z' in globals(), X.sum().item()") == "(False, 6.0)"
    assert "heard" not in str(simulated.listener.events)


def test_one_that_does_not_come_back_is_stopped_and_says_so(simulated: Worker) -> None:
    command = evaluate(simulated, "1", "[0 for i in iter(int, 1)]", "2", seconds=0.3)
    said = answered(simulated, command)
    assert [each.number for each in said] == [1.0, None]
    assert said[1].error == "It took longer than 0.3 seconds and was stopped."
    assert isinstance(simulated.listener.outcome(command), Finished)
    assert simulated.value("1 + 1") == "2"


# What a card with a broken context answers to everything.
BREAK = """
def broken(*_):
    raise RuntimeError("CUDA error: the launch timed out and was terminated")

torch._C._cuda_hasPrimaryContext = lambda index: True
torch.cuda.device_count = lambda: 1
torch.cuda.is_initialized = lambda: True
torch.cuda.synchronize = torch.cuda.mem_get_info = broken
"""


def test_a_card_that_breaks_is_told_and_the_worker_goes_on(lab: Worker) -> None:
    """The last: nothing runs there any more."""
    failed = lab.failure(BREAK + "\ny = 1\n1 / 0")
    assert failed.cause == "device broken"
    assert "the launch timed out" in failed.message
    assert failed.frames[-1].line == 11
    assert lab.failure("print(1)").cause == "device broken"
    assert lab.process.running
