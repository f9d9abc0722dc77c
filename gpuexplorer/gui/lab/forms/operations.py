"""Operations: what the compute form can do to what is on the shelf."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.core.words import mark


class Needs(StrEnum):
    """What an operation has to be told beside its left operand."""

    NOTHING = "nothing"
    RIGHT = "right"  # a thing of the shelf, or a number
    THING = "thing"  # a thing of the shelf
    DIMENSION = "dimension"  # may be empty: over all
    SHAPE = "shape"
    SLICE = "slice"
    DEVICE = "device"
    CARD = "card"


@dataclass(frozen=True, slots=True)
class Operation:
    """`meaning` is marked; `code` has {left}, {right} and {told} in it; `keeps`: the result is
    made to be kept.
    """

    key: str
    face: str  # what its button says
    meaning: str
    code: str
    needs: Needs = Needs.NOTHING
    keeps: bool = False
    gives: bool = True  # something that can have a name


_OF_TENSORS = (
    Operation("add", "+", mark("Add"), "{left} + {right}", Needs.RIGHT),
    Operation("subtract", "−", mark("Subtract"), "{left} - {right}", Needs.RIGHT),
    Operation("multiply", "×", mark("Multiply, element by element"), "{left} * {right}",
              Needs.RIGHT),
    Operation("divide", "÷", mark("Divide"), "{left} / {right}", Needs.RIGHT),
    Operation("matmul", "@", mark("Matrix product"), "{left} @ {right}", Needs.THING),
    Operation("is", "is", mark("Is it the very same object?"), "{left} is {right}",
              Needs.THING),
    Operation("sum", "sum", mark("Sum"), "{left}.sum({told})", Needs.DIMENSION),
    Operation("mean", "mean", mark("Mean"), "{left}.mean({told})", Needs.DIMENSION),
    Operation("max", "max", mark("Largest"), "{left}.max()", Needs.DIMENSION),
    Operation("min", "min", mark("Smallest"), "{left}.min()", Needs.DIMENSION),
    Operation("relu", "relu", mark("Nothing below 0"), "torch.relu({left})"),
    Operation("gelu", "gelu", mark("A smooth relu"), "F.gelu({left})"),
    Operation("tanh", "tanh", mark("Hyperbolic tangent"), "torch.tanh({left})"),
    Operation("sigmoid", "sigmoid", mark("Sigmoid, 0 to 1"), "torch.sigmoid({left})"),
    Operation("softmax", "softmax", mark("Softmax, a sum of 1"),
              "torch.softmax({left}, dim=-1)"),
    Operation("exp", "exp", mark("e to the power of it"), "torch.exp({left})"),
    Operation("view", "view", mark("The same memory in another shape"), "{left}.view({told})",
              Needs.SHAPE, keeps=True),
    Operation("reshape", "reshape",
              mark("Reshape: another shape, a copy only where it must be"),
              "{left}.reshape({told})", Needs.SHAPE, keeps=True),
    Operation("transpose", "T", mark("Transpose: rows become columns"), "{left}.T", keeps=True),
    Operation("slice", "slice", mark("A part of it"), "{left}[{told}]", Needs.SLICE,
              keeps=True),
    Operation("to", "to", mark("To another device"), "{left}.to({told})", Needs.DEVICE,
              keeps=True),
    Operation("cpu", "cpu", mark("To the host"), "{left}.cpu()", keeps=True),
    Operation("cuda", "cuda", mark("To a card"), "{left}.cuda({told})", Needs.CARD, keeps=True),
    Operation("clone", "clone", mark("A copy where it is"), "{left}.clone()", keeps=True),
    Operation("item", "item", mark("One value as a number: copied to the host"),
              "{left}.item()"),
    Operation("numpy", "numpy", mark("As a NumPy array: copied to the host first"),
              "{left}.cpu().numpy()"),
    Operation("data", "data", mark("The values without their history"), "{left}.data"),
    Operation("detach", "detach", mark("The same memory without gradients"), "{left}.detach()",
              keeps=True),
    Operation("grad", "grad", mark("Its gradient after backward"), "{left}.grad"),
    Operation("backward", "backward", mark("Gradients of this loss"), "{left}.backward()",
              gives=False),
)  # fmt: skip
_OF_MODELS = (
    Operation("forward", "forward", mark("What the model says"), "{left}({right})",
              Needs.THING, keeps=True),
    Operation("model_to", "to", mark("To another device"), "{left}.to({told})", Needs.DEVICE),
    Operation("model_cpu", "cpu", mark("To the host"), "{left}.cpu()"),
    Operation("model_cuda", "cuda", mark("To a card"), "{left}.cuda({told})", Needs.CARD),
    Operation("train", "train", mark("Behave as in training"), "{left}.train()", gives=False),
    Operation("eval", "eval", mark("Behave as in use"), "{left}.eval()", gives=False),
    Operation("same", "is", mark("Is it the very same object?"), "{left} is {right}",
              Needs.THING),
)  # fmt: skip
OF_TENSORS: Mapping[str, Operation] = {each.key: each for each in _OF_TENSORS}
OF_MODELS: Mapping[str, Operation] = {each.key: each for each in _OF_MODELS}

# With these a model itself goes, so that its own name is kept.
MOVES_MODEL = frozenset({"model_to", "model_cpu", "model_cuda"})


def operations_for(kind: str) -> Mapping[str, Operation]:
    """By what a thing of the shelf is."""
    return OF_MODELS if kind == "model" else OF_TENSORS
