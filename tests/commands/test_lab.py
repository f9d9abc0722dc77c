"""gpuexplorer lab runs a program or a notebook's cells, and says at the end what was seen."""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.commands.lab import report
from gpuexplorer.commands.lab_worker import Paper
from gpuexplorer.lab.events import Finished, Pictured, Printed, Watched, Why
from gpuexplorer.lab.ledger import Ledger
from tests.commands.runs import (
    CARDS,
    PATIENCE,
    AtTerminal,
    at_terminal,
    command,
    lab,
    notebook,
    surroundings,
    until,
)
from tests.lab.processes import needs_torch
from tests.programs.made import KIB, idle, loader, moved, program, read, seen
from tests.trace_reader import of, opened, whole_trace

pytestmark = needs_torch
posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are others there")

TRAINING = """
import sys, torch
net = torch.nn.Linear(64, 1).to("cuda:0")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(12):
    x = torch.randn(32, 64).to("cuda:0")
    loss = net(x).square().mean()
    opt.zero_grad()
    loss.backward()
    opt.step()
    if loss.item() < 0:
        print("odd")
print(sys.argv[1:], sys.stdin.read())
sys.exit(3)
"""
WAITS = """
import time
try:
    print("ready", flush=True)
    while True:
        time.sleep(0.1)
finally:
    print("put away", flush=True)
"""


def written(folder: Path, code: str) -> str:
    (folder / "train.py").write_text(code, encoding="utf-8")
    return "train.py"


def at_lab(folder: Path, code: str) -> AtTerminal:
    words = command("lab", written(folder, code))
    return at_terminal(*words, cwd=folder, stderr=subprocess.PIPE)


@contextmanager
def started(folder: Path, *words: str) -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        command("lab", *words),
        cwd=folder,
        env=surroundings(),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def test_its_output_is_its_own_and_what_was_seen_stands_elsewhere(tmp_path: Path) -> None:
    name = written(tmp_path, TRAINING)
    words = (*CARDS, "--trace", "trace.json", name, "--epochs", "3", "--json")
    ran = lab(tmp_path, *words, typed="typed")
    assert ran.status == 3
    assert ran.out == "['--epochs', '3', '--json'] typed\n"
    assert "train.py:11" in ran.err
    assert "loss.item()" in ran.err
    assert "12 steps" in ran.err
    assert "simulated" in ran.err
    whole = whole_trace((tmp_path / "trace.json").read_bytes())
    events = whole["traceEvents"]
    assert opened(events)[0] == []
    kinds = {each["cat"] for each in of(events, "X")}
    assert kinds == {"step", "copy", "copy out", "wait", "compute", "idle"}
    reads = [each for each in of(events, "X") if each["cat"] == "copy out"]
    assert [each["name"] for each in reads] == ["train.py:11 loss.item()"] * 12
    assert whole["otherData"]["steps"] == 12
    names = [each["args"]["name"] for each in of(events, "M") if "process_name" in each["name"]]
    assert "cuda:0 NVIDIA TITAN RTX" in names


KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.mark.parametrize(
    ("code", "status", "said"),
    [
        ("print('a'\n", 1, "SyntaxError: '(' was never closed"),
        pytest.param(KILLED, 137, "train.py was ended by SIGKILL.", marks=posix),
    ],
)
def test_what_became_of_it_is_told(tmp_path: Path, code: str, status: int, said: str) -> None:
    ran = lab(tmp_path, written(tmp_path, code))
    assert ran.status == status
    assert said in " ".join(ran.err.split())  # wherever its lines end
    assert "gpuexplorer" not in ran.err


def test_as_json_what_it_prints_and_asks_goes_to_standard_error(tmp_path: Path) -> None:
    name = written(tmp_path, "print('hello', input('Who? '))\n1 / 0\n")
    ran = lab(tmp_path, "--json", name, typed="Ada\n")
    assert ran.status == 1
    assert "Who? " in ran.err  # what it prints and what it complains of are two pipes
    assert "hello Ada\n" in ran.err
    assert "ZeroDivisionError" in ran.err
    [cell] = ran.told["cells"]
    assert cell["text"].startswith("print(")
    assert cell["error"]["type"] == "ZeroDivisionError"
    assert ran.told["findings"] == []


@posix
@pytest.mark.parametrize(
    ("words", "number", "status"), [([], signal.SIGINT, 130), (["--json"], signal.SIGTERM, 143)]
)
def test_a_signal_is_the_programs_and_what_was_seen_is_told(
    tmp_path: Path, words: list[str], number: signal.Signals, status: int
) -> None:
    with started(tmp_path, *words, written(tmp_path, WAITS)) as process:
        said = process.stderr if words else process.stdout
        assert said is not None
        assert said.readline() == "ready\n"
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == status
    if number == signal.SIGINT:
        assert "put away" in (err if words else out)
        assert err.count("KeyboardInterrupt") >= 1
    assert '"schema"' in out if words else "train.py" in err


@posix
def test_what_is_typed_at_a_terminal_ends_the_program_and_is_told(tmp_path: Path) -> None:
    with at_lab(tmp_path, "import time\nprint('ready')\ntime.sleep(99)\n") as (
        process,
        terminal,
    ):
        until(terminal, "ready")
        os.write(terminal, b"\x03")
        assert process.wait(PATIENCE) == 130
        assert process.stderr is not None
        said = process.stderr.read()
    assert b"Traceback" in said
    assert b"\ntrain.py was stopped. It ran for " in said


