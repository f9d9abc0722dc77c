"""Grid lines people can count in, and clock times along the bottom."""

import time
from collections.abc import Iterator

import pytest

from gpuexplorer.core import metrics as m
from gpuexplorer.core.axes import moment_word, time_ticks
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.gui.plots.content import Limit, PlotContent, PlotLine, Scale, Summary, scale_of
from tests.gui.plots.made import NOTHING

GIB = 2.0**30
NOON = 1_700_049_600.0  # 2023-11-15 12:00 UTC


def scale(
    metric: MetricId,
    least: float,
    most: float,
    lines: int = 3,
    units: Units = USUAL,
    lowest: float | None = 0.0,
    highest: float | None = None,
    limits: tuple[Limit, ...] = (),
) -> Scale:
    known = METRICS[metric]
    content = PlotContent(
        "p", "P", known.unit, (PlotLine("l", known, NOTHING),), limits, (), lowest, highest
    )
    return scale_of(content, [Summary(least, most, most)], lines, units)


def words(scale: Scale) -> list[str]:
    return [text for _, text in scale.ticks]


@pytest.mark.parametrize(
    ("metric", "most", "expected"),
    [
        (m.FAN_SPEED, 0.9, ["50", "100 %"]),
        (m.POWER_DRAW, 279.0, ["150", "300 W"]),
        (m.MEMORY_USED, 23.6 * GIB, ["12", "24 GiB"]),
        (m.PCIE_RECEIVE, 15.8e9, ["8", "16 GB/s"]),
        (m.PCIE_RECEIVE, 3.1e6, ["2", "4 MB/s"]),
        (m.CLOCK_SM, 2100e6, ["1200", "2400 MHz"]),
        (m.PCIE_WIDTH, 16.0, ["8", "16"]),
    ],
)
def test_grid_lines_are_at_round_figures(
    metric: MetricId, most: float, expected: list[str]
) -> None:
    assert words(scale(metric, 0.0, most)) == expected


def test_what_a_person_chose_to_read_stands_on_the_axis() -> None:
    warm = scale(m.TEMPERATURE, 40, 74, units=Units(fahrenheit=True))
    assert words(warm)[-1].endswith("°F")
    full = scale(m.MEMORY_USED, 0, 24e9, units=Units(decimal_memory=True))
    assert words(full) == ["12", "24 GB"]


def test_nothing_but_zero_has_a_scale_all_the_same() -> None:
    assert words(scale(m.PCIE_RECEIVE, 0, 0)) == ["0.5", "1 GB/s"]
    assert words(scale(m.TEMPERATURE, 50, 50, lowest=None))


def test_a_trace_of_something_is_not_called_zero() -> None:
    wide = scale(m.PCIE_RECEIVE, 0, 15e9)
    assert wide.number(0.0) == "0"
    assert wide.number(1e7) == "0.0"


def test_a_state_is_called_by_its_name() -> None:
    assert words(scale(m.PERFORMANCE_STATE, 0, 8))[-1] == "P8"


@pytest.fixture
def in_kolkata(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Half an hour off the full one."""
    monkeypatch.setenv("TZ", "Asia/Kolkata")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def ticks(span: float, most: int = 8) -> list[str]:
    start = 500.0
    return [tick.text for tick in time_ticks(start, start + span, NOON - start, most)]


@pytest.mark.usefixtures("in_kolkata")
def test_times_are_full_hours_and_minutes_of_the_place() -> None:
    assert ticks(60) == ["17:30:00", "17:30:10", "17:30:20", "17:30:30", "17:30:40",
                         "17:30:50", "17:31:00"]  # fmt: skip
    assert ticks(300) == ["17:30", "17:31", "17:32", "17:33", "17:34", "17:35"]
    assert ticks(3600) == ["17:30", "17:40", "17:50", "18:00", "18:10", "18:20", "18:30"]


@pytest.mark.usefixtures("in_kolkata")
def test_midnight_is_called_by_its_date() -> None:
    assert ticks(86400) == ["18:00", "21:00", "16 Nov", "03:00", "06:00", "09:00", "12:00",
                            "15:00"]  # fmt: skip


@pytest.mark.usefixtures("in_kolkata")
def test_a_moment_of_another_day_says_which() -> None:
    assert moment_word(NOON, NOON) == "17:30:00"
    assert moment_word(NOON + 0.31, NOON, tenths=True) == "17:30:00.3"
    assert moment_word(NOON, NOON + 86400) == "15 Nov 17:30:00"
