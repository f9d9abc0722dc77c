"""The watch of real cards, which looks away between steps: whatever PyTorch or the person does
meanwhile goes on. Needs torch, and no card.
"""

import threading
from collections.abc import Iterator
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from torch.utils._python_dispatch import (  # noqa: E402
    TorchDispatchMode,
    _get_current_dispatch_mode_stack,
)

from gpuexplorer.worker.engines.sight import Sight  # noqa: E402
from gpuexplorer.worker.engines.watch import Watch  # noqa: E402
from gpuexplorer.worker.watching import seen as sampling  # noqa: E402
from tests.worker import stand_ins  # noqa: E402

FIRST = 4


class Training:
    """A loop as people write it, on the processor."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.watch.install()
        self.net = torch.nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.data = torch.randn(3, 4)

    def runs(self, steps: int) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            self.net(self.data).sum().backward()
            self.optimizer.step()

    def is_watched(self) -> bool:
        """Whether what this thread does with tensors passes the watch."""
        return any(isinstance(each, Sight) for each in _get_current_dispatch_mode_stack())

    @property
    def steps(self) -> tuple[int, int]:
        seen = self.watch.seen.changed(1)
        return seen.steps, seen.seen_steps


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Training:
    monkeypatch.setattr(sampling, "WHOLE", FIRST)
    monkeypatch.setattr(sampling, "EVERY", 0)
    monkeypatch.setattr(sampling, "SHARE", -1.0)
    stand_ins.put_back(monkeypatch)
    return Training()


class Counting(TorchDispatchMode):
    """A mode of the person's own."""

    def __init__(self) -> None:
        super().__init__()
        self.operations = 0

    # Any: whatever PyTorch hands on.
    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        self.operations += 1
        return func(*args, **(kwargs or {}))


def test_it_looks_away_after_the_first_steps_and_back_when_there_is_time(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    with training.watch.watching(program=True, sampled=True):
        training.runs(FIRST - 1)
        assert training.is_watched()
        training.runs(1)
        assert not training.is_watched()
        training.runs(10)
        assert training.steps == (FIRST + 10, FIRST)
        monkeypatch.setattr(sampling, "SHARE", 1e9)
        training.runs(1)
        assert training.is_watched()
        training.runs(1)
        assert not training.is_watched()
        assert training.steps == (FIRST + 12, FIRST + 1)
    assert not training.is_watched()


def test_within_a_mode_of_the_persons_it_stays_as_it_is(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = Counting()
    with training.watch.watching(program=True, sampled=True):
        with mine:
            training.runs(FIRST + 2)
            assert training.is_watched()
        seen = mine.operations
        training.runs(3)
        assert not training.is_watched()
        monkeypatch.setattr(sampling, "SHARE", 1e9)
        with mine:
            training.runs(2)
            assert not training.is_watched()
        assert mine.operations > seen > 0
        training.runs(1)
        assert training.is_watched()


def test_what_pytorch_is_in_the_midst_of_goes_on(training: Training) -> None:
    optimizers = {each: torch.optim.SGD([each], lr=0.1) for each in training.net.parameters()}
    for each in optimizers:  # which step within the backward pass
        each.register_post_accumulate_grad_hook(lambda it: optimizers[it].step())
    results = []

    def train() -> None:
        training.runs(2)
        results.append(torch.vmap(training.net)(training.data).shape)

    with training.watch.watching(program=True, sampled=True):
        for _ in range(3):
            training.runs(FIRST)
            thread = threading.Thread(target=train)
            thread.start()
            thread.join()
            assert torch.vmap(training.net)(training.data).shape == (3, 2)
    assert results == [(3, 2)] * 3
    assert not training.is_watched()


# Any: what the compiler hands over.
def test_what_is_compiled_is_compiled_while_it_is_watched(training: Training) -> None:
    made = []

    def backend(graph: Any, inputs: Any) -> Any:
        made.append(graph)
        return graph.forward

    doubled = torch.compile(lambda each: training.net(each).relu() * 2, backend=backend)
    with training.watch.watching(program=True, sampled=True):
        for _ in range(FIRST + 5):
            expected = training.net(training.data).relu() * 2
            assert torch.equal(doubled(training.data), expected)
            training.runs(1)
    assert made
    torch.compiler.reset()


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> "Iterator[Watch]":
    with stand_ins.two_cards(monkeypatch):
        watch = Watch()
        watch.install()
        with watch.watching(program=True):
            yield watch


def test_while_a_graph_is_captured_no_card_is_asked_anything(watch: Watch) -> None:
    tensor = torch.ones(3, device="cuda:0")
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin(pool=None, capture_error_mode="global")
    before = stand_ins.done.count("moment")
    (tensor + 1) * 2
    torch.zeros(3).to("cuda:1")
    watch.read_moments(all_of_them=False)
    watch.seen.changed(1)
    assert stand_ins.done.count("moment") == before
    graph.capture_end()
    torch.zeros(3).to("cuda:0")
    watch.read_moments(all_of_them=False)
    assert [each.target for each in watch.copies.changed(1)] == ["cuda:0"]


def test_what_a_graph_does_when_it_is_played_is_work_of_the_card(watch: Watch) -> None:
    torch.ones(3, device="cuda:0")
    kernels = watch.copies.kernels
    before = stand_ins.done.count("moment")
    torch.cuda.CUDAGraph().replay()
    assert watch.copies.kernels == kernels + 1
    assert stand_ins.done[-2:] == ["replay", "moment"]
    assert stand_ins.done.count("moment") > before
