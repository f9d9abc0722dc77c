"""The line that computes something, and what is to be expected of it."""

import ast
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.wording.lab.forms import reading
from gpuexplorer.gui.wording.lab.forms.names import (
    device_word,
    name_problem,
    next_letter,
    replaced,
)
from gpuexplorer.gui.wording.lab.forms.operations import (
    MOVES_MODEL,
    OF_MODELS,
    OF_TENSORS,
    Needs,
    Operation,
)
from gpuexplorer.gui.wording.lab.forms.plan import Plan, Surroundings
from gpuexplorer.gui.wording.lab.forms.shapes import expectations
from gpuexplorer.lab.grammar import read_line

EMPTY_SHELF = mark("Nothing is on the shelf yet: create something first.")


@dataclass(frozen=True, slots=True)
class ComputeWish:
    """`number` holds where the right operand is no thing of the shelf."""

    operation: str = "add"
    left: str = ""
    right: str | None = None
    number: str = ""
    told: str = ""  # a shape, a slice or a dimension
    device: str = "cpu"
    result: str = ""  # empty: printed, and not kept


def operation_named(key: str) -> Operation:
    return OF_TENSORS.get(key) or OF_MODELS[key]


def proposed_result(operation: Operation, left: str, taken: Collection[str]) -> str:
    """The name under which a result that is made to be kept is kept; else empty."""
    if operation.key in MOVES_MODEL:
        return left
    if operation.key == "forward" and "out" not in taken:
        return "out"
    return next_letter(taken) if operation.keeps else ""


def compute_plan(wish: ComputeWish, around: Surroundings) -> Plan:
    operation = operation_named(wish.operation)
    if not wish.left:
        return Plan(tr("Run"), problems={"left": tr(EMPTY_SHELF)})
    problems: dict[str, str] = {}
    right = _right(operation, wish, problems)
    told = _told(operation, wish, around, problems)
    if wish.result and operation.gives and (problem := name_problem(wish.result)):
        problems["result"] = problem
    if problems:
        return Plan(tr("Run"), problems=problems)
    value = operation.code.format(left=wish.left, right=right, told=told)
    if operation.key in ("max", "min") and told:
        value = f"{wish.left}.a{operation.key}({told})"
    line = f"{wish.result} = {value}" if wish.result and operation.gives else value
    warnings: list[str] = []
    thing = around.things.get(wish.left)
    other = around.things.get(right) if wish.right is not None else None
    if thing is not None:
        warnings += expectations(operation, thing, other, around, wish)
    if operation.gives and not (operation.key in MOVES_MODEL and wish.result == wish.left):
        warnings += replaced(wish.result, around.taken)
    return Plan(tr("Run"), (line,), warnings=warnings, facts=_facts(operation, wish, around))


def _right(operation: Operation, wish: ComputeWish, problems: dict[str, str]) -> str:
    if operation.needs not in (Needs.RIGHT, Needs.THING):
        return ""
    if wish.right is not None:
        if not wish.right:
            problems["right"] = tr("It needs a second operand.")
        return wish.right
    try:
        number = reading.read_number(wish.number, Message("The number"))
    except Trouble as trouble:
        problems["number"] = trouble.told
        return ""
    below_zero = not isinstance(number, complex) and number < 0
    return f"({number})" if below_zero else str(number)


def _told(
    operation: Operation, wish: ComputeWish, around: Surroundings, problems: dict[str, str]
) -> str:
    try:
        match operation.needs:
            case Needs.DIMENSION:
                bare = wish.told.strip()
                dimension = Message("The dimension")
                return f"dim={reading.read_whole(bare, dimension)}" if bare else ""
            case Needs.SHAPE:
                return _shape(wish.told)
            case Needs.SLICE:
                return _slice(wish.told)
            case Needs.DEVICE:
                return device_word(wish.device, fall_back=around.fall_back)
            case Needs.CARD:
                return _card(wish.device)
            case _:
                return ""
    except Trouble as trouble:
        of_device = operation.needs in (Needs.DEVICE, Needs.CARD)
        problems["device" if of_device else "told"] = trouble.told
        return ""


def _shape(text: str) -> str:
    """Here, and only here, one size may be -1: what is left."""
    bare = text.strip().strip("()[]")
    if not bare:
        raise Trouble("The new shape is missing.", "Such as: 3, 2 or -1")
    parts = [each.strip() for each in bare.split(",")]
    left_open = parts.count("-1")
    if left_open > 1:
        raise Trouble("Only one size can be -1.", "It stands for what is left.")
    sizes = reading.read_shape(", ".join("1" if each == "-1" else each for each in parts))
    if not left_open:
        return ", ".join(map(str, sizes))
    at = parts.index("-1")
    return ", ".join("-1" if number == at else str(size) for number, size in enumerate(sizes))


def _slice(text: str) -> str:
    bare = text.strip()
    if bare.startswith("[") and bare.endswith("]") and bare.count("[") == 1:
        bare = bare[1:-1].strip()
    if not bare:
        raise Trouble("Which part is missing.", "Such as: 0 or :, 1:3")
    match read_line(f"x[{bare}]").tree:
        case ast.Expr(value=ast.Subscript(value=ast.Name())):
            pass
        case _:
            raise Trouble("{text!r} is no part.", "Such as: 0 or :, 1:3", text=bare)
    return " ".join(bare.split())


def _card(device: str) -> str:
    kind, _, number = device.partition(":")
    if kind != "cuda" or not number:
        raise Trouble("It takes a card.", "The operation to goes to any device.")
    return number


def _facts(operation: Operation, wish: ComputeWish, around: Surroundings) -> Sequence[str]:
    thing = around.things.get(wish.left)
    if operation.key in ("item", "numpy") and thing is not None and thing.device != "cpu":
        return (tr("The host waits until the card is done, then copies"),)
    if operation.key in ("view", "transpose", "slice", "detach", "data"):
        return (tr("No copy: it shares the memory of {name}", name=wish.left),)
    return ()
