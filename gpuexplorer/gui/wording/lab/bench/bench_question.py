"""Question: which two blocks a failed line wanted to bring together, and by what."""

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Key
from gpuexplorer.lab.events import Placed
from gpuexplorer.lab.grammar import read_line
from gpuexplorer.lab.ledger import Entry, Ledger

_CAUSE = "devices differ"
_SIGNS: Mapping[type[ast.operator], str] = {
    ast.Add: "+",
    ast.Sub: "−",
    ast.Mult: "×",
    ast.Div: "÷",
    ast.MatMult: "@",
}


@dataclass(frozen=True, slots=True)
class Question:
    """PyTorch does not choose a device by itself: on which of the two?"""

    command: int
    left: Key
    right: Key
    sign: str
    words: str

    @property
    def spoken(self) -> str:
        left, right = self.left, self.right
        return tr(
            "{left} on {device}, {right} on {other}. {question}",
            left=left.name,
            device=left.device,
            right=right.name,
            other=right.device,
            question=self.words,
        )


def question_of(ledger: Ledger, selected: int | None) -> Question | None:
    """About the failed line that is selected, else the newest; None once it is cured."""
    entry = None if selected is None else ledger.entry(selected)
    if entry is None or not _asks(entry):
        entry = ledger.entries[-1] if len(ledger.entries) > ledger.first else None
    if entry is None or not _asks(entry):
        return None
    try:
        line = read_line(entry.code)
    except Trouble:
        return None
    order = {node.id: at for at, node in enumerate(_names(line.tree))}
    used = sorted((name for name in line.uses if name in ledger.things), key=order.__getitem__)
    places = [
        (key, device) for name in used for key, device in [_place(ledger, name)] if device
    ]
    if not places:
        return None
    left, here = places[0]
    right = next((key for key, device in places if device != here), None)
    if right is None:
        return None
    host = "cpu" in (left.device, right.device)
    words = tr("On which device?") if host else tr("On which card?")
    return Question(entry.id, left, right, _sign(line.tree), words)


def _asks(entry: Entry) -> bool:
    failed = entry.failed
    return failed is not None and failed.cause == _CAUSE and entry.cured_by is None


def _place(ledger: Ledger, name: str) -> tuple[Key, str]:
    thing: Placed = ledger.things[name]
    first = thing.same_as if thing.same_as in ledger.things else name
    one = thing.device if thing.kind in ("tensor", "model") and "," not in thing.device else ""
    return Key(one, first), one


def _names(tree: ast.AST) -> list[ast.Name]:
    return [each for each in ast.walk(tree) if isinstance(each, ast.Name)]


def _sign(tree: ast.AST) -> str:
    """The sign of the operation, or the first letters of its name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.BinOp):
            return _SIGNS.get(type(node.op), "?")
        if isinstance(node, ast.Call):
            called = node.func
            name = called.attr if isinstance(called, ast.Attribute) else ast.unparse(called)
            return name if len(name) <= 3 else f"{name[:2]}…"
    return "?"
