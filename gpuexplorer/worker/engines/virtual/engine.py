"""VirtualEngine: PyTorch on simulated cards, as the worker's loop wants an engine."""

import contextlib
import platform
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

import torch

from gpuexplorer.lab.events import VERSION, Device, Hello, Memory, Transferred
from gpuexplorer.worker.engines.virtual.cards import CardFacts, Cards, Link
from gpuexplorer.worker.engines.virtual.cuda_words import CudaWords
from gpuexplorer.worker.engines.virtual.dispatch import Dispatch
from gpuexplorer.worker.engines.virtual.functions import Functions
from gpuexplorer.worker.engines.virtual.tensor import Holdings
from gpuexplorer.worker.engines.words import word

_CUDA = "torch.cuda."


class VirtualEngine:
    """Values are PyTorch's own; memory and times are modelled, and said to be."""

    def __init__(
        self, cards: "Sequence[Mapping[str, object]]", links: "Sequence[Mapping[str, object]]"
    ) -> None:
        # Or Module.to could not change a parameter into one on a card.
        torch.__future__.set_overwrite_module_params_on_conversion(True)  # noqa: FBT003
        self._cards = Cards(
            [CardFacts.read(each) for each in cards],
            [Link(**each) for each in links],  # type: ignore[arg-type]  # ours, from the window
        )
        self._holdings = Holdings(self._cards)
        self._cuda = CudaWords(self._holdings)

    def hello(self) -> Hello:
        return Hello(
            VERSION,
            platform.python_version(),
            torch.__version__,
            "simulated cards",
            simulated=True,
            devices=tuple(self.devices()),
        )

    def devices(self) -> Sequence[Device]:
        cards = [
            Device(f"cuda:{index}", each.name, each.uuid, each.memory_bytes, each.capability)
            for index, each in enumerate(self._cards.facts)
        ]
        host = Device("cpu", platform.processor() or platform.machine())
        return [host, *cards, Device("meta", "shapes without values")]

    def running(self) -> AbstractContextManager[object]:
        self._cards.begin()
        return self._in_force()

    def word(self, name: str) -> Any:  # noqa: ANN401 - PyTorch's own
        return (
            self._cuda.word(name.removeprefix(_CUDA)) if name.startswith(_CUDA) else word(name)
        )

    def settle(self) -> None:
        """What is modelled is done at once."""

    def device_seconds(self) -> "tuple[float | None, bool]":
        """Cards work side by side: the busiest decides."""
        seconds = self._cards.work.seconds
        return (max(seconds.values()), True) if seconds else (None, False)

    def transfers(self, command: int) -> Sequence[Transferred]:
        return [
            Transferred(command, _name(source), _name(target), size, seconds, modelled=True)
            for source, target, size, seconds in self._cards.work.transfers
        ]

    def memory(self) -> Sequence[Memory]:
        return [
            Memory(
                f"cuda:{each.index}",
                each.counts.allocated,
                each.counts.reserved,
                each.free_bytes,
                each.total_bytes,
            )
            for each in self._cards.allocators
            if each.awake
        ]

    @contextlib.contextmanager
    def _in_force(self) -> "Iterator[None]":
        with Functions(self._holdings), Dispatch(self._holdings):
            yield


def _name(number: int) -> str:
    return "cpu" if number < 0 else f"cuda:{number}"
