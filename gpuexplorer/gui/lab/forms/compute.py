"""The form that computes with what is on the shelf, and what PyTorch will object to."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.lab.forms import form
from gpuexplorer.gui.lab.forms.form import Around, Field, LabForm, Plan, Values
from gpuexplorer.gui.lab.inside.values import shape_text
from gpuexplorer.gui.widgets.controls.fields import Choice
from gpuexplorer.lab.events import Placed

A_NUMBER = "a number"  # no name, so that it is no thing's key
_LETTER = "a letter"  # the next that is free


class Operation(NamedTuple):
    """`code` names in braces what it has to be told; `result` None: nothing to name."""

    face: str  # what its button says
    meaning: str
    code: str
    result: str | None = ""


def _by_face(*rows: tuple[Any, ...]) -> Mapping[str, Operation]:
    return {row[0]: Operation(*row) for row in rows}


OF_TENSORS = _by_face(
    ("+", mark("Add"), "{left} + {right}"),
    ("−", mark("Subtract"), "{left} - {right}"),
    ("×", mark("Multiply, element by element"), "{left} * {right}"),
    ("÷", mark("Divide"), "{left} / {right}"),
    ("@", mark("Matrix product"), "{left} @ {right}"),
    ("sum", mark("Sum"), "{left}.sum({dimension})"),
    ("mean", mark("Mean"), "{left}.mean({dimension})"),
    ("max", mark("Maximum"), "{left}.amax({dimension})"),
    ("min", mark("Minimum"), "{left}.amin({dimension})"),
    ("relu", mark("Negative values become 0"), "torch.relu({left})"),
    ("view", mark("The same memory in another shape"), "{left}.view({shape})", _LETTER),
    ("T", mark("Transpose: rows become columns"), "{left}.T", _LETTER),
    ("to", mark("To another device"), "{left}.to({device})", _LETTER),
    ("item", mark("One value as a number: copied to the host"), "{left}.item()"),
    ("backward", mark("Gradients of this loss"), "{left}.backward()", None),
)
OF_MODELS = _by_face(
    ("forward", mark("Run the model"), "{left}({right})", "out"),
    ("to", mark("To another device"), "{left}.to({device})", "{left}"),
    ("train", mark("Training mode"), "{left}.train()", None),
    ("eval", mark("Evaluation mode"), "{left}.eval()", None),
)
_TAKES_NUMBER = ("+", "−", "×", "÷")


def _model(values: Values, around: Around) -> bool:
    left = around.things.get(values["left"])
    return left is not None and left.kind == "model"


def _operation(values: Values, around: Around) -> Operation:
    if _model(values, around):
        return OF_MODELS[values["model operation"]]
    return OF_TENSORS[values["operation"]]


def _rights(values: Values, around: Around) -> Sequence[Choice]:
    number = Choice(A_NUMBER, tr("a number"), tr("typed in"), typed=False)
    others = [number] if _operation(values, around).face in _TAKES_NUMBER else []
    return form.things_offered(around, ("tensor", "value"), others)


def _right(values: Values, around: Around) -> str:
    """The first that is not what stands at the left."""
    there = [str(each.key) for each in _rights(values, around)]
    return next((each for each in there if each != values["left"]), "")


def _elsewhere(values: Values, around: Around) -> str:
    """A card, and another one than that where it is."""
    left = around.things.get(values["left"])
    taken = "", left.device if left else ""
    there = [each for each in around.devices if each.usable and each.name not in taken]
    return min(there, key=lambda each: not each.is_card).name if there else ""


def _result(values: Values, around: Around) -> str:
    """The name under which a result that is made to be kept is kept; else empty."""
    proposed = (_operation(values, around).result or "").format(left=values["left"])
    again = proposed == _LETTER or (proposed == "out" and "out" in around.taken)
    return form.next_letter(around.taken) if again else proposed


def _read_number(text: str) -> str:
    """As Python writes them: also True and 2j."""
    if not isinstance(form.literal(text), bool | int | float | complex):
        raise Trouble("Enter a number.")
    return text.strip()


def _read_new_shape(text: str) -> str:
    """Here, and only here, one size may be -1: what is left."""
    sizes = form.read_sizes(text, least=-1)
    if not sizes:
        raise Trouble("The new shape is missing.", "Such as: 3, 2 or -1")
    if form.sizes_of(sizes).count(-1) > 1:
        raise Trouble("Only one size can be -1.", "It stands for what is left.")
    return sizes


def _write(said: Values, around: Around) -> Plan:
    operation, left = _operation(said, around), around.things[said["left"]]
    number, device, result = said["number"], said["device"], said["result"]
    right = (f"({number})" if number.startswith("-") else number) or said["right"]
    code = operation.code.format(**{**said, "right": right, "device": f'"{device}"'})
    facts = []
    if operation.face == "item" and left.device != "cpu":
        facts.append(tr("The host waits until the card is done, then copies"))
    if operation.face in ("view", "T"):
        facts.append(tr("No copy: it shares the memory of {name}", name=left.name))
    other = around.things.get(said["right"])
    warnings = expectations(operation, left, other, around)
    if operation.result != "{left}":  # else a model itself goes
        warnings += form.replaced(result, around.taken)
    return Plan(f"{result} = {code}" if result else code, facts, warnings)


def expectations(
    operation: Operation, left: Placed, right: Placed | None, around: Around
) -> list[str]:
    """Warnings, of which PyTorch has the last word."""
    said = [] if right is None else [*form.apart(left, right)]
    if right is not None and left.shape is not None and right.shape is not None:
        said += _unlike(operation.face, left.shape, right.shape)
    here, moves = around.device(left.device), ("view", "T", "to", "item", "train", "eval")
    # A card without kernels still copies, and shows the same memory in another shape.
    if here and not here.computes and operation.face not in moves:
        said.append(tr(here.reason))
    return said


def _unlike(face: str, one: Sequence[int], other: Sequence[int]) -> Sequence[str]:
    """Shapes that do not go together."""
    shapes = {"one": shape_text(one), "other": shape_text(other)}
    if face in _TAKES_NUMBER:
        try:
            np.broadcast_shapes(tuple(one), tuple(other))
        except ValueError:
            return (tr("{one} and {other} do not go together", **shapes),)
    elif face == "@" and not (one and other):
        return (tr("A matrix product takes no single values"),)
    elif face == "@" and one[-1] != (inner := other[max(0, len(other) - 2)]):
        differ = mark("{one} @ {other}: the inner sizes differ, {size} and {inner}")
        return (tr(differ, **shapes, size=one[-1], inner=inner),)
    return ()


COMPUTE = LabForm(
    mark("Compute"), mark("Compute with what is there"),
    (
        Field("left", mark("Left"), "choice", missing=form.NO_TENSORS, thing=True,
              offer=lambda values, around: form.things_offered(
                  around, ("tensor", "model", "value"))),
        Field("operation", mark("Operation"), "grid", "+",
              offer=form.words_offered({face: it.meaning for face, it in OF_TENSORS.items()}),
              shown=lambda values, around: not _model(values, around)),
        Field("model operation", mark("Operation"), "grid", "forward",
              offer=form.words_offered({face: it.meaning for face, it in OF_MODELS.items()}),
              shown=_model),
        Field("right", mark("Right"), "choice", _right, offer=_rights, thing=True,
              missing=mark("It needs a second operand.")),
        Field("number", mark("Number"), first="2", read=_read_number,
              shown=lambda values, around: values["right"] == A_NUMBER
              and _operation(values, around).face in _TAKES_NUMBER),
        Field("dimension", mark("Dimension"), placeholder=mark("over all"),
              read=lambda text: f"dim={form.whole()(text)}" if text.strip() else ""),
        Field("shape", mark("New shape"), first="-1", read=_read_new_shape),
        replace(form.DEVICE, first=_elsewhere),
        Field("result", mark("Result"), "name", _result, placeholder=mark("shown, not kept"),
              read=lambda text: form.read_name(text) if text.strip() else "",
              shown=lambda values, around: _operation(values, around).result is not None),
    ),
    lambda values: tr("Run"),
    _write,
    lambda values, around: _operation(values, around).code,
)  # fmt: skip
