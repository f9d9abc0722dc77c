"""Values as people read them, the units of axes, and labels that would touch."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gpuexplorer.core.axes import spread
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.core.units import (
    duration,
    energy,
    measure,
    memory,
    plain,
    quantity,
    rate,
)


@pytest.mark.parametrize(
    ("told", "value", "text"),
    [
        (memory, 0, "0 B"),
        (memory, 1536, "1.50 KiB"),
        (memory, 143_771 * 2**20, "140 GiB"),
        (rate, 31_507_692_307, "31.5 GB/s"),
        (duration, 0, "0 s"),
        (duration, 0.00538, "5.38 ms"),
        (duration, 90, "90.0 s"),
        (duration, 600, "10.0 min"),
        (duration, 90_000, "25.0 h"),
        (energy, 7_200_000, "2.00 kWh"),
        (plain, 1 / 3, "0.3333"),
        (plain, -0.00001, "0"),
        (plain, 1024.0, "1024"),
    ],
)
def test_a_value_reads_as_people_write_it(
    told: Callable[[float], object], value: float, text: str
) -> None:
    assert str(told(value)) == text


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("gpu_utilization", 0.97, "97 %"),
        ("temperature", 61.0, "61 °C"),
        ("power_draw", 279.4, "279 W"),
        ("clock_sm", 1.71e9, "1710 MHz"),
        ("performance_state", 8, "P8"),
        ("pcie_width", 16, "x16"),
        ("throttle_sw_power_cap", 1, "yes"),
    ],
)
def test_so_does_each_kind_of_figure(metric: str, value: float, text: str) -> None:
    assert str(quantity(METRICS[MetricId(metric)], value)) == text
    assert {each.unit for each in METRICS.values()} == set(Unit)


@pytest.mark.parametrize(
    ("unit", "most", "shown", "name"),
    [
        (Unit.RATIO, 1.0, 100.0, "%"),
        (Unit.BYTES, 24 * 2.0**30, 24.0, "GiB"),
        (Unit.HERTZ, 2.1e9, 2100.0, "MHz"),
        (Unit.JOULES, 7.2e6, 2.0, "kWh"),
        (Unit.SECONDS, 0.25, 250.0, "ms"),
        (Unit.COUNT, 7.0, 7.0, ""),
    ],
)
def test_the_largest_figure_chooses_the_unit_of_an_axis(
    unit: Unit, most: float, shown: float, name: str
) -> None:
    gauge = measure(unit, most)
    assert gauge.name == name
    assert gauge.shown(most) == pytest.approx(shown)
    assert gauge.value(gauge.shown(most)) == pytest.approx(most)


@given(st.lists(st.floats(-50, 250), max_size=12))
def test_labels_never_overlap_stay_inside_and_keep_the_order_of_their_lines(
    wanted: list[float],
) -> None:
    places = spread(wanted, 10, 0, 200)
    order = sorted(range(len(wanted)), key=lambda label: wanted[label])
    assert [places[label] for label in order] == sorted(places)
    assert all(-1e-6 <= place <= 200 + 1e-6 for place in places)
    for one, next_one in zip(sorted(places), sorted(places)[1:], strict=False):
        assert next_one - one >= 10 - 1e-6
