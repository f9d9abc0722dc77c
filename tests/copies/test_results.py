"""Measured copies: a run of many, a sweep, what stands out, and the JSON and the CSV."""

import csv
import io
import json
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.findings import Finding, Matter, findings, the_rest
from gpuexplorer.copies.jobs import Kind, sweep_sizes
from gpuexplorer.copies.measuring import STOPPED, Measuring, Progress
from gpuexplorer.copies.result import (
    Busy,
    CopyResult,
    as_csv,
    as_json,
    curve_of,
    result_as_json,
)
from gpuexplorer.copies.routes import Narrow
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Measured, Multiplied, Wrong
from gpuexplorer.lab.wire import CopyJob, ProductJob
from tests.clocks import ManualClock
from tests.copies.made import all_pairs, at_rate, bench, measured, one_way, real

PATIENCE = 10.0
JOBS = tuple(CopyJob("cpu", "cpu", size) for size in (1, 2, 3, 4))


class Bench:
    """Measures in two seconds, except what is told to hang, to fail, or to be impossible."""

    modelled = False

    def __init__(self, hangs: int = 0, fails: int = 0, impossible: int = 0) -> None:
        self._hangs, self._fails, self._impossible = hangs, fails, impossible
        self.clock = ManualClock()
        self.hanging = threading.Event()
        self._stopped = threading.Event()

    def measure(self, job: CopyJob, on_sampled: Callable[[int, int], None]) -> CopyResult:
        on_sampled(1, 2)
        self.clock.advance(30.0 if job == JOBS[0] else 2.0)
        if job.bytes == self._impossible:
            raise Trouble("No worker starts.", "Install PyTorch.")
        if job.bytes == self._hangs:
            self.hanging.set()
            assert self._stopped.wait(PATIENCE)
            return CopyResult(job, None, None, Message("It was stopped."))
        if job.bytes == self._fails:
            return CopyResult(job, None, None, Message("It does not fit."))
        return CopyResult(job, Measured(1, (1e-3,)), None)

    def measure_product(
        self, job: ProductJob, on_sampled: Callable[[int, int], None]
    ) -> ProductResult:
        return ProductResult(job, Multiplied(1, (0.5,), right=True))

    def stop(self) -> None:
        self._stopped.set()

    def close(self) -> None:
        """It holds nothing."""


class Run:
    """A measuring and all that it told."""

    def __init__(self, bench: Bench, jobs: Sequence[CopyJob] = JOBS) -> None:
        self.results: list[CopyResult] = []
        self.progress: list[Progress] = []
        self.ends: list[str] = []
        self.measuring = Measuring(
            jobs,
            bench,
            self.results.append,
            self.progress.append,
            self.ends.append,
            bench.clock,
        )
        self.measuring.start()

    def to_the_end(self) -> "Run":
        assert self.measuring.wait(PATIENCE)
        return self


def test_every_job_is_answered_in_its_order_also_one_that_fails_and_then_it_ends() -> None:
    run = Run(Bench(fails=2)).to_the_end()
    assert [result.job for result in run.results] == list(JOBS)
    assert [result.failure for result in run.results] == ["", "It does not fit.", "", ""]
    assert run.ends == [""]
    assert (run.progress[-1].done, run.progress[-1].of, run.progress[-1].job) == (4, 4, None)


def test_progress_tells_the_samples_of_the_job_that_runs_and_the_time_left() -> None:
    run = Run(Bench()).to_the_end()
    sampled = [each for each in run.progress if each.samples]
    assert [(each.done, each.taken, each.samples) for each in sampled] == [
        (at, 1, 2) for at in range(4)
    ]
    left = [each.seconds_left for each in sampled]
    # The first one pays for starting the worker, and one alone tells too little.
    assert left == [None, None, pytest.approx(3.0), pytest.approx(1.0)]
    assert run.progress[-1].seconds_left == 0.0


def test_it_stops_at_once_in_the_middle_and_keeps_what_it_has() -> None:
    bench = Bench(hangs=2)
    run = Run(bench)
    assert bench.hanging.wait(PATIENCE)
    run.measuring.stop()
    run.to_the_end()
    assert [result.job.bytes for result in run.results] == [1]
    assert run.ends == [STOPPED]


def test_where_nothing_can_be_measured_at_all_it_ends_with_the_sentence() -> None:
    run = Run(Bench(impossible=3)).to_the_end()
    assert len(run.results) == 2
    assert run.ends == ["No worker starts. Install PyTorch."]


