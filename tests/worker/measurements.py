"""Copies and products measured on any cards, without a process. Needs torch."""

from collections.abc import Callable
from typing import Any

import torch

from gpuexplorer.lab.events import Event, Measured, Multiplied, Sampled
from gpuexplorer.lab.wire import Measure, Multiply
from gpuexplorer.worker.engines.measuring.measure import measure
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from tests.worker.fake_cards import FakeCards

SIZE = 1 << 20
ROWS = 64


# Any: tensors are PyTorch's.
class MultiplyingCards(FakeCards):
    """Products are computed in truth, and take the card as long as it is told."""

    def __init__(self) -> None:
        super().__init__(1)
        self.product_seconds = 2e-3
        self.switches: list[bool | None] = []
        self.spoil_product: Callable[[Any], None] = lambda _product: None

    def multiply(self, out: Any, left: Any, right: Any) -> None:
        torch.mm(left, right, out=out)
        self.switches.append(self.tf32_is_on)
        self.clock += self.asking
        self._current[self._place(out)[0]].take(self.product_seconds)
        self.spoil_product(out)


def asked_for(source: str = "cpu", target: str = "cuda:0", **changes: object) -> Measure:
    wanted: dict[str, object] = {"bytes": SIZE, "samples": 3, **changes}
    if "cpu" in (source, target) and source != target:
        wanted = {"pinned": True, **wanted}
    return Measure(1, source, target, **wanted)  # type: ignore[arg-type]  # a test's own


def said_by(
    cards: TorchCards,
    command: Measure | Multiply,
    checkpoint: Callable[[], None] = lambda: None,
) -> list[Event]:
    said: list[Event] = []
    if isinstance(command, Measure):
        measure(command, cards, said.append, checkpoint)
    else:
        multiply(command, cards, said.append, checkpoint)
    return said


def measured_on(
    cards: TorchCards, source: str = "cpu", target: str = "cuda:0", **changes: object
) -> Measured:
    """All that was said before is the progress."""
    *progress, last = said_by(cards, asked_for(source, target, **changes))
    assert all(isinstance(each, Sampled) for each in progress)
    assert isinstance(last, Measured)
    return last


def multiplied_on(
    cards: TorchCards, device: str = "cuda:0", kind: str = "fp32", **changes: Any
) -> Multiplied:
    wanted = {"size": ROWS, "samples": 3, "seconds": 0.0, **changes}
    first, *_, last = said_by(cards, Multiply(1, device, kind, **wanted))
    assert first == Sampled(1, 0, wanted["samples"])  # it has warmed up
    assert isinstance(last, Multiplied)
    return last
