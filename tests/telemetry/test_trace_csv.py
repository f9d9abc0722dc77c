"""What is in a file of traces."""

import csv
import io
import math
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS, POWER_DRAW, TEMPERATURE, MetricId
from gpuexplorer.telemetry.trace import Heading, Trace, TraceColumn, write_traces

REAL = Heading("NVIDIA driver 590.48.01", simulated=False, start=0, end=100, offset=1.7e9)
SIMULATED = replace(REAL, source="Simulated: 2 x NVIDIA TITAN RTX", simulated=True)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "plots.csv"


def readings(times: list[float], values: list[float]) -> Trace:
    figures = np.array(values, float)
    counts = np.isfinite(figures).astype(np.int64)
    return Trace(np.array(times), figures, figures, figures, counts, 1.0)


def column(
    trace: Trace, card: str = "GPU-0", metric: MetricId = GPU_UTILIZATION, reason: str = ""
) -> TraceColumn:
    return TraceColumn(card, METRICS[metric], trace, reason)


def read(path: Path) -> tuple[list[str], list[dict[str, str]]]:
    """The comments, and the rows by their headings."""
    lines = list(csv.reader(io.StringIO(path.read_text("utf-8"))))
    comments = [line[0] for line in lines if line[0].startswith("#")]
    heading, *rows = [line for line in lines if not line[0].startswith("#")]
    return comments, [dict(zip(heading, row, strict=True)) for row in rows]


def figures(path: Path) -> list[list[str]]:
    """The rows without their times, a blank as it is."""
    _, rows = read(path)
    return [list(row.values())[2:] for row in rows]


def test_a_row_is_a_beat_and_a_column_a_metric_of_a_card(path: Path) -> None:
    columns = [
        column(readings([1.0, 2.0, 3.0], [0.5, 0.25, 1.0])),
        column(readings([2.0, 3.0], [280.0, 281.5]), metric=POWER_DRAW),
    ]
    write_traces(path, columns, REAL)
    _, rows = read(path)
    assert [row["steady_s"] for row in rows] == ["1.000", "2.000", "3.000"]
    assert [row["GPU-0 gpu_utilization [ratio]"] for row in rows] == ["0.5", "0.25", "1"]
    assert [row["GPU-0 power_draw [W]"] for row in rows] == ["", "280", "281.5"]
    assert datetime.fromisoformat(rows[0]["time"]).timestamp() == 1_700_000_001.0


def test_a_slow_metric_is_blank_between_its_readings_and_the_file_says_so(path: Path) -> None:
    # Its round was started a moment earlier, and takes longer than the others.
    slow = column(readings([0.9997, 3.03], [61, 62]), metric=TEMPERATURE)
    write_traces(path, [column(readings([1, 2, 3, 4], [5, 6, 7, 8])), slow], REAL)
    assert figures(path) == [["5", "61"], ["6", ""], ["7", "62"], ["8", ""]]
    comments, _ = read(path)
    assert "# a row is one beat of the readings; blank: not read at this beat" in comments


def test_where_a_row_stands_for_several_readings_least_and_most_are_told(path: Path) -> None:
    times, three = np.array([0.0, 10.0]), np.array([3, 3])
    several = Trace(times, times + 1, times + 5, times + 2, three, 10.0)
    write_traces(path, [column(several, metric=TEMPERATURE)], REAL)
    _, rows = read(path)
    name = "GPU-0 temperature [C]"
    assert [rows[1][key] for key in (name, f"{name} min", f"{name} max")] == ["12", "11", "15"]


def test_the_first_line_says_simulated_while_it_is_so(path: Path) -> None:
    write_traces(path, [column(readings([1], [1]))], SIMULATED)
    comments, _ = read(path)
    assert path.read_text().startswith("# simulated")
    assert "# GPU Explorer; Simulated: 2 x NVIDIA TITAN RTX" in comments
    write_traces(path, [column(readings([1], [1]))], REAL)
    assert "simulated" not in path.read_text().lower()


@settings(deadline=None)  # a busy computer is no fault
@given(
    st.lists(st.lists(st.integers(0, 99_999), unique=True, max_size=40).map(sorted), max_size=6)
)
def test_every_reading_is_written_once_in_its_order_and_rows_go_forward(
    tmp_path_factory: pytest.TempPathFactory, cards: list[list[int]]
) -> None:
    path = tmp_path_factory.mktemp("csv") / "plots.csv"
    read_at = [[each / 1000 for each in times] for times in cards]
    columns = [column(readings(times, times), f"GPU-{n}") for n, times in enumerate(read_at)]
    write_traces(path, columns, REAL)
    _, rows = read(path)
    for number, times in enumerate(read_at):
        cells = [row[f"GPU-{number} gpu_utilization [ratio]"] for row in rows]
        assert [float(cell) for cell in cells if cell] == times
    begins = [float(row["steady_s"]) for row in rows]
    assert begins == sorted(begins)
    for row, ends in zip(rows, [*begins, math.inf][1:], strict=True):
        for cell in list(row.values())[2:]:
            assert not cell or float(row["steady_s"]) <= float(cell) <= ends
