"""Any Python runs in the worker: what a cell shows, prints, asks and draws, in its order."""

import base64
import importlib.util
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from gpuexplorer.lab.events import (
    Asked,
    Completed,
    Failed,
    Finished,
    Peeked,
    Pictured,
    Printed,
)
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Complete, Peek
from tests.lab.processes import CARD, Worker, needs_torch

pytestmark = [pytest.mark.long, needs_torch]

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="there is no matplotlib here"
)
HAS_IPYTHON = importlib.util.find_spec("IPython") is not None
FIRST = """
import os, pickle, subprocess, sys, torch, warnings
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


def warnings_of(lab: Worker, code: str) -> list[tuple[str, int, int]]:
    command = lab.run(code).id
    said = [each for each in lab.said(Printed, command) if isinstance(each, Printed)]
    return [(e.text, e.cell - command, e.line) for e in said if e.stream == "warning"]


def asked(lab: Worker, command: int, count: int = 1) -> Asked:
    """Waits for a cell's question."""
    lab.listener.wait(lambda: len(lab.said(Asked, command)) >= count)
    question = lab.said(Asked, command)[count - 1]
    assert isinstance(question, Asked)
    return question


def stopped(lab: Worker, command: int) -> None:
    lab.process.cancel(command)
    outcome = lab.listener.outcome(command)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"


EXIT = "The cell asked Python to end. It ended the cell; the session goes on."
LEFT = "1 thread that this cell started is still running."
THREAD = "import threading\ngo = threading.Event()\nt = threading.Thread(target=go.wait)\n"
TAKEN = "The cell took len from Python's own functions; that is put back."
SAID: list[tuple[str, Mapping[str, str]]] = [
    # The last expression is shown.
    ("1 + 1", {"value": "2"}),
    ("x = 3", {"value": ""}),
    ("None", {"value": ""}),
    ("[i * 2 for i in range(3)]", {"value": "[0, 2, 4]"}),
    ("torch.device('cuda')", {"value": "device(type='cuda')"}),
    ("class A:\n    def __repr__(self): return 'an A'\nA()", {"value": "an A"}),
    ("if True:\n    5", {"value": ""}),
    ("'a;b'", {"value": "'a;b'"}),
    ("'hidden';  # by its semicolon", {"value": ""}),
    ("# a remark", {"value": ""}),
    ("7 \\\n% 4", {"value": "3"}),
    ("import asyncio\nawait asyncio.sleep(0, 'waited')", {"value": "'waited'"}),
    ("__name__", {"value": "'__main__'"}),
    ("class P: n = 5\npickle.loads(pickle.dumps(P())).n", {"value": "5"}),
    ("def f(): pass\nimport inspect\ninspect.getsource(f)", {"value": r"'def f(): pass\n'"}),
    # What is printed below Python is the cell's.
    ("os.write(1, b'below\\n');", {"out": "below\n"}),
    ("os.system('echo below');", {"out": "below\n"}),
    ("subprocess.run(['echo', 'below'], stdout=None);", {"out": "below\n"}),
    ("import ctypes\nc = ctypes.CDLL(None)\nc.printf(b'below\\n')\n1;", {"out": "below\n"}),
    ("if os.fork() == 0:\n    print('below')\n    os._exit(0)\nos.wait();", {"out": "below\n"}),
    ("b = sys.stdout.buffer\nb.write(b'\\xc3')\nb.write(b'\\xa4');", {"out": "ä"}),
    ("import threading\nt = threading.Thread(target=print, args=('by',))\nt.start()\nt.join()",
     {"out": "by\n"}),
    # Commands and magics.
    ("x = 'there'\n!echo {x} $x\n!exit 3\n_exit_code",
     {"out": "there there\n", "note": "The command ended with status 3.", "value": "3"}),
    ("lines = !printf 'a\\nb\\n'\nlines", {"value": "['a', 'b']"}),
    ("a, b = 17, 5\n(a\n% b)", {"value": "2"}),
    ('"""\n!no command\n%no magic\nno help?\n"""\n!echo yes', {"out": "yes\n"}),
    ("def f(n):\n    for i in range(n):\n        !echo line\nf(2)", {"out": "line\nline\n"}),
    ("%time 6 * 7", {"value": "42"}),
    ("def area(w, h=1):\n    '''Of one.'''\narea?", {"out": "area(w, h=1)\n\nOf one.\n"}),
    # Ends of a cell, and what it leaves behind.
    ("exit()\nprint('not reached')", {"out": "", "note": EXIT}),
    ("raise SystemExit(0)", {"note": EXIT}),
    (f"{THREAD}t.start()", {"note": LEFT}),
    ("go.set()\nt.join()", {"note": ""}),
    ("import builtins\ndel builtins.len", {"note": TAKEN}),
    ("len('abc')", {"value": "3"}),
    ("if os.fork() == 0:\n    sys.exit(4)\nos.waitstatus_to_exitcode(os.wait()[1])",
     {"value": "4"}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "said"), SAID)
