"""Shelf: what the namespace holds after each cell, and what is different since the last."""

import functools
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import torch

from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.events import Element, Event, Freed, Held, Placed, Printed
from gpuexplorer.worker import things
from gpuexplorer.worker.things import (
    CODE,
    COLLECTION,
    MODEL,
    OBJECT,
    OPTIMISER,
    TENSOR,
    VALUE,
)

CONTAINER = "container"
_CARD_BLOCK = 512  # PyTorch gives a card's memory out in pieces of this size
_DEEPEST = 3  # how far a container is opened: loader.dataset.tensors[0]
_MOST_LOOKED_AT = 4096  # things inside a container
_MOST_ELEMENTS = 64  # told of a container one by one
_MOST_NAMES = 2000
_LONGEST_NAME = 200
_UNTOLD = mark("nothing can be told of it")

# Device, what it holds there, bytes, storage: as in Held. A dictionary keeps their order.
Stretches = dict[tuple[str, str, int, int], None]


class Facts(NamedTuple):
    """All that a Placed says of a thing itself; quicker to make and to compare."""

    kind: str
    device: str = ""
    text: str = ""
    shape: "tuple[int, ...] | None" = None
    dtype: "torch.dtype | None" = None
    bytes: int = 0
    requires_grad: bool = False
    holds: "tuple[tuple[str, str, int, int], ...]" = ()
    elements: "tuple[tuple[str, str, str, str, int], ...]" = ()  # as in Element
    more: int = 0


class Shelf:
    def __init__(self, namespace: "Mapping[str, Any]") -> None:
        self._namespace = namespace
        self._said: dict[str, tuple[Facts, str]] = {}
        self._beyond = 0  # names for which there is no room

    def changes(self, command: int) -> "Iterator[Event]":
        """Each name that is new, gone, or stands for something that looks different.

        Modules, functions and classes are not on the shelf, nor are names that begin with _.
        """
        found: dict[str, tuple[Facts, str]] = {}
        first: dict[int, str] = {}
        before, self._beyond = self._beyond, 0
        with torch._C.DisableTorchFunction():
            for name, thing in list(self._namespace.items()):
                if not _is_shown(name) or (facts := facts_of(thing, name)).kind == CODE:
                    continue
                if len(found) == _MOST_NAMES:
                    self._beyond += 1
                    continue
                twin = first.setdefault(id(thing), name) if facts.kind != VALUE else name
                found[name] = facts, "" if twin == name else twin
        if self._beyond not in (0, before):
            yield _full(command, self._beyond)
        said, self._said = self._said, found
        for name in said:
            if name not in found:
                yield Freed(command, name)
        for name, its in found.items():
            if said.get(name) != its:
                yield _placed(command, name, *its)


# Any: code puts names of any kind there.
def _is_shown(name: Any) -> bool:
    if type(name) is not str or len(name) > _LONGEST_NAME:
        return False
    return name.isidentifier() and name[0] != "_"


def _full(command: int, beyond: int) -> Printed:
    words = Message.counted(
        "{count} name is not shown: the shelf has room for {most}.",
        "{count} names are not shown: the shelf has room for {most}.",
        beyond,
        most=_MOST_NAMES,
    )
    return Printed(command, words, "note")


# Any: a thing is whatever a person made.
def facts_of(thing: Any, name: str) -> Facts:
    """Without running its code, and without moving a value that lies on a card."""
    try:
        match things.kind_of(thing):
            case "tensor":
                return _tensor(thing)
            case "model":
                return _model(thing)
            case "optimiser":
                return _optimiser(thing)
            case "collection" | "object":
                return _container(thing, name)
            case "code":
                return Facts(CODE)
        return Facts(VALUE, text=things.text_of(thing))
    # A lazy parameter has no shape yet; a class of a person's may refuse whatever is asked.
    except BaseException:
        return Facts(VALUE, text=Message(_UNTOLD))


def tensor_text(shape: "tuple[int, ...]", dtype: str) -> str:
    sizes = "×".join(map(str, shape))
    return f"{sizes}, {dtype}" if sizes else Message("one number, {dtype}", dtype=dtype)


def dtype_name(dtype: "torch.dtype") -> str:
    return str(dtype).removeprefix("torch.")


def _placed(command: int, name: str, facts: Facts, same_as: str) -> Placed:
    dtype = "" if facts.dtype is None else dtype_name(facts.dtype)
    shape = None if facts.shape is None else tuple(facts.shape)
    return Placed(
        command,
        name,
        facts.kind,
        facts.device,
        facts.text if shape is None else tensor_text(shape, dtype),
        shape,
        dtype,
        facts.bytes,
        facts.requires_grad,
        same_as,
        tuple(Held(*each) for each in facts.holds),
        tuple(Element(*each) for each in facts.elements),
        facts.more,
    )


