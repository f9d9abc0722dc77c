"""Measuring in a worker of its own: within the host for real, stopped, and refused."""

from collections.abc import Iterator

import pytest

from gpuexplorer.lab.events import Failed, Finished, Measured, Sampled
from gpuexplorer.lab.wire import Cancel, Measure
from gpuexplorer.lab.worker_process import Start
from tests.lab.processes import CARD, Worker, needs_torch

pytestmark = needs_torch


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One for all: what is measured, stopped or refused leaves it as it was."""
    worker = Worker()
    yield worker
    worker.process.stop()


def test_a_copy_within_the_host_is_measured_for_real(worker: Worker) -> None:
    number = worker.send(lambda n: Measure(n, "cpu", "cpu", 1 << 20, samples=5))
    assert isinstance(worker.listener.outcome(number), Finished)
    [measured] = worker.said(Measured, number)
    assert isinstance(measured, Measured)
    assert len(measured.samples_s) == 5
    assert all(each > 0 for each in measured.samples_s)
    assert measured.intact
    assert measured.gated is None
    assert not measured.modelled
    assert len(worker.said(Sampled, number)) == 5


def test_it_is_stopped_at_once_and_the_worker_goes_on(worker: Worker) -> None:
    number = worker.send(lambda n: Measure(n, "cpu", "cpu", 1 << 20, samples=1000))
    worker.listener.wait(lambda: len(worker.said(Sampled, number)) > 2)
    worker.process.send(Cancel(number))
    outcome = worker.listener.outcome(number)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert worker.said(Measured, number) == []
    assert isinstance(worker.run("X = torch.ones(3)"), Finished)


def test_a_device_that_is_not_here_is_refused_and_the_worker_goes_on(worker: Worker) -> None:
    number = worker.send(lambda n: Measure(n, "cpu", "cuda:97", 1 << 20))
    outcome = worker.listener.outcome(number)
    assert isinstance(outcome, Failed)
    assert outcome.sentence == "There is no cuda:97 here."
    without = "This PyTorch is a build for the processor only."
    assert outcome.hint.startswith(("This PyTorch has: cpu", without))
    assert isinstance(worker.run("X = torch.ones(3)"), Finished)


def test_random_numbers_of_the_lab_go_on_as_if_nothing_had_been_measured(
    worker: Worker,
) -> None:
    worker.run("torch.manual_seed(3)")
    number = worker.send(lambda n: Measure(n, "cpu", "cpu", 4096, samples=1))
    outcome = worker.listener.outcome(number)
    assert isinstance(outcome, Finished)
    assert not outcome.drew


def test_copies_of_simulated_cards_are_not_measured() -> None:
    worker = Worker(Start(cards=(CARD,)))
    number = worker.send(lambda n: Measure(n, "cpu", "cuda:0", 1 << 20, pinned=True))
    outcome = worker.listener.outcome(number)
    worker.process.stop()
    assert isinstance(outcome, Failed)
    assert outcome.sentence == (
        "Copies of simulated cards are not measured: the program models their times."
    )
