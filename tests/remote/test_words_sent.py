"""What is said over there is read here, where "this computer" is another one."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import gpuexplorer
from gpuexplorer.core.doctor import doctor
from gpuexplorer.remote.parcel import Kind

PACKAGE = Path(gpuexplorer.__file__).parent
WRONG = re.compile(r"this (computer|machine)|[`“]gpuexplorer doctor", re.IGNORECASE)


def texts_of(file: Path) -> Iterator[str]:
    """Without docstrings, which stand for themselves."""
    if file.suffix == ".csv":
        yield from file.read_text("utf-8").splitlines()
        return
    nodes = [*ast.walk(ast.parse(file.read_text("utf-8")))]
    told_to_us = {each.value for each in nodes if isinstance(each, ast.Expr)}
    for each in nodes:
        if isinstance(each, ast.Constant) and each not in told_to_us:
            yield str(each.value)


@pytest.mark.parametrize("kind", Kind)
def test_nothing_that_is_sent_speaks_of_this_computer_or_of_its_doctor(kind: Kind) -> None:
    files = [*kind.sources(PACKAGE)]
    assert files
    found = {text for file in files for text in texts_of(file) if WRONG.search(text)}
    assert not found


def test_the_doctor_of_another_computer_is_called_as_that_was_asked_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert doctor() == "gpuexplorer doctor"
    monkeypatch.setenv("GPUEXPLORER_ASKED_AS", "--host ada@titan")
    assert doctor() == "gpuexplorer doctor --host ada@titan"
    assert doctor("") == "gpuexplorer doctor"
