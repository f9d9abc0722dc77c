"""A program of one's own in the lab's window: run by a real worker, on simulated cards."""

from pathlib import Path

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import X_ON_0, open_lab, runs
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

pytestmark = [
    needs_torch,
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]

TRAINING = """
import sys
import torch

net = torch.nn.Linear(64, 8).cuda()
opt = torch.optim.SGD(net.parameters(), lr=0.1)
print("steps", sys.argv[1])
for step in range(int(sys.argv[1])):
    loss = net(torch.ones(4, 64).cuda()).sum()
    loss.backward()
    opt.step()
    total = loss.item()
print("who?", input("Name: "))
"""
ENDLESS = """
import time
import torch

x = torch.ones(1000, 1000, device="cuda:1")
print("begun", flush=True)
while True:
    time.sleep(0.01)
    x = x + 1
"""
FAILING = """
import torch

x = torch.ones(2, 3, device="cuda:0")
x @ x
"""


def watches(person: Person, folder: Path, text: str, arguments: str = "") -> None:
    """From "Watch…" on, which was pressed, to the program's head."""
    path = folder / "train.py"
    path.write_text(text, "utf-8")
    person.saves_as(path)
    person.sees("It runs as “python train.py” would", "with your rights")
    if arguments:
        person.type_into("Arguments of the program", arguments)
    person.press("Return")
    person.sees("Back to the cells and the bench; the program goes on")


def test_a_program_is_watched_from_its_first_line_to_its_end(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program)
    person.click("Watch…")
    watches(person, tmp_path, TRAINING, "25")
    person.sees("train.py 25", "Waiting for input", "It waits for a line:", "25 steps")
    person.types("me")
    person.press("Return")
    person.sees("Ended", "25 of 25 steps watched", "modelled")
    output = person.find("Output of the program").said
    assert "steps 25" in output
    assert "who? me" in output
    person.click("Lines")
    row = person.row_of("Lines of the program", "train.py:12", "loss.item()")
    assert "Copies: 25" in row
    assert "From, to: 0 to H" in row
    person.press("Ctrl+C")
    person.waits(lambda: "train.py:12" in person.clipboard())
    person.click("Close the program")
    person.sees("Watch…", "Cells of the session")


def test_one_that_never_ends_is_stopped_and_the_session_goes_on_beside_it(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program, X_ON_0)
    person.press("Ctrl+Shift+O")
    watches(person, tmp_path, ENDLESS)
    person.sees("begun", "Running")
    person.click("Cells")
    runs(person, "X.sum()")
    person.click("train.py")
    person.press("Ctrl+.")
    person.sees("Stopped", "Run again")


def test_an_error_is_told_with_its_line_and_its_traceback(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program)
    person.click("Watch…")
    watches(person, tmp_path, FAILING)
    person.sees("Failed", "train.py:5: RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    person.sees("Traceback (most recent call last):", "x @ x")
