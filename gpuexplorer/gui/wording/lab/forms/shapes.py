"""What PyTorch will say to an operation, as far as shapes and devices tell beforehand."""

import math
from collections.abc import Sequence
from itertools import zip_longest
from typing import Protocol

from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.forms.operations import Needs, Operation
from gpuexplorer.gui.wording.lab.forms.plan import Surroundings
from gpuexplorer.lab.events import Placed

_COMPUTING = frozenset(
    ("matmul", "relu", "gelu", "tanh", "sigmoid", "softmax", "exp", "forward", "backward")
)


class Asked(Protocol):
    """What matters here in a wish to compute."""

    @property
    def device(self) -> str: ...

    @property
    def told(self) -> str: ...


def expectations(
    operation: Operation,
    left: Placed,
    right: Placed | None,
    around: Surroundings,
    asked: Asked,
) -> Sequence[str]:
    """Warnings; the line can be run all the same, and PyTorch has the last word."""
    said: list[str] = []
    compares = operation.code.count(" is ")
    if right is not None and not compares:
        said += _devices(left, right)
        if right.kind == "model":
            said.append(tr("{name} is a model, no tensor", name=right.name))
        elif operation.needs is Needs.RIGHT:
            said += _broadcast(left, right)
        elif operation.key == "matmul":
            said += _product(left, right)
    count = None if left.shape is None else math.prod(left.shape)
    if operation.key == "item" and count not in (1, None):
        said.append(tr("item gives one value; {name} has {count}", name=left.name, count=count))
    if operation.key == "backward":
        said += _backward(left, count)
    if operation.key == "numpy" and left.requires_grad:
        said.append(tr("{name} has a gradient: NumPy wants detach() first", name=left.name))
    if operation.key == "mean" and left.dtype.startswith(("int", "uint", "bool")):
        said.append(tr("PyTorch takes no mean of {dtype}", dtype=left.dtype))
    if operation.needs is Needs.SHAPE and count is not None:
        said += _new_shape(left, count, asked.told)
    if operation.needs in (Needs.DEVICE, Needs.CARD) and left.device == asked.device:
        said.append(
            tr(
                "{name} is on {device} already: nothing is copied",
                name=left.name,
                device=left.device,
            )
        )
    target = around.device(asked.device)
    if operation.needs in (Needs.DEVICE, Needs.CARD) and target and not target.usable:
        said.append(tr(target.reason) or tr("{device} cannot be used", device=asked.device))
    here = around.device(left.device)
    if here is not None and not here.computes and _computes(operation):
        said.append(tr(here.reason))
    return said


def _computes(operation: Operation) -> bool:
    """A card without kernels still copies, and shows the same memory in another shape."""
    return operation.needs in (Needs.RIGHT, Needs.DIMENSION) or operation.key in _COMPUTING


def shape_text(shape: Sequence[int]) -> str:
    return "×".join(map(str, shape)) if shape else tr("one value")


def _devices(left: Placed, right: Placed) -> Sequence[str]:
    if left.device == right.device or not left.device or not right.device:
        return ()
    # A single value on the host may meet a card's tensor.
    if (left.shape == () and left.device == "cpu") or (
        right.shape == () and right.device == "cpu" and left.kind == "tensor"
    ):
        return ()
    return (
        tr("Operands on two devices: {one} and {other}", one=left.device, other=right.device),
    )


def _broadcast(left: Placed, right: Placed) -> Sequence[str]:
    if left.shape is None or right.shape is None:
        return ()
    sizes = zip_longest(reversed(left.shape), reversed(right.shape), fillvalue=1)
    if all(one == other or 1 in (one, other) for one, other in sizes):
        return ()
    one, other = shape_text(left.shape), shape_text(right.shape)
    return (tr("{one} and {other} do not go together", one=one, other=other),)


def _product(left: Placed, right: Placed) -> Sequence[str]:
    one, other = left.shape, right.shape
    if one is None or other is None:
        return ()
    if not one or not other:
        return (tr("A matrix product takes no single values"),)
    inner = other[-2] if len(other) > 1 else other[0]
    if one[-1] == inner:
        return ()
    return (
        tr(
            "{product}: the inner sizes differ, {size} and {inner}",
            product=f"{shape_text(one)} @ {shape_text(other)}",
            size=one[-1],
            inner=inner,
        ),
    )


def _backward(left: Placed, count: int | None) -> Sequence[str]:
    if not left.requires_grad:
        return (tr("{name} needs no gradient: PyTorch will refuse", name=left.name),)
    if count not in (1, None):
        return (
            tr("backward begins at one value; {name} has {count}", name=left.name, count=count),
        )
    return ()


def _new_shape(left: Placed, count: int, told: str) -> Sequence[str]:
    parts = [each.strip() for each in told.strip().strip("()[]").split(",") if each.strip()]
    try:
        sizes = [int(each) for each in parts]
    except ValueError:
        return ()
    known = math.prod(each for each in sizes if each != -1)
    fits = known == count if -1 not in sizes else known and count % known == 0
    if fits:
        return ()
    return (
        tr(
            "{name} has {count} elements, which do not fill {shape}",
            name=left.name,
            count=count,
            shape=shape_text(sizes),
        ),
    )
