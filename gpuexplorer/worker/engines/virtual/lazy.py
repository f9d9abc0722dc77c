"""Lazy parameters on simulated cards: which card they will be on, once their shape is known."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.nn.modules.lazy import LazyModuleMixin
from torch.nn.parameter import UninitializedParameter

from gpuexplorer.worker.engines.virtual.tensor import Holdings


# Any throughout: modules and what goes into them are PyTorch's.
def is_lazy(tensor: Any) -> bool:
    return isinstance(tensor, UninitializedParameter)


def moved_later(parameter: Any, device: torch.device) -> Any:
    """`.to("cuda:1")` of a parameter without a shape: nothing moves, and the card is noted."""
    parameter.card_to_be = device.index if device.type == "cuda" else None
    return parameter


@contextlib.contextmanager
def lazy_ones_aside(module: nn.Module, move: "Callable[[Any], Any]") -> "Iterator[None]":
    """What moves a model would exchange them for others, which takes values."""
    lazy = {name: each for name, each in module._parameters.items() if is_lazy(each)}
    for name, each in lazy.items():
        move(each)
        module._parameters[name] = None
    try:
        yield
    finally:
        module._parameters.update(lazy)


@contextlib.contextmanager
def placed_when_known(holdings: Holdings) -> "Iterator[None]":
    """The first batch tells a lazy layer its shape; its parameters are then on their card."""
    original: Callable[..., Any] = LazyModuleMixin._infer_parameters

    def infer(module: Any, *args: Any, **kwargs: Any) -> Any:
        answer = original(module, *args, **kwargs)
        for parameter in module.parameters(recurse=False):
            card = getattr(parameter, "card_to_be", None)
            if card is not None and not is_lazy(parameter):
                _place(holdings, parameter, card)
        return answer

    LazyModuleMixin._infer_parameters = infer
    try:
        yield
    finally:
        LazyModuleMixin._infer_parameters = original


def _place(holdings: Holdings, parameter: Any, card: int) -> None:
    """A real card would make the first values itself: nothing is copied to it."""
    values = parameter.detach()
    holdings.cards.computed(card, 0.0, float(values.nbytes))
    placed = nn.Parameter(holdings.place(values, card), parameter.requires_grad)
    torch.utils.swap_tensors(parameter, placed)
