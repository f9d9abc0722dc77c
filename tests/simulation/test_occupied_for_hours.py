"""A program at work on a simulated card for hours: its sums stay exact, and nothing is kept."""

import sys
from collections.abc import Iterator

import pytest

from gpuexplorer.simulation.machine import Machine
from gpuexplorer.simulation.occupied import Occupation
from gpuexplorer.simulation.specs import parse_machine

HOUR = 3600.0


def machine() -> Machine:
    return Machine(parse_machine("TitanRTX+idle"), seed=1)


def said(hours: float) -> Iterator[Occupation]:
    """Each half second the program says that it works on; what is said overlaps nothing."""
    for at in range(int(hours * HOUR * 2)):
        yield Occupation(at / 2, at / 2 + 0.5, 0.5, pcie_receive=1e9)


def test_what_was_said_hours_ago_is_not_kept() -> None:
    worked, work = machine(), list(said(hours=1.0))
    before = [sys.getrefcount(each) for each in work]
    for each in work:
        worked.occupy(0, each)
    now = [sys.getrefcount(each) for each in work]
    assert sum(held > was for held, was in zip(now, before, strict=True)) < 3000


def test_the_energy_of_hours_is_still_counted() -> None:
    worked, whole = machine(), machine()
    for each in said(hours=1.0):
        worked.occupy(0, each)
    whole.occupy(0, Occupation(0.0, HOUR, 0.5, pcie_receive=1e9))
    for at in (HOUR - 1.0, HOUR, HOUR + 60.0):
        one, other = worked.reading(0, at), whole.reading(0, at)
        assert one.energy == pytest.approx(other.energy, rel=1e-9)
        assert one.temperature == pytest.approx(other.temperature)


def test_memory_that_comes_and_goes_for_hours_is_summed_up() -> None:
    worked = machine()
    free = worked.reading(0, 0.0).memory_used
    for at in range(20_000):
        worked.hold(0, float(at), 1 << 20 if at % 2 == 0 else -(1 << 20))
    worked.hold(0, 20_000.0, 3 << 20)
    assert worked.reading(0, 20_001.0).memory_used == free + (3 << 20)
    assert worked.reading(0, 19_998.0).memory_used == free + (1 << 20)
