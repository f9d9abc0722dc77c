"""What is in a file of traces, and what is said where it cannot be written."""

import csv
import errno
import io
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import numpy as np
import pytest

from gpuexplorer.core.catalogue import heat_and_power, utilization
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.telemetry.trace import Trace, empty_trace
from gpuexplorer.telemetry.trace_csv import Heading, TraceColumn, write_traces
from gpuexplorer.telemetry.whole_file import write_whole

REAL = Heading(
    "NVIDIA driver 590.48.01", simulated=False, start=0.0, end=100.0, offset=1_700_000_000.0
)
SIMULATED = Heading(
    "Simulated: 2 x NVIDIA TITAN RTX",
    simulated=True,
    start=0.0,
    end=100.0,
    offset=1_700_000_000.0,
)


def readings(times: list[float], values: list[float]) -> Trace:
    figures = np.array(values, float)
    counts = np.isfinite(figures).astype(np.int64)
    return Trace(np.array(times), figures, figures, figures, counts, 1.0)


def column(
    trace: Trace,
    card: str = "GPU-0",
    metric: MetricId = utilization.GPU_UTILIZATION,
    reason: str = "",
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


def test_a_row_is_a_beat_and_a_column_a_metric_of_a_card(tmp_path: Path) -> None:
    path = tmp_path / "plots.csv"
    columns = [
        column(readings([1.0, 2.0, 3.0], [0.5, 0.25, 1.0])),
        column(readings([2.0, 3.0], [280.0, 281.5]), metric=heat_and_power.POWER_DRAW),
    ]
    write_traces(path, columns, REAL)
    _, rows = read(path)
    assert [row["steady_s"] for row in rows] == ["1.000", "2.000", "3.000"]
    assert [row["GPU-0 gpu_utilization [ratio]"] for row in rows] == ["0.5", "0.25", "1"]
    assert [row["GPU-0 power_draw [W]"] for row in rows] == ["", "280", "281.5"]
    assert datetime.fromisoformat(rows[0]["time"]).timestamp() == 1_700_000_001.0


def test_a_slow_metric_is_blank_between_its_own_readings_and_the_file_says_so(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plots.csv"
    # Its round was started a moment earlier, and takes longer than the others.
    slow = column(readings([0.9997, 3.03], [61, 62]), metric=heat_and_power.TEMPERATURE)
    write_traces(path, [column(readings([1, 2, 3, 4], [5, 6, 7, 8])), slow], REAL)
    assert figures(path) == [["5", "61"], ["6", ""], ["7", "62"], ["8", ""]]
    comments, _ = read(path)
    assert "# a row is one beat of the readings; blank: not read at this beat" in comments


def test_a_card_that_is_lost_is_blank_until_it_is_back(tmp_path: Path) -> None:
    path = tmp_path / "plots.csv"
    lost = column(readings([1, 2, 2.5, 7, 8], [1, 1, np.nan, 1, 0]))
    there = column(readings([n + 0.001 for n in range(1, 9)], [2] * 8), "GPU-1")
    write_traces(path, [lost, there], REAL)
    assert figures(path) == [["1", "2"]] * 2 + [["", "2"]] * 4 + [["1", "2"], ["0", "2"]]


def test_where_a_row_stands_for_several_readings_least_and_most_are_told(
    tmp_path: Path,
) -> None:
    path = tmp_path / "plots.csv"
    times, three = np.array([0.0, 10.0]), np.array([3, 3])
    several = Trace(times, times + 1, times + 5, times + 2, three, 10.0)
    write_traces(path, [column(several, metric=heat_and_power.TEMPERATURE)], REAL)
    _, rows = read(path)
    name = "GPU-0 temperature [C]"
    assert [rows[1][key] for key in (name, f"{name} min", f"{name} max")] == ["12", "11", "15"]


def test_the_first_line_says_simulated_while_it_is_so(tmp_path: Path) -> None:
    path = tmp_path / "plots.csv"
    write_traces(path, [column(readings([1], [1]))], SIMULATED)
    comments, _ = read(path)
    assert path.read_text().startswith("# simulated")
    assert "# GPU Explorer; Simulated: 2 x NVIDIA TITAN RTX" in comments
    write_traces(path, [column(readings([1], [1]))], REAL)
    assert "simulated" not in path.read_text().lower()


def test_a_column_without_any_reading_says_why(tmp_path: Path) -> None:
    path = tmp_path / "plots.csv"
    silent = column(empty_trace(), reason="this card does not report it")
    write_traces(path, [silent], REAL)
    comments, rows = read(path)
    assert "# GPU-0 gpu_utilization [ratio]: this card does not report it" in comments
    assert rows == []


def test_only_what_was_seen_is_written_a_nought_as_one_and_no_formula(tmp_path: Path) -> None:
    path = tmp_path / "plots.csv"
    write_traces(path, [column(readings([-5, 1, 200], [1, 0, 1]), card="=1+1")], REAL)
    assert figures(path) == [["0"]]
    _, rows = read(path)
    assert not any(name.startswith("=") for name in rows[0])


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (errno.ENOSPC, "There is no room left on that disk."),
        (errno.EACCES, "You may not write there."),
        (errno.EROFS, "the disk is read-only."),
        (errno.EIO, "The system says: it broke."),
    ],
)
def test_a_disk_that_refuses_leaves_the_old_file_and_no_stump(
    tmp_path: Path, number: int, words: str
) -> None:
    def chunks() -> Iterator[bytes]:
        yield b"half of it"
        raise OSError(number, "it broke")

    path = tmp_path / "plots.csv"
    path.write_bytes(b"the old one")
    with pytest.raises(Trouble) as told:
        write_whole(path, chunks())
    assert words in str(told.value)
    assert path.read_bytes() == b"the old one"
    assert list(tmp_path.iterdir()) == [path]