def test_a_cell_says_what_python_says(lab: Worker, code: str, said: Mapping[str, str]) -> None:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished), outcome
    assert {each: lab.printed(outcome.id, each) for each in said} == said


def test_what_was_shown_last_is_kept_as_in_python(lab: Worker) -> None:
    assert [lab.value("6 * 7"), lab.value("_ + 1")] == ["42", "43"]


def test_a_future_import_holds_for_later_cells_and_modules_in_the_folder_are_found(
    tmp_path: Path,
) -> None:
    (tmp_path / "mine.py").write_text("value = 'from my folder'")
    worker = Worker(Start(folder=tmp_path))
    try:
        assert isinstance(worker.run("from __future__ import annotations"), Finished)
        assert worker.value("def f(a: no): pass\nf.__annotations__") == "{'a': 'no'}"
        assert worker.value("import mine\nmine.value") == "'from my folder'"
    finally:
        worker.process.stop()


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
    said = [each for each in lab.said(Printed, outcome.id) if isinstance(each, Printed)]
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


@pytest.mark.parametrize(
    ("code", "most"),
    [
        ("for i in range(100_000): print(i)", 100),
        ("for i in range(10_000): warnings.warn(f'the {i}th')", 2100),
        ("for i in range(10_000): print(i, file=(sys.stdout, sys.stderr)[i % 2])", 2100),
    ],
)
def test_a_flood_is_cut_with_a_sentence(lab: Worker, code: str, most: int) -> None:
    outcome = lab.run(f"{code}\n'and on'")
    assert lab.printed(outcome.id, "value") == "'and on'"
    assert len(lab.printed(outcome.id)) <= 200_000
    assert "This prints too much for the lab" in lab.printed(outcome.id, "note")
    assert len(lab.said(Printed, outcome.id)) < most


@pytest.mark.skipif(sys.platform != "linux", reason="it is Linux that can hold a thread back")
def test_what_prints_faster_than_it_is_sent_on_does_not_wait_for_ever() -> None:
    worker = Worker()
    outcome = worker.run(
        "import os, sys, threading\n"
        "[pump] = [each for each in threading.enumerate() if each.name == 'prints']\n"
        "one = {min(os.sched_getaffinity(0))}\n"
        "for each in (0, pump.native_id): os.sched_setaffinity(each, one)\n"
        "os.sched_setscheduler(pump.native_id, os.SCHED_IDLE, os.sched_param(0))\n"
        "for i in range(10_000): print(i, file=(sys.stdout, sys.stderr)[i % 2])"
    )
    worker.process.stop()
    assert isinstance(outcome, Finished), outcome


def test_figures_do_not_come_without_end(lab: Worker) -> None:
    pyplot = """
import sys, types
drawn = 0
class Figure:
    dpi = 100
    def get_size_inches(self): return 1, 1
    def savefig(self, file, **how):
        global drawn
        drawn += 1
plt = sys.modules["matplotlib.pyplot"] = types.ModuleType("matplotlib.pyplot")
plt.get_fignums = lambda: range(1000)
plt.figure = lambda number: Figure()
plt.close = lambda number: None
"""
    outcome = lab.run(pyplot)
    assert len(lab.said(Pictured, outcome.id)) == 51
    assert "too much" in lab.printed(outcome.id, "note")
    assert lab.value("del sys.modules['matplotlib.pyplot']\ndrawn") == "51"


