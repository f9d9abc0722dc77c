"""The form that computes something with what is on the shelf."""

import ast
from collections.abc import Sequence

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.lab.forms import reading
from gpuexplorer.gui.lab.forms.form import (
    Around,
    Control,
    Entered,
    Field,
    LabForm,
    Plan,
    Shown,
    Values,
    devices_offered,
    replaced,
    things_offered,
)
from gpuexplorer.gui.lab.forms.operations import (
    MOVES_MODEL,
    OF_MODELS,
    OF_TENSORS,
    Needs,
    Operation,
    operations_for,
)
from gpuexplorer.gui.lab.forms.reading import next_letter, read_result
from gpuexplorer.gui.lab.forms.words import expectations
from gpuexplorer.gui.widgets.controls.fields import Choice

A_NUMBER = "a number"  # no name, so that it is no thing's key


def _operation(values: Values) -> Operation:
    key = values["operation"]
    return OF_TENSORS.get(key) or OF_MODELS[key]


def _lefts(values: Values, around: Around) -> Sequence[Choice]:
    return things_offered(around, lambda thing: thing.kind not in ("optimiser", "container"))


def _operations(values: Values, around: Around) -> Sequence[Choice]:
    left = around.things.get(values["left"])
    there = operations_for(left.kind if left is not None else "")
    return [Choice(each.key, each.face, tr(each.meaning)) for each in there.values()]


def _rights(values: Values, around: Around) -> Sequence[Choice]:
    number = Choice(A_NUMBER, tr("a number"), tr("typed in"), typed=False)
    others = [number] if _operation(values).needs is Needs.RIGHT else []
    plain = ("tensor", "value")
    return things_offered(around, lambda thing: thing.kind in plain, others)


def _right(values: Values, around: Around) -> str:
    """The first that is not what stands at the left."""
    there = [str(each.key) for each in _rights(values, around)]
    return next((each for each in there if each != values["left"]), "")


def _devices(values: Values, around: Around) -> Sequence[Choice]:
    cards_only = _operation(values).needs is Needs.CARD
    return devices_offered(
        around, lambda each: not cards_only or each.is_card or each.name.startswith("cuda")
    )


def _elsewhere(values: Values, around: Around) -> str:
    """A card, and another one than that where it is."""
    left = around.things.get(values["left"])
    there = [each for each in around.devices if each.usable and each.name]
    there.sort(key=lambda each: not each.is_card)
    away = [each.name for each in there if left is None or each.name != left.device]
    return away[0] if away else ""


def _result(values: Values, around: Around) -> str:
    """The name under which a result that is made to be kept is kept; else empty."""
    operation = _operation(values)
    if operation.key in MOVES_MODEL:
        return values["left"]
    if operation.key == "forward" and "out" not in around.taken:
        return "out"
    return next_letter(around.taken) if operation.keeps else ""


def _takes_number(values: Values, around: Around) -> bool:
    return values["right"] == A_NUMBER and _operation(values).needs is Needs.RIGHT


def _needs(*needs: Needs) -> Shown:
    return lambda values, around: _operation(values).needs in needs


def read_dimension(text: str) -> str:
    bare = text.strip()
    return f"dim={reading.read_whole(bare, Message('The dimension'))}" if bare else ""


def read_new_shape(text: str) -> str:
    """Here, and only here, one size may be -1: what is left."""
    bare = text.strip().strip("()[]")
    if not bare:
        raise Trouble("The new shape is missing.", "Such as: 3, 2 or -1")
    parts = [each.strip() for each in bare.split(",")]
    if parts.count("-1") > 1:
        raise Trouble("Only one size can be -1.", "It stands for what is left.")
    sizes = reading.read_shape(", ".join("1" if each == "-1" else each for each in parts))
    shown = (
        "-1" if part == "-1" else str(size) for part, size in zip(parts, sizes, strict=False)
    )
    return ", ".join(shown)


def read_slice(text: str) -> str:
    bare = " ".join(text.split())
    if bare.startswith("[") and bare.endswith("]") and bare.count("[") == 1:
        bare = bare[1:-1].strip()
    if not bare:
        raise Trouble("Which part is missing.", "Such as: 0 or :, 1:3")
    try:
        tree = ast.parse(f"x[{bare}]", mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        tree = ast.Constant(0)
    if not (isinstance(tree, ast.Subscript) and isinstance(tree.value, ast.Name)):
        raise Trouble("{text!r} is not a part.", "Such as: 0 or :, 1:3", text=bare[:40])
    return bare


def _write(entered: Entered, around: Around) -> Plan:
    operation, left, result = _operation(entered.values), entered["left"], entered["result"]
    right, device = entered["right"], entered["device"]
    other = around.things.get(right)
    if right == A_NUMBER:
        number = entered.read["number"]
        below = not isinstance(number, complex | bool) and str(number).startswith("-")
        right = f"({number})" if below else str(number)
    told = str(entered.read.get(operation.needs.value, ""))
    if operation.needs is Needs.DEVICE:
        told = f'"{device}"'
    elif operation.needs is Needs.CARD:
        told = device.partition(":")[2]
    value = operation.code.format(left=left, right=right, told=told)
    if operation.key in ("max", "min") and told:
        value = f"{left}.a{operation.key}({told})"
    code = f"{result} = {value}" if result else value
    warnings = [
        *expectations(operation, around.things[left], other, around, told, device),
        *(() if operation.key in MOVES_MODEL else replaced(result, around.taken)),
    ]
    return Plan(code, _facts(operation, left, around), warnings)


def _facts(operation: Operation, left: str, around: Around) -> Sequence[str]:
    if operation.key in ("item", "numpy") and around.things[left].device != "cpu":
        return (tr("The host waits until the card is done, then copies"),)
    if operation.key in ("view", "transpose", "slice", "detach", "data"):
        return (tr("No copy: it shares the memory of {name}", name=left),)
    return ()


COMPUTE = LabForm(
    mark("Compute"), "", mark("Compute with what is there"),
    (
        Field("left", mark("Left"), Control.CHOICE, offer=_lefts,
              missing=mark("Nothing is on the shelf yet: create something first."),
              placeholder=mark("nothing on the shelf"), thing=True),
        Field("operation", mark("Operation"), Control.GRID, "add", offer=_operations),
        Field("right", mark("Right"), Control.CHOICE, _right, offer=_rights,
              missing=mark("It needs a second operand."),
              placeholder=mark("no tensor on the shelf"),
              shown=_needs(Needs.RIGHT, Needs.THING), thing=True),
        Field("number", mark("Number"), first="2", read=reading.number(Message("The number")),
              shown=_takes_number),
        Field(Needs.DIMENSION.value, mark("Dimension"), read=read_dimension,
              placeholder=mark("over all"), shown=_needs(Needs.DIMENSION)),
        Field(Needs.SHAPE.value, mark("New shape"), first="-1", read=read_new_shape,
              placeholder=mark("such as 3, 2 or -1"), shown=_needs(Needs.SHAPE)),
        Field(Needs.SLICE.value, mark("Part"), first="0", read=read_slice,
              placeholder=mark("such as 0 or :, 1:3"), shown=_needs(Needs.SLICE)),
        Field("device", mark("Device"), Control.CHOICE, _elsewhere, offer=_devices,
              missing=mark("It takes a card."), placeholder=mark("no card"),
              shown=_needs(Needs.DEVICE, Needs.CARD)),
        Field("result", mark("Result"), Control.NAME, _result, read_result,
              placeholder=mark("shown, not kept"),
              shown=lambda values, around: _operation(values).gives),
    ),
    lambda values: tr("Run"),
    _write,
)  # fmt: skip