def test_floor_and_half_rate_are_those_of_a_line() -> None:
    curve = curve_of([real("cpu", "cpu", x, 10e-6 + x / 25e9) for x in sweep_sizes()])
    assert curve is not None
    assert curve.floor == pytest.approx(10e-6, rel=0.02)
    assert curve.floor_bytes == 32768
    assert curve.half_rate_bytes == pytest.approx(250e3, rel=0.05)


def about(results: list[CopyResult], matter: Matter) -> list[Finding]:
    return [each for each in findings(results) if each.matter is matter]


def changed(
    results: list[CopyResult], source: str, target: str, rate: float
) -> list[CopyResult]:
    """Its plain copies."""
    path = (source, target, "copy")
    return [
        at_rate(each, rate)
        if (each.job.source, each.job.target, each.job.mode) == path
        else each
        for each in results
    ]


def test_nothing_stands_out_where_all_is_as_it_should_be() -> None:
    assert findings(all_pairs("8xH100+nvlink", Kind.ONE_WAY)) == []
    assert findings(all_pairs("4xRTX4090+pcie", Kind.ONE_WAY, Kind.LATENCY)) == []
    assert findings(all_pairs("1xH100,2xT4", Kind.ONE_WAY)) == []


def test_what_arrives_wrong_comes_first_with_its_bytes_and_what_to_do() -> None:
    results = all_pairs("8xL4", Kind.PAGEABLE, Kind.ONE_WAY, Kind.STAGED, faults="wrong:6>1")
    first = findings(results)[0]
    assert first.matter is Matter.WRONG
    assert first.cells == (("cuda:6", "cuda:1"),)
    assert first.title == "Arrives WRONG"
    said = first.sentence.replace("\N{NARROW NO-BREAK SPACE}", " ")
    assert "In 3 of 7 rounds, 12 288 of 268 435 456 bytes came as zeros" in said
    assert "A wrong copy has no rate." in said
    assert "Through host memory: 18.0 GB/s one way, modelled." in said
    assert "ACS" in first.hint
    assert first.instead is not None
    assert first.instead.job.mode == "staged"


def narrowed(result: CopyResult, device: str) -> CopyResult:
    route = result.route
    assert route is not None
    if device not in (result.job.source, result.job.target) or result.job.local:
        return result
    narrow = (Narrow(device, "x8", "x16", slot=True),)
    return at_rate(replace(result, route=replace(route, limit=15.75e9, narrow=narrow)), 13.1e9)


def test_a_card_on_half_its_lanes_is_one_finding_with_all_its_paths() -> None:
    results = [narrowed(each, "cuda:3") for each in all_pairs("8xL4", Kind.ONE_WAY)]
    [found] = findings(results)
    assert (found.matter, found.devices, found.title) == (
        Matter.NARROW,
        ("cuda:3",),
        "Runs at x8",
    )
    assert found.sentence == (
        "13.1 GB/s one way on every PCIe path: 83 % of what that carries. cuda:3 runs at x8: "
        "card and slot could do x16."
    )
    assert len(found.cells) == 16
    assert "Reseat" in found.hint


def test_a_card_of_whose_paths_most_are_slow_is_named_once() -> None:
    results = [
        at_rate(each, 5e9) if "cuda:3" in (each.job.source, each.job.target) else each
        for each in all_pairs("8xL4", Kind.ONE_WAY)
    ]
    [found] = findings(results)
    assert (found.matter, found.devices) == (Matter.SLOW_CARD, ("cuda:3",))
    assert "where others reach 21.9 to 132." in found.sentence
    assert found.hint.startswith("Look at its slot")


def test_what_is_said_of_many_is_summed_up() -> None:
    [found] = about(all_pairs("4xRTX4090", Kind.ONE_WAY, Kind.PAGEABLE), Matter.PAGEABLE)
    assert found.sentence == (
        "6.00 GB/s one way, where pinned memory reaches 25.8: it takes 4.3 times as long."
    )
    assert len(found.cells) == 8
    results = all_pairs("2xT4", Kind.ONE_WAY, faults="lost:1@0s")
    [found] = about(results, Matter.NOT_MEASURED)
    assert found.sentence == "cuda:1 is lost: it no longer answers the driver."
    assert len(found.cells) == 5


