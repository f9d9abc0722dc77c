"""What forms say before anything runs: whether it fits, and what PyTorch will object to."""

import math
from collections.abc import Sequence
from itertools import zip_longest

from gpuexplorer.core.units import memory
from gpuexplorer.core.words import tr
from gpuexplorer.gui.lab.bench.blocks import amount
from gpuexplorer.gui.lab.forms.form import Around
from gpuexplorer.gui.lab.forms.operations import Needs, Operation
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.lab.events import Placed


def fit(needed: int, name: str, around: Around) -> tuple[list[str], list[str]]:
    """Facts, and a warning where it does not fit. On a card that was not used yet, the
    context's cost counts too.
    """
    device = around.device(name)
    facts, short = _fit(needed, device, around)
    special = tr(device.reason) if device is not None else ""
    return [*facts, *([special] if special else [])], [short] if short else []


def _fit(needed: int, device: BenchDevice | None, around: Around) -> tuple[list[str], str]:
    if device is None:
        return [str(memory(needed, around.units))], ""
    size = amount(needed, device, around.units)
    if device.name == "meta":
        return [tr("{size} with values; meta keeps only the shape", size=size)], ""
    if device.free_bytes is None:
        said = tr(
            "{size}; what is free on {device} is not known", size=size, device=device.name
        )
        return [said], ""
    free = amount(device.free_bytes, device, around.units)
    context, words = _context(device, around)
    # What PyTorch keeps for later can hold it as well.
    room = device.free_bytes + max(0, (device.cache_bytes or 0) - (device.tensor_bytes or 0))
    if needed > room:
        return words, tr("Does not fit: {size} of {free} free", size=size, free=free)
    if needed + context > room:
        short = tr("Does not fit with the context: {size} of {free} free", size=size, free=free)
        return words, short
    share = around.memory_share
    if share is not None and device.is_card and device.total_bytes is not None:
        left = max(0, round(share * device.total_bytes) - (device.tensor_bytes or 0))
        if needed > left:
            below = amount(left, device, around.units)
            cap = tr("Does not fit under the cap: {size} of {left} left", size=size, left=below)
            return words, cap
    fits = tr("{size} of {free} free: it fits", size=size, free=free)
    return [fits, *words], _host_short(needed, device, around)


def _context(device: BenchDevice, around: Around) -> tuple[int, list[str]]:
    if not device.is_card or device.context_bytes:
        return 0, []
    known = around.contexts.get(device.name)
    if known is None:
        return 0, [tr("First use adds the context")]
    size = amount(known, device, around.units)
    return known, [tr("First use adds the context, {size}", size=size)]


def _host_short(needed: int, device: BenchDevice, around: Around) -> str:
    """The values of a simulated card lie in the computer's own memory."""
    host = around.device("cpu")
    if not device.modelled or host is None or host.free_bytes is None:
        return ""
    if needed <= host.free_bytes:
        return ""
    free = amount(host.free_bytes, host, around.units)
    return tr(
        "It fits on the card, but its values need the computer's memory: {free} free",
        free=free,
    )


_COMPUTING = frozenset(
    ("matmul", "relu", "gelu", "tanh", "sigmoid", "softmax", "exp", "forward", "backward")
)


def expectations(
    operation: Operation,
    left: Placed,
    right: Placed | None,
    around: Around,
    told: str,
    device: str,
) -> Sequence[str]:
    """Warnings; it can be run all the same, and PyTorch has the last word. `told` is a new
    shape, `device` where it is to go.
    """
    said: list[str] = []
    compares = operation.code.count(" is ")
    if right is not None and not compares:
        said.append(_devices(left, right))
        if right.kind == "model":
            said.append(tr("{name} is a model, not a tensor", name=right.name))
        elif operation.needs is Needs.RIGHT:
            said.append(_broadcast(left, right))
        elif operation.key == "matmul":
            said.append(_product(left, right))
    count = None if left.shape is None else math.prod(left.shape)
    if operation.key == "item" and count not in (1, None):
        said.append(tr("item gives one value; {name} has {count}", name=left.name, count=count))
    if operation.key == "backward":
        said.append(_backward(left, count))
    if operation.key == "numpy" and left.requires_grad:
        said.append(tr("{name} has a gradient: NumPy wants detach() first", name=left.name))
    if operation.key == "mean" and left.dtype.startswith(("int", "uint", "bool")):
        said.append(tr("PyTorch takes no mean of {dtype}", dtype=left.dtype))
    if operation.needs is Needs.SHAPE and count is not None:
        said.append(_new_shape(left, count, told))
    if operation.needs in (Needs.DEVICE, Needs.CARD) and left.device == device:
        said.append(
            tr(
                "{name} is on {device} already: nothing is copied",
                name=left.name,
                device=left.device,
            )
        )
    target = around.device(device)
    if operation.needs in (Needs.DEVICE, Needs.CARD) and target and not target.usable:
        said.append(tr(target.reason) or tr("{device} cannot be used", device=device))
    here = around.device(left.device)
    if here is not None and not here.computes and _computes(operation):
        said.append(tr(here.reason))
    return [each for each in said if each]


def _computes(operation: Operation) -> bool:
    """A card without kernels still copies, and shows the same memory in another shape."""
    return operation.needs in (Needs.RIGHT, Needs.DIMENSION) or operation.key in _COMPUTING


def shape_text(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) if shape else tr("one value")


def _devices(left: Placed, right: Placed) -> str:
    if left.device == right.device or not left.device or not right.device:
        return ""
    # A single value on the host may meet a card's tensor.
    if (left.shape == () and left.device == "cpu") or (
        right.shape == () and right.device == "cpu" and left.kind == "tensor"
    ):
        return ""
    return tr("Operands on two devices: {one} and {other}", one=left.device, other=right.device)


def _broadcast(left: Placed, right: Placed) -> str:
    if left.shape is None or right.shape is None:
        return ""
    sizes = zip_longest(reversed(left.shape), reversed(right.shape), fillvalue=1)
    if all(one == other or 1 in (one, other) for one, other in sizes):
        return ""
    one, other = shape_text(left.shape), shape_text(right.shape)
    return tr("{one} and {other} do not go together", one=one, other=other)


def _product(left: Placed, right: Placed) -> str:
    one, other = left.shape, right.shape
    if one is None or other is None:
        return ""
    if not one or not other:
        return tr("A matrix product takes no single values")
    inner = other[-2] if len(other) > 1 else other[0]
    if one[-1] == inner:
        return ""
    return tr(
        "{product}: the inner sizes differ, {size} and {inner}",
        product=f"{shape_text(one)} @ {shape_text(other)}",
        size=one[-1],
        inner=inner,
    )


def _backward(left: Placed, count: int | None) -> str:
    if not left.requires_grad:
        return tr("{name} needs no gradient: PyTorch will refuse", name=left.name)
    if count not in (1, None):
        return tr(
            "backward begins at one value; {name} has {count}", name=left.name, count=count
        )
    return ""


def _new_shape(left: Placed, count: int, told: str) -> str:
    parts = [each.strip() for each in told.strip().strip("()[]").split(",") if each.strip()]
    try:
        sizes = [int(each) for each in parts]
    except ValueError:
        return ""
    known = math.prod(each for each in sizes if each != -1)
    fits = known == count if -1 not in sizes else known and count % known == 0
    if fits:
        return ""
    return tr(
        "{name} has {count} elements, which do not fill {shape}",
        name=left.name,
        count=count,
        shape=shape_text(sizes),
    )
