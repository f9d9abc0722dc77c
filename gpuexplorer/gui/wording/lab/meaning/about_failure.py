"""AboutFailure: what a sentence about a failed line may be made of."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message, mark
from gpuexplorer.gui.wording.lab.amounts import shape_words
from gpuexplorer.lab.events import Failed, Placed
from gpuexplorer.lab.grammar import dotted, read_line
from gpuexplorer.lab.ledger import Ledger

NOTHING_CHANGED = Message("Nothing was computed or changed.")
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
    """The error, the line, and what its names stood for when it failed."""

    failed: Failed
    code: str
    ledger: Ledger
    used: Mapping[str, Placed]
    tree: ast.stmt | None
    units: Units = USUAL

    @property
    def message(self) -> str:
        return self.failed.message

    @property
    def tensors(self) -> Mapping[str, Placed]:
        return {name: each for name, each in self.used.items() if each.shape is not None}

    @property
    def operation(self) -> str:
        """ "A sum", "torch.cat", "net": what was asked for, as the subject of a sentence."""
        value = getattr(self.tree, "value", None)
        if isinstance(value, ast.BinOp):
            return Message(_OPERATIONS.get(type(value.op), _AN_OPERATION))
        if isinstance(value, ast.Call):
            name = dotted(value.func)
            if name is not None:
                return ast.unparse(value.func)
            if isinstance(value.func, ast.Name):
                return value.func.id
        return Message(_AN_OPERATION)

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


def about_failure(
    failed: Failed, code: str, ledger: Ledger, units: Units = USUAL
) -> AboutFailure:
    """To be asked for when it failed: later the names may stand for something else."""
    try:
        line = read_line(code)
    except Trouble:
        return AboutFailure(failed, code, ledger, {}, None, units)
    names = _in_order(line.tree)
    used = {name: ledger.things[name] for name in names if name in ledger.things}
    return AboutFailure(failed, code, ledger, used, line.tree, units)


def _in_order(tree: ast.stmt) -> list[str]:
    """The names in the order in which they are read."""
    found = [each for each in ast.walk(tree) if isinstance(each, ast.Name)]
    found.sort(key=lambda each: (each.lineno, each.col_offset))
    # `W += 1` reads what it writes.
    both = isinstance(tree, ast.AugAssign)
    return list(
        dict.fromkeys(each.id for each in found if both or isinstance(each.ctx, ast.Load))
    )
