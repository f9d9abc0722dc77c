"""Shelf: what an object is and holds; what the namespace holds after each cell, and what is
different since the last.

Nothing here runs code of the person's own: whatever a class defines, such as `__repr__`,
`__getattr__` or a property, stays uncalled. Its type is asked of `type`, and attributes are
read where Python keeps them.
"""

import collections
import datetime
import decimal
import fractions
import functools
import inspect
import pathlib
import sys
import types
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

import torch
from torch import nn

from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.events import (
    Element,
    Event,
    Freed,
    Held,
    Placed,
    Printed,
)

TENSOR, MODEL, OPTIMISER = "tensor", "model", "optimiser"
COLLECTION, OBJECT, VALUE, CODE = "collection", "object", "value", "code"
_LONGEST_TEXT = 400
_MOST_SHOWN = 16  # lines of a model, elements of a collection
_COLLECTIONS = (dict, list, tuple, set, frozenset, collections.deque)
# What these answer to repr is Python's or PyTorch's own.
_PLAIN = (
    *(bool, int, float, complex, range, slice, type(None), type(...)),
    *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta),
    *(decimal.Decimal, fractions.Fraction, pathlib.PosixPath, pathlib.WindowsPath),
    *(torch.device, torch.dtype, torch.Size, torch.layout, torch.memory_format),
)
_VALUES = {str, bytes, *_PLAIN}
_CODE = (
    *(types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType, type),
    *(types.MethodWrapperType, types.WrapperDescriptorType, types.MethodDescriptorType),
)
_KINDS = (
    ((torch.Tensor,), TENSOR),
    ((nn.Module,), MODEL),
    ((torch.optim.Optimizer,), OPTIMISER),
    (_COLLECTIONS, COLLECTION),
    (_CODE, CODE),
)
_KNOWN = {
    torch.Tensor: TENSOR,
    nn.Parameter: TENSOR,
    **dict.fromkeys(_COLLECTIONS, COLLECTION),
    **dict.fromkeys(_VALUES, VALUE),
    types.FunctionType: CODE,
    type: CODE,
}
# The attributes of their objects are too many, or none of the person's.
_CLOSED = sys.stdlib_module_names | {"torch", "numpy", "pandas", "matplotlib", "PIL", "IPython"}
_OPEN = ("__main__", "torch.utils.data")


# Any throughout: things are whatever a person made.
def kind_of(thing: Any) -> str:
    """An object is a thing whose attributes may be tensors."""
    kind = type(thing)
    known = _KNOWN.get(kind)
    if known is not None:
        return known
    for kinds, its in _KINDS:
        if issubclass(kind, kinds):
            return its
    module = str(kind.__module__)
    if module == "typing":
        return CODE
    closed = module.partition(".")[0] in _CLOSED and not module.startswith(_OPEN)
    return VALUE if closed else OBJECT


def elements_of(thing: Any, most: int) -> "Iterator[tuple[str, Any]]":
    """What a collection or an object holds, and how Python reaches it from there."""
    of = _collection(type(thing))
    if of is dict:
        for key, value in list(islice(dict.items(thing), most)):
            yield f"[{text_of(key, 1)}]", value
    elif of is not None:
        fields = inspect.getattr_static(thing, "_fields", ()) if of is tuple else ()
        for place, value in enumerate(list(islice(of.__iter__(thing), most))):
            if of in (set, frozenset):
                yield f"{{{place}}}", value
            else:
                yield f".{fields[place]}" if place < len(fields) else f"[{place}]", value
    else:
        for name, value in list(islice(attributes_of(thing).items(), most)):
            yield f".{name}", value


def attributes_of(thing: Any) -> "dict[str, Any]":
    """Those that the object itself keeps, in its dictionary or in slots."""
    found = dict(dictionary_of(thing))
    for kind in type.mro(type(thing)):
        for name, each in vars(kind).items():
            if type(each) is types.MemberDescriptorType:
                try:
                    found[name] = each.__get__(thing)
                except AttributeError:
                    continue  # nothing was put there yet
    return found


def dictionary_of(thing: Any) -> "dict[str, Any]":
    try:
        kept = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return kept if type(kept) is dict else {}


def values_in(thing: Any, most: int) -> "list[Any]":
    """What a collection or an object holds."""
    of = _collection(type(thing))
    if of is None:
        thing, of = attributes_of(thing), dict
    inside = dict.values(thing) if of is dict else of.__iter__(thing)
    return list(islice(inside, most))


def holds_values_alone(thing: Any, most: int) -> bool:
    """Whether nothing in it can be a tensor, or hold one; quickly."""
    return _VALUES.issuperset(map(type, values_in(thing, most)))


