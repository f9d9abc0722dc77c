"""Products on any cards, without a process. Needs torch."""

from collections.abc import Callable
from typing import Any

import torch

from gpuexplorer.lab.events import Event, Multiplied, Sampled
from gpuexplorer.lab.wire import Multiply
from gpuexplorer.worker.engines.measuring.products import multiply
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards
from tests.worker.fake_cards import FakeCards

SIZE = 64


# Any: tensors are PyTorch's.
class MultiplyingCards(FakeCards):
    """Products are computed in truth, and take the card as long as it is told."""

    def __init__(self, count: int = 1) -> None:
        super().__init__(count)
        self.product_seconds = 2e-3
        self.switches: list[bool | None] = []
        self.spoil_product: Callable[[Any], None] = lambda _product: None

    def multiply(self, out: Any, left: Any, right: Any) -> None:
        torch.mm(left, right, out=out)
        self.switches.append(self.tf32_is_on)
        self.clock += self.asking
        stream = self._current[self._place(out)[0]]
        stream.take(self.product_seconds)
        self.log.append(("product", stream, None))
        self.spoil_product(out)


def asked_for(device: str = "cuda:0", kind: str = "fp32", **changes: object) -> Multiply:
    wanted: dict[str, object] = {"size": SIZE, "samples": 3, "seconds": 0.0, **changes}
    return Multiply(1, device, kind, **wanted)  # type: ignore[arg-type]  # a test's own


def said_by(
    cards: TorchCards, command: Multiply, checkpoint: Callable[[], None] = lambda: None
) -> list[Event]:
    said: list[Event] = []
    multiply(command, cards, said.append, checkpoint)
    return said


def multiplied_on(
    cards: TorchCards, device: str = "cuda:0", kind: str = "fp32", **changes: object
) -> Multiplied:
    """All that was said before is the progress."""
    *progress, last = said_by(cards, asked_for(device, kind, **changes))
    assert all(isinstance(each, Sampled) for each in progress)
    assert isinstance(last, Multiplied)
    return last
