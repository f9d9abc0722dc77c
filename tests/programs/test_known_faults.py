"""Training scripts with one known fault each, really run and watched on simulated cards: they
are told of that fault and of nothing else, and without it of nothing.
"""

from pathlib import Path

import pytest

from gpuexplorer.programs.findings import findings
from tests.lab.processes import needs_torch
from tests.programs.expected import CLEAN, FAULTY, Script
from tests.programs.running import watched

pytestmark = needs_torch
_named = pytest.mark.parametrize("script", FAULTY, ids=lambda each: each.name)
_first = [FAULTY[0], *(pytest.param(each, marks=pytest.mark.long) for each in FAULTY[1:])]


@pytest.mark.parametrize("script", _first, ids=[each.name for each in FAULTY])
def test_a_script_is_told_of_its_fault_and_of_nothing_else(script: Script) -> None:
    run = watched(script.file, *script.arguments, flops=script.flops)
    assert run.status == 0
    found = findings(run)
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
    run = watched(script.cured(tmp_path), *script.arguments, flops=script.flops)
    assert run.status == 0
    assert findings(run) == []


def test_a_script_without_a_fault_is_told_of_nothing() -> None:
    run = watched(CLEAN.file, *CLEAN.arguments, flops=CLEAN.flops)
    assert run.status == 0
    assert findings(run) == []
    (seen,) = [each for _, each in run.seen]
    assert (seen.step, seen.steps, seen.seen_steps) == ("optimizer", 100, 100)
