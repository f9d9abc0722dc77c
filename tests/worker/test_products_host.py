"""Products on the processor, measured for real: how the method is tried where no card is."""

from collections.abc import Iterator
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.events import Failed, Finished, Multiplied, Sampled  # noqa: E402
from gpuexplorer.lab.wire import Cancel, Multiply  # noqa: E402
from gpuexplorer.lab.worker_process import Start  # noqa: E402
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.lab.processes import CARD, Worker  # noqa: E402
from tests.worker.multiplications import multiplied_on  # noqa: E402


@pytest.fixture
def worker() -> Iterator[Worker]:
    worker = Worker()
    yield worker
    worker.process.stop()


@pytest.mark.parametrize("kind", ["fp32", "bf16"])
def test_the_processor_multiplies_right_and_takes_its_time(kind: str) -> None:
    measured = multiplied_on(TorchCards(), "cpu", kind, size=256)
    assert measured.right
    assert measured.gated is None
    assert len(measured.samples_s) == 3
    assert all(0 < each < 1 for each in (*measured.samples_s, measured.host_s or 0))
    assert measured.notes == ()


def test_tf32_is_refused_in_a_sentence() -> None:
    with pytest.raises(Trouble) as refused:
        multiplied_on(TorchCards(), "cpu", "tf32")
    assert refused.value.sentence == (
        "TF32 is a way in which tensor cores multiply, and the processor has none."
    )
    assert refused.value.hint == "Measure fp32 or bf16, or choose a card."


def test_larger_matrices_take_longer_in_about_their_cube() -> None:
    small = multiplied_on(TorchCards(), "cpu", size=128)
    large = multiplied_on(TorchCards(), "cpu", size=512)
    assert min(large.samples_s) > 8 * min(small.samples_s)


def test_the_switch_of_this_pytorch_is_set_and_put_back() -> None:
    products = torch.backends.cuda.matmul
    newer = hasattr(products, "fp32_precision")
    name, words = (
        ("fp32_precision", ("tf32", "ieee")) if newer else ("allow_tf32", (True, False))
    )
    before = getattr(products, name)
    for on, word in zip((True, False), words, strict=True):
        with TorchCards().tf32(on=on):
            assert getattr(products, name) == word
        assert getattr(products, name) == before


def test_the_older_switch_is_set_and_put_back_where_there_is_no_newer_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    older = SimpleNamespace(allow_tf32=True)
    monkeypatch.setattr(torch.backends.cuda, "matmul", older)
    with TorchCards().tf32(on=False):
        assert older.allow_tf32 is False
    assert older.allow_tf32 is True


def test_in_a_worker_of_its_own_with_its_progress(worker: Worker) -> None:
    number = worker.send(lambda n: Multiply(n, "cpu", "bf16", 128, 4, seconds=0.0))
    assert isinstance(worker.listener.outcome(number), Finished)
    [measured] = worker.said(Multiplied, number)
    assert isinstance(measured, Multiplied)
    assert measured.right
    taken = [each.taken for each in worker.said(Sampled, number) if isinstance(each, Sampled)]
    assert taken == [0, 1, 2, 3, 4]


def test_it_is_stopped_at_once_and_the_worker_goes_on(worker: Worker) -> None:
    number = worker.send(lambda n: Multiply(n, "cpu", "fp32", 256, 1000, seconds=0.0))
    worker.listener.wait(lambda: len(worker.said(Sampled, number)) > 2)
    worker.process.send(Cancel(number))
    outcome = worker.listener.outcome(number)
    assert isinstance(outcome, Failed)
    assert outcome.cause == "cancelled"
    assert isinstance(worker.run("X = torch.ones(3)"), Finished)


def test_random_numbers_of_the_lab_go_on_as_if_nothing_had_been_multiplied(
    worker: Worker,
) -> None:
    worker.run("torch.manual_seed(3)")
    number = worker.send(lambda n: Multiply(n, "cpu", "fp32", 64, 1, seconds=0.0))
    outcome = worker.listener.outcome(number)
    assert isinstance(outcome, Finished)
    assert not outcome.drew


def test_products_on_simulated_cards_are_not_measured() -> None:
    worker = Worker(Start(cards=(CARD,)))
    number = worker.send(lambda n: Multiply(n, "cuda:0", "fp32", 64))
    outcome = worker.listener.outcome(number)
    worker.process.stop()
    assert isinstance(outcome, Failed)
    assert outcome.sentence == (
        "Products on simulated cards are not measured: the program models their times."
    )
