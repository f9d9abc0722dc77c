"""Any Python runs in the worker: what a cell shows, prints, asks and draws, in its order."""

import base64
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.lab.events import (
    Asked,
    Completed,
    Event,
    Failed,
    Finished,
    Pictured,
    Printed,
)
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Answer, Complete
from tests.lab.processes import CARD, Worker, needs_torch

pytestmark = [pytest.mark.long, needs_torch]

needs_matplotlib = pytest.mark.skipif(
    importlib.util.find_spec("matplotlib") is None, reason="there is no matplotlib here"
)
needs_ipython = pytest.mark.skipif(
    importlib.util.find_spec("IPython") is None, reason="there is no IPython here"
)


@pytest.fixture(scope="module")
def lab() -> Iterator[Worker]:
    """On the processor alone, with what the first cell of every session imports."""
    worker = Worker(Start())
    worker.run("import torch\nfrom torch import nn\nfrom torch.nn import functional as F")
    yield worker
    worker.process.stop()


@pytest.fixture(scope="module")
def simulated() -> Iterator[Worker]:
    worker = Worker(Start(cards=[CARD]))
    worker.run("import torch")
    yield worker
    worker.process.stop()


def printed(lab: Worker, code: str, stream: str = "out") -> str:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished), outcome
    return lab.printed(outcome.id, stream)


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


# What is shown


@pytest.mark.parametrize(
    ("code", "shown"),
    [
        ("1 + 1", "2"),
        ("x = 3\nx", "3"),
        ("x = 3", ""),
        ("None", ""),
        ("[i * 2 for i in range(3)]", "[0, 2, 4]"),
        (
            "torch.device('cpu'), torch.device('cuda')",
            "(device(type='cpu'), device(type='cuda'))",
        ),
        ("def f():\n    '''Doubles.'''\n    return 2\nf()", "2"),
        ("class A:\n    def __repr__(self): return 'an A'\nA()", "an A"),
        ("if True:\n    5", ""),
        ("5;", ""),
        ("'a;b'", "'a;b'"),
        ("'hidden';  # by its semicolon", ""),
        ("", ""),
        ("# a remark", ""),
        ("(1 +\n 2)", "3"),
        ("7 \\\n% 4", "3"),
        ("import asyncio\nawait asyncio.sleep(0, 'waited')", "'waited'"),
        ("__name__", "'__main__'"),
    ],
)
def test_the_last_expression_of_a_cell_is_shown(lab: Worker, code: str, shown: str) -> None:
    assert lab.value(code) == shown


def test_what_was_shown_last_is_kept_as_in_python(lab: Worker) -> None:
    assert [lab.value("6 * 7"), lab.value("_ + 1")] == ["42", "43"]


def test_a_future_import_holds_for_the_cells_after_it() -> None:
    worker = Worker(Start())
    try:
        assert isinstance(worker.run("from __future__ import annotations"), Finished)
        assert (
            worker.value("def f(a: undefined): pass\nf.__annotations__") == "{'a': 'undefined'}"
        )
    finally:
        worker.process.stop()


def test_what_cells_define_can_be_pickled_and_its_source_is_known(lab: Worker) -> None:
    code = "import pickle, inspect\nclass P:\n    n = 5\npickle.loads(pickle.dumps(P())).n"
    assert lab.value(code) == "5"
    lab.run("def twice(x):\n    return 2 * x")
    assert lab.value("inspect.getsource(twice)") == repr("def twice(x):\n    return 2 * x\n")


