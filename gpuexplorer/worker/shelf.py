"""Shelf: what a thing is and holds; what the namespace holds after each cell, and what is
different since the last. And a look inside a thing, for which only what is shown moves.

Nothing here runs code of the person's own: whatever a class defines, such as `__repr__`,
`__getattr__` or a property, stays uncalled. Its type is asked of `type`, and attributes are
read where Python keeps them.
"""

import collections
import datetime
import decimal
import fractions
import math
import pathlib
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import Any

import torch
from torch import nn

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import (
    Element,
    Event,
    Freed,
    Held,
    Layer,
    Opened,
    Part,
    Peeked,
    Placed,
)
from gpuexplorer.lab.wire import Peek

TENSOR, MODEL, OPTIMISER = "tensor", "model", "optimiser"
COLLECTION, OBJECT, VALUE, CODE = "collection", "object", "value", "code"
_LONGEST_TEXT = 400
_MOST_SHOWN = 16  # lines of a model, elements of a collection
_DEEPEST = 3  # how far a container is opened: loader.dataset.tensors[0]
_MOST_LOOKED_AT = 4096  # things inside a container
_MOST_ELEMENTS = 64  # told of a container one by one
_CARD_BLOCK = 512  # PyTorch gives a card's memory out in pieces of this size
_COLLECTIONS = (dict, list, tuple, set, frozenset, collections.deque)
# What these answer to repr is Python's or PyTorch's own.
_PLAIN = (
    *(bool, int, float, complex, range, slice, type(None), type(...)),
    *(datetime.date, datetime.time, datetime.datetime, datetime.timedelta),
    *(decimal.Decimal, fractions.Fraction, pathlib.PosixPath, pathlib.WindowsPath),
    *(torch.device, torch.dtype, torch.Size),
)
_OF_TORCH, _OPENED = (TENSOR, MODEL, OPTIMISER), (COLLECTION, OBJECT)
_VALUES = frozenset((str, bytes, *_PLAIN))
_KINDS = (
    (torch.Tensor, TENSOR),
    (nn.Module, MODEL),
    (torch.optim.Optimizer, OPTIMISER),
    (_COLLECTIONS, COLLECTION),
    ((types.ModuleType, types.FunctionType, types.BuiltinFunctionType, type), CODE),
    (types.MethodType, CODE),
)
# The attributes of their objects are too many, or none of the person's.
_CLOSED = sys.stdlib_module_names | {"torch", "numpy", "pandas", "matplotlib", "PIL", "IPython"}
_OPEN = ("__main__", "torch.utils.data")


# Any throughout: things are whatever a person made.
def kind_of(thing: Any) -> str:
    """An object is a thing whose attributes may be tensors."""
    kind = type(thing)
    if kind in _VALUES:
        return VALUE
    for kinds, its in _KINDS:
        if issubclass(kind, kinds):
            return its
    module = str(kind.__module__)
    if module == "typing":
        return CODE
    closed = module.partition(".")[0] in _CLOSED and not module.startswith(_OPEN)
    return VALUE if closed else OBJECT


def attributes_of(thing: Any) -> "dict[str, Any]":
    """Those that the object itself keeps."""
    try:
        kept = object.__getattribute__(thing, "__dict__")
    except AttributeError:
        return {}
    return dict(kept) if type(kept) is dict else {}


def modules_in(model: Any) -> "dict[str, Any]":
    """The modules that this one is made of."""
    inside = attributes_of(model).get("_modules", {})
    return {name: each for name, each in inside.items() if each is not None}


def tensors_in(model: Any) -> "dict[str, Any]":
    """Its own parameters and buffers, and the tensors it keeps beside them. A lazy layer does
    not know yet how large its own will be.
    """
    kept = attributes_of(model)
    found = {**kept.get("_parameters", {}), **kept.get("_buffers", {}), **kept}
    return {
        name: each
        for name, each in found.items()
        if issubclass(type(each), torch.Tensor)
        and not issubclass(type(each), nn.parameter.UninitializedTensorMixin)
    }