def text_of(thing: Any, depth: int = 3) -> str:
    """As Python would print it, where that is Python's own affair."""
    kind = type(thing)
    if kind in (str, bytes):
        return repr(thing[:_LONGEST_TEXT])[:_LONGEST_TEXT]
    if kind in _PLAIN:
        try:
            return repr(thing)[:_LONGEST_TEXT]
        except ValueError:
            return Message("a whole number too long to be written out")
    match kind_of(thing):
        case "tensor":
            return f"tensor({shape_text(thing)})"
        case "model":
            return f"{kind.__name__}()"
        case "collection" if depth:
            return _collection_text(thing, depth - 1)[:_LONGEST_TEXT]
        case "collection":
            return f"{kind.__name__}(…)"
    if kind in (types.FunctionType, types.BuiltinFunctionType, type):
        return str(thing.__name__)
    if kind.__module__ == "numpy":
        numpy = sys.modules["numpy"]
        if kind is numpy.ndarray:
            return f"ndarray({shape_text(thing)}, {thing.dtype})"
        if issubclass(kind, (numpy.number, numpy.bool_)):
            return repr(thing)
    return f"<{kind.__name__} object>"


def shape_text(tensor: Any) -> str:
    return "×".join(map(str, tensor.shape))


def model_text(model: Any) -> str:
    """Its first lines as PyTorch prints them; a layer of the person's own by its name."""
    lines: list[str] = []
    _add_lines(lines, model, "")
    return "\n".join(lines)


def modules_in(module: Any) -> "dict[str, Any]":
    """The modules that this one is made of."""
    return {name: each for name, each in _registered(module, "_modules") if each is not None}


def tensors_in(module: Any) -> "dict[str, Any]":
    """Its own parameters and buffers, and the tensors it keeps beside them."""
    found = dict(_registered(module, "_parameters") + _registered(module, "_buffers"))
    found.update(dictionary_of(module))
    return {name: each for name, each in found.items() if kind_of(each) == TENSOR}


def is_lazy(tensor: Any) -> bool:
    """A lazy layer does not know yet how large it will be."""
    return issubclass(type(tensor), nn.parameter.UninitializedTensorMixin)


def _registered(module: Any, where: str) -> "list[tuple[str, Any]]":
    kept: Any = dictionary_of(module).get(where)
    if issubclass(type(kept), dict):
        return list(dict.items(kept))
    return list(kept.items()) if issubclass(type(module), torch.jit.ScriptModule) else []


def _add_lines(lines: "list[str]", module: Any, before: str) -> None:
    indent = before.partition("(")[0]
    kind, inside = type(module), modules_in(module)
    if not inside:
        own = repr(module) if kind.__module__.startswith("torch.") else f"{kind.__name__}()"
        lines.append(before + own)
        return
    lines.append(f"{before}{kind.__name__}(")
    for name, each in inside.items():
        if len(lines) >= _MOST_SHOWN:
            lines.append(f"{indent}  …")
            break
        _add_lines(lines, each, f"{indent}  ({name}): ")
    lines.append(f"{indent})")


def _collection(kind: type) -> Any:
    return next((each for each in _COLLECTIONS if issubclass(kind, each)), None)


def _collection_text(thing: Any, depth: int) -> str:
    kind = type(thing)
    of = _collection(kind)
    parts = [
        f"{way[1:-1]}: {text_of(each, depth)}" if of is dict else text_of(each, depth)
        for way, each in elements_of(thing, _MOST_SHOWN)
    ]
    if of.__len__(thing) > _MOST_SHOWN:
        parts.append("…")
    inside = ", ".join(parts)
    if kind is list:
        return f"[{inside}]"
    if kind is tuple:
        return f"({inside},)" if len(parts) == 1 else f"({inside})"
    if kind is dict or (kind is set and parts):
        return f"{{{inside}}}"
    return f"{kind.__name__}({inside})"


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
            words = Message.counted(
                "{count} name is not shown: the shelf has room for {most}.",
                "{count} names are not shown: the shelf has room for {most}.",
                self._beyond,
                most=_MOST_NAMES,
            )
            yield Printed(command, words, "note")
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


# Any: a thing is whatever a person made.
def facts_of(thing: Any, name: str) -> Facts:
    """Without running its code, and without moving a value that lies on a card."""
    try:
        match kind_of(thing):
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
        return Facts(VALUE, text=text_of(thing))
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
        model_text(model),
        bytes=sum(map(_size_of, tensors)),
        requires_grad=any(each.requires_grad for each in tensors),
        holds=tuple(held),
    )


def tensors_of(model: Any) -> "Iterator[Any]":
    """Those of all its layers, whose size is known."""
    modules, seen = [model], {id(model)}
    for module in modules:  # grows meanwhile
        for each in tensors_in(module).values():
            if not is_lazy(each):
                yield each
        for each in modules_in(module).values():
            if id(each) not in seen:
                seen.add(id(each))
                modules.append(each)


def _optimiser(optimiser: Any) -> Facts:
    held: Stretches = {}
    kept = dictionary_of(optimiser)
    waiting = [kept.get("state")]
    for each in waiting:  # grows meanwhile
        match kind_of(each):
            case "tensor":
                _hold(each, held, "state")
            case "collection":
                waiting += values_in(each, _MOST_LOOKED_AT)
    settings = [
        f"{way[2:-2]}={text_of(each, 1)}"
        for group in values_in(kept.get("param_groups", []), 1)
        for way, each in elements_of(group, _MOST_ELEMENTS)
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
    text = text_of(thing)
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
        if holds_values_alone(outer, room):
            continue
        for way, each in elements_of(outer, room):
            looked_at += 1
            kind = kind_of(each)
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
