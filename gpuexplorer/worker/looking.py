"""Looking inside a tensor or a model, while it stays where it is: only what is shown moves."""

import ast
import math
from typing import Any, Union

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Layer, Opened, Part, Peeked
from gpuexplorer.lab.grammar import read_line
from gpuexplorer.lab.wire import Peek
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.interpreter import Interpreter
from gpuexplorer.worker.shelf import dtype_name, is_model, is_tensor

_BINS = 32
_MOST_SAMPLED = 1 << 20
_MOST_SHOWN = 64 * 64


# Any throughout: what is looked into is PyTorch's.
def look(command: Peek, interpreter: Interpreter, engine: Engine) -> Union[Peeked, Opened]:  # noqa: UP007 - Python 3.10
    line = read_line(command.what)
    if not isinstance(line.tree, ast.Expr):
        raise Trouble("Only a value can be looked into.", "Such as: X, or net[0].weight")
    thing = interpreter.carry_out(line)
    if is_model(thing):
        return Opened(command.id, command.what, _layers(thing))
    if not is_tensor(thing):
        raise Trouble("{what} is neither a tensor nor a model.", what=command.what)
    if thing.device.type == "meta":
        raise Trouble("A tensor on meta has a shape and no values.")
    with engine.word("torch.no_grad")(), engine.copies.caused_by("look", command.what):
        return _peeked(command, thing.detach(), engine)


def _layers(model: Any) -> "tuple[Layer, ...]":
    return tuple(
        Layer(path, type(module).__name__, _own_text(module), _parts(module))
        for path, module in model.named_modules()
    )


def _own_text(module: Any) -> str:
    """Without the layers it is made of, which have entries of their own."""
    inside = any(True for _ in module.children())
    return type(module).__name__ if inside else repr(module)


def _parts(module: Any) -> "tuple[Part, ...]":
    found = [
        *module.named_parameters(recurse=False),
        *module.named_buffers(recurse=False),
    ]
    return tuple(
        Part(
            name,
            tuple(each.shape),
            dtype_name(each),
            str(each.device),
            each.numel() * each.element_size(),
            bool(each.requires_grad),
        )
        for name, each in found
        if not type(each).__name__.startswith("Uninitialized")
    )


def _peeked(command: Peek, tensor: Any, engine: Engine) -> Peeked:
    at, window = _window(command, tensor)
    sample = _sample(tensor)
    finite = sample[engine.word("torch.isfinite")(sample)]
    least, most = _ends(tensor, finite)
    histogram: tuple[int, ...] = ()
    if least is not None and most is not None:
        counted = engine.word("torch.histc")(finite, bins=_BINS, min=least, max=most)
        histogram = tuple(int(each) for each in counted.tolist())
    numbers = 4 + len(histogram)
    moved = window.numel() * window.element_size() + numbers * sample.element_size()
    return Peeked(
        command.id,
        command.what,
        str(tensor.device),
        dtype_name(tensor),
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
    if rows * columns > _MOST_SHOWN:
        raise Trouble("At most {most} values are shown at a time.", most=_MOST_SHOWN)
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
    return flat if dtype_name(flat) == "float64" else flat.float()


def _ends(tensor: Any, finite: Any) -> "tuple[float | None, float | None]":
    """Of all values, unless some are no numbers."""
    if not finite.numel():
        return None, None
    if dtype_name(tensor) not in ("bool", "complex64", "complex128"):
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