def elements_of(thing: Any, most: int) -> "list[tuple[str, Any]]":
    """What a collection or an object holds, after how Python reaches it from there."""
    of = _collection(thing)
    if of is None:
        return [(f".{name}", each) for name, each in attributes_of(thing).items()][:most]
    if of is dict:
        pairs = list(islice(dict.items(thing), most))
        return [(f"[{text_of(key, 1)}]", each) for key, each in pairs]
    return [(f"[{at}]", each) for at, each in enumerate(islice(of.__iter__(thing), most))]


def text_of(thing: Any, depth: int = 3) -> str:
    """As Python would print it, where that is Python's own affair."""
    kind, its = type(thing), kind_of(thing)
    if kind in (str, bytes):
        return repr(thing[:_LONGEST_TEXT])[:_LONGEST_TEXT]
    if kind in _PLAIN:
        return repr(thing)[:_LONGEST_TEXT]
    if its == TENSOR:
        return f"tensor({_sizes(thing.shape)})"
    if its == MODEL:
        return f"{kind.__name__}()"
    if its == COLLECTION:
        return _collection_text(thing, depth - 1)[:_LONGEST_TEXT]
    if kind.__module__ == "numpy" and hasattr(kind, "dtype"):
        shape = _sizes(thing.shape)
        return f"ndarray({shape}, {thing.dtype})" if shape else repr(thing)
    return f"<{kind.__name__} object>"


def model_text(model: Any) -> str:
    """Its first lines as PyTorch prints them; a layer of the person's own by its name."""
    lines: list[str] = []

    def add(module: Any, before: str) -> None:
        kind, inside, indent = type(module), modules_in(module), before.partition("(")[0]
        if not inside:
            own = kind.__module__.startswith("torch.")
            lines.append(before + (repr(module) if own else f"{kind.__name__}()"))
            return
        lines.append(f"{before}{kind.__name__}(")
        for name, each in inside.items():
            if len(lines) >= _MOST_SHOWN:
                lines.append(f"{indent}  …")
                break
            add(each, f"{indent}  ({name}): ")
        lines.append(f"{indent})")

    add(model, "")
    return "\n".join(lines)


def dtype_name(dtype: "torch.dtype") -> str:
    return str(dtype).removeprefix("torch.")


def _collection(thing: Any) -> Any:
    return next((each for each in _COLLECTIONS if issubclass(type(thing), each)), None)


def _collection_text(thing: Any, depth: int) -> str:
    name, of = type(thing).__name__, _collection(thing)
    if depth < 0:
        return f"{name}(…)"
    parts = [
        f"{way[1:-1]}: {text_of(each, depth)}" if of is dict else text_of(each, depth)
        for way, each in elements_of(thing, _MOST_SHOWN)
    ]
    if of.__len__(thing) > _MOST_SHOWN:
        parts.append("…")
    alone = "," if len(parts) == 1 else ""
    around: dict[type, str] = {list: "[{}]", tuple: f"({{}}{alone})", dict: "{{{}}}"}
    if parts:
        around[set] = "{{{}}}"
    return around.get(type(thing), f"{name}({{}})").format(", ".join(parts))


def _sizes(shape: "tuple[int, ...]") -> str:
    return "×".join(map(str, shape))


class Shelf:
    """Modules, functions and classes are not on it, nor are names that begin with _."""

    def __init__(self, namespace: "Mapping[str, Any]") -> None:
        self._namespace = namespace
        self._said: dict[str, Placed] = {}

    def changes(self, command: int) -> "Iterator[Event]":
        """Each name that is new, gone, or stands for something that looks different."""
        found: dict[str, Placed] = {}
        first: dict[int, str] = {}
        with torch._C.DisableTorchFunction():
            for name, thing in list(self._namespace.items()):
                if name.startswith("_") or kind_of(thing) == CODE:
                    continue
                its = _placed(thing, name)
                twin = name if its.kind == VALUE else first.setdefault(id(thing), name)
                found[name] = its if twin == name else replace(its, same_as=twin)
        said, self._said = self._said, found
        for name in said.keys() - found.keys():
            yield Freed(command, name)
        for name, its in found.items():
            if said.get(name) != its:
                yield replace(its, id=command)


