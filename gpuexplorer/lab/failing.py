"""Failing: the expression in which a cell failed, what is known of it, and its text changed."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeGuard

from gpuexplorer.lab.cell_source import Source, tree_of
from gpuexplorer.lab.events import Frame
from gpuexplorer.lab.ledger import Cell, Ledger

_ABOUT_ONLY = frozenset({"device", "dtype", "ndim", "shape", "size", "dim", "numel"})
_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
_LOOPS = (ast.For, ast.AsyncFor, ast.While, *_SCOPES)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert)

_Node = ast.expr | ast.stmt


@dataclass(frozen=True)
class Operand:
    """A tensor or a model of the shelf, by the words that stand for it in the code."""

    node: ast.expr
    name: str  # "X", "nets[0]"
    kind: str
    device: str
    bytes: int
    requires_grad: bool = False


class Site(Source):
    """One of the person's calls on the way to an error: the innermost is where it arose."""

    def __init__(self, home: Cell, frame: Frame, failing: Cell, ledger: Ledger) -> None:
        """`home`: the cell in which the call stands; `failing`: the one that ran it."""
        super().__init__(home.code)
        self.cell, self.frame, self.failing, self.ledger = home, frame, failing, ledger
        self.module = tree_of(home.code)
        self._above = {
            child: node
            for node in ast.walk(self.module)
            for child in ast.iter_child_nodes(node)
        }
        self.node = self._find()

    @property
    def again(self) -> bool:
        """It may run more than once in one run of the cell."""
        return any(isinstance(each, _LOOPS) for each in self._around(self.node))

    @cached_property
    def rounds(self) -> "frozenset[str]":
        """Names that stand for something else in each round of a loop around it."""
        targets = [each.target for each in self._around(self.node) if isinstance(each, ast.For)]
        names = (name for target in targets for name in ast.walk(target))
        return frozenset(each.id for each in names if isinstance(each, ast.Name))

    @property
    def alone(self) -> bool:
        """The cell is nothing but this one statement."""
        body = self.module.body
        return len(body) == 1 and isinstance(body[0], _SIMPLE) and not self.frame.name

    @cached_property
    def operands(self) -> "Sequence[Operand]":
        """What the expression uses of the shelf, in the order in which it is read."""
        found = list(self._operands(self.node))
        return sorted(found, key=lambda each: (each.node.lineno, each.node.col_offset))

    @cached_property
    def calls(self) -> "Sequence[ast.Call]":
        return [each for each in ast.walk(self.node) if isinstance(each, ast.Call)]

    def names(self) -> "frozenset[str]":
        """All that the cell reads, writes or deletes by name."""
        walk = ast.walk(self.module)
        return frozenset(each.id for each in walk if isinstance(each, ast.Name))

    def _operands(self, node: ast.AST) -> "Iterator[Operand]":
        if isinstance(node, ast.Attribute) and node.attr in _ABOUT_ONLY:
            return
        if isinstance(node, ast.Call) and node is not self.node and _moves(node.func):
            copied, place = self.known(node.func.value), _place_of(node)
            if copied is not None and place:
                yield replace(copied, node=node, name=ast.unparse(node), device=place)
            return
        if isinstance(node, (ast.Name, ast.Attribute, ast.Subscript)):
            known = self.known(node)
            if known is not None:
                if isinstance(node.ctx, ast.Load) or isinstance(self.node, ast.AugAssign):
                    yield known
                return
        for child in ast.iter_child_nodes(node):
            yield from self._operands(child)

    def known(self, node: ast.expr) -> "Operand | None":
        """What these words stand for, where that is on the shelf."""
        root = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self.local:
            return None
        thing = self.ledger.things.get(root.id)
        if thing is None:
            return None
        if root is node and thing.kind in ("tensor", "model"):
            grad = thing.requires_grad
            return Operand(node, root.id, thing.kind, thing.device, thing.bytes, grad)
        path = ast.unparse(node)
        for each in thing.elements:
            if each.path == path and each.kind in ("tensor", "model"):
                return Operand(node, path, each.kind, each.device, each.bytes)
        return None

    @cached_property
    def local(self) -> "frozenset[str]":
        """Names that are not the session's here, but of the function around."""
        scopes = [each for each in self._around(self.node) if isinstance(each, _SCOPES)]
        bound: set[str] = set()
        shared: set[str] = set()
        for each in (inner for scope in scopes for inner in ast.walk(scope)):
            if isinstance(each, ast.arg):
                bound.add(each.arg)
            elif isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                bound.add(each.id)
            elif isinstance(each, ast.Global):
                shared.update(each.names)
        return frozenset(bound - shared)

    def _around(self, node: ast.AST) -> "Iterator[ast.AST]":
        while (above := self._above.get(node)) is not None:
            yield above
            node = above

    def _find(self) -> _Node:
        """Python 3.10 tells the line alone: then the statement."""
        line = self.frame.line
        covering = [
            each
            for each in ast.walk(self.module)
            if isinstance(each, (ast.expr, ast.stmt))
            and each.lineno <= line <= (each.end_lineno or each.lineno)
        ]
        if exact := list(filter(self._is_it, covering)):
            return min(exact, key=lambda each: isinstance(each, ast.stmt))
        whole = [each for each in covering if isinstance(each, _SIMPLE)]
        if not whole:
            raise LookupError(self.frame)
        return whole[-1]

    def _is_it(self, node: _Node) -> bool:
        if node.lineno != self.frame.line or not self.frame.end:
            return False
        begin, end = (each - self.begins[node.lineno - 1] for each in self.span(node))
        stop = min(end, len(self.lines[node.lineno - 1].rstrip()))
        return (begin, stop) == (self.frame.begin, self.frame.end)


def sites(frames: Sequence[Frame], cell: Cell, ledger: Ledger) -> "list[Site]":
    """The innermost first; without those that are not Python, or are no cell any more."""
    found = []
    for frame in reversed(frames):
        home = cell if frame.cell == cell.number else ledger.by_number(frame.cell)
        if home is None or not frame.cell:
            continue
        try:
            found.append(Site(home, frame, cell, ledger))
        except LookupError:
            continue
    return found


def _moves(function: ast.expr) -> "TypeGuard[ast.Attribute]":
    return isinstance(function, ast.Attribute) and function.attr in ("cpu", "cuda", "to")


def _place_of(call: ast.Call) -> str:
    """Where `X.cuda(1)` moves to; empty where that is not written there."""
    first = call.args[0] if call.args else None
    asked = first.value if isinstance(first, ast.Constant) else None
    word = call.func.attr if _moves(call.func) else ""
    if word == "cpu":
        return "cpu"
    if asked == "cuda" or (word == "cuda" and not (call.args or call.keywords)):
        return "cuda:0"
    return f"cuda:{asked}" if isinstance(asked, int) else str(asked or "")
