"""The past of a card as a chart gets it, and as a file of traces has it."""

import csv
import io
import math
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import TypeAlias

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import (
    ENERGY,
    GPU_UTILIZATION,
    METRICS,
    POWER_DRAW,
    TEMPERATURE,
    MetricId,
)
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.trace import Heading, Trace, TraceColumn, write_traces

CARD = CardId("SIM-0")


def seen(at: float, metric: MetricId = m.POWER_DRAW, value: float = 1.0) -> Sample:
    return Sample(CARD, at, {metric: value})


def filled(
    history: History, times: Iterable[float], metric: MetricId = m.POWER_DRAW
) -> History:
    for at in times:
        history.append(seen(at, metric, at))
    return history


@pytest.fixture(scope="module")
def long_day() -> History:
    """Twenty-seven hours of a card that was asked once a second; the value is the time."""
    return filled(History(), map(float, range(27 * 3600)))


def test_a_day_is_kept_in_outline_up_to_the_newest_reading(long_day: History) -> None:
    end = 27 * 3600.0 - 1
    start = end - 86399
    trace = long_day.trace(CARD, m.POWER_DRAW, start, end)
    assert 1400 <= len(trace) <= 1500
    assert trace.counts.sum() == 86400
    assert trace.minima[0] == start
    assert trace.maxima[-1] == end
    assert not np.isnan(trace.means).any()


def test_memory_stays_the_same_however_long_it_goes_on() -> None:
    history = History(full_seconds=50.0, day_seconds=500.0)
    filled(history, map(float, range(600)))
    after_a_day = history.memory_bytes()
    filled(history, map(float, range(600, 5000)))
    assert 0 < history.memory_bytes() < 1.5 * after_a_day


BEAT, SLOW_BEAT, FULL, DAY, BUCKET = 1.0, 5.0, 20.0, 100.0, 5.0

# Seconds since the sample before, then the power and the energy if they were told.
Step: TypeAlias = tuple[float, float | None, float | None]


@dataclass(frozen=True)
class Reading:
    """What a reference that forgets nothing knows of one sample."""

    at: float
    power: float | None
    energy: float | None
    after_gap: bool

    def of(self, metric: MetricId) -> float | None:
        return self.power if metric == POWER_DRAW else self.energy


single = st.floats(-(2.0**99), 2.0**99, width=32)
double = st.floats(-(2.0**99), 2.0**99)
distances = st.sampled_from(
    [1.0, 1.0, 1.0, 1.0, 0.1, 0.9, 1.25, 2.0, 3.0, 7.0, 31.0, 0.0, -2.0]
)
stretches = st.tuples(
    distances,
    st.integers(1, 30),
    st.lists(st.none() | single, min_size=1, max_size=5),
    st.lists(st.none() | double, min_size=1, max_size=5),
)


def _step_by_step(
    drawn: list[tuple[float, int, list[float | None], list[float | None]]],
) -> list[Step]:
    return [
        (distance, powers[i % len(powers)], energies[i % len(energies)])
        for distance, length, powers, energies in drawn
        for i in range(length)
    ]


steps = st.lists(stretches, min_size=1, max_size=8).map(_step_by_step)
unhurried = settings(deadline=None, max_examples=40)  # a busy computer is no fault
metrics = st.sampled_from([POWER_DRAW, ENERGY])
column_limits = st.sampled_from([2, 3, 5, 17, 50, 400])


def lived(taken: list[Step]) -> tuple[History, dict[MetricId, list[Reading]]]:
    """A small history that was given these samples, and the reference for each metric."""
    history = History(BEAT, FULL, DAY, bucket_seconds=BUCKET)
    reference = {POWER_DRAW: list[Reading](), ENERGY: list[Reading]()}
    announced = {POWER_DRAW: BEAT, ENERGY: SLOW_BEAT}
    passed_before = {metric: deque([announced[metric]] * 5, maxlen=5) for metric in reference}
    at = 1000.0
    for distance, power, energy in taken:
        at += distance
        figures = {POWER_DRAW: power, ENERGY: energy}
        values = {metric: value for metric, value in figures.items() if value is not None}
        for metric in figures:  # each is of a round of its own
            told = {metric: values[metric]} if metric in values else {}
            missing = {} if told else {metric: Absence.REFUSED}
            history.append(Sample(CARD, at, told, missing))
        for metric, readings in reference.items():
            newest, after_gap = at, False
            if readings:
                newest = max(at, readings[-1].at)
                passed = newest - readings[-1].at
                usual = max(sorted(passed_before[metric])[2], BEAT)
                after_gap = passed > 2.5 * usual
                passed_before[metric].append(passed)
            if readings or metric in values:
                readings.append(Reading(newest, power, energy, after_gap))
    return history, reference