def _tensor(tensor: Any) -> Facts:
    held: Stretches = {}
    _hold(tensor, held)
    return Facts(
        TENSOR,
        _name_of(tensor.device),
        "",
        tensor.shape,
        tensor.dtype,
        _size_of(tensor),
        tensor.requires_grad,
        tuple(held),
    )


def _model(model: Any) -> Facts:
    held: Stretches = {}
    tensors = {id(each): each for each in tensors_of(model)}.values()
    for each in tensors:
        _hold(each, held)
    return Facts(
        MODEL,
        _devices_in(held),
        things.model_text(model),
        bytes=sum(map(_size_of, tensors)),
        requires_grad=any(each.requires_grad for each in tensors),
        holds=tuple(held),
    )


def tensors_of(model: Any) -> "Iterator[Any]":
    """Those of all its layers, whose size is known."""
    modules, seen = [model], {id(model)}
    for module in modules:  # grows meanwhile
        for each in things.tensors_in(module).values():
            if not things.is_lazy(each):
                yield each
        for each in things.modules_in(module).values():
            if id(each) not in seen:
                seen.add(id(each))
                modules.append(each)


def _optimiser(optimiser: Any) -> Facts:
    held: Stretches = {}
    kept = things.dictionary_of(optimiser)
    waiting = [kept.get("state")]
    for each in waiting:  # grows meanwhile
        match things.kind_of(each):
            case "tensor":
                _hold(each, held, "state")
            case "collection":
                waiting += things.values_in(each, _MOST_LOOKED_AT)
    settings = [
        f"{way[2:-2]}={things.text_of(each, 1)}"
        for group in things.values_in(kept.get("param_groups", []), 1)
        for way, each in things.elements_of(group, _MOST_ELEMENTS)
        if way != "['params']"
    ]
    return Facts(
        OPTIMISER,
        _devices_in(held),
        f"{type(optimiser).__name__}({', '.join(settings)})",
        bytes=sum(size for _, _, size, _ in held),
        holds=tuple(held),
    )


def _container(thing: Any, name: str) -> Facts:
    """One that holds nothing of PyTorch's is a value."""
    held: Stretches = {}
    elements = []
    sizes: dict[int, int] = {}
    count = 0
    for path, each in _inside(thing, name):
        its = facts_of(each, path)
        held.update(dict.fromkeys(its.holds))
        sizes[id(each)] = its.bytes
        count += 1
        if count <= _MOST_ELEMENTS:
            elements.append((path, its.kind, its.device, _in_short(each, its), its.bytes))
    text = things.text_of(thing)
    if not elements:
        return Facts(VALUE, text=text)
    return Facts(
        CONTAINER,
        _devices_in(held),
        text,
        bytes=min(sum(sizes.values()), sum(size for _, _, size, _ in held)),  # less for views
        holds=tuple(held),
        elements=tuple(elements),
        more=count - len(elements),
    )


# Any: a thing is whatever a person made.
def _in_short(thing: Any, its: Facts) -> str:
    if its.shape is None or its.dtype is None:
        return type(thing).__name__
    return tensor_text(its.shape, dtype_name(its.dtype))


def _inside(thing: Any, name: str) -> "Iterator[tuple[str, Any]]":
    """Tensors, models and optimisers in a container, with the expressions that give them."""
    seen = {id(thing)}
    waiting = [(name, thing, 1)]
    looked_at = 0
    for path, outer, depth in waiting:  # grows meanwhile
        room = _MOST_LOOKED_AT - looked_at
        if things.holds_values_alone(outer, room):
            continue
        for way, each in things.elements_of(outer, room):
            looked_at += 1
            kind = things.kind_of(each)
            if kind in (TENSOR, MODEL, OPTIMISER):
                yield path + way, each
            elif kind in (COLLECTION, OBJECT) and depth < _DEEPEST and id(each) not in seen:
                seen.add(id(each))
                waiting.append((path + way, each, depth + 1))


def _hold(tensor: Any, held: Stretches, what: str = "values") -> None:
    try:
        storage = tensor.untyped_storage()
    except RuntimeError:  # sparse, or one that functorch made
        return
    device, size = _name_of(tensor.device), storage.nbytes()
    if device.startswith("cuda"):
        size = -(-size // _CARD_BLOCK) * _CARD_BLOCK
    held[device, what, size, storage._cdata] = None
    if what == "values" and (tensor.is_leaf or tensor.retains_grad):
        gradient = tensor.grad
        if gradient is not None:
            _hold(gradient, held, "gradients")


def _size_of(tensor: Any) -> int:
    """What its values alone take."""
    return int(tensor.numel() * tensor.element_size())


def _devices_in(held: Stretches) -> str:
    return ", ".join(sorted({device for device, _, _, _ in held}))


@functools.cache
def _name_of(device: "torch.device") -> str:
    return str(device)
