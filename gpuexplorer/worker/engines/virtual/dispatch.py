"""Runs one operation of PyTorch: on the processor, if its operands are on one card."""

import contextlib
from collections.abc import Iterator
from typing import Any

import torch
from torch.utils._pytree import tree_leaves, tree_map_only

from gpuexplorer.worker.engines.operations import READING, as_tensors, fetched
from gpuexplorer.worker.engines.sight import Mode
from gpuexplorer.worker.engines.virtual.copying import copied_into, copied_to, pinned
from gpuexplorer.worker.engines.virtual.devices import CPU, Device, device_of_generator, meant
from gpuexplorer.worker.engines.virtual.errors import refusal, refuse_after_fork
from gpuexplorer.worker.engines.virtual.estimates import (
    count,
    count_on_host,
    look_ahead,
    operation,
)
from gpuexplorer.worker.engines.virtual.holdings import Holdings, beside, in_force
from gpuexplorer.worker.engines.virtual.patches import refuse_strange
from gpuexplorer.worker.engines.virtual.tensor import OnCard, become
from gpuexplorer.worker.engines.virtual.work import HOST

# Lengths of sequences are the host's business, also where the sequences are on a card.
_LENGTHS_ON_HOST = frozenset({"_pack_padded_sequence", "_pad_packed_sequence"})
_without_memory = torch.ops.aten._efficientzerotensor.default


# Any throughout: operations and their operands are whatever PyTorch hands on.
class Dispatch(Mode):
    """In force in every thread; catches also what has no operand on a card."""

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> Any:
        kwargs = kwargs or {}
        try:
            return _dispatched(func, args, dict(kwargs))
        except RuntimeError as error:
            tensors = as_tensors(func, args, error)
            if tensors is None:
                raise
        return _dispatched(func, tensors, dict(kwargs))


def _dispatched(func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    if beside.on and _of_the_host_alone(args, kwargs):
        return func(*args, **kwargs)
    with in_force().clock:
        return run(func, args, kwargs)


def _tensor(value: Any) -> Any:
    """Within vmap a number stands for itself."""
    return value if isinstance(value, torch.Tensor) else torch.scalar_tensor(value)


def _of_the_host_alone(args: Any, kwargs: "dict[str, Any]") -> bool:
    if kwargs.get("pin_memory"):
        return False
    return not any(map(_reaches_a_card, (*args, *kwargs.values())))


def _reaches_a_card(value: Any) -> bool:
    kind = type(value)
    if kind is list or kind is tuple:
        return any(map(_reaches_a_card, value))
    return issubclass(kind, OnCard) or (kind is Device and value.type != "cpu")


def run(func: Any, args: Any, kwargs: "dict[str, Any]") -> Any:
    what = operation(func)
    if what.composite:
        with Dispatch():
            return func.decompose(*args, **kwargs)
    if func is _without_memory:
        func = torch.ops.aten.zeros.default
    name, asked = what.name, kwargs.get("device")
    if asked is not None:
        asked = kwargs["device"] = meant(asked)
    if name == "_to_copy":
        return copied_to(func, _tensor(args[0]), **kwargs)
    if name == "copy_":
        return copied_into(args[0], _tensor(args[1]), *args[2:], **kwargs)
    wants_pinned = kwargs.pop("pin_memory", False)
    leaves: list[Any] = []
    plain_args = [_plain(each, leaves) for each in args]
    plain_kwargs = {key: _plain(each, leaves) for key, each in kwargs.items()}
    seen = [each for each in leaves if isinstance(each, torch.Tensor)]
    there = [each for each in seen if issubclass(type(each), OnCard)]
    if kwargs.get("generator") is not None:
        _same_kind(kwargs["generator"], seen, asked)
    if not there and (asked is None or asked.type != "cuda"):
        out = func(*args, **kwargs)
        count_on_host(what, args, kwargs, seen, out)
        return pinned(out) if wants_pinned else out
    if wants_pinned:
        raise RuntimeError("Only dense CPU tensors can be pinned")
    differ = len(seen) > len(there) or any(each.card != there[0].card for each in there)
    if differ and name not in _LENGTHS_ON_HOST:
        error = refusal(name, [(each.device, each) for each in seen])
        if error is not None:
            raise error
    if asked is not None and asked.type != "cuda":
        return func(*plain_args, **plain_kwargs)
    card = there[0].card if asked is None else asked.index
    refuse_after_fork(used=bool(there))
    holdings = in_force()
    with holdings.cards.lock:
        if what.indexes:
            _bring_indices(holdings, card, seen)
        if not what.view:
            look_ahead(holdings, card, func, plain_args, plain_kwargs, leaves)
        draws = what.draws and kwargs.get("generator") is None
        with drawing(card) if draws else contextlib.nullcontext():
            out = func(*plain_args, **plain_kwargs)
        for each in (out,) if isinstance(out, torch.Tensor) else tree_leaves(out):
            if isinstance(each, torch.Tensor):
                refuse_strange(each)
        if not what.view and name != READING:  # which is a copy alone
            count(holdings, card, what, plain_args, plain_kwargs, there, out)
        if back := fetched(name, args):
            holdings.cards.copied(card, HOST, back, how=name)
        if what.writes:
            for each in there:
                _follow(holdings, each)
        return _placed(holdings, card, name, there, out)


@contextlib.contextmanager
def drawing(card: int) -> "Iterator[None]":
    """Each card draws numbers of its own: the kernel takes the host's generator, which is in
    the card's state meanwhile.
    """
    host, its = torch.default_generator, torch.cuda.default_generators[card]
    before = host.get_state()
    host.set_state(its.get_state())
    try:
        yield
    finally:
        its.set_state(host.get_state())
        host.set_state(before)


def _same_kind(generator: Any, seen: "list[Any]", asked: Any) -> None:
    device = asked or (seen[0].device if seen else CPU)
    its = device_of_generator(generator)
    if its.type != device.type:
        raise RuntimeError(
            f"Expected a '{device.type}' device type for generator but found '{its.type}'"
        )


def _plain(value: Any, leaves: "list[Any]") -> Any:
    """As the processor takes it. What it was is added to the leaves."""
    kind = type(value)
    if kind is list or kind is tuple:
        return kind([_plain(each, leaves) for each in value])
    leaves.append(value)
    if kind is Device:
        return CPU if value.type == "cuda" else value
    return value.held if issubclass(kind, OnCard) else value


def _bring_indices(holdings: Holdings, card: int, operands: "list[Any]") -> None:
    for each in operands[1:]:
        if each.device.type == "cpu" and each.dim() > 0:
            holdings.cards.copied(HOST, card, each.nbytes)


def _follow(holdings: Holdings, tensor: OnCard) -> None:
    """After t_, resize_, set_, or out= of another shape."""
    held = tensor.held
    holdings.hold(held.untyped_storage(), tensor.card)
    if (held.shape, held.stride()) != (tensor.shape, tensor.stride()):
        become(tensor, held, tensor.card)


def _placed(holdings: Holdings, card: int, name: str, there: "list[OnCard]", out: Any) -> Any:
    known = {id(each.held): each for each in there}

    def place(made: torch.Tensor) -> OnCard:
        if id(made) in known:
            return known[id(made)]
        holdings.hold(made.untyped_storage(), card)
        return OnCard(made, card)

    if isinstance(out, torch.Tensor):
        return place(out)
    if name == "_pack_padded_sequence":
        return place(out[0]), out[1]
    return tree_map_only(torch.Tensor, place, out)
