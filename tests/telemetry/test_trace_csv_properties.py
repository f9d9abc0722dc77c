"""Whatever the times of readings, a file of them loses none and mixes none up: at random."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.telemetry.trace import write_traces
from tests.telemetry.test_trace_csv import REAL, column, read, readings


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
