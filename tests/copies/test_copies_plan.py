"""What is asked for becomes copies to be measured, and how long they will take."""

import pytest

from gpuexplorer.copies.jobs import (
    Kind,
    job_of,
    kind_of,
    matrix,
    refusal,
)
from gpuexplorer.copies.measuring import TimeLeft
from gpuexplorer.lab.wire import CopyJob
from tests.clocks import ManualClock

DEVICES = ("cpu", "cuda:0", "cuda:1")


def test_a_matrix_has_every_ordered_pair_and_each_device_with_itself() -> None:
    jobs = matrix(DEVICES, Kind.ONE_WAY, 4096)
    assert len(jobs) == 9
    assert CopyJob("cuda:0", "cuda:0", 4096) in jobs


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


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (CopyJob("cpu", "cuda:0", 4, "overlap", pinned=False), "keeps the host waiting"),
        (CopyJob("cpu", "cpu", 4, "overlap"), "the processor makes these copies"),
        (CopyJob("cuda:0", "cuda:1", 4, pinned=True), "does not touch it"),
        (CopyJob("cpu", "cuda:0", 4, pinned=False, both_ways=True), "it goes alone"),
        (CopyJob("cuda:0", "cuda:0", 4, both_ways=True), "has only one way"),
        (CopyJob("cpu", "cuda:0", 8192, "latency", pinned=True), "at most 4096"),
        (CopyJob("cpu", "cuda:0", 6, "strided"), "There is no way of copying called"),
        (CopyJob("cuda:0", "cuda:1", 8, "staged", pieces=2), "only plain copies"),
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
        left.begin()
        clock.advance(seconds)
        left.end(job)
    assert left.seconds(3) == pytest.approx(12.0, rel=0.01)
    assert left.seconds(3, 0.5) == pytest.approx(11.0, rel=0.01)
    assert left.seconds(9) == 0.0
