"""AboutFailure: what a sentence about a failed cell may be made of."""

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message, mark
from gpuexplorer.lab.cell_source import dotted
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.failing import Operand, Site, sites
from gpuexplorer.lab.ledger import Cell, Ledger

_NOTHING_CHANGED = mark("Nothing was computed or changed.")
_BEFORE_IT = mark("What the cell did before it stays done.")
_AN_OPERATION = mark("An operation")
_OPERATIONS: dict[type[ast.operator], str] = {
    ast.Add: mark("A sum"),
    ast.Sub: mark("A difference"),
    ast.Mult: mark("A product"),
    ast.Div: mark("A quotient"),
    ast.MatMult: mark("A matrix product"),
}


@dataclass(frozen=True)
class AboutFailure:
    """The error, where it arose, and what its names stood for then."""

    failed: Failed
    ledger: Ledger
    used: Mapping[str, Placed]
    calls: Sequence[Site]  # the innermost first
    units: Units = USUAL

    @property
    def tensors(self) -> Mapping[str, Placed]:
        return {name: each for name, each in self.used.items() if each.shape is not None}

    @property
    def models(self) -> list[str]:
        return [name for name, each in self.used.items() if each.kind == "model"]

    @property
    def ending(self) -> Message:
        """What the failure leaves behind."""
        alone = len(self.failed.frames) == 1 and self.calls and self.calls[0].alone
        return Message(_NOTHING_CHANGED if alone else _BEFORE_IT)

    @property
    def operation(self) -> str:
        """ "A sum", "torch.cat", "net": what was asked for, as the subject of a sentence."""
        node = self.calls[0].node if self.calls else None
        if isinstance(node, ast.stmt) and not isinstance(node, ast.AugAssign):
            node = getattr(node, "value", None)
        if isinstance(node, (ast.BinOp, ast.AugAssign)):
            return Message(_OPERATIONS.get(type(node.op), _AN_OPERATION))
        if isinstance(node, ast.Call):
            plain = isinstance(node.func, ast.Name) or dotted(node.func)
            if plain or ast.unparse(node.func) in self.used:
                return ast.unparse(node.func)
        return Message(_AN_OPERATION)

    @property
    def called(self) -> set[str]:
        """What stands before the brackets on the way to the error."""
        calls = [each.node for each in self.calls if isinstance(each.node, ast.Call)]
        return {ast.unparse(each.func) for each in calls}

    def shapes(self) -> list[Message]:
        """A sentence for each tensor."""
        return [
            Message("{name} is {shape}.", name=name, shape=shape_words(each.shape or ()))
            for name, each in self.tensors.items()
        ]

    def types(self) -> list[Message]:
        return [
            Message("{name} is {dtype}.", name=name, dtype=each.dtype)
            for name, each in self.tensors.items()
            if each.dtype
        ]

    def subject(self) -> str:
        """The one tensor a line is about; "It" where there are several, or none."""
        return next(iter(self.tensors)) if len(self.tensors) == 1 else Message("It")


def shape_words(shape: Sequence[int]) -> str:
    """ "2×3"; of a tensor without dimensions "one number"."""
    return "×".join(map(str, shape)) or Message("one number")


def about_failure(
    failed: Failed, cell: Cell, ledger: Ledger, units: Units = USUAL
) -> AboutFailure:
    """To be asked for when it failed: later the names may stand for something else."""
    calls = sites(failed.frames, cell, ledger)
    known = next((each.operands for each in calls if each.operands), ())
    used = {each.name: ledger.things.get(each.name) or _inside(each) for each in known}
    return AboutFailure(failed, ledger, used, calls, units)


def _inside(operand: Operand) -> Placed:
    """What lies in a list, say, by its place there."""
    return Placed(0, operand.name, operand.kind, operand.device, "", bytes=operand.bytes)
