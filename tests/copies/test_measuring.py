"""A run over many copies: told one by one, stopped at once, and going on after failures."""

import threading
from collections.abc import Callable, Sequence

import pytest

from gpuexplorer.copies.datasheet.products import ProductResult
from gpuexplorer.copies.measuring import STOPPED, Measuring, Progress
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Measured, Multiplied
from gpuexplorer.lab.wire import CopyJob, ProductJob
from tests.clocks import ManualClock

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
