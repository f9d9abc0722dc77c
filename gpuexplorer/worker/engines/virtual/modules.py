"""Models on simulated cards: moved as on real ones, and spread over several."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch import nn

from gpuexplorer.worker.engines.virtual.lazy import lazy_ones_aside


# Any: models and what goes in and out of them are PyTorch's.
@contextlib.contextmanager
def movable() -> "Iterator[None]":
    """`net.cuda()` keeps its parameters the same objects, so an optimiser still knows them.

    Where a graph still holds the old values, PyTorch cannot swap them, and new ones are made.
    """
    original: Callable[..., Any] = nn.Module._apply

    def apply(module: nn.Module, move: Any, *args: Any, **kwargs: Any) -> Any:
        with lazy_ones_aside(module, move):
            try:
                torch.__future__.set_swap_module_params_on_conversion(True)
                return original(module, move, *args, **kwargs)
            except RuntimeError as error:
                if "Couldn't swap" not in str(error):
                    raise
                torch.__future__.set_swap_module_params_on_conversion(False)
                torch.__future__.set_overwrite_module_params_on_conversion(True)
                return original(module, move, *args, **kwargs)

    nn.Module._apply = apply
    try:
        yield
    finally:
        nn.Module._apply = original
        torch.__future__.set_swap_module_params_on_conversion(False)
        torch.__future__.set_overwrite_module_params_on_conversion(False)


class DataParallel(nn.Module):
    """nn.DataParallel, card by card: scatter the batch, copy the model, compute, gather."""

    def __init__(
        self,
        count: int,
        module: nn.Module,
        device_ids: "Sequence[Any] | None" = None,
        output_device: Any = None,
        dim: int = 0,
    ) -> None:
        super().__init__()
        numbers = range(count) if device_ids is None else device_ids
        self._cards = [_card(each) for each in numbers]
        self._output = self._cards[0] if output_device is None else _card(output_device)
        self._dim = dim
        self.module = module

    def forward(self, *inputs: Any, **words: Any) -> Any:
        for part in (*self.module.parameters(), *self.module.buffers()):
            if part.device != self._cards[0]:
                raise RuntimeError(
                    "module must have its parameters and buffers on device "
                    f"{self._cards[0]} (device_ids[0]) but found one of them on device: "
                    f"{part.device}"
                )
        parts = [_chunks(each, len(self._cards), self._dim) for each in inputs]
        outcomes = []
        for number, part in enumerate(zip(*parts, strict=True)):
            card = self._cards[number]
            state = {
                name: value.to(card)
                for name, value in (
                    *self.module.named_parameters(),
                    *self.module.named_buffers(),
                )
            }
            here = tuple(each.to(card) for each in part)
            outcomes.append(torch.func.functional_call(self.module, state, here, words))
        return torch.cat([each.to(self._output) for each in outcomes], self._dim)


def _chunks(whole: Any, count: int, dim: int) -> Any:
    return whole.chunk(count, dim)


def _card(number: Any) -> torch.device:
    return torch.device("cuda", number) if isinstance(number, int) else torch.device(number)
