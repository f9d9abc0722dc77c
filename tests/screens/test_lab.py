"""The lab with a real worker: cells, things made and carried, programs, Pythons and cards."""

import json
from pathlib import Path

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import (
    NO_PYTHON,
    WITH_TORCH,
    WITHOUT_TORCH,
    X_ON_0,
    Y_ON_1,
    asks_for_menu,
    drags,
    enters,
    kill_worker,
    only_pythons,
    open_lab,
    runs,
    sees_line,
)
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person

pytestmark = needs_torch

TWO_LAYERS = 'net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 1)).to("cuda:0")'
TRAINABLE = (
    X_ON_0,
    'Y = torch.ones(2, 1, device="cuda:0")',
    'net = nn.Linear(3, 1).to("cuda:0")',
)
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


def test_cells_run_say_what_they_cost_fail_in_words_are_mended_and_saved(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program, X_ON_0, Y_ON_1)
    enters(person, "X.sum()")
    cost = "Copied 4 B, cuda:0 → cpu"
    sees_line(person, "X.sum()", "tensor(6., device='cuda:0')", cost, state="done")
    sees_line(person, "cuda:0 ", "host ", "modelled")
    enters(person, "Z = X + Y")
    person.sees(
        "Tensors are on different devices.",
        "X lies on cuda:0. Y lies on cuda:1.",
        "Nothing was computed or changed.",
        "Possible fixes",
        "X.cuda(1) + Y",
        "X.cpu() + Y.cpu()",
    )
    assert "X + Y.cuda(0)" in person.keyboard_is_on()
    person.press("Return")
    person.sees("Z, tensor, 2×3")
    person.does_not_see("Possible fixes")
    sees_line(person, "Z = X + Y.cuda(0)", "Cures cell 4.", state="done")
    enters(person, 'input("How " + "many?")')
    person.sees("How many?", "Enter answers, Esc ends the input")
    person.types("2")
    person.press("Return")
    sees_line(person, "'2'", state="done")
    person.press("Ctrl+L")
    for line in ("def double(x):", "return 2 * x"):
        person.types(line)
        person.press("Return")
    person.press("Return")
    sees_line(person, "def double(x):", "return 2 * x", state="done")
    runs(person, "import os; [double(each) for each in (1, 2)]")
    sees_line(person, "[2, 4]", state="done")
    script, notebook = tmp_path / "session.py", tmp_path / "session.ipynb"
    for path in (script, notebook):
        person.click("Save as")
        person.saves_as(path)
        person.waits(path.exists)
    program = script.read_text("utf-8")
    compile(program, str(script), "exec")
    assert "import torch" in program
    assert X_ON_0 in program
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    written = ["".join(each["source"]) for each in cells]
    assert {X_ON_0, "X.sum()", "Z = X + Y.cuda(0)"} <= {each.strip() for each in written}
    enters(person, 'B = torch.zeros(100000, 100000, device="cuda:1")')
    person.sees("Does not fit.", "wanted 37.2 GiB on cuda:1. Only")
    sees_line(person, "CUDA out of memory. Tried to allocate 37.25 GiB.", state="failed")


