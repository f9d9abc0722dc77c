"""Question: which two blocks a failed line wanted to bring together, and by what."""

import ast
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import tr
from gpuexplorer.gui.wording.lab.bench.bench_blocks import Key
from gpuexplorer.lab.events import Peeked, Placed
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
_ENDED = ("done", "failed")


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


@dataclass(frozen=True, slots=True)
class Values:
    """Row by row: what is written, and where it stands from the least (0) to the most (1)."""

    rows: tuple[tuple[tuple[str, float], ...], ...]
    moved_bytes: int


class Versions:
    """Which lines may have given a name other values. Each line is looked at once."""

    def __init__(self) -> None:
        self._seen = 0
        self._changed = 0  # the last command that changed something where it was
        self._made: dict[str, int] = {}

    def note(self, entries: Sequence[Entry]) -> None:
        while self._seen < len(entries) and entries[self._seen].state in _ENDED:
            entry = entries[self._seen]
            effects = entry.effects
            for name in effects.makes:
                self._made[name] = entry.id
            if effects.touched(entry.models):
                # A view, a twin or a model's own parameter may be meant by another name.
                self._changed = entry.id
            self._seen += 1

    def of(self, thing: Placed) -> tuple[int, int]:
        return thing.id, max(self._changed, self._made.get(thing.name, 0))


def values_of(peeked: Peeked) -> Values:
    whole = "float" not in peeked.dtype and "complex" not in peeked.dtype
    least, most = peeked.least, peeked.most
    span = 0.0 if least is None or most is None else most - least
    rows = tuple(
        tuple(
            (
                value_text(value, whole=whole),
                0.5 if value is None or least is None or not span else (value - least) / span,
            )
            for value in row
        )
        for row in peeked.rows
    )
    return Values(rows, peeked.moved_bytes)


def value_text(value: float | None, *, whole: bool) -> str:
    """Three digits that matter, as short as a cell is narrow."""
    if value is None:
        return "nan"
    if not math.isfinite(value):
        return "inf" if value > 0 else "-inf"
    size = abs(value)
    if whole:
        return f"{value:.0f}" if size < 1e5 else f"{value:.0e}".replace("e+0", "e")
    if size and (size < 0.01 or size >= 1e4):
        return f"{value:.0e}".replace("e+0", "e").replace("e-0", "e-")
    digits = 2 if size < 10 else 1 if size < 100 else 0
    return f"{value:.{digits}f}"
