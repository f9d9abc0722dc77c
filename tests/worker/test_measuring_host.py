"""Copies and products of the host, measured for real; also in a worker, stopped and refused."""

import os
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

pytest.importorskip("torch")


from gpuexplorer.lab.events import Failed, Finished, Measured, Multiplied, Sampled
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import Cancel, Command, Measure, Multiply
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from tests.lab.processes import CARD, Worker, needs_torch
from tests.worker.measurements import SIZE, measured_on, multiplied_on

PLACE = 54_321


class Flipping(TorchCards):
    """The real host, but of each copy one byte comes wrong."""

    # Any: tensors are PyTorch's.
    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        super().copy(target, source, wait=wait)
        target[PLACE] ^= 24 if target[PLACE] == 8 else 8  # zero would be another finding


@pytest.mark.parametrize("mode", ["copy", "latency"])
def test_each_way_to_copy_arrives_and_takes_time(mode: str) -> None:
    measured = measured_on(TorchCards(), "cpu", "cpu", mode=mode, bytes=4096)
    assert measured.intact
    assert measured.gated is None
    assert len(measured.samples_s) == 3
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))


@pytest.mark.parametrize("size", [1, 3, 8, SIZE + 5, 33 << 20])
def test_any_number_of_bytes_arrives(size: int) -> None:
    assert measured_on(TorchCards(), "cpu", "cpu", bytes=size, samples=1).intact


def test_a_byte_flipped_on_purpose_is_found() -> None:
    measured = measured_on(Flipping(), "cpu", "cpu")
    assert measured.intact is False
    [wrong] = measured.wrong
    assert wrong.rounds == wrong.checked == 3 + measured.compared_copies
    assert measured.compared_copies >= 4
    assert (wrong.first, wrong.bytes, wrong.zeros) == (PLACE, 1, False)


@pytest.mark.parametrize("kind", ["fp32", "bf16"])
def test_the_processor_multiplies_right_and_takes_its_time(kind: str) -> None:
    measured = multiplied_on(TorchCards(), "cpu", kind, size=256)
    assert measured.right
    assert measured.gated is None
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))
    assert measured.notes == ()


@pytest.mark.skipif(sys.platform != "linux", reason="only there a thread can be moved")
def test_a_thread_runs_there_and_comes_back() -> None:
    before = os.sched_getaffinity(0)
    one = {min(before)}
    with TorchCards().on_processors(one | {4095}) as moved:
        assert moved
        assert os.sched_getaffinity(0) == one
    assert os.sched_getaffinity(0) == before


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


@needs_torch
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


@needs_torch
@EITHER
def test_random_numbers_of_the_lab_go_on_as_if_nothing_had_been_measured(
    worker: Worker, made: Made
) -> None:
    worker.run("torch.manual_seed(3)")
    number = worker.send(lambda n: made(n, 1))
    assert isinstance(worker.listener.outcome(number), Finished)
    worker.run("a = torch.rand(2)", "torch.manual_seed(3)")
    assert isinstance(worker.run("assert a.equal(torch.rand(2))"), Finished)


@needs_torch
def test_what_is_simulated_is_not_measured() -> None:
    worker = Worker(Start(cards=(CARD,)))
    made: tuple[Callable[[int], Command], ...] = (
        lambda n: Measure(n, "cpu", "cuda:0", 1 << 20, pinned=True),
        lambda n: Multiply(n, "cuda:0", "fp32", 64),
    )
    for each in made:
        outcome = worker.listener.outcome(worker.send(each))
        assert isinstance(outcome, Failed)
        said = "Simulated cards are not measured: the program models their times."
        assert outcome.sentence == said
    worker.process.stop()
