"""Things: what an object is and holds, found out without running code of the person's own.

Whatever a class defines, such as `__repr__`, `__getattr__` or a property, stays uncalled: its
type is asked of `type`, and attributes are read where Python keeps them.
"""

import collections
import datetime
import decimal
import fractions
import inspect
import pathlib
import sys
import types
from collections.abc import Iterator
from itertools import islice
from typing import Any

import torch
from torch import nn

from gpuexplorer.core.words import Message

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
    types.ModuleType,
    types.FunctionType,
    types.BuiltinFunctionType,
    types.MethodType,
    types.MethodWrapperType,
    types.WrapperDescriptorType,
    types.MethodDescriptorType,
    type,
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
