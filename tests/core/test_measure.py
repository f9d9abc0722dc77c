"""One unit for all figures of an axis."""

import pytest

from gpuexplorer.core.metric import Unit
from gpuexplorer.core.units import Units, measure


@pytest.mark.parametrize(
    ("unit", "most", "shown", "name"),
    [
        (Unit.RATIO, 1.0, 100.0, "%"),
        (Unit.BYTES, 24 * 2.0**30, 24.0, "GiB"),
        (Unit.BYTES, 100.0, 100.0, "B"),
        (Unit.WATTS, 280.0, 280.0, "W"),
        (Unit.HERTZ, 2.1e9, 2100.0, "MHz"),
        (Unit.BYTES_PER_SECOND, 15.8e9, 15.8, "GB/s"),
        (Unit.JOULES, 7.2e6, 2.0, "kWh"),
        (Unit.SECONDS, 0.25, 250.0, "ms"),
        (Unit.COUNT, 7.0, 7.0, ""),
    ],
)
def test_the_largest_figure_chooses_the_unit(
    unit: Unit, most: float, shown: float, name: str
) -> None:
    gauge = measure(unit, most)
    assert gauge.name == name
    assert gauge.shown(most) == pytest.approx(shown)
    assert gauge.value(gauge.shown(most)) == pytest.approx(most)


def test_a_person_may_want_other_units() -> None:
    warm = measure(Unit.CELSIUS, 90, Units(fahrenheit=True))
    assert warm.name == "°F"
    assert warm.shown(100) == pytest.approx(212)
    assert warm.value(212) == pytest.approx(100)
    assert measure(Unit.BYTES, 24e9, Units(decimal_memory=True)).name == "GB"


def test_every_unit_can_be_measured() -> None:
    for unit in Unit:
        gauge = measure(unit, 1.0)
        assert gauge.value(gauge.shown(0.5)) == pytest.approx(0.5)
