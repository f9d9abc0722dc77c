"""The lab and the computer: which Python, which cards, how much memory, and leaving it all."""

from pathlib import Path

import pytest

from tests.lab.processes import needs_torch
from tests.screens.at_the_bench import (
    NO_PYTHON,
    WITH_TORCH,
    WITHOUT_TORCH,
    X_ON_0,
    enters,
    only_pythons,
    open_lab,
    runs,
    sees_line,
)
from tests.screens.conftest import OpenProgram

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@needs_torch
def test_the_pythons_of_this_computer_are_listed_with_why_one_is_unfit(
    open_program: OpenProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = {"good": WITH_TORCH, "bare": WITHOUT_TORCH, "odd": NO_PYTHON}
    only_pythons(monkeypatch, tmp_path, programs)
    person = open_lab(open_program)
    person.click("Python of the lab")
    person.sees(
        str(tmp_path / "good"),
        "It suits the simulated cards.",
        str(tmp_path / "bare"),
        "It has no PyTorch.",
        str(tmp_path / "odd"),
        "It did not answer as a Python does.",
    )
    person.click("Close")
    runs(person, X_ON_0)


def test_without_pytorch_a_cell_says_so_and_leads_to_the_way_out(
    open_program: OpenProgram, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only_pythons(monkeypatch, tmp_path, {"bare": WITHOUT_TORCH, "odd": NO_PYTHON})
    person = open_lab(open_program)
    enters(person, X_ON_0)
    person.sees("None of the 2 Pythons that were found has PyTorch.", "Waiting for PyTorch")
    person.sees("Get PyTorch…")
    person.click("Choose a Python")
    person.sees(str(tmp_path / "bare"), "It has no PyTorch.")


@needs_torch
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


@needs_torch
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


@needs_torch
def test_leaving_simulated_cards_asks_before_the_lab_is_lost(open_program: OpenProgram) -> None:
    person = open_lab(open_program, X_ON_0)
    person.click("Stop simulating")
    person.sees("Leave what is in the lab?", "This is lost: X.")
    person.click("Stay")
    person.does_not_see("Leave what is in the lab?")
    person.sees("X, tensor")


@needs_torch
def test_released_cards_are_empty_and_the_next_cell_takes_them_again(
    open_program: OpenProgram,
) -> None:
    person = open_lab(open_program, X_ON_0)
    person.click("Release the cards")
    person.sees("This is lost: X.")
    person.click("Release the cards")
    person.sees("cuda:0, nothing on it", "Worker: Not started", "Context 0 GiB")
    assert person.cannot_press("Release the cards")
    runs(person, X_ON_0)
    person.sees("cuda:0, 1 object")
