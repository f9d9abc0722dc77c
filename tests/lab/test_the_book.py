"""Cells of the shape that courses on GPUs have, on two simulated cards, on one, and on none."""

import re
from pathlib import Path

import pytest

from gpuexplorer.lab.events import Printed
from tests.lab.processes import CARD, needs_torch
from tests.lab.sessions import TWO_CARDS, Session

_BOOK = Path(__file__).with_name("book.py")
_EXPECTED = re.compile(r"#([210]*)([>!]) ?(.*)")


def cells(machine: str) -> list[tuple[str, str, str]]:
    """The code of each, and what it displays there, or which error comes instead."""
    found = []
    for text in _BOOK.read_text("utf-8").split("# %%\n")[1:]:
        lines = text.rstrip().split("\n")
        told = [(line, match.groups()) for line in lines if (match := _EXPECTED.match(line))]
        code = "\n".join(each for each in lines if each not in dict(told))
        here = [(kind, text) for _, (on, kind, text) in told if not on or machine in on]
        said = "\n".join(words for kind, words in here if kind == ">")
        found.append((code, said, "".join(words for kind, words in here if kind == "!")))
    return found


@needs_torch
@pytest.mark.parametrize(
    ("machine", "cards"),
    [
        ("2", TWO_CARDS),
        pytest.param("1", [CARD], marks=pytest.mark.long),
        pytest.param("0", [], marks=pytest.mark.long),
    ],
)
def test_the_cells_of_a_course_show_what_such_a_machine_shows(
    machine: str,
    cards: list[dict[str, object]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)  # cells save files
    if not cards:
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "")
    session = Session(cards=cards)
    for code, said, error in cells(machine):
        cell = session.run(code)
        shown = [each.text for each in cell.outputs if isinstance(each, Printed)]
        if error:
            assert cell.failed is not None, code
            assert cell.failed.error in (error, "RuntimeError"), cell.failed.message
        else:
            assert cell.failed is None, (code, cell.failed)
            assert "".join(shown).rstrip("\n") == said, code
    session.stop()