def test_what_disturbed_the_copies_is_said_and_by_how_much() -> None:
    results = all_pairs("2xT4", Kind.ONE_WAY)
    results[1] = replace(results[1], busy=(Busy("cuda:0", 0.83),))
    results[2] = replace(results[2], busy=(Busy("cuda:1", 0.12),))
    [busy] = about(results, Matter.BUSY)
    assert busy.devices == ("cuda:0", "cuda:1")
    assert busy.title == "Busy while it was measured: 83 %, 12 %"
    samples = replace(results[1].seen, samples_s=(0.01, 0.02, 0.03))
    results[1] = replace(results[1], measured=samples)
    [found] = about(results, Matter.UNSTEADY)
    assert found.cells == (("cpu", "cuda:0"),)
    assert found.sentence.startswith("By up to 50 % (standard deviation)")


def test_the_rest_is_summed_up_by_kind() -> None:
    results = changed(all_pairs("8xL4", Kind.ONE_WAY), "cuda:2", "cuda:5", 9e9)
    rest = the_rest(results, findings(results))
    told = {kin.words: (len(kin.results), round((kin.rate or 0) / 1e9, 1)) for kin in rest}
    assert told == {
        "Inside the host": (1, 12.0),
        "Host to card": (8, 25.8),
        "Card to host": (8, 25.8),
        "Inside a card": (8, 131.8),
        "On one PCIe switch": (8, 25.8),
        "Inside one socket": (16, 25.8),
        "Across the sockets": (31, 21.9),
    }


def test_the_json_is_the_one_that_is_promised() -> None:
    results = all_pairs("2xTitanRTX", Kind.ONE_WAY)
    told = json.loads(json.dumps(as_json(results, simulated=True)))
    assert (told["schema"], told["simulated"], told["modelled"]) == (1, True, True)
    assert len(told["results"]) == 9
    pairs = {(each["source"], each["target"]): each for each in told["results"]}
    pair = pairs["cuda:0", "cuda:1"]
    assert len(pair.pop("samples_s")) == 7
    exact = {
        "bytes": 256 << 20, "mode": "copy", "pinned": None, "direction": "one",
        "path": "NVLink x2", "direct": True, "limit_gbs": 50, "gated": None, "intact": None,
        "notes": ["Modelled: no bytes were moved."],
    }  # fmt: skip
    assert {name: pair[name] for name in exact} == exact
    assert pair["rate_gbs"] == pytest.approx(45.9, abs=0.1)
    assert pair["share_of_limit"] == pytest.approx(0.918, abs=0.001)
    assert pair["median_s"] > 0


def test_what_was_not_measured_is_null_and_a_note_says_why() -> None:
    result = measured(bench("2xT4"), CopyJob("cpu", "cuda:5", 64))
    told = result_as_json(result)
    for name in ("rate_gbs", "median_s", "intact", "in_cache", "compared_samples"):
        assert told[name] is None
    assert told["samples_s"] == []
    assert told["notes"][0] == "Not measured: There is no cuda:5."  # type: ignore[index]  # a list


def test_a_wrong_copy_has_no_rate_and_says_what_was_wrong() -> None:
    wrong = Wrong(3, 7, 4096, 8192, zeros=True)
    result = real("cuda:6", "cuda:1", 1 << 20, 0.1, 0.2, intact=False, wrong=(wrong,))
    told = result_as_json(result)
    assert told["intact"] is False
    assert told["rate_gbs"] is None
    assert told["wrong"] == [
        {"rounds": 3, "checked": 7, "bytes": 4096, "first": 8192, "zeros": True}
    ]
    assert "It arrived WRONG: a wrong copy has no rate." in told["notes"]  # type: ignore[operator]  # a list


def test_the_csv_has_a_line_for_each_and_leaves_empty_what_there_is_not() -> None:
    good, bad = (
        one_way("2xTitanRTX", "cuda:0", "cuda:1"),
        real("cuda:6", "cuda:1", 64, 0.5, intact=False),
    )
    rows = list(csv.DictReader(io.StringIO(as_csv([good, bad], simulated=True))))
    assert [row["source"] for row in rows] == ["cuda:0", "cuda:6"]
    assert (rows[0]["simulated"], rows[0]["modelled"]) == ("yes", "yes")
    assert rows[0]["direct"] == "yes"
    assert float(rows[0]["min_s"]) <= float(rows[0]["median_s"]) <= float(rows[0]["max_s"])
    assert rows[1]["rate_gbs"] == ""
    assert rows[1]["min_s"] == ""
    assert rows[1]["intact"] == "no"
