"""Training scripts with one known fault each are told of that fault and of nothing else, and
without it of nothing.
"""

from pathlib import Path

import pytest

from gpuexplorer.programs.findings import Finding, Matter, findings
from tests.lab.processes import needs_torch
from tests.programs.faulty import CLEAN, FAULTY, Script

pytestmark = needs_torch
_named = pytest.mark.parametrize("script", FAULTY, ids=lambda each: each.name)
_first = [FAULTY[0], *(pytest.param(each, marks=pytest.mark.long) for each in FAULTY[1:])]


def found_in(script: Script, folder: Path, text: str) -> list[Finding]:
    """Without the pauses of a computer that has other work, where they are not the fault."""
    found = findings(script.watched(folder, text))
    return [e for e in found if e.matter is not Matter.HOST or script.matter is Matter.HOST]


@pytest.mark.parametrize("script", _first, ids=[each.name for each in FAULTY])
def test_a_script_is_told_of_its_fault_and_of_nothing_else(
    script: Script, tmp_path: Path
) -> None:
    found = found_in(script, tmp_path, script.text)
    assert [each.matter for each in found] == [script.matter], found
    assert found[0].place == f"{script.name}.py:{script.line(script.code)}"
    assert script.code in found[0].sentence
    assert found[0].cure.startswith(script.cure)
    if script.other:
        assert found[0].other is not None
        assert found[0].other.line == script.line(script.other)


@pytest.mark.long
@_named
def test_a_script_that_was_cured_is_told_of_nothing(script: Script, tmp_path: Path) -> None:
    assert found_in(script, tmp_path, script.cured) == []


def test_a_script_without_a_fault_is_told_of_nothing(tmp_path: Path) -> None:
    run = CLEAN.watched(tmp_path, CLEAN.text)
    assert findings(run) == []
    (seen,) = [each for _, each in run.seen]
    assert (seen.step, seen.steps, seen.seen_steps) == ("optimizer", 100, 100)
