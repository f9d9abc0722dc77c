"""The lab by typing: lines run, say what they cost, fail in words, and are mended."""

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
    sees_line,
)
from tests.screens.conftest import OpenProgram

pytestmark = [
    needs_torch,
    pytest.mark.qt_log_ignore("This plugin does not support"),
]


def test_a_line_that_is_typed_runs_and_says_its_value_and_what_it_cost(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    enters(person, "X.sum()")
    sees_line(person, "X.sum()", "done", "tensor(6., device='cuda:0')", "copied 4 B")
    sees_line(person, "cuda:0 20.0 µs, host 20.0 µs")
    person.sees("Times are modelled")


def test_a_line_that_is_not_understood_is_refused_in_a_sentence_and_can_be_typed_anew(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    enters(person, "import os")
    person.sees("Nothing needs to be imported here.", "torch, nn and F are already there.")
    person.press("Ctrl+A")
    person.types("1 + 1")
    person.press("Return")
    sees_line(person, "1 + 1", "done", "2")
    person.does_not_see("Nothing needs to be imported here.")


def test_things_on_two_cards_do_not_meet_it_is_said_why_and_the_first_way_on_mends_it(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0, Y_ON_1)
    enters(person, "Z = X + Y")
    person.sees(
        "PyTorch says",
        "RuntimeError: Expected all tensors to be on the same device, but found at least two "
        "devices, cuda:0 and cuda:1!",
        "What it means here",
        "X lies on cuda:0. Y lies on cuda:1.",
        "Nothing was computed or changed.",
        "Ways on",
        "X.cuda(1) + Y",
        "X.cpu() + Y.cpu()",
    )
    assert "X + Y.cuda(0)" in person.keyboard_is_on()
    person.press("Return")
    person.sees("Z, tensor, 2×3")
    person.does_not_see("PyTorch says")
    sees_line(person, "Z = X + Y.cuda(0)", "done")


def test_what_is_too_large_says_what_was_wanted_and_what_is_free(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program)
    enters(person, 'B = torch.zeros(100000, 100000, device="cuda:1")')
    person.sees(
        "CUDA out of memory. Tried to allocate 37.25 GiB.",
        "The line wanted 37.25 GiB on cuda:1. Only",
        "Nothing was created, and the shelf is as it was.",
        "Half the bytes",
    )


def test_a_worker_that_dies_is_missed_in_a_sentence_and_the_shelf_is_built_again(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    kill_worker()
    person.sees("The worker was killed by somebody, or by the system for want of memory")
    person.does_not_see("X, tensor")
    person.click("Rebuild the shelf (1 line)")
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
    assert "X = torch.ones(2, 3, device=" in program
    person.click("Save as")
    person.saves_as(notebook)
    person.waits(notebook.exists)
    cells = json.loads(notebook.read_text("utf-8"))["cells"]
    assert "X = torch.ones(2, 3, device=" in "".join(cells[-2]["source"])
    assert "".join(cells[-1]["source"]) == "X.sum()"