@needs_torch
def test_cells_run_in_their_order_up_to_the_first_that_fails(tmp_path: Path) -> None:
    name = notebook(
        tmp_path / "lesson.ipynb",
        "import torch\nprint('begun', end='')\ntorch.ones(2)",
        "name = input('Who? ')\nprint('hello', name)",
        "X = torch.ones(1000, device='cuda:0')\nfor _ in range(5):\n    s = X.sum().item()",
        "!pip install nonesuch",
        "print('never')",
    )
    ran = lab(tmp_path, *CARDS, "--trace", "trace.json", name, typed="Ada\n")
    assert ran.status == 1
    assert ran.out == "begun\ntensor([1., 1.])\nhello Ada\n"
    assert ran.err.startswith("Who? Nobody can be asked whether to run pip install nonesuch.")
    assert re.search(
        r"^Traceback \(most recent call last\):\n"
        r'  File "Cell 4", line 1, in <module>\n'
        r"    !pip install nonesuch\n"
        r"(?:    \^+\n)?"  # since Python 3.11
        r"It was not allowed, so nothing was installed\.\n",
        ran.err,
        re.MULTILINE,
    )
    assert "cell 3:3" in ran.err  # seen, and told by line
    assert "4 cells were watched" in ran.err
    assert "meta" not in ran.err
    whole = whole_trace((tmp_path / "trace.json").read_bytes())
    assert opened(whole["traceEvents"])[0] == []
    assert any("item()" in each["name"] for each in of(whole["traceEvents"], "X"))
    assert whole["otherData"]["modelled"] is True


Out = pytest.CaptureFixture[str]


def test_figures_values_and_sentences_stand_on_lines_of_their_own(capsys: Out) -> None:
    paper = Paper(Ledger(), sys.stdout, sys.stderr)
    for event in (
        Printed(1, "a line that goes", "out"),
        Pictured(1, "iVBORw0KGgo="),
        Printed(1, "42", "value"),
        Printed(1, "\rhalf way", "err"),
        Printed(1, "careful", "warning"),
    ):
        paper.show(event)
    shown = capsys.readouterr()
    assert shown.out == "a line that goes\n[figure]\n42\n"
    assert shown.err == "\rhalf way\ncareful\n"


DONE = Finished(1, 41.0)
FULL = seen(
    copies=[
        read(),
        moved(),
        moved(41, "t.cuda()", times=640_000, size=KIB, bursts=10_000, seconds=7.99, row=5),
        *(moved(100 + n, f"x{n}.cuda()", times=1, seconds=1e-3, row=20 + n) for n in range(30)),
    ],
    idle=[idle(Why.READ, 1.5), idle(Why.LOADER, 12.0, line=28, what="loader", row=2)],
    loaders=[loader()],
    children=[("DataLoader", 4), ("multiprocessing", 1)],
)


def test_its_end_stands_first_then_what_was_watched_then_what_would_help() -> None:
    text = report(program(FULL, DONE), 200)
    assert text.startswith(
        "train.py ended. It ran for 41.0 s.\n"
        "All of it was watched: 12\u202f000 steps of the optimizer. Watching took about 800 ms "
        "(2 %).\n"
        "Not watched: 5 other processes (DataLoader and multiprocessing).\n"
        "\n"
        "Card      Busy  Copying  Idle after reads  Idle for batches  Idle for the host\n"
        "cuda:0  30.0 s   11.0 s            1.50 s            12.0 s                0 s\n"
        "\n"
        "What would help, and how much of the time it could save at most:\n"
        " 29 %  train.py:28 `loader` kept the card waiting for 12\u202f000 batches: 12.0 of "
        "41.0 s.\n"
        "       Let workers prepare batches"
    )


BARE = seen(busy=0.0, steps=0, step="")
PART = "1\u202f200 of 12\u202f000 steps of the optimizer, 4.10 s of 41.0 s, were watched"


@pytest.mark.parametrize(
    ("watched", "cards", "said"),
    [
        (seen(copies=[read()], seen_seconds=4.1, seen_steps=1200), 1, PART),
        (seen(copies=[read()], seen_seconds=4.1, seen_steps=1200), 1, "figures are of these"),
        (seen(modelled=True), 1, "The cards are simulated, and all times are modelled."),
        (seen(copies=[read(times=120)]), 1, "Nothing stands out. Looked at: reads that make a"),
        (FULL, 2, "cuda:1 was not used."),
        (FULL, 3, "cuda:1 and cuda:2 were not used."),
        (BARE, 0, "This PyTorch has no card, so nothing could be copied."),
        (BARE, 2, "No card was used."),
        (replace(BARE, children=(("python", 2),)), 2, "The program used no card itself. What"),
    ],
)
def test_the_whole_is_said_where_it_is_so(watched: Watched, cards: int, said: str) -> None:
    text = report(program(watched, DONE, cards=cards), 200)
    assert said in text
    assert not ("Nothing stands out" in text and "What would help" in text)
    assert not ("No card was used." in text and "used no card itself" in text)
    assert said not in report(program(FULL, DONE, cards=1), 200)