def test_modules_in_the_labs_folder_are_found(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("value = 'from my folder'")
    worker = Worker(Start(folder=tmp_path))
    try:
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


def test_code_that_cannot_be_read_says_where(lab: Worker) -> None:
    failure = lab.failure("a = 1\nif a\n    b")
    assert failure.error == "SyntaxError"
    assert "expected ':'" in failure.message


# What is printed


def test_what_is_printed_comes_in_its_order_with_what_is_shown(lab: Worker) -> None:
    outcome = lab.run("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c')\n'd'")
    said = [each for each in lab.said(Printed, outcome.id) if isinstance(each, Printed)]
    assert [(each.stream, each.text) for each in said] == [
        ("out", "a\n"),
        ("err", "b\n"),
        ("out", "c\n"),
        ("value", "'d'"),
    ]


def test_what_is_printed_comes_while_the_cell_runs(lab: Worker) -> None:
    run = lab.begin("import threading\nprint('begun')\nthreading.Event().wait()")
    lab.listener.wait(lambda: "begun" in lab.printed(run))
    lab.process.cancel(run)
    assert isinstance(lab.listener.outcome(run), Failed)


def test_a_line_without_an_end_is_not_kept_back(lab: Worker) -> None:
    run = lab.begin("print('50 %', end='')\nthreading.Event().wait()")
    lab.listener.wait(lambda: lab.printed(run) == "50 %")
    lab.process.cancel(run)
    assert isinstance(lab.listener.outcome(run), Failed)


@pytest.mark.parametrize(
    "code",
    [
        "import ctypes\nc = ctypes.CDLL(None)\nc.printf(b'below\\n')",
        "import os\nos.write(1, b'below\\n')",
        "import os\nos.system('echo below')",
        "import subprocess\nsubprocess.run(['echo', 'below'])",
        "!echo below",
        "import sys\nsys.stdout.buffer.write(b'below\\n')",
        "import os\nif os.fork() == 0:\n    print('below')\n    os._exit(0)\nos.wait()",
    ],
)
def test_what_is_printed_below_python_is_the_cells(lab: Worker, code: str) -> None:
    assert printed(lab, code + "\nprint('above')") == "below\nabove\n"


def test_a_letter_that_comes_in_two_parts_is_whole(lab: Worker) -> None:
    code = "import sys\nb = 'ä\\n'.encode()\nsys.stdout.buffer.write(b[:1])\n"
    assert printed(lab, code + "sys.stdout.buffer.write(b[1:]);") == "ä\n"


def test_a_progress_bar_does_not_fill_anything(lab: Worker) -> None:
    code = "for i in range(100_000): print('\\r' + '#' * 50, i, end='')"
    outcome = lab.run(code)
    assert lab.printed(outcome.id).endswith("# 99999")
    assert not lab.printed(outcome.id, "note")


def test_a_flood_is_cut_with_a_sentence(lab: Worker) -> None:
    outcome = lab.run("for i in range(100_000): print(i)\n'and on'")
    assert len(lab.printed(outcome.id)) == 200_000
    assert lab.printed(outcome.id, "value") == "'and on'"
    assert lab.printed(outcome.id, "note") == (
        "This prints too much for the lab: what follows is left out."
        "388,890 letters were left out."
    )
    assert len(lab.said(Printed, outcome.id)) < 100


@pytest.mark.parametrize(
    "code",
    [
        "import warnings\nfor i in range(10_000): warnings.warn(f'the {i}th')",
        "import sys\nfor i in range(10_000): print(i, file=(sys.stdout, sys.stderr)[i % 2])",
    ],
)
def test_outputs_apart_do_not_come_without_end(lab: Worker, code: str) -> None:
    outcome = lab.run(code)
    assert "too much" in lab.printed(outcome.id, "note")
    assert 1000 < len(lab.said(Printed, outcome.id)) < 2100


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


def test_what_an_error_says_is_cut(lab: Worker) -> None:
    failure = lab.failure("raise type('N' * 10**6, (Exception,), {})('m' * 10**7)")
    assert len(failure.message) < 30_000
    assert len(failure.error) < 300


@pytest.mark.parametrize(
    "code", ["while True: print('again')", "!yes", "while True: os.write(1, b'x')"]
)
def test_an_endless_flood_can_be_stopped(lab: Worker, code: str) -> None:
    lab.run("import os")
    run = lab.begin(code)
    lab.listener.wait(lambda: "too much" in lab.printed(run, "note"))
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert lab.value("'at once'") == "'at once'"


@pytest.mark.parametrize("close", ["sys.stdout.close()", "os.close(1)", "sys.stdout = None"])
def test_a_closed_output_is_open_again_in_the_next_cell(lab: Worker, close: str) -> None:
    lab.run(f"import os, sys\n{close}")
    assert printed(lab, "print('still')\nos.system('echo there');") == "still\nthere\n"


def test_a_long_value_is_cut_and_its_length_said(lab: Worker) -> None:
    outcome = lab.run("'x' * 10**8")
    shown = lab.printed(outcome.id, "value")
    assert len(shown) < 21_000
    assert shown.endswith("x … (100,000,002 letters in all)")


def test_warnings_stand_at_their_line(lab: Worker) -> None:
    code = "import warnings\nx = 1\nwarnings.warn('mind this')"
    assert warnings_of(lab, code) == [("UserWarning: mind this", 0, 3)]
    assert warnings_of(lab, code) == [("UserWarning: mind this", 0, 3)]


def test_a_librarys_warning_stands_at_the_line_that_called_it(lab: Worker) -> None:
    [(text, cell, line)] = warnings_of(
        lab, "x = torch.ones(2, 3)\nx = 1\ntorch.ones(2, 3, 4).T"
    )
    assert "is deprecated" in text
    assert (cell, line) == (0, 3)


def test_warnings_that_were_switched_off_stay_off(lab: Worker) -> None:
    lab.run("warnings.filterwarnings('ignore', message='not this')")
    assert warnings_of(lab, "warnings.warn('not this one')") == []


# What is asked


def test_input_asks_and_goes_on_with_the_answer(lab: Worker) -> None:
    run = lab.begin("name = input('Your name? ')\nf'Hello {name}'")
    assert asked(lab, run) == Asked(run, "input", "Your name? ")
    lab.process.send(Answer(run, "Ada"))
    assert isinstance(lab.listener.outcome(run), Finished)
    assert lab.printed(run, "value") == "'Hello Ada'"


def test_a_password_is_asked_for_as_one(lab: Worker) -> None:
    run = lab.begin("from getpass import getpass\nlen(getpass())")
    assert asked(lab, run).what == "password"
    lab.process.send(Answer(run, "secret"))
    assert isinstance(lab.listener.outcome(run), Finished)
    assert lab.printed(run, "value") == "6"


def test_standard_input_is_asked_for_line_by_line(lab: Worker) -> None:
    run = lab.begin("import sys\nsum(int(line) for line in sys.stdin)")
    for count, text in enumerate(("4", "5", None), 1):
        assert asked(lab, run, count).what == "input"
        lab.process.send(Answer(run, text))
    assert isinstance(lab.listener.outcome(run), Finished)
    assert lab.printed(run, "value") == "9"


def test_a_question_without_an_answer_is_an_end_of_file(lab: Worker) -> None:
    run = lab.begin("input()")
    asked(lab, run)
    lab.process.send(Answer(run, None))
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.error == "EOFError"


def test_a_question_can_be_stopped(lab: Worker) -> None:
    run = lab.begin("input()")
    asked(lab, run)
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"


# Commands and magics


def test_a_command_streams_and_says_its_status(lab: Worker) -> None:
    outcome = lab.run("x = 'there'\n!echo {x} $x $HOME\n!exit 3\n_exit_code")
    assert isinstance(outcome, Finished)
    assert lab.printed(outcome.id).startswith("there there /")
    assert lab.printed(outcome.id, "note") == "The command ended with status 3."
    assert lab.printed(outcome.id, "value") == "3"


def test_what_a_command_prints_can_be_kept(lab: Worker) -> None:
    assert lab.value("lines = !printf 'a\\nb\\n'\nlines") == "['a', 'b']"


def test_stopping_a_command_ends_what_it_started(lab: Worker, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    run = lab.begin(
        f"!sh -c 'sleep 1000 & echo $! > {mark}.part; mv {mark}.part {mark}; echo on; wait'"
    )
    lab.listener.wait(lambda: lab.printed(run) == "on\n")
    lab.process.cancel(run)
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    stat = Path("/proc", mark.read_text().strip(), "stat")
    assert not stat.exists() or " Z " in stat.read_text()


@pytest.mark.parametrize("cd", ["!cd {0}", "%cd {0}", "import os\nos.chdir('{0}')"])
def test_changing_the_folder_stays(lab: Worker, tmp_path: Path, cd: str) -> None:
    lab.run(cd.replace("{0}", str(tmp_path)))
    assert lab.value("import os\nos.getcwd()") == repr(str(tmp_path))
    assert printed(lab, "!pwd") == f"{tmp_path}\n"


def test_signs_of_commands_within_python_are_python(lab: Worker) -> None:
    assert lab.value("a, b = 17, 5\n(a\n% b)") == "2"
    assert lab.value('"""\n!no command\n%no magic\nno help?\n"""') == repr(
        "\n!no command\n%no magic\nno help?\n"
    )
    both = 's = """\n!no command\n"""\nt = (a\n% b)\n!echo yes'
    assert printed(lab, both) == "yes\n"


def test_a_line_of_a_function_can_be_a_command(lab: Worker) -> None:
    assert printed(lab, "def f(n):\n    for i in range(n):\n        !echo line\nf(2)") == (
        "line\nline\n"
    )


def test_installing_asks_first(lab: Worker) -> None:
    run = lab.begin("!pip install no-such-package-of-ours")
    assert asked(lab, run) == Asked(run, "install", "pip install no-such-package-of-ours")
    lab.process.send(Answer(run, None))
    outcome = lab.listener.outcome(run)
    assert isinstance(outcome, Failed)
    assert outcome.sentence == "It was not allowed, so nothing was installed."


@pytest.mark.parametrize(
    "line", ["!pip --version", "%pip --version", "!python -m pip --version"]
)
def test_pip_is_that_of_the_labs_python(lab: Worker, line: str) -> None:
    outcome = lab.run(line)
    assert not lab.said(Asked, outcome.id)
    version = "{}.{}".format(*sys.version_info)
    told = lab.printed(outcome.id) + lab.printed(outcome.id, "err")
    assert f"(python {version})" in told or "No module named pip" in told


def test_whoever_started_the_worker_answers_for_a_simulated_machine(simulated: Worker) -> None:
    run = simulated.begin("!nvidia-smi -L | tail -n 1")
    assert asked(simulated, run) == Asked(run, "nvidia-smi", "-L")
    simulated.process.send(Answer(run, "GPU 0: one\nGPU 1: another\n"))
    assert isinstance(simulated.listener.outcome(run), Finished)
    assert simulated.printed(run) == "GPU 1: another\n"


@pytest.mark.parametrize("code", ["%time x = sum(range(10))", "%%time\nx = 3\nx = 45"])
def test_a_cell_can_be_timed(lab: Worker, code: str) -> None:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished)
    assert not outcome.watched
    assert lab.printed(outcome.id, "note").endswith("s, until all cards were done.")
    assert lab.value("x") == "45"


@pytest.mark.parametrize(
    "code",
    ["%timeit -n 10 -r 3 sum(range(10))", "%%timeit -r 3 -n 10 n = 10\nsum(range(n))"],
)
def test_a_line_can_be_timed_many_times(lab: Worker, code: str) -> None:
    outcome = lab.run(code)
    assert isinstance(outcome, Finished)
    assert "a loop, until all cards were done (3 samples of 10 loops" in lab.printed(
        outcome.id, "note"
    )


def test_times_on_simulated_cards_are_said_to_be_modelled(simulated: Worker) -> None:
    outcome = simulated.run("x = torch.ones(2000, 2000, device='cuda')\n%timeit -r 2 x @ x")
    assert isinstance(outcome, Finished), outcome
    notes = simulated.printed(outcome.id, "note")
    assert notes.endswith("These times are modelled: the cards are simulated.")
    assert " a loop, until all cards were done (2 samples of " in notes


def test_what_is_timed_has_its_value_and_its_errors(lab: Worker) -> None:
    assert lab.value("%time 6 * 7") == "42"
    failure = lab.failure("a = 1\n%time 1 / 0")
    assert (failure.error, failure.frames[-1].line) == ("ZeroDivisionError", 2)


def test_a_question_mark_explains(lab: Worker) -> None:
    lab.run("def area(width, height=1):\n    '''Of a rectangle.'''")
    assert printed(lab, "area?") == "area(width, height=1)\n\nOf a rectangle.\n"
    assert "'''Of a rectangle.'''" in printed(lab, "area??")


@pytest.mark.skipif(
    importlib.util.find_spec("IPython") is not None, reason="there is an IPython here"
)
def test_a_magic_of_ipython_is_named_where_there_is_none(lab: Worker) -> None:
    failure = lab.failure("%who")
    assert failure.sentence == (
        "%who is one of IPython's magics, and this Python has no IPython."
    )


@needs_ipython
def test_the_magics_of_ipython_work_where_it_is(lab: Worker, tmp_path: Path) -> None:
    file = tmp_path / "written.txt"
    assert isinstance(lab.run(f"%%writefile {file}\nkept"), Finished)
    assert file.read_text() == "kept\n"
    outcome = lab.run("alone = 1\n%who int")
    assert "alone" in lab.printed(outcome.id)
    assert lab.value("alone") == "1"


# What is drawn


@needs_matplotlib
def test_figures_come_as_pictures_and_are_closed(lab: Worker) -> None:
    outcome = lab.run("import matplotlib.pyplot as plt\nplt.plot([1, 2])\nplt.figure();")
    pictures = lab.said(Pictured, outcome.id)
    assert len(pictures) == 2
    assert isinstance(pictures[0], Pictured)
    assert base64.b64decode(pictures[0].png).startswith(b"\x89PNG")
    assert lab.value("plt.get_fignums()") == "[]"
    assert not lab.said(Pictured, outcome.id + 1)


@needs_matplotlib
def test_what_is_shown_in_a_loop_is_a_picture_each(lab: Worker) -> None:
    code = "for i in range(3):\n    plt.plot([i])\n    print(i)\n    plt.show()"
    outcome = lab.run("import matplotlib.pyplot as plt\n" + code)
    kinds = [type(e) for e in said(lab, outcome.id) if isinstance(e, Printed | Pictured)]
    assert kinds == [Printed, Pictured] * 3


@needs_matplotlib
def test_a_huge_figure_is_made_smaller(lab: Worker) -> None:
    outcome = lab.run(
        "import matplotlib.pyplot as plt\nplt.figure(figsize=(200, 200), dpi=300);"
    )
    [picture] = lab.said(Pictured, outcome.id)
    assert isinstance(picture, Pictured)
    assert len(picture.png) < 4_000_000


def said(lab: Worker, command: int) -> list[Event]:
    return [each for each in lab.listener.events if getattr(each, "id", None) == command]


# What is typed


def test_completions_are_answered_while_a_cell_runs(lab: Worker) -> None:
    run = lab.begin("value_of_mine = 5\nprint('begun')\nwhile True: pass")
    lab.listener.wait(lambda: bool(lab.printed(run)))
    typed = lab.send(lambda number: Complete(number, "value_of", 8))
    lab.listener.wait(lambda: bool(lab.said(Completed, typed)))
    [answer] = lab.said(Completed, typed)
    assert isinstance(answer, Completed)
    assert (answer.begin, answer.words) == (0, ("value_of_mine",))
    lab.process.cancel(run)
    assert isinstance(lab.listener.outcome(run), Failed)
