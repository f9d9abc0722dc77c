"""Looking inside a thing, while it stays where it is: only what is shown moves."""

import math
from collections.abc import Iterator, Mapping
from typing import Any

import torch
from torch import nn

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Layer, Opened, Part, Peeked
from gpuexplorer.lab.wire import Peek
from gpuexplorer.worker.shelf import dtype_name, kind_of, model_text, modules_in, tensors_in

_BINS = 32
_MOST_SAMPLED = 1 << 20


# Any throughout: what is looked into is the person's, or PyTorch's.
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