def _placed(thing: Any, name: str) -> Placed:
    """Without moving a value that lies on a card. Its command is not named yet."""
    kind = kind_of(thing)
    try:
        found = list(_walk(thing, name))
        if not found:
            return Placed(0, name, VALUE, "", text_of(thing))
        tensors = [(each, what) for _, each, what in found if kind_of(each) == TENSOR]
        holds = _held(tensors)
        own = [each for each, what in tensors if what != "gradients"]
        size = sum(each.numel() * each.element_size() for each in own)
        alone = kind in _OF_TORCH
        inside = [] if alone else [(each, path) for path, each, _ in found if path]
        elements = []
        for each, path in inside[:_MOST_ELEMENTS]:
            its = _placed(each, path)
            text = its.text if its.kind == TENSOR else type(each).__name__
            elements.append(Element(path, its.kind, its.device, text, its.bytes))
        return Placed(
            0,
            name,
            kind if alone else "container",
            ", ".join(sorted({str(each.device) for each in own})),
            _description(thing, kind),
            tuple(thing.shape) if kind == TENSOR else None,
            dtype_name(thing.dtype) if kind == TENSOR else "",
            min(size, sum(each.bytes for each in holds)),  # less where views share it
            alone and any(each.requires_grad for each in own),
            holds=holds,
            elements=tuple(elements),
            more=len(inside) - len(elements),
        )
    except Exception:  # it may refuse whatever is asked, as a parameter without a shape does
        return Placed(0, name, VALUE, "", Message("nothing can be told of it"))


def _description(thing: Any, kind: str) -> str:
    if kind == MODEL:
        return model_text(thing)
    if kind == OPTIMISER:
        group = attributes_of(thing)["param_groups"][0].items()
        settings = [f"{name}={text_of(each, 1)}" for name, each in group if name != "params"]
        return f"{type(thing).__name__}({', '.join(settings)})"
    if kind != TENSOR:
        return text_of(thing)
    dtype = dtype_name(thing.dtype)
    if not thing.shape:
        return Message("one number, {dtype}", dtype=dtype)
    return f"{_sizes(thing.shape)}, {dtype}"


def _walk(thing: Any, name: str) -> "Iterator[tuple[str, Any, str]]":
    """Tensors, models and optimisers in a thing: the expression that gives them, and as what
    they are held. Those that belong to another have no expression.
    """
    waiting = [(name, thing, "values", 1)]
    seen: set[int] = set()
    room = _MOST_LOOKED_AT
    for path, each, what, depth in waiting:  # grows meanwhile
        kind = kind_of(each)
        if id(each) in seen:
            continue
        seen.add(id(each))
        if kind in _OF_TORCH:
            yield path, each, what
        if kind == TENSOR and what == "values" and (each.is_leaf or each.retains_grad):
            waiting.append(("", each.grad, "gradients", depth))
        elif kind == MODEL:
            parts = (*tensors_in(each).values(), *modules_in(each).values())
            waiting += [("", part, what, depth) for part in parts]
        elif kind == OPTIMISER:
            waiting.append(("", attributes_of(each).get("state"), "state", 1))
        elif kind in _OPENED and depth <= _DEEPEST:
            for way, part in elements_of(each, room):
                room -= 1
                waiting.append((path and path + way, part, what, depth + 1))


