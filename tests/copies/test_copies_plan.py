"""What is asked for becomes copies to be measured, and how long they will take."""

import pytest

from gpuexplorer.copies.asked_for import refusal
from gpuexplorer.copies.measuring import TimeLeft
from gpuexplorer.copies.plan import (
    Kind,
    all_asked,
    job_of,
    kind_of,
    matrix,
    sweep_sizes,
)
from gpuexplorer.lab.wire import CopyJob, Measure
from gpuexplorer.worker.engines.measuring.refusals import refuse_copy
from tests.clocks import ManualClock

DEVICES = ("cpu", "cuda:0", "cuda:1")


def test_a_matrix_has_every_ordered_pair_and_each_device_with_itself() -> None:
    jobs = matrix(DEVICES, Kind.ONE_WAY, 4096)
    assert len(jobs) == 9
    assert CopyJob("cuda:0", "cuda:0", 4096) in jobs


def test_between_host_and_card_memory_is_pinned_unless_it_is_asked_for_otherwise() -> None:
    assert job_of(Kind.ONE_WAY, "cpu", "cuda:0") == CopyJob(
        "cpu", "cuda:0", 256 << 20, pinned=True
    )
    pageable = job_of(Kind.PAGEABLE, "cuda:0", "cpu", 64)
    assert pageable == CopyJob("cuda:0", "cpu", 64, pinned=False)


def test_questions_that_make_no_sense_for_a_pair_are_left_out() -> None:
    pairs = {(job.source, job.target) for job in matrix(DEVICES, Kind.STAGED)}
    assert pairs == {("cuda:0", "cuda:1"), ("cuda:1", "cuda:0")}
    assert not any(job.local for job in matrix(DEVICES, Kind.BOTH_WAYS))
    assert job_of(Kind.PAGEABLE, "cuda:0", "cuda:1") is None


@pytest.mark.parametrize("kind", Kind)
def test_the_kind_of_a_job_is_the_one_it_was_asked_with(kind: Kind) -> None:
    jobs = matrix(DEVICES, kind, 4096)
    assert jobs
    assert {kind_of(job) for job in jobs} == {kind}


@pytest.mark.parametrize("kind", Kind)
def test_the_worker_refuses_nothing_that_is_planned(kind: Kind) -> None:
    for job in matrix(DEVICES, kind, 4096):
        refuse_copy(
            Measure(1, job.source, job.target, job.bytes, job.mode, job.pinned, job.both_ways),
            DEVICES,
        )


def test_small_sizes_come_first_latency_once_and_nothing_twice() -> None:
    jobs = all_asked(["cpu", "cuda:0"], [64, 4096], [Kind.ONE_WAY, Kind.LATENCY, Kind.ONE_WAY])
    assert [job.bytes for job in jobs] == [64] * 4 + [4096] * 4 + [16] * 4


def test_a_sweep_doubles_from_four_bytes_to_a_gibibyte() -> None:
    sizes = sweep_sizes()
    assert (sizes[0], sizes[1], sizes[-1], len(sizes)) == (4, 8, 1 << 30, 29)
    assert all(job_of(Kind.ONE_WAY, "cpu", "cuda:0", size) for size in sizes)


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (CopyJob("cpu", "cuda:0", 4, "overlap", pinned=False), "keeps the host waiting"),
        (CopyJob("cpu", "cpu", 4, "overlap"), "the processor makes these copies"),
        (CopyJob("cuda:0", "cuda:1", 4, pinned=True), "does not touch it"),
        (CopyJob("cuda:0", "cuda:1", 4, "fresh"), "does not touch it"),
        (CopyJob("cpu", "cuda:0", 4, pinned=False, both_ways=True), "it goes alone"),
        (CopyJob("cuda:0", "cuda:0", 4, both_ways=True), "has only one way"),
        (CopyJob("cpu", "cuda:0", 8192, "latency", pinned=True), "at most 4096"),
        (CopyJob("cpu", "cuda:0", 6, "converted"), "a multiple of 4"),
        (CopyJob("cpu", "cuda:0", 5, "strided"), "an even number"),
        (CopyJob("cuda:0", "cuda:1", 8, "strided", pieces=2), "only plain copies"),
    ],
)
def test_what_nobody_needs_to_try_is_said_before(job: CopyJob, sentence: str) -> None:
    assert sentence in refusal(job)


def test_the_time_left_follows_from_what_was_measured_after_the_first() -> None:
    clock = ManualClock()
    jobs = matrix(DEVICES, Kind.ONE_WAY, 4096)
    left = TimeLeft(jobs, clock)
    assert left.seconds(0) is None
    for seconds, job in ((30.0, jobs[0]), (2.0, jobs[1]), (2.0, jobs[2])):
        left.begin(job)
        clock.advance(seconds)
        left.end(job)
    assert left.seconds(3) == pytest.approx(12.0, rel=0.01)
    assert left.seconds(3, 0.5) == pytest.approx(11.0, rel=0.01)
    assert left.seconds(9) == 0.0


def test_large_copies_are_reckoned_to_take_longer() -> None:
    clock = ManualClock()
    jobs = [*(CopyJob("cpu", "cpu", 64) for _ in range(3)), CopyJob("cpu", "cpu", 1 << 30)]
    left = TimeLeft(jobs, clock)
    for job in jobs[:3]:
        left.begin(job)
        clock.advance(1.0)
        left.end(job)
    assert (left.seconds(3) or 0.0) > 3.0
