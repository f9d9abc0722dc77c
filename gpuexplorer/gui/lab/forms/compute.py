"""The form that computes with what is on the shelf, and what PyTorch will object to."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.forms import form
from gpuexplorer.gui.lab.forms.form import Around, Control, Field, LabForm, Plan, Shown, Values
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.lab.events import Placed

A_NUMBER = "a number"  # no name, so that it is no thing's key
_LETTER = "a letter"  # the next that is free


class Operation(NamedTuple):
    """`face` is what its button says, `meaning` is marked, `code` names in braces what it has
    to be told; `result` is the name that is proposed where it is made to be kept, and None
    where there is nothing to name.
    """

    face: str
    meaning: str
    code: str
    result: str | None = ""


_OF_TENSORS = (
    Operation("+", mark("Add"), "{left} + {right}"),
    Operation("−", mark("Subtract"), "{left} - {right}"),
    Operation("×", mark("Multiply, element by element"), "{left} * {right}"),
    Operation("÷", mark("Divide"), "{left} / {right}"),
    Operation("@", mark("Matrix product"), "{left} @ {right}"),
    Operation("sum", mark("Sum"), "{left}.sum({dimension})"),
    Operation("mean", mark("Mean"), "{left}.mean({dimension})"),
    Operation("max", mark("Maximum"), "{left}.amax({dimension})"),
    Operation("min", mark("Minimum"), "{left}.amin({dimension})"),
    Operation("relu", mark("Negative values become 0"), "torch.relu({left})"),
    Operation(
        "view", mark("The same memory in another shape"), "{left}.view({shape})", _LETTER
    ),
    Operation("T", mark("Transpose: rows become columns"), "{left}.T", _LETTER),
    Operation("to", mark("To another device"), "{left}.to({device})", _LETTER),
    Operation("item", mark("One value as a number: copied to the host"), "{left}.item()"),
    Operation("backward", mark("Gradients of this loss"), "{left}.backward()", None),
)
_OF_MODELS = (
    Operation("forward", mark("Run the model"), "{left}({right})", "out"),
    Operation("to", mark("To another device"), "{left}.to({device})", "{left}"),
    Operation("train", mark("Training mode"), "{left}.train()", None),
    Operation("eval", mark("Evaluation mode"), "{left}.eval()", None),
)
OF_TENSORS: Mapping[str, Operation] = {each.face: each for each in _OF_TENSORS}
OF_MODELS: Mapping[str, Operation] = {each.face: each for each in _OF_MODELS}
_TAKES_NUMBER = ("+", "−", "×", "÷")


def _model(values: Values, around: Around) -> bool:
    left = around.things.get(values["left"])
    return left is not None and left.kind == "model"


def _operation(values: Values, around: Around) -> Operation:
    if _model(values, around):
        return OF_MODELS[values["model operation"]]
    return OF_TENSORS[values["operation"]]


def _told(key: str) -> Shown:
    return lambda values, around: f"{{{key}}}" in _operation(values, around).code


def _faces(there: Sequence[Operation]) -> Sequence[Choice]:
    return [Choice(each.face, each.face, tr(each.meaning)) for each in there]


def _lefts(values: Values, around: Around) -> Sequence[Choice]:
    others = ("optimiser", "container")
    return form.things_offered(around, lambda each: each.kind not in others)


def _rights(values: Values, around: Around) -> Sequence[Choice]:
    number = Choice(A_NUMBER, tr("a number"), tr("typed in"), typed=False)
    others = [number] if _operation(values, around).face in _TAKES_NUMBER else []
    return form.things_offered(around, lambda each: each.kind in ("tensor", "value"), others)


def _right(values: Values, around: Around) -> str:
    """The first that is not what stands at the left."""
    there = [str(each.key) for each in _rights(values, around)]
    return next((each for each in there if each != values["left"]), "")


def _elsewhere(values: Values, around: Around) -> str:
    """A card, and another one than that where it is."""
    left = around.things.get(values["left"])
    there = [each for each in around.devices if each.usable and each.name]
    there.sort(key=lambda each: not each.is_card)
    away = [each.name for each in there if left is None or each.name != left.device]
    return away[0] if away else ""


def _result(values: Values, around: Around) -> str:
    """The name under which a result that is made to be kept is kept; else empty."""
    proposed = (_operation(values, around).result or "").format(left=values["left"])
    again = proposed == _LETTER or (proposed == "out" and "out" in around.taken)
    return form.next_letter(around.taken) if again else proposed


def _read_dimension(text: str) -> str:
    return f"dim={form.whole()(text)}" if text.strip() else ""


def _read_new_shape(text: str) -> str:
    """Here, and only here, one size may be -1: what is left."""
    sizes = form.read_sizes(text, least=-1)
    if not sizes:
        raise Trouble("The new shape is missing.", "Such as: 3, 2 or -1")
    if form.sizes_of(sizes).count(-1) > 1:
        raise Trouble("Only one size can be -1.", "It stands for what is left.")
    return sizes


def _write(said: Values, around: Around) -> Plan:
    operation, left, result = (
        _operation(said, around),
        around.things[said["left"]],
        said["result"],
    )
    number, device = said["number"], said["device"]
    right = (f"({number})" if number.startswith("-") else number) or said["right"]
    code = operation.code.format(**{**said, "right": right, "device": f'"{device}"'})
    facts = []
    if operation.face == "item" and left.device != "cpu":
        facts.append(tr("The host waits until the card is done, then copies"))
    if operation.face in ("view", "T"):
        facts.append(tr("No copy: it shares the memory of {name}", name=left.name))
    other = around.things.get(said["right"])
    warnings = expectations(operation, left, other, around, said["shape"], device)
    if operation.result != "{left}":  # else a model itself goes
        warnings += form.replaced(result, around.taken)
    return Plan(f"{result} = {code}" if result else code, facts, warnings)


def expectations(
    operation: Operation,
    left: Placed,
    right: Placed | None,
    around: Around,
    shape: str,
    device: str,
) -> list[str]:
    """Warnings; it can be run all the same, and PyTorch has the last word. `shape` is a new
    one, `device` where it is to go.
    """
    name, count = left.name, None if left.shape is None else math.prod(left.shape)
    several = count not in (1, None)
    said = [] if right is None else [*form.apart(left, right), *_unlike(operation, left, right)]
    match operation.face:
        case "item" if several:
            said.append(tr("item gives one value; {name} has {count}", name=name, count=count))
        case "backward" if not left.requires_grad:
            said.append(tr("{name} needs no gradient: PyTorch will refuse", name=name))
        case "backward" if several:
            begins = mark("backward begins at one value; {name} has {count}")
            said.append(tr(begins, name=name, count=count))
        case "mean" if left.dtype.startswith(("int", "uint", "bool")):
            said.append(tr("PyTorch takes no mean of {dtype}", dtype=left.dtype))
        case "to" if left.device == device:
            there = mark("{name} is on {device} already: nothing is copied")
            said.append(tr(there, name=name, device=device))
        case "view" if count is not None:
            sizes = form.sizes_of(shape)
            known = math.prod(each for each in sizes if each != -1)
            if not (known and count % known == 0 if -1 in sizes else known == count):
                unfilled = mark("{name} has {count} elements, which do not fill {shape}")
                said.append(tr(unfilled, name=name, count=count, shape=form.shape_text(sizes)))
    here, code = around.device(left.device), operation.code
    computes = (
        "{right}" in code or "{dimension}" in code or operation.face in ("relu", "backward")
    )
    # A card without kernels still copies, and shows the same memory in another shape.
    if here is not None and not here.computes and computes:
        said.append(tr(here.reason))
    return said


def _unlike(operation: Operation, left: Placed, right: Placed) -> Sequence[str]:
    """Shapes that do not go together."""
    one, other = left.shape, right.shape
    if one is None or other is None:
        return ()
    shapes = {"one": form.shape_text(one), "other": form.shape_text(other)}
    if operation.face in _TAKES_NUMBER:
        try:
            np.broadcast_shapes(tuple(one), tuple(other))
        except ValueError:
            return (tr("{one} and {other} do not go together", **shapes),)
    elif operation.face == "@" and not (one and other):
        return (tr("A matrix product takes no single values"),)
    elif operation.face == "@" and one[-1] != (inner := other[max(0, len(other) - 2)]):
        differ = mark("{one} @ {other}: the inner sizes differ, {size} and {inner}")
        return (tr(differ, **shapes, size=one[-1], inner=inner),)
    return ()


COMPUTE = LabForm(
    mark("Compute"), mark("Compute with what is there"),
    (
        Field("left", mark("Left"), Control.CHOICE, offer=_lefts, missing=form.NO_TENSORS,
              thing=True),
        Field("operation", mark("Operation"), Control.GRID, "+",
              offer=lambda values, around: _faces(_OF_TENSORS),
              shown=lambda values, around: not _model(values, around)),
        Field("model operation", mark("Operation"), Control.GRID, "forward",
              offer=lambda values, around: _faces(_OF_MODELS), shown=_model),
        Field("right", mark("Right"), Control.CHOICE, _right, offer=_rights, thing=True,
              missing=mark("It needs a second operand."), shown=_told("right")),
        Field("number", mark("Number"), first="2", read=form.read_number,
              shown=lambda values, around: values["right"] == A_NUMBER
              and _operation(values, around).face in _TAKES_NUMBER),
        Field("dimension", mark("Dimension"), read=_read_dimension,
              placeholder=mark("over all"), shown=_told("dimension")),
        Field("shape", mark("New shape"), first="-1", read=_read_new_shape,
              shown=_told("shape")),
        replace(form.DEVICE, first=_elsewhere, shown=_told("device")),
        Field("result", mark("Result"), Control.NAME, _result, form.read_result,
              placeholder=mark("shown, not kept"),
              shown=lambda values, around: _operation(values, around).result is not None),
    ),
    lambda values: tr("Run"),
    _write,
)  # fmt: skip
