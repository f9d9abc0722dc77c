"""The README keeps its promises: what it lists is what there is."""

import re
from pathlib import Path

import pytest

from gpuexplorer.__main__ import VERBS
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.metrics import Unit
from gpuexplorer.simulation.faults import parse_faults
from gpuexplorer.simulation.models import MODELS
from gpuexplorer.simulation.specs import parse_machine

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")


@pytest.mark.parametrize("absence", Absence)
def test_every_reason_for_a_missing_figure_is_explained(absence: Absence) -> None:
    assert f"| {absence.sentence} |" in README


@pytest.mark.parametrize("unit", Unit)
def test_every_unit_of_the_json_is_named(unit: Unit) -> None:
    assert f"`{unit}`" in README


def test_every_command_has_its_section() -> None:
    for verb, *_ in VERBS:
        assert f"### `gpuexplorer {verb}`" in README


def test_every_machine_and_fault_it_names_can_be_had() -> None:
    for spec in re.findall(r"`((?:\d+x[A-Za-z0-9]+(?:\+\w+)?,?)+)`", README):
        parse_machine(spec)
    for fault in re.findall(r"^\| `([a-z]+[:@][^`]+)` \|", README, re.MULTILINE):
        assert parse_faults(fault, 4)


def test_every_simulated_model_is_named() -> None:
    for model in MODELS:
        assert model.key in README
