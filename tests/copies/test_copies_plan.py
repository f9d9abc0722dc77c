"""What is asked for becomes copies to be measured."""

import pytest

from gpuexplorer.copies.jobs import Kind, job_of, kind_of, matrix, refusal
from gpuexplorer.lab.wire import CopyJob

DEVICES = ("cpu", "cuda:0", "cuda:1")


def test_questions_that_make_no_sense_for_a_pair_are_left_out() -> None:
    pairs = {(job.source, job.target) for job in matrix(DEVICES, Kind.STAGED)}
    assert pairs == {("cuda:0", "cuda:1"), ("cuda:1", "cuda:0")}
    assert job_of(Kind.PAGEABLE, "cuda:0", "cuda:1") is None


@pytest.mark.parametrize("kind", Kind)
def test_the_kind_of_a_job_is_the_one_it_was_asked_with(kind: Kind) -> None:
    jobs = matrix(DEVICES, kind, 4096)
    assert jobs
    assert {kind_of(job) for job in jobs} == {kind}


@pytest.mark.parametrize(
    ("job", "sentence"),
    [
        (CopyJob("cuda:0", "cpu", 4, "staged"), "Only copies from one card to another"),
        (CopyJob("cpu", "cpu", 4, "overlap"), "the processor makes these copies"),
        (CopyJob("cuda:0", "cuda:0", 4, both_ways=True), "has only one way"),
    ],
)
def test_what_nobody_needs_to_try_is_said_before(job: CopyJob, sentence: str) -> None:
    assert sentence in refusal(job)
