"""Runs one operation of PyTorch: on the processor, if its operands are on one card."""

import math
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map_only, tree_unflatten
from torch.utils.flop_counter import flop_registry

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.checking import HeldPair
from gpuexplorer.worker.engines.reading_back import INDEXING, fetched
from gpuexplorer.worker.engines.virtual.cards import HOST
from gpuexplorer.worker.engines.virtual.differ import refusal
from gpuexplorer.worker.engines.virtual.host_limit import refuse_what_the_host_cannot_hold
from gpuexplorer.worker.engines.virtual.tensor import Holdings, OnCard, bare

_CPU = torch.device("cpu")
refused = getattr(torch, "AcceleratorError", RuntimeError)  # older PyTorch has no such name
_LARGE_BYTES = 256 * 1024 * 1024  # below, the outcome is made first and measured then
# Autograd keeps gradients in these and names the device that PyTorch's own code sees: the host.
_MADE_BY_AUTOGRAD = frozenset({"new_empty_strided", "new_zeros", "new_empty"})
_WIDEST = 8  # bytes of one number


# Any throughout: operations and their operands are whatever PyTorch hands on.
def on_this_machine(holdings: Holdings, device: Any) -> torch.device:
    """The device with its number. Raises what PyTorch raises where there is no such card."""
    device = torch.device(device)
    if device.type != "cuda":
        return device
    index = holdings.cards.current if device.index is None else device.index
    if index >= len(holdings.cards):
        raise refused(
            "CUDA error: invalid device ordinal\n"
            "GPU device may be out of range, do you have enough GPUs?"
        )
    return torch.device("cuda", index)