@pytest.mark.parametrize("code", ["while True: print('again')", "!yes"])
def test_an_endless_flood_can_be_stopped(lab: Worker, code: str) -> None:
    run = lab.begin(code)
    lab.listener.wait(lambda: "too much" in lab.printed(run, "note"))
    stopped(lab, run)
    assert lab.value("'at once'") == "'at once'"


@pytest.mark.parametrize("close", ["sys.stdout.close()", "os.close(1)", "sys.stdout = None"])
def test_a_closed_output_is_open_again_in_the_next_cell(lab: Worker, close: str) -> None:
    lab.run(close)
    outcome = lab.run("print('still')\nos.system('echo there');")
    assert lab.printed(outcome.id) == "still\nthere\n"


def test_what_is_very_long_is_cut_and_its_length_said(lab: Worker) -> None:
    shown = lab.value("'x' * 10**8")
    assert len(shown) < 21_000
    assert shown.endswith("x … (100,000,002 letters in all)")
    failure = lab.failure("raise type('N' * 10**6, (Exception,), {})('m' * 10**7)")
    assert len(failure.message) < 30_000
    assert len(failure.error) < 300


def test_warnings_stand_at_the_line_of_the_cell_that_called(lab: Worker) -> None:
    for _ in range(2):
        assert warnings_of(lab, "x = 1\nwarnings.warn('mind')") == [("UserWarning: mind", 0, 2)]
    [(text, cell, line)] = warnings_of(lab, "x = 1\ntorch.ones(2, 3, 4).T")
    assert "is deprecated" in text
    assert (cell, line) == (0, 2)
    lab.run("warnings.filterwarnings('ignore', message='not this')")
    assert warnings_of(lab, "warnings.warn('not this one')") == []


# What is asked


@pytest.mark.parametrize(
    ("code", "what", "answers", "value"),
    [
        ("'Hello ' + input('Your name? ')", "input", ("Ada",), "'Hello Ada'"),
        ("from getpass import getpass\nlen(getpass())", "password", ("secret",), "6"),
        ("sum(int(line) for line in sys.stdin)", "input", ("4", "5", None), "9"),
    ],
)
def test_what_a_cell_asks_for_is_answered(
    lab: Worker, code: str, what: str, answers: tuple[str | None, ...], value: str
) -> None:
    run = lab.begin(code)
    for count, text in enumerate(answers, 1):
        assert asked(lab, run, count).what == what
        lab.process.send(Answer(run, text))
    assert isinstance(lab.listener.outcome(run), Finished)
    assert lab.printed(run, "value") == value


def test_a_question_may_stay_without_an_answer_or_be_stopped(lab: Worker) -> None:
    run = lab.begin("input()")
    asked(lab, run)
    lab.process.send(Answer(run, None))
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.error == "EOFError"
    run = lab.begin("input()")
    asked(lab, run)
    stopped(lab, run)


