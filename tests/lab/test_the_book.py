"""Cells of the shape that courses on GPUs have, on two simulated cards, on one, and on none."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Printed
from tests.lab.processes import CARD, needs_torch
from tests.lab.sessions import TWO_CARDS, Session

pytestmark = needs_torch

_BOOK = Path(__file__).parent / "book"
_MACHINES = {"2": TWO_CARDS, "1": [CARD], "0": []}
_EXPECTED = re.compile(r"#([210]?)([>!]) ?(.*)")


def cells(file: str) -> list[tuple[str, list[str]]]:
    """The code of each, and the lines of what is expected of it."""
    texts = (_BOOK / file).read_text("utf-8").split("# %%\n")[1:]
    found = []
    for text in texts:
        lines = text.rstrip().split("\n")
        expected = [each for each in lines if _EXPECTED.match(each)]
        found.append(("\n".join(each for each in lines if each not in expected), expected))
    return found


def wanted(expected: list[str], machine: str) -> tuple[str, str]:
    """What is displayed there, and which error comes instead."""
    said, error = [], ""
    for line in expected:
        found = _EXPECTED.match(line)
        assert found is not None
        where, kind, text = found.groups()
        if where in ("", machine) and kind == ">":
            said.append(text)
        elif where == machine:
            error = text
    return "\n".join(said), error


@pytest.fixture(params=["2", *(pytest.param(each, marks=pytest.mark.long) for each in "10")])
def machine(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[str, Session]]:
    monkeypatch.chdir(tmp_path)  # cells save files
    if request.param == "0":
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    session = Session(cards=_MACHINES[request.param])
    yield request.param, session
    session.stop()


@pytest.mark.parametrize("file", ["devices.py", "exercises.py", "training.py"])
def test_the_cells_of_a_course_show_what_such_a_machine_shows(
    machine: tuple[str, Session], file: str
) -> None:
    cards, session = machine
    for code, expected in cells(file):
        said, error = wanted(expected, cards)
        cell = session.run(code)
        shown = [each for each in cell.outputs if isinstance(each, Printed)]
        if error:
            assert cell.failed is not None, code
            assert cell.failed.error in (error, "RuntimeError"), cell.failed.message
        else:
            assert cell.failed is None, (code, cell.failed)
            assert "".join(each.text for each in shown).rstrip("\n") == said, code
