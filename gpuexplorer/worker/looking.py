"""Looking inside a thing, while it stays where it is: only what is shown moves."""

import ast
import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Layer, Opened, Part, Peeked
from gpuexplorer.lab.wire import Peek
from gpuexplorer.worker.shelf import (
    dtype_name,
    is_lazy,
    kind_of,
    model_text,
    modules_in,
    tensors_in,
)

_BINS = 32
_MOST_SAMPLED = 1 << 20
_STEPS = (
    *(ast.Expression, ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.Load),
    *(ast.Tuple, ast.Slice, ast.UnaryOp, ast.USub),
)
_SUCH_AS = "Such as: X, net[0].weight or d['a']"


# Any throughout: what is looked into is the person's, or PyTorch's.
def look(command: Peek, namespace: "Mapping[str, Any]") -> "Peeked | Opened":
    """A model answers with its layers. What a container holds stands on the shelf."""
    thing = _found(command.what, namespace)
    with torch.no_grad(), torch._C.DisableTorchFunctionSubclass():
        match kind_of(thing):
            case "model":
                return Opened(command.id, command.what, tuple(_layers(thing)))
            case "tensor":
                if thing.device.type == "meta":
                    raise Trouble("A tensor on meta has a shape and no values.")
                return _peeked(command, thing.detach())
    raise Trouble("{what} is neither a tensor nor a model.", what=command.what)


def _found(what: str, namespace: "Mapping[str, Any]") -> Any:
    """Nothing is called for a look, except what an attribute or an index calls itself."""
    try:
        tree = ast.parse(what.strip(), "<look>", "eval")
    except (SyntaxError, ValueError):
        raise Trouble("Only a value can be looked into.", _SUCH_AS) from None
    for each in ast.walk(tree):
        if not isinstance(each, _STEPS):
            raise Trouble(
                "A look runs no code: it follows names, attributes and indices.", _SUCH_AS
            )
        if isinstance(each, ast.Name) and each.id not in namespace:
            raise Trouble("There is no {name} on the shelf.", name=each.id)
    return eval(compile(tree, "<look>", "eval"), dict(namespace))


def _layers(model: Any) -> "Iterator[Layer]":
    """In the order in which they are written, each once."""
    seen: set[int] = set()
    waiting = [("", model)]
    while waiting:
        path, module = waiting.pop()
        if id(module) in seen:
            continue
        seen.add(id(module))
        inside = modules_in(module)
        kind = type(module).__name__
        text = kind if inside else model_text(module)
        parts = (
            Part(
                name,
                tuple(each.shape),
                dtype_name(each.dtype),
                str(each.device),
                each.numel() * each.element_size(),
                bool(each.requires_grad),
            )
            for name, each in tensors_in(module).items()
            if not is_lazy(each)
        )
        yield Layer(path, kind, text, tuple(parts))
        before = f"{path}." if path else ""
        waiting += [(before + name, each) for name, each in reversed(inside.items())]


def _peeked(command: Peek, tensor: Any) -> Peeked:
    at, window = _window(command, tensor)
    sample = _sample(tensor)
    finite = sample[torch.isfinite(sample)]
    least, most = _ends(tensor, finite)
    histogram: tuple[int, ...] = ()
    if least is not None and most is not None:
        counted = torch.histc(finite, bins=_BINS, min=least, max=most)
        histogram = tuple(int(each) for each in counted.tolist())
    numbers = 4 + len(histogram)
    moved = window.numel() * window.element_size() + numbers * sample.element_size()
    return Peeked(
        command.id,
        command.what,
        str(tensor.device),
        dtype_name(tensor.dtype),
        tuple(tensor.shape),
        at,
        tuple(tuple(_number(each) for each in row) for row in window.tolist()),
        least,
        most,
        _number(finite.mean().item()) if finite.numel() else None,
        _number(finite.std().item()) if finite.numel() > 1 else None,
        sample.numel() - finite.numel(),
        histogram,
        sample.numel(),
        0 if tensor.device.type == "cpu" else moved,
    )


def _window(command: Peek, tensor: Any) -> "tuple[tuple[int, ...], Any]":
    """The rows and columns that are shown, and where they begin."""
    rows, columns = max(1, command.rows), max(1, command.columns)
    plane = tensor
    while plane.dim() < 2:
        plane = plane[None]
    leading = plane.dim() - 2
    asked = (*command.at, *(0,) * plane.dim())[: plane.dim()]
    at = [
        min(max(0, each), max(0, size - 1))
        for each, size in zip(asked, plane.shape, strict=True)
    ]
    if tensor.numel() == 0:
        return tuple(at), plane.reshape(0, 0)
    for each in at[:leading]:
        plane = plane[each]
    row, column = at[leading:]
    return tuple(at), _real(plane[row : row + rows, column : column + columns])


def _sample(tensor: Any) -> Any:
    """All values where they are few, else evenly some of them; as numbers with a point."""
    count = tensor.numel()
    if count <= _MOST_SAMPLED:
        flat = tensor.reshape(-1)
    elif tensor.is_contiguous():
        flat = tensor.view(-1)[:: -(-count // _MOST_SAMPLED)]
    else:
        some = max(1, _MOST_SAMPLED * tensor.shape[0] // count)
        flat = tensor[:some].reshape(-1)[:_MOST_SAMPLED]
    flat = _real(flat)
    return flat if dtype_name(flat.dtype) == "float64" else flat.float()


def _ends(tensor: Any, finite: Any) -> "tuple[float | None, float | None]":
    """The least and the greatest of all values, unless some are no numbers."""
    if not finite.numel():
        return None, None
    if dtype_name(tensor.dtype) not in ("bool", "complex64", "complex128"):
        least, most = float(tensor.min().item()), float(tensor.max().item())
        if math.isfinite(least) and math.isfinite(most):
            return least, most
    return float(finite.min().item()), float(finite.max().item())


def _real(tensor: Any) -> Any:
    """A complex number is shown by its size."""
    return tensor.abs() if tensor.is_complex() else tensor


def _number(value: Any) -> "float | None":
    number = float(value)
    return None if math.isnan(number) else number
