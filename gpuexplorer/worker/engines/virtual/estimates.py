"""What an operation of PyTorch would have cost the card or the processor: memory before, time
after.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch.utils._pytree import tree_flatten, tree_map
from torch.utils.flop_counter import flop_registry

from gpuexplorer.worker.engines.operations import INDEXING
from gpuexplorer.worker.engines.virtual.holdings import Holdings, in_force

# What asks whether it can be taken apart; a PyTorch without it takes apart by itself.
_has_kernel: Callable[[str, str], bool] = getattr(
    torch._C, "_dispatch_has_kernel_for_dispatch_key", lambda *_: False
)


@dataclass(frozen=True)
class Operation:
    name: str
    composite: bool  # made of others, to be run one by one
    view: bool
    writes: bool  # into its operands
    draws: bool  # random numbers
    indexes: bool
    flops: "Callable[..., int] | None"


@functools.cache
def operation(func: Any) -> Operation:  # Any: an OpOverload
    return Operation(
        name=func.overloadpacket.__name__,
        composite=_has_kernel(func.name(), "CompositeImplicitAutograd"),
        view=func.is_view,
        writes=func._schema.is_mutable,
        draws=torch.Tag.nondeterministic_seeded in func.tags,
        indexes=func.overloadpacket.__name__ in INDEXING,
        flops=flop_registry.get(func.overloadpacket),
    )


_LARGE_BYTES = 256 * 1024 * 1024  # below, the outcome is made first and measured then
_WIDEST = 8  # bytes of one number
_MOST_KNOWN = 4096
# Of calls, by the shapes and numbers in them.
_known_small: "set[object]" = set()  # they make no large tensor
_known_flops: "dict[object, float]" = {}


# Any throughout: operations and their operands are whatever PyTorch hands on.
def look_ahead(
    holdings: Holdings, card: int, func: Any, args: Any, kwargs: Any, leaves: "list[Any]"
) -> None:
    """What would be too large is refused before the host's memory is taken for it."""
    if _at_most(leaves) < _LARGE_BYTES or func._schema.is_mutable:
        return
    call = func, tuple(kwargs), *map(_shown, leaves)
    if call in _known_small:
        return
    try:
        made = func(*tree_map(_as_meta, args), **tree_map(_as_meta, kwargs))
        size = sum(each.nbytes for each in _tensors(made))
    except (NotImplementedError, RuntimeError):
        size = 0  # no shapes without values, as for nonzero; or the real call will say why
    if size < _LARGE_BYTES:
        if len(_known_small) >= _MOST_KNOWN:
            _known_small.clear()
        _known_small.add(call)
        return
    holdings.would_fit(card, size)
    holdings.refuse_beyond_host(size)


def count(
    holdings: Holdings,
    card: int,
    what: Operation,
    args: Any,
    kwargs: Any,
    operands: "list[Any]",
    out: Any,
) -> None:
    """How much the card would have had to do."""
    tensors = [each.held for each in operands]
    tensors += _tensors(out)
    if tensors:
        moved = float(sum(each.nbytes for each in tensors))
        flops = _flops(what, args, kwargs, out)
        holdings.cards.computed(card, flops, moved, tensors[0].element_size())


def count_on_host(
    what: Operation, args: Any, kwargs: Any, operands: "list[Any]", out: Any
) -> None:
    if what.view:
        moved, size = 0.0, 4
    else:
        tensors = [each for each in (*operands, *_tensors(out)) if each.device.type == "cpu"]
        dense = [each for each in tensors if each.layout is torch.strided]
        moved = float(sum(each.nbytes for each in dense))
        size = dense[0].element_size() if dense else 4
    cards = in_force().cards
    cards.computed_on_host(_flops(what, args, kwargs, out), moved, size)
    cards.derived(_tensors(out), operands, changed=not what.view)


def _flops(what: Operation, args: Any, kwargs: Any, out: Any) -> float:
    if what.flops is None:
        return 0.0
    call = what.flops, _frozen(args), *((name, _frozen(kwargs[name])) for name in kwargs)
    known = _known_flops.get(call)
    if known is None:
        if len(_known_flops) >= _MOST_KNOWN:
            _known_flops.clear()
        known = _known_flops[call] = float(what.flops(*args, **kwargs, out_val=out))
    return known


def _tensors(out: Any) -> "list[Any]":
    if isinstance(out, torch.Tensor):
        return [out]
    return [each for each in tree_flatten(out)[0] if isinstance(each, torch.Tensor)]


def _at_most(leaves: "list[Any]") -> int:
    """Bytes that no outcome of these operands exceeds: each shape met with each other."""
    shapes = {each.shape: each.numel() for each in leaves if isinstance(each, torch.Tensor)}
    numbers = (abs(each) for each in leaves if type(each) is int and abs(each) > 1)
    most: int = math.prod(shapes.values()) * math.prod(numbers) * _WIDEST
    return most


def _shown(leaf: Any) -> Any:
    return (leaf.shape, leaf.dtype) if isinstance(leaf, torch.Tensor) else leaf


def _frozen(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.shape
    return tuple(map(_frozen, value)) if isinstance(value, (list, tuple)) else value


def _as_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to("meta")
    return torch.device("meta") if isinstance(value, torch.device) else value