def _held(tensors: "list[tuple[Any, str]]") -> "tuple[Held, ...]":
    """Their memory, each stretch once."""
    holds: dict[Held, None] = {}
    for tensor, what in tensors:
        try:
            storage = tensor.untyped_storage()
        except RuntimeError:  # sparse, or one that functorch made
            continue
        device, size = str(tensor.device), storage.nbytes()
        if device.startswith("cuda"):
            size = -(-size // _CARD_BLOCK) * _CARD_BLOCK
        holds[Held(device, what, size, storage._cdata)] = None
    return tuple(holds)


_BINS = 32
_MOST_SAMPLED = 1 << 20


def look(command: Peek, namespace: "Mapping[str, Any]") -> "Peeked | Opened":
    """A model answers with its layers. What a container holds stands on the shelf, with the
    expressions that are asked for here.
    """
    try:
        thing = eval(command.what, dict(namespace))
    except NameError as gone:
        raise Trouble("There is no {name} on the shelf.", name=gone.name) from None
    with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
        match kind_of(thing):
            case "model":
                return Opened(command.id, command.what, tuple(_layers(thing)))
            case "tensor":
                if thing.device.type == "meta":
                    raise Trouble("A tensor on meta has a shape and no values.")
                return _peeked(command, thing.detach())
    raise Trouble("{what} is neither a tensor nor a model.", what=command.what)


def _layers(model: Any) -> "Iterator[Layer]":
    """In the order in which they are written, each once."""
    for path, module in nn.Module.named_modules(model):
        kind = type(module).__name__
        parts = []
        for name, each in tensors_in(module).items():
            size = each.numel() * each.element_size()
            where = (dtype_name(each.dtype), str(each.device), size, bool(each.requires_grad))
            parts.append(Part(name, tuple(each.shape), *where))
        text = kind if modules_in(module) else model_text(module)
        yield Layer(path, kind, text, tuple(parts))


def _peeked(command: Peek, tensor: Any) -> Peeked:
    at, window = _window(command, tensor)
    sample = _sample(tensor)
    finite = sample[torch.isfinite(sample)]
    least = most = mean = deviation = None
    histogram: tuple[int, ...] = ()
    if finite.numel():
        # Of all values, unless some are no numbers.
        whole = finite if tensor.is_complex() or tensor.dtype == torch.bool else tensor
        if not math.isfinite(whole.max()) or not math.isfinite(whole.min()):
            whole = finite
        least, most, mean = float(whole.min()), float(whole.max()), float(finite.mean())
        deviation = float(finite.std()) if finite.numel() > 1 else None
        counted = torch.histc(finite, bins=_BINS, min=least, max=most)
        histogram = tuple(int(each) for each in counted.tolist())
    moved = window.numel() * window.element_size()
    moved += (4 + len(histogram)) * sample.element_size()
    rows = (
        tuple(None if math.isnan(each) else float(each) for each in row)
        for row in window.tolist()
    )
    return Peeked(
        command.id,
        command.what,
        str(tensor.device),
        dtype_name(tensor.dtype),
        tuple(tensor.shape),
        at,
        tuple(rows),
        least,
        most,
        mean,
        deviation,
        sample.numel() - finite.numel(),
        histogram,
        sample.numel(),
        0 if tensor.device.type == "cpu" else moved,
    )


def _window(command: Peek, tensor: Any) -> "tuple[tuple[int, ...], Any]":
    """The rows and columns that are shown, and where they begin."""
    plane = tensor
    while plane.dim() < 2:
        plane = plane[None]
    asked = (*command.at, *(0,) * plane.dim())
    sizes = zip(asked, plane.shape, strict=False)
    at = tuple(max(0, min(each, size - 1)) for each, size in sizes)
    if not tensor.numel():
        return at, plane.reshape(0, 0)
    *leading, row, column = at
    plane = plane[tuple(leading)][row : row + command.rows, column : column + command.columns]
    return at, _real(plane)


def _sample(tensor: Any) -> Any:
    """All values where they are few, else evenly some of them; as numbers with a point."""
    count = tensor.numel()
    if count > _MOST_SAMPLED and not tensor.is_contiguous():  # it would be copied to be flat
        tensor = tensor[: max(1, _MOST_SAMPLED * tensor.shape[0] // count)]
    flat = _real(tensor.reshape(-1)[:: max(1, -(-tensor.numel() // _MOST_SAMPLED))])
    return flat if flat.dtype == torch.float64 else flat.float()


def _real(tensor: Any) -> Any:
    """A complex number is shown by its size."""
    return tensor.abs() if tensor.is_complex() else tensor