def run(holdings: Holdings, func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    name = func.overloadpacket.__name__
    if name == "_to_copy":
        return _to_copy(holdings, func, args, kwargs)
    if name == "copy_":
        return _copy_into(holdings, args, kwargs)
    flat, spec = tree_flatten((args, kwargs))
    operands = [(value.device, value) for value in flat if isinstance(value, torch.Tensor)]
    asked = kwargs.get("device")
    if name in _MADE_BY_AUTOGRAD and any(each.type == "cuda" for each, _ in operands):
        asked = None
    device = _device(holdings, asked, operands)
    if device.type != "cuda" and not any(each.type == "cuda" for each, _ in operands):
        return func(*args, **kwargs)
    error = refusal(name, operands)
    if error is not None:
        raise error
    plain = [_plain(value) for value in flat]
    plain_args, plain_kwargs = tree_unflatten(plain, spec)
    back = fetched(name, args)
    if device.type != "cuda":
        return func(*plain_args, **plain_kwargs)
    card: int = device.index
    if name in INDEXING:
        _bring_indices(holdings, card, operands)
    if not func.is_view:
        _look_ahead(holdings, card, func, plain, spec)
    written = [(each, each.held.clone()) for each in kwargs.values() if _is_on_card(each)]
    out = func(*plain_args, **plain_kwargs)
    _refuse_reshaped(written)
    if not func.is_view:
        _count(holdings, card, func, plain_args, plain_kwargs, plain, out)
    if back:
        holdings.cards.copied(card, HOST, back, how=name)
    wrappers = {id(value.held): value for value in flat if isinstance(value, OnCard)}

    def on_card(made: torch.Tensor) -> OnCard:
        known = wrappers.get(id(made))
        return holdings.place(made, card) if known is None else known

    if isinstance(out, torch.Tensor):
        return on_card(out)
    return tree_map_only(torch.Tensor, on_card, out)


class Dispatch(TorchDispatchMode):
    """Catches what has no operand on a card, such as `torch.ones(2, device="cuda")`."""

    def __init__(self, holdings: Holdings) -> None:
        super().__init__()
        self._holdings = holdings

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """PyTorch's question; yes would cost the first line a second, for its compiler."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        return run(self._holdings, func, args, dict(kwargs or {}))


def _is_on_card(value: Any) -> bool:
    return isinstance(value, OnCard)


def _refuse_reshaped(written: "list[tuple[Any, torch.Tensor]]") -> None:
    """With `out=`, PyTorch gives a tensor of the wrong shape another. Nothing is lost by it."""
    if all(each.held.shape == each.shape for each, _ in written):
        return
    for each, before in written:
        each.held.resize_(before.shape).copy_(before)
    raise Trouble("On simulated cards, out= must already have the outcome's shape.")


def _device(holdings: Holdings, asked: Any, operands: Any) -> torch.device:
    if asked is not None:
        return on_this_machine(holdings, asked)
    return next((device for device, _ in operands if device.type == "cuda"), _CPU)


def _plain(value: Any) -> Any:
    if isinstance(value, torch.device) and value.type == "cuda":
        return _CPU
    return bare(value)


def _to_copy(holdings: Holdings, func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    """Every copy between devices that makes a new tensor."""
    source = args[0]
    asked = kwargs.pop("device", None)
    non_blocking = bool(kwargs.pop("non_blocking", False))
    kwargs.pop("pin_memory", None)  # the host's memory is as it is
    target = source.device if asked is None else on_this_machine(holdings, asked)
    held = bare(source)
    if target.type not in ("cpu", "cuda"):  # meta, or what PyTorch itself shall refuse
        return func(held, device=target, **kwargs)
    dtype = kwargs.get("dtype") or held.dtype
    size = held.numel() * dtype.itemsize
    if target.type == "cuda":
        holdings.would_fit(target.index, size)
    refuse_what_the_host_cannot_hold(size)
    copied = func(held, device=_CPU, **kwargs)
    arrived = holdings.place(copied, target.index) if target.type == "cuda" else copied
    if source.device != target:
        if non_blocking and target.type == "cpu":
            copied.is_pinned_here = True  # PyTorch does so
        _transfer(holdings, source, arrived, non_blocking=non_blocking)
    elif target.type == "cuda":
        holdings.cards.computed(target.index, 0.0, 2.0 * size)
    return arrived


def _copy_into(holdings: Holdings, args: Any, kwargs: "dict[str, Any]") -> Any:
    target, source = args[0], args[1]
    bare(target).copy_(bare(source))
    size = target.numel() * target.element_size()
    one_number = source.device.type == "cpu" and source.dim() == 0
    if source.device != target.device and not one_number:
        non_blocking = bool((*args[2:], kwargs.get("non_blocking", False))[0])
        _transfer(holdings, source, target, non_blocking=non_blocking)
    elif isinstance(target, OnCard):
        holdings.cards.computed(target.card, 0.0, 2.0 * size)
    return target


def _transfer(
    holdings: Holdings, source: torch.Tensor, arrived: torch.Tensor, *, non_blocking: bool
) -> None:
    """`arrived` holds the values already."""
    cards, there = holdings.cards, bare(arrived)
    ends = _number(source.device), _number(arrived.device)
    on_host = source if source.device.type == "cpu" else arrived
    pinned = bool(getattr(on_host, "is_pinned_here", False))
    if cards.arrives_wrong(*ends):
        with torch.no_grad():
            there.zero_()
    check = None
    if cards.copies.wants_check(there.nbytes):
        of_model = cards.copies.cause.of_model
        values = bare(source).detach(), there
        check = HeldPair(*values) if of_model else HeldPair(*values, (source, arrived))
    cards.copied(*ends, there.nbytes, pinned=pinned, non_blocking=non_blocking, check=check)


def _bring_indices(holdings: Holdings, card: int, operands: Any) -> None:
    for device, tensor in operands[1:]:
        if device.type == "cpu" and tensor.dim() > 0:
            holdings.cards.copied(HOST, card, tensor.nbytes)


def _look_ahead(holdings: Holdings, card: int, func: Any, flat: "list[Any]", spec: Any) -> None:
    """What would be too large is refused before the host's memory is taken for it."""
    if _at_most(flat) < _LARGE_BYTES or func._schema.is_mutable:
        return
    args, kwargs = tree_unflatten([_as_meta(each) for each in flat], spec)
    try:
        made = func(*args, **kwargs)
    except (NotImplementedError, RuntimeError):
        return  # no shapes without values, such as for nonzero; or the real call will say why
    size = sum(each.nbytes for each in tree_flatten(made)[0] if isinstance(each, torch.Tensor))
    holdings.would_fit(card, size)
    refuse_what_the_host_cannot_hold(size)


def _at_most(flat: "list[Any]") -> int:
    """Bytes that no outcome of these operands exceeds: each shape met with each other."""
    shapes = {each.shape: each.numel() for each in flat if isinstance(each, torch.Tensor)}
    numbers = (abs(each) for each in flat if type(each) is int and abs(each) > 1)
    most: int = math.prod(shapes.values()) * math.prod(numbers) * _WIDEST
    return most


def _as_meta(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.to("meta")
    return torch.device("meta") if isinstance(value, torch.device) else value


def _count(
    holdings: Holdings,
    card: int,
    func: Any,
    args: Any,
    kwargs: Any,
    flat: "list[Any]",
    out: Any,
) -> None:
    """How much the card would have had to do."""
    formula = flop_registry.get(func.overloadpacket)
    flops = float(formula(*args, **kwargs, out_val=out)) if formula is not None else 0.0
    made = [out] if isinstance(out, torch.Tensor) else tree_flatten(out)[0]
    tensors = [each for each in (*flat, *made) if isinstance(each, torch.Tensor)]
    if tensors:
        moved = float(sum(each.nbytes for each in tensors))
        holdings.cards.computed(card, flops, moved, tensors[0].element_size())


def _number(device: torch.device) -> int:
    return HOST if device.type != "cuda" else int(device.index)
