"""A saved session: a program that runs without us, wherever there is PyTorch."""

import ast
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Failed, Finished, Hello, Printed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.script import notebook, script
from gpuexplorer.lab.wire import Run, Train
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session

pytestmark = pytest.mark.long


def told(*lines: str, failing: tuple[int, ...] = (), printing: tuple[int, ...] = ()) -> Ledger:
    """A ledger that was told of lines, without a worker."""
    ledger = Ledger()
    ledger.apply(Hello(1, "3.11", "2.13", "CPU", simulated=True, seed=5))
    for number, line in enumerate(lines, 1):
        ledger.sent(Run(number, line))
        if number in printing:
            ledger.apply(Printed(number, "…"))
        failed = Failed(number, "devices differ", "RuntimeError", "…")
        ledger.apply(failed if number in failing else Finished(number, 0.0))
    return ledger


def body(ledger: Ledger) -> list[str]:
    return script(ledger).split("torch.manual_seed(5)\n")[1].splitlines()


def test_lines_are_written_as_they_were_and_failed_ones_are_left_out() -> None:
    ledger = told("X = torch.ones(2,3)", "X + Y", "X.device", failing=(2,), printing=(3,))
    assert body(ledger) == ["X = torch.ones(2,3)", "print(X.device)"]
    assert "The cards of that session were simulated." in script(ledger)


def test_a_card_named_outright_is_taken_where_there_is_one() -> None:
    ledger = told(
        "X = torch.ones(2, device='cuda:1')",
        "Z = X.cuda(1)",
        "Y = Z.to('cuda')",
        "Z.cuda(1) is Z",
        "d = torch.device('cuda:0')",
        "kept = torch.load('net.pt', map_location='cuda:1')",
        "net = nn.Linear(3, 1).to(gpu(1))",
        printing=(4,),
    )
    assert body(ledger) == [
        "X = torch.ones(2, device=try_gpu(1))",
        "Z = X.to(try_gpu(1))",
        "Y = Z.to(try_gpu(0))",
        "print(Z.to(try_gpu(1)) is Z)",
        "d = try_gpu(0)",
        "kept = torch.load('net.pt', map_location=try_gpu(1))",
        "net = nn.Linear(3, 1).to(try_gpu(1))",
    ]
    assert "def try_gpu(i=0):" in script(ledger)


def test_what_only_a_card_can_answer_is_asked_only_there() -> None:
    ledger = told(
        "begin = torch.cuda.Event(enable_timing=True)",
        "torch.cuda.device_count()",
        "begin.record()",
        "begin = 3",
        "begin + 1",
        printing=(2, 5),
    )
    assert body(ledger) == [
        "if torch.cuda.is_available():",
        "    begin = torch.cuda.Event(enable_timing=True)",
        "print(torch.cuda.device_count())",
        "if torch.cuda.is_available():",
        "    begin.record()",
        "begin = 3",
        "print(begin + 1)",
    ]


def test_what_only_the_second_card_can_answer_is_asked_where_there_are_two() -> None:
    ledger = told(
        "torch.cuda.set_per_process_memory_fraction(0.5, 1)",
        "torch.cuda.manual_seed(7)",
        "torch.cuda.get_device_name('cuda:2')",
        "free = torch.cuda.mem_get_info(try_gpu(1))",
        "free[0]",
        "torch.cuda.can_device_access_peer(0, 1)",
        "with torch.cuda.device(1): X = torch.ones(2, device='cuda')",
        "X + 1",
        printing=(3, 5, 6),
    )
    assert body(ledger) == [
        "if torch.cuda.device_count() > 1:",
        "    torch.cuda.set_per_process_memory_fraction(0.5, 1)",
        "if torch.cuda.is_available():",
        "    torch.cuda.manual_seed(7)",
        "if torch.cuda.device_count() > 2:",
        "    print(torch.cuda.get_device_name(try_gpu(2)))",
        "if torch.cuda.device_count() > 1:",
        "    free = torch.cuda.mem_get_info(try_gpu(1))",
        "if torch.cuda.device_count() > 1:",
        "    print(free[0])",
        "if torch.cuda.device_count() > 1:",
        "    print(torch.cuda.can_device_access_peer(0, 1))",
        "if torch.cuda.device_count() > 1:",
        "    with torch.cuda.device(1):",
        "        X = torch.ones(2, device=try_gpu(0))",
        "if torch.cuda.device_count() > 1:",
        "    X + 1",
    ]