def window_of_whole_buckets(readings: list[Reading], seconds: float) -> tuple[float, float]:
    newest = readings[-1].at
    buckets = math.floor(min(seconds, DAY - BUCKET) / BUCKET)
    return (math.floor(newest / BUCKET) - buckets) * BUCKET, newest


def shares(trace: Trace, readings: list[Reading]) -> list[list[Reading]]:
    """The readings each column stands for: columns take them in order, `counts` at a time."""
    rest = iter(readings)
    return [[next(rest) for _ in range(count)] for count in trace.counts]


def known(readings: list[Reading], metric: MetricId, start: float) -> list[Reading]:
    return [r for r in readings if r.at >= start and r.of(metric) is not None]


@unhurried
@given(steps, metrics, column_limits, st.floats(0.0, DAY))
def test_no_reading_is_lost_or_invented_or_bridged(
    taken: list[Step], metric: MetricId, columns: int, seconds: float
) -> None:
    history, reference = lived(taken)
    readings = reference[metric]
    if not readings:
        return
    start, end = window_of_whole_buckets(readings, seconds)
    trace = history.trace(CARD, metric, start, end, columns)
    expected = known(readings, metric, start)
    assert trace.counts.sum() == len(expected)
    parts = shares(trace, expected)
    figures_are_those_of_the_readings(trace, parts, metric)
    columns_stand_where_their_readings_were(trace, parts, start, end)
    assert len(trace) <= columns
    gaps_stay_gaps_and_nothing_else_is_one(trace, parts, readings, metric)


def figures_are_those_of_the_readings(
    trace: Trace, parts: list[list[Reading]], metric: MetricId
) -> None:
    for column, share in enumerate(parts):
        values = [value for r in share if (value := r.of(metric)) is not None]
        told = (trace.minima[column], trace.means[column], trace.maxima[column])
        if not values:
            assert np.isnan(told).all()
            continue
        assert (told[0], told[2]) == (min(values), max(values))
        assert min(values) <= told[1] <= max(values)
        size = max(abs(value) for value in values)
        assert abs(told[1] - np.mean(values)) <= 1e-6 * size + 1e-40


def columns_stand_where_their_readings_were(
    trace: Trace, parts: list[list[Reading]], start: float, end: float
) -> None:
    assert np.all(np.diff(trace.times) > 0)
    nexts = np.append(trace.times, math.inf)[1:]
    for time, after, share in zip(trace.times, nexts, parts, strict=True):
        assert start - trace.column_seconds <= time <= end
        assert all(time - 1e-9 <= r.at < after + BUCKET for r in share)


def gaps_stay_gaps_and_nothing_else_is_one(
    trace: Trace, parts: list[list[Reading]], readings: list[Reading], metric: MetricId
) -> None:
    filled = [column for column, share in enumerate(parts) if share]
    assert not parts or filled[0] == 0
    for left, right in pairwise(filled):
        last, first = parts[left][-1], parts[right][0]
        places = [next(i for i, r in enumerate(readings) if r is x) for x in (last, first)]
        between = readings[places[0] + 1 : places[1] + 1]
        unseen = any(r.after_gap or r.of(metric) is None for r in between)
        is_open = right - left > 1
        assert unseen or not is_open
        if first.after_gap and len(between) == 1:
            assert is_open or first.at - last.at < 2 * trace.column_seconds


@unhurried
@given(steps, metrics)
def test_with_room_for_every_reading_each_refusal_is_a_gap(
    taken: list[Step], metric: MetricId
) -> None:
    history, reference = lived(taken)
    if not reference[metric]:
        return
    end = reference[metric][-1].at
    trace = history.trace(CARD, metric, end - FULL, end, 1000)
    seen = [r for r in reference[metric] if r.at >= end - FULL]
    valued = {r.at for r in seen if r.of(metric) is not None}
    refused = {r.at for r in seen if r.of(metric) is None} - valued
    gaps = set(trace.times[np.isnan(trace.means)])
    assert {at for at in refused if valued and at > min(valued)} <= gaps
    assert valued == set(trace.times[trace.counts > 0])


@unhurried
@given(steps, metrics, column_limits, st.floats(0.0, FULL))
def test_the_newest_readings_are_all_there_to_the_second(
    taken: list[Step], metric: MetricId, columns: int, seconds: float
) -> None:
    history, reference = lived(taken)
    if not reference[metric]:
        return
    end = reference[metric][-1].at
    trace = history.trace(CARD, metric, end - seconds, end, columns)
    assert trace.counts.sum() == len(known(reference[metric], metric, end - seconds))


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
