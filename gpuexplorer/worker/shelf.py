"""Shelf: the tensors and models by name, and what is told of each when it changes."""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.events import Event, Freed, Held, Placed

_CARD_BLOCK = 512  # PyTorch gives a card's memory out in pieces of this size
_LONGEST_TEXT = 400
_UNTOLD = mark("nothing can be told of it")


class Shelf:
    """`things` is what lines work on; `changes` says what is different since it was asked."""

    def __init__(self) -> None:
        self.things: dict[str, Any] = {}
        self._told: dict[str, Placed] = {}

    def changes(self, command: int) -> Iterator[Event]:
        """Each name that is new, gone, or stands for something that looks different."""
        for name in [name for name in self._told if name not in self.things]:
            del self._told[name]
            yield Freed(command, name)
        first: dict[int, str] = {}
        for name, thing in self.things.items():
            twin = first.setdefault(id(thing), name)
            same_as = "" if twin == name else twin
            try:
                placed = describe(0, name, thing, same_as)
            except RuntimeError:  # nested too deeply, or a lazy parameter without a shape
                placed = Placed(0, name, "value", "", Message(_UNTOLD), same_as=same_as)
            if self._told.get(name) != placed:
                self._told[name] = placed
                yield replace(placed, id=command)


# Any: a thing is whatever PyTorch made.
def describe(command: int, name: str, thing: Any, same_as: str = "") -> Placed:
    """Without moving any value that lies on a card."""
    if is_tensor(thing):
        return Placed(
            command,
            name,
            "tensor",
            str(thing.device),
            _tensor_text(thing),
            tuple(thing.shape),
            dtype_name(thing),
            thing.numel() * thing.element_size(),
            bool(thing.requires_grad),
            same_as,
            tuple(_held([thing])),
        )
    if is_model(thing):
        parts = [part for part in (*thing.parameters(), *thing.buffers()) if _sized(part)]
        return Placed(
            command,
            name,
            "model",
            ", ".join(sorted({str(part.device) for part in parts})),
            repr(thing),
            bytes=sum(part.numel() * part.element_size() for part in parts),
            requires_grad=any(part.requires_grad for part in parts),
            same_as=same_as,
            holds=tuple(_held(parts)),
        )
    if hasattr(thing, "param_groups"):
        states = [each for state in thing.state.values() for each in state.values()]
        held = [_one("state", each) for each in states if is_tensor(each)]
        return Placed(
            command,
            name,
            "optimiser",
            ", ".join(sorted({each.device for each in held})),
            repr(thing),
            bytes=sum(each.bytes for each in held),
            same_as=same_as,
            holds=tuple(held),
        )
    return Placed(command, name, "value", "", _value_text(thing), same_as=same_as)


def _value_text(thing: Any) -> str:
    begin = thing[:_LONGEST_TEXT] if isinstance(thing, (str, list, tuple)) else thing
    try:
        return repr(begin)[:_LONGEST_TEXT]
    except ValueError:
        return Message("a whole number too long to be written out")


def is_tensor(thing: Any) -> bool:
    return hasattr(thing, "requires_grad_") and hasattr(thing, "dtype")


def is_model(thing: Any) -> bool:
    """`nn.Linear` without its brackets is the kind of layer, and no layer."""
    parts = hasattr(thing, "parameters") and hasattr(thing, "state_dict")
    return parts and not isinstance(thing, type)


def dtype_name(tensor: Any) -> str:
    return str(tensor.dtype).removeprefix("torch.")


def _held(tensors: "Iterable[Any]") -> Iterator[Held]:
    for tensor in tensors:
        yield _one("values", tensor)
        if tensor.is_leaf and tensor.grad is not None:
            yield _one("gradients", tensor.grad)


def _one(what: str, tensor: Any) -> Held:
    # A tensor of a simulated card keeps its values in another one.
    storage = getattr(tensor, "held", tensor).untyped_storage()
    size = storage.nbytes()
    if tensor.device.type == "cuda":
        size = -(-size // _CARD_BLOCK) * _CARD_BLOCK
    return Held(str(tensor.device), what, size, storage._cdata)


def _sized(parameter: Any) -> bool:
    """A lazy layer does not know yet how large it will be."""
    return not type(parameter).__name__.startswith("Uninitialized")


def _tensor_text(tensor: Any) -> str:
    shape = "×".join(str(size) for size in tensor.shape)
    dtype = dtype_name(tensor)
    return f"{shape}, {dtype}" if shape else Message("one number, {dtype}", dtype=dtype)
