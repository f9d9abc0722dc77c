"""Copies and products in a worker of its own: on the host for real, stopped, and refused."""

from collections.abc import Callable, Iterator

import pytest

from gpuexplorer.lab.events import Failed, Finished, Measured, Multiplied, Sampled
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Cancel, Command, Measure, Multiply
from tests.lab.processes import CARD, Worker, needs_torch

pytestmark = needs_torch


@pytest.fixture(scope="module")
def worker() -> Iterator[Worker]:
    """One for all: what is measured, stopped or refused leaves it as it was."""
    worker = Worker()
    worker.run("import torch")
    yield worker
    worker.process.stop()


def copy(number: int, samples: int) -> Command:
    return Measure(number, "cpu", "cpu", 1 << 20, samples=samples)


def product(number: int, samples: int) -> Command:
    return Multiply(number, "cpu", "fp32", 256, samples, seconds=0.0)


EITHER = pytest.mark.parametrize("made", [copy, product])
Made = Callable[[int, int], Command]


@EITHER
def test_it_is_stopped_at_once_and_the_worker_goes_on(worker: Worker, made: Made) -> None:
    number = worker.send(lambda n: made(n, 1000))
    worker.listener.wait(lambda: len(worker.said(Sampled, number)) > 2)
    worker.process.send(Cancel(number))
    outcome = worker.listener.outcome(number)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert not worker.said(Measured, number) + worker.said(Multiplied, number)
    assert isinstance(worker.run("X = torch.ones(3)"), Finished)


@EITHER
def test_random_numbers_of_the_lab_go_on_as_if_nothing_had_been_measured(
    worker: Worker, made: Made
) -> None:
    worker.run("torch.manual_seed(3)")
    number = worker.send(lambda n: made(n, 1))
    assert isinstance(worker.listener.outcome(number), Finished)
    worker.run("a = torch.rand(2)", "torch.manual_seed(3)")
    assert isinstance(worker.run("assert a.equal(torch.rand(2))"), Finished)


@pytest.mark.parametrize(
    "made",
    [
        lambda n: Measure(n, "cpu", "cuda:0", 1 << 20, pinned=True),
        lambda n: Multiply(n, "cuda:0", "fp32", 64),
    ],
)
def test_what_is_simulated_is_not_measured(made: Callable[[int], Command]) -> None:
    worker = Worker(Start(cards=(CARD,)))
    outcome = worker.listener.outcome(worker.send(made))
    worker.process.stop()
    assert isinstance(outcome, Failed)
    said = "Simulated cards are not measured: the program models their times."
    assert outcome.sentence == said
