"""The lab by typing: cells run, say what they cost, fail in words, and are mended."""

import json
from pathlib import Path

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import (
    X_ON_0,
    Y_ON_1,
    enters,
    kill_worker,
    open_lab,
    runs,
    sees_line,
)
from tests.screens.conftest import OpenProgram

pytestmark = [needs_torch, pytest.mark.qt_log_ignore("This plugin does not support")]


def test_a_cell_that_is_typed_runs_and_says_its_value_and_what_it_cost(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    enters(person, "X.sum()")
    sees_line(
        person,
        "X.sum()",
        "tensor(6., device='cuda:0')",
        "Copied 4 B, cuda:0 → cpu",
        state="done",
    )
    sees_line(person, "cuda:0 ", "host ", "modelled")


def test_a_cell_is_any_python_over_several_lines(open_program: OpenProgram) -> None:
    person = open_lab(open_program)
    for line in ("def double(x):", "return 2 * x"):
        person.types(line)
        person.press("Return")
    person.press("Return")
    sees_line(person, "def double(x):", "return 2 * x", state="done")
    runs(person, "import os; [double(each) for each in (1, 2)]")
    sees_line(person, "[2, 4]", state="done")


def test_a_cell_asks_and_goes_on_with_the_answer(open_program: OpenProgram) -> None:
    person = open_lab(open_program)
    enters(person, 'input("How " + "many?")')
    person.sees("How many?", "Enter answers, Esc ends the input")
    person.types("2")
    person.press("Return")
    sees_line(person, "'2'", state="done")


def test_things_on_two_cards_do_not_meet_it_is_said_why_and_the_first_way_on_mends_it(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0, Y_ON_1)
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
    sees_line(person, "Z = X + Y.cuda(0)", "Cures cell 3.", state="done")


def test_what_is_too_large_says_what_was_wanted_and_what_is_free(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    enters(person, 'B = torch.zeros(100000, 100000, device="cuda:1")')
    person.sees("Does not fit.", "wanted 37.2 GiB on cuda:1. Only")
    sees_line(person, "CUDA out of memory. Tried to allocate 37.25 GiB.", state="failed")


def test_a_worker_that_dies_is_missed_in_a_sentence_and_the_session_is_run_again(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    kill_worker()
    person.sees("The worker was killed by somebody, or by the system for want of memory")
    person.does_not_see("X, tensor")
    person.click("Run the session again (1 cell)")
    person.sees("X, tensor, 2×3, 24 B", "Worker: Ready")


def test_the_session_is_saved_as_a_script_and_as_a_notebook(
    open_program: OpenProgram, tmp_path: Path
) -> None:
    person = open_lab(open_program, X_ON_0, "X.sum()")
    script, notebook = tmp_path / "session.py", tmp_path / "session.ipynb"
    person.click("Save as")
    person.saves_as(script)
    person.waits(script.exists)
    program = script.read_text("utf-8")
    compile(program, str(script), "exec")
    assert "import torch" in program
    assert X_ON_0 in program
    person.click("Save as")
    person.saves_as(notebook)
    person.waits(notebook.exists)
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    assert X_ON_0 in "".join(cells[-2]["source"])
    assert "".join(cells[-1]["source"]) == "X.sum()"