def test_stopping_a_command_ends_what_it_started(lab: Worker, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    run = lab.begin(
        f"!sh -c 'sleep 1000 & echo $! > {mark}.part; mv {mark}.part {mark}; echo on; wait'"
    )
    lab.listener.wait(lambda: lab.printed(run) == "on\n")
    stopped(lab, run)
    stat = Path("/proc", mark.read_text().strip(), "stat")
    assert not stat.exists() or " Z " in stat.read_text()


@pytest.mark.parametrize("cd", ["!cd {0}", "%cd {0}", "os.chdir('{0}')"])
def test_changing_the_folder_stays(lab: Worker, tmp_path: Path, cd: str) -> None:
    lab.run(cd.replace("{0}", str(tmp_path)))
    assert lab.value("os.getcwd()") == repr(str(tmp_path))
    assert lab.printed(lab.run("!pwd").id) == f"{tmp_path}\n"


def test_installing_asks_first_and_pip_is_that_of_the_labs_python(lab: Worker) -> None:
    run = lab.begin("!pip install no-such-package-of-ours")
    assert asked(lab, run) == Asked(run, "install", "pip install no-such-package-of-ours")
    lab.process.send(Answer(run, None))
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.sentence == "It was not allowed, so nothing was installed."
    version = "{}.{}".format(*sys.version_info)
    for line in ("!pip --version", "%pip --version", "!python -m pip --version"):
        done = lab.run(line)
        assert not lab.said(Asked, done.id)
        told = lab.printed(done.id) + lab.printed(done.id, "err")
        assert f"(python {version})" in told or "No module named pip" in told


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
        (
            "%timeit -n 10 -r 3 sum(range(10))",
            "a loop, until all cards were done (3 samples of",
        ),
        ("%%timeit -r 3 -n 10 n = 10\nsum(range(n))", "(3 samples of 10 loops"),
    ],
)
def test_a_line_or_a_cell_can_be_timed(lab: Worker, code: str, said: str) -> None:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished)
    assert said in lab.printed(outcome.id, "note")
    failure = lab.failure("a = 1\n%time 1 / 0")
    assert (failure.error, failure.frames[-1].line) == ("ZeroDivisionError", 2)


def test_times_on_simulated_cards_are_said_to_be_modelled(simulated: Worker) -> None:
    outcome = simulated.run("x = torch.ones(2000, 2000, device='cuda')\n%timeit -r 2 x @ x")
    assert isinstance(outcome, Finished), outcome
    notes = simulated.printed(outcome.id, "note")
    assert notes.endswith("These times are modelled: the cards are simulated.")


def test_the_magics_of_ipython_work_where_it_is(lab: Worker, tmp_path: Path) -> None:
    if not HAS_IPYTHON:
        assert lab.failure("%who").sentence == (
            "%who is one of IPython's magics, and this Python has no IPython."
        )
        return
    file = tmp_path / "written.txt"
    assert isinstance(lab.run(f"%%writefile {file}\nkept"), Finished)
    assert file.read_text() == "kept\n"


# What is drawn


@needs_matplotlib
def test_figures_come_as_pictures_in_their_order_and_are_closed(lab: Worker) -> None:
    lab.run("import matplotlib.pyplot as plt")
    outcome = lab.run("for i in range(2):\n    plt.plot([i])\n    print(i)\n    plt.show()")
    said = [each for each in lab.listener.events if getattr(each, "id", None) == outcome.id]
    kinds = [type(each) for each in said if isinstance(each, Printed | Pictured)]
    assert kinds == [Printed, Pictured] * 2
    [picture] = lab.said(Pictured, lab.run("plt.figure(figsize=(200, 200), dpi=300);").id)
    assert isinstance(picture, Pictured)
    assert len(picture.png) < 4_000_000
    assert base64.b64decode(picture.png).startswith(b"\x89PNG")
    assert lab.value("plt.get_fignums()") == "[]"


# What is typed and looked at


def test_completions_are_answered_while_a_cell_runs(lab: Worker) -> None:
    run = lab.begin("value_of_mine = 5\nprint('begun')\nwhile True: pass")
    lab.listener.wait(lambda: bool(lab.printed(run)))
    typed = lab.send(lambda number: Complete(number, "value_of", 8))
    lab.listener.wait(lambda: bool(lab.said(Completed, typed)))
    [answer] = lab.said(Completed, typed)
    assert isinstance(answer, Completed)
    assert (answer.begin, answer.words) == (0, ("value_of_mine",))
    stopped(lab, run)


def test_a_part_of_a_container_can_be_looked_into(simulated: Worker) -> None:
    simulated.run("parts = {'a': torch.ones(2, 3, device='cuda')}")
    look = simulated.send(lambda number: Peek(number, "parts['a']"))
    assert isinstance(simulated.listener.outcome(look), Finished)
    [seen] = simulated.said(Peeked, look)
    assert isinstance(seen, Peeked)
    assert list(seen.rows) == [(1, 1, 1), (1, 1, 1)]