def test_only_what_is_used_is_defined() -> None:
    text = script(told("X = torch.ones(2, device=try_gpu())", "net = lenet()"))
    assert "def try_gpu" in text
    assert "def try_all_gpus" not in text
    assert "def lenet" in text
    assert "def mlp" not in text
    assert "gpuexplorer" not in text


def test_a_notebook_has_a_cell_for_each_line() -> None:
    content = json.loads(notebook(told("X = torch.ones(2)", "X.sum()", printing=(2,))))
    assert (content["nbformat"], content["nbformat_minor"]) == (4, 5)
    cells = ["".join(cell["source"]) for cell in content["cells"]]
    assert cells[1:] == ["torch.manual_seed(5)", "X = torch.ones(2)", "X.sum()"]
    assert len({cell["id"] for cell in content["cells"]}) == len(cells)
    for cell in cells:
        ast.parse(cell)


@pytest.fixture(scope="module")
def walked() -> Iterator[Session]:
    """A session through all that a script has to bring along."""
    session = Session(seed=4)
    session.run(
        "X = torch.ones(2, 3, device=try_gpu())",
        "Y = torch.rand(2, 3, device='cuda:1')",
        "X + Y",
        "Z = X.cuda(1)",
        "Y + Z",
        "Z.cuda(1) is Z",
        "torch.cuda.memory_allocated(0)",
        "torch.cuda.set_per_process_memory_fraction(0.9, 1)",
        "net = nn.Sequential(nn.Linear(3, 1)).to(device=try_gpu())",
        "net(X).shape",
        "gpt = tiny_gpt(letters=5, width=8, heads=2, blocks=1).cuda(0)",
        "T = torch.randint(0, 5, (6, 4), device='cuda:0')",
        "opt = torch.optim.Adam(gpt.parameters(), lr=0.01)",
    )
    session.command(lambda number: Train(number, "gpt", "T", "T", "opt", "cross_entropy", 5, 2))
    session.run("print('the end', loss.item())")
    yield session
    session.stop()


@needs_torch
def test_a_saved_script_runs_by_itself_and_finds_the_same_values(
    walked: Session, tmp_path: Path
) -> None:
    path = tmp_path / "session.py"
    path.write_text(script(walked.ledger), "utf-8")
    ran = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    lines = ran.stdout.splitlines()
    assert lines[-1] == walked.ledger.entries[-1].printed[0]
    assert "True" in lines
    failed = [each.code for each in walked.ledger.entries if each.state == "failed"]
    assert failed == ["X + Y"]


@needs_torch
def test_a_saved_notebook_runs_cell_by_cell(walked: Session, tmp_path: Path) -> None:
    cells = json.loads(notebook(walked.ledger))["cells"]
    program = "\n".join("".join(cell["source"]) for cell in cells)
    path = tmp_path / "cells.py"
    path.write_text(program, "utf-8")
    ran = subprocess.run(
        [sys.executable, path], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == walked.ledger.entries[-1].printed[0]


@needs_torch
def test_a_placement_log_is_kept_by_a_script(tmp_path: Path) -> None:
    ledger = told("log_placement(True)", "X = torch.ones(2)", "Y = X + X")
    written = tmp_path / "session.py"
    written.write_text(script(ledger), "utf-8")
    ran = subprocess.run([sys.executable, written], capture_output=True, text=True, check=True)
    assert "add: cpu" in ran.stdout