@pytest.mark.long
def test_what_would_be_lost_is_named_and_a_worker_that_dies_is_missed_in_a_sentence(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    person.click("1 min")
    person.press("Ctrl+C")
    person.waits(lambda: "X = torch.ones(2, 3, device=" in person.clipboard())
    person.click("Stop simulating")
    person.sees("Leave what is in the lab?", "This is lost: X.")
    person.click("Stay")
    person.does_not_see("Leave what is in the lab?")
    person.sees("X, tensor")
    kill_worker(person)
    person.sees("The worker was killed by somebody, or by the system for want of memory")
    person.does_not_see("X, tensor")
    person.click("Run the session again (1 cell)")
    person.sees("X, tensor, 2×3, 24 B", "Worker: Ready")
    person.click("Release the cards")
    person.sees("This is lost: X.")
    person.click("Release the cards")
    person.sees("cuda:0, nothing on it", "Worker: Not started", "Context 0 GiB")
    assert person.cannot_press("Release the cards")


def test_forms_make_tensors_and_models_and_refuse_in_a_sentence_what_cannot_be(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    for shape, sentence in (
        ("2, -3", "A size cannot be -3. It counts elements: 0 or more."),
        ("2.5", "'2.5' is not a whole number."),
        ("2,, 3", "A size is missing between two commas."),
    ):
        person.type_into("Shape", shape)
        person.sees(sentence, "Nothing to run yet")
    person.press("Ctrl+Return")
    person.type_into("Shape", "100000, 100000")
    person.sees("Does not fit: 37.3 GiB")
    person.sees("No tensors yet.", "Worker: Not started")
    person.type_into("Shape", "4, 5")
    person.choose("Device", "cuda:1")
    line = 'A = torch.ones(4, 5, device="cuda:1")'
    person.sees(line, "it fits")
    person.click("Create on cuda:1")
    person.sees("A, tensor, 4×5, 80 B", "cuda:1, 1 object", "cuda:0, nothing on it")
    sees_line(person, line, state="done")
    person.choose("What to do", "Model")
    person.sees('net = nn.Sequential(nn.Linear(3, 1)).to("cuda:0")', "4 parameters")
    person.click("Create on cuda:0")
    person.sees("net, model, Linear(3, 1), 16 B", "cuda:0, 1 object")


def test_a_thing_is_carried_copied_deleted_and_looked_into(open_program: OpenProgram) -> None:
    full = 'X = torch.full((2, 3), 7.5, device="cuda:0")'
    person = open_lab(open_program, full, TWO_LAYERS)
    drags(person, "X, tensor", "cuda:1, nothing on it")
    person.sees("X_1, tensor, 2×3, 24 B", "cuda:1, 1 object")
    sees_line(person, "X_1 = X.cuda(1)", "Copied 24 B, cuda:0 → cuda:1")
    person.click("X, tensor")
    person.press("Return")
    person.sees("X[0, 0] is 7.5", "Minimum", "Mean", "24 B", "3 float32 on cuda:0")
    person.sees("Made by", "cell 1")
    person.press("Escape")
    person.sees("Bench", "X, tensor, 2×3")
    person.does_not_see("Mean")
    asks_for_menu(person, "X, tensor")
    person.click("Copy to")
    person.click("X_cpu = X.cpu()")
    person.sees("X_cpu, tensor, 2×3, 24 B")
    sees_line(person, "X_cpu = X.cpu()", state="done")
    asks_for_menu(person, "X, tensor")
    person.click("Delete")
    sees_line(person, "del X", state="done")
    person.does_not_see("X, tensor")
    person.click("net, model")
    person.press("Return")
    first = "0 Linear(in_features=4, out_features=8, bias=True): 40 parameters, 160 B"
    person.sees("3 layers, 49 parameters on cuda:0", first, "net[0].weight")
    person.click("Layers")
    person.press("End")
    person.sees("2 Linear(in_features=8, out_features=1, bias=True): 9 parameters, 36 B")


@pytest.mark.long
def test_training_takes_its_steps_and_can_be_stopped(open_program: OpenProgram) -> None:
    person = open_lab(open_program, *TRAINABLE)
    person.choose("What to do", "Train")
    person.choose("Inputs", "X")
    person.choose("Targets", "Y")
    person.type_into("Steps", "300")
    person.press("Ctrl+Return")
    sees_line(person, "range(300)", "modelled", state="done")
    person.type_into("Steps", "100000")
    person.press("Ctrl+Return")
    person.sees("Worker: Busy")
    person.click("Stop")
    sees_line(person, "range(100000)", state="cancelled")
    person.sees("net, model", "Worker: Ready")


def watches(person: Person, path: Path, text: str, arguments: str = "") -> None:
    """From "Watch…" on, which was pressed, to the program's head."""
    path.write_text(text, "utf-8")
    person.saves_as(path)
    person.sees(f"It runs as “python {path.name}” would", "with your rights")
    if arguments:
        person.type_into("Arguments of the program", arguments)
    person.press("Return")
    person.sees("Back to the cells and the bench; the program goes on")


def test_a_program_is_watched_from_its_first_line_to_its_end(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program)
    person.click("Watch…")
    watches(person, tmp_path / "train.py", TRAINING, "25")
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


@pytest.mark.long
def test_one_that_never_ends_is_stopped_and_one_that_fails_is_told_with_its_line(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program, X_ON_0)
    person.press("Ctrl+Shift+O")
    watches(person, tmp_path / "train.py", ENDLESS)
    person.sees("begun", "Running")
    person.click("Cells")
    runs(person, "X.sum()")  # the session goes on beside it
    person.click("train.py")
    person.press("Ctrl+.")
    person.sees("Stopped", "Run again")
    person.press("Ctrl+Shift+O")
    watches(person, tmp_path / "wrong.py", FAILING)
    person.sees("Failed", "wrong.py:5: RuntimeError: mat1 and mat2 shapes cannot be multiplied")
    person.sees("Traceback (most recent call last):", "x @ x")


def test_the_pythons_of_this_computer_are_listed_with_why_one_is_unfit(
    open_program: OpenProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"good": WITH_TORCH, "bare": WITHOUT_TORCH, "odd": NO_PYTHON}
    only_pythons(monkeypatch, tmp_path, programs)
    person = open_lab(open_program)
    person.click("Python of the lab")
    for name, said in (
        ("good", "It suits the simulated cards."),
        ("bare", "It has no PyTorch."),
        ("odd", "It did not answer as a Python does."),
    ):
        person.sees(str(tmp_path / name), said)


@pytest.mark.long
def test_the_lab_sees_only_the_cards_that_are_chosen(open_program: OpenProgram) -> None:
    person = open_lab(open_program)
    person.choose("Switches of the lab", "Visible cards")
    person.types("1")
    person.sees("cuda:0: card 1, NVIDIA TITAN RTX", "CUDA_VISIBLE_DEVICES=1")
    person.click("Use this")
    runs(person, "torch.cuda.device_count()")
    sees_line(person, "torch.cuda.device_count()", "1")
    person.sees(
        "PyTorch's cuda:0 is card 1 of nvidia-smi and of this window",
        "It is not among the cards that the lab may see",
    )


@pytest.mark.long
def test_a_cap_on_memory_is_a_cell_and_more_than_it_is_refused(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    person.choose("Switches of the lab", "Memory cap")
    person.sees("9.60 GiB of 24.0 GiB")
    person.type_into("Share of cuda:1", "10")
    person.press("Tab")
    person.sees("2.40 GiB of 24.0 GiB")
    person.click("Cap")
    sees_line(person, "torch.cuda.set_per_process_memory_fraction(0.1, 1)", state="done")
    enters(person, 'B = torch.zeros(30000, 30000, device="cuda:1")')
    person.sees(
        "CUDA out of memory. Tried to allocate 3.35 GiB.",
        "but the cap that was set allows this program 2.4 GiB",
    )
