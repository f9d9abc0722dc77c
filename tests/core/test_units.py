"""Values as people read them."""

import pytest

from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.core.units import duration, energy, memory, plain, quantity, rate


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (512, "512 B"),
        (1536, "1.50 KiB"),
        (20 * 2**20, "20.0 MiB"),
        (143_771 * 2**20, "140 GiB"),
        (2 * 2**40, "2.00 TiB"),
    ],
)
def test_memory_counts_in_powers_of_two(value: float, text: str) -> None:
    assert str(memory(value)) == text


def test_rates_count_in_powers_of_ten() -> None:
    assert str(rate(31_507_692_307)) == "31.5 GB/s"
    assert str(rate(0)) == "0 B/s"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (0.00538, "5.38 ms"), (90, "90.0 s"), (600, "10.0 min"), (90_000, "25.0 h")],
)
def test_durations_keep_three_digits(seconds: float, text: str) -> None:
    assert str(duration(seconds)) == text


def test_energy_is_told_as_the_meter_tells_it() -> None:
    assert str(energy(7_200_000)) == "2.00 kWh"


@pytest.mark.parametrize(
    ("metric", "value", "text"),
    [
        ("gpu_utilization", 0.97, "97 %"),
        ("temperature", 61.0, "61 °C"),
        ("power_draw", 279.4, "279 W"),
        ("clock_sm", 1.71e9, "1710 MHz"),
        ("performance_state", 8, "P8"),
        ("mig_mode", 1, "on"),
        ("pcie_width", 16, "x16"),
        ("throttle_sw_power_cap", 1, "yes"),
    ],
)
def test_each_kind_of_figure_reads_as_people_write_it(
    metric: str, value: float, text: str
) -> None:
    assert str(quantity(METRICS[MetricId(metric)], value)) == text


def test_every_unit_can_be_read() -> None:
    assert {metric.unit for metric in METRICS.values()} == set(Unit)
    for metric in METRICS.values():
        assert str(quantity(metric, max(metric.lowest, 1.0)))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (2.0, "2"),
        (0.5, "0.5"),
        (1024.0, "1024"),
        (1 / 3, "0.3333"),
        (-0.00001, "0"),
        (10, "10"),
    ],
)
def test_a_number_that_was_typed_is_written_with_the_digits_it_needs(
    number: float, text: str
) -> None:
    assert plain(number) == text
