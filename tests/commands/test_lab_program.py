"""gpuexplorer lab runs a program as its Python would, and says at its end what was seen."""

import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.commands.runs import (
    CARDS,
    PATIENCE,
    AtTerminal,
    at_terminal,
    command,
    lab,
    surroundings,
    until,
)
from tests.lab.processes import needs_torch
from tests.trace_reader import of, opened, whole_trace

posix = pytest.mark.skipif(os.name != "posix", reason="signals and terminals are others there")
pytestmark = needs_torch

TRAINING = """
import sys, torch
net = torch.nn.Linear(64, 1).to("cuda:0")
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for step in range(30):
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


def program(folder: Path, code: str) -> str:
    (folder / "train.py").write_text(code, encoding="utf-8")
    return "train.py"


def at_lab(folder: Path, code: str) -> AtTerminal:
    words = ("lab", program(folder, code))
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


def test_its_output_is_its_own_and_what_was_seen_stands_on_standard_error(
    tmp_path: Path,
) -> None:
    name = program(tmp_path, TRAINING)
    words = (*CARDS, "--trace", "trace.json", name, "--epochs", "3", "--json")
    ran = lab(tmp_path, *words, typed="typed")
    assert ran.status == 3
    assert ran.out == "['--epochs', '3', '--json'] typed\n"
    assert "train.py:11" in ran.err
    assert "loss.item()" in ran.err
    assert "30 steps" in ran.err
    assert "simulated" in ran.err
    whole = whole_trace((tmp_path / "trace.json").read_bytes())
    events = whole["traceEvents"]
    assert opened(events)[0] == []
    kinds = {each["cat"] for each in of(events, "X")}
    assert kinds == {"step", "copy", "copy out", "wait", "compute", "idle"}
    reads = [each for each in of(events, "X") if each["cat"] == "copy out"]
    assert [each["name"] for each in reads] == ["train.py:11 loss.item()"] * 30
    assert whole["otherData"]["steps"] == 30
    names = [each["args"]["name"] for each in of(events, "M") if "process_name" in each["name"]]
    assert "cuda:0 NVIDIA TITAN RTX" in names


BLIND = "import os\nos.environ['CUDA_VISIBLE_DEVICES'] = ''\nimport torch\ntorch.ones(3)\n"
KILLED = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.mark.parametrize(
    ("words", "code", "status", "said"),
    [
        (CARDS, "import torch\ntorch.ones(3).cuda()\n", 0, "cuda:1 was not used."),
        ((), BLIND, 0, "This PyTorch has no card, so nothing could be copied. With --simulate"),
        ((), "print('a'\n", 1, "SyntaxError: '(' was never closed"),
        pytest.param((), KILLED, 137, "train.py was ended by SIGKILL.", marks=posix),
    ],
)
def test_what_became_of_it_is_told_and_its_status_is_its_own(
    tmp_path: Path, words: tuple[str, ...], code: str, status: int, said: str
) -> None:
    ran = lab(tmp_path, *words, program(tmp_path, code))
    assert ran.status == status
    assert said in " ".join(ran.err.split())  # wherever its lines end
    assert "gpuexplorer" not in ran.err


def test_as_json_what_it_prints_and_asks_goes_to_standard_error(tmp_path: Path) -> None:
    name = program(tmp_path, "print('hello', input('Who? '))\n1 / 0\n")
    ran = lab(tmp_path, "--json", name, typed="Ada\n")
    assert ran.status == 1
    assert ran.err.startswith("Who? ")
    assert "hello Ada\n" in ran.err
    assert "ZeroDivisionError" in ran.err
    [cell] = ran.told["cells"]
    assert cell["text"].startswith("print(")
    assert cell["error"]["type"] == "ZeroDivisionError"
    assert ran.told["findings"] == []


@posix
@pytest.mark.parametrize("words", [[], ["--json"]], ids=["report", "json"])
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["int", "term"]
)
def test_a_signal_is_the_programs_and_what_was_seen_is_told(
    tmp_path: Path, words: list[str], number: signal.Signals, status: int
) -> None:
    with started(tmp_path, *words, program(tmp_path, WAITS)) as process:
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
def test_at_a_terminal_it_is_typed_to_and_interrupted_once(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "print('ready', sys.stdin.isatty(), sys.stdout.isatty())\n"
        "try:\n"
        "    print('hello', input())\n"
        "    time.sleep(100)\n"
        "except KeyboardInterrupt:\n"
        "    time.sleep(0.5)\n"
        "    print('once')\n"
    )
    with at_lab(tmp_path, code) as (process, terminal):
        shown = until(terminal, "ready True True")
        os.write(terminal, b"Ada\n")
        shown += until(terminal, "hello Ada")
        os.write(terminal, b"\x03")
        shown += until(terminal, "once")
        assert process.wait(PATIENCE) == 0
        assert process.stderr is not None
        assert b"train.py" in process.stderr.read()
    assert "Traceback" not in shown


@posix
@pytest.mark.parametrize(
    ("sent", "status", "told"),
    [
        (b"\x03", 130, b"\ntrain.py was stopped. It ran for "),
        (b"\x1c", 131, b"\ntrain.py was ended by SIGQUIT. It ran for "),
        (signal.SIGTERM, 143, b"\ntrain.py was ended by SIGTERM. It ran for "),
    ],
    ids=["interrupt", "quit", "term"],
)
def test_what_is_typed_or_sent_to_us_at_a_terminal_ends_the_program_and_is_told(
    tmp_path: Path, sent: bytes | signal.Signals, status: int, told: bytes
) -> None:
    code = "import time\nprint('ready')\ntime.sleep(99)\n"
    with at_lab(tmp_path, code) as (process, terminal):
        until(terminal, "ready")
        if isinstance(sent, bytes):
            os.write(terminal, sent)
        else:
            process.send_signal(sent)
        assert process.wait(PATIENCE) == status
        assert process.stderr is not None
        said = process.stderr.read()
    assert (b"Traceback" in said) is (status == 130)
    assert told in said
