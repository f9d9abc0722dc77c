"""Failing: the expression in which a cell failed, and what is known of it."""

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from gpuexplorer.lab.cell_source import Source, card_words, tree_of
from gpuexplorer.lab.events import Frame
from gpuexplorer.lab.ledger import Cell, Ledger

_ABOUT_ONLY = frozenset({"device", "dtype", "ndim", "shape", "size", "dim", "numel"})
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
_SCOPES = (*_FUNCTIONS, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Assert)


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
        self.node = self._find()
        self._around = [
            each
            for each in ast.walk(self.module)
            if each is not self.node and any(inner is self.node for inner in ast.walk(each))
        ]

    @property
    def again(self) -> bool:
        """It may run more than once in one run of the cell."""
        loops = (ast.For, ast.AsyncFor, ast.While, *_SCOPES)
        return any(isinstance(each, loops) for each in self._around)

    @property
    def alone(self) -> bool:
        """The cell is nothing but this one statement."""
        body = self.module.body
        return len(body) == 1 and isinstance(body[0], _SIMPLE) and not self.frame.name

    @property
    def calls(self) -> "Sequence[ast.Call]":
        return [each for each in ast.walk(self.node) if isinstance(each, ast.Call)]

    @cached_property
    def operands(self) -> "Sequence[Operand]":
        """What the expression uses of the shelf, in the order in which it is read."""
        found = list(self._operands(self.node))
        return sorted(found, key=lambda each: (each.node.lineno, each.node.col_offset))

    def _operands(self, node: ast.AST) -> "Iterator[Operand]":
        match node:
            case ast.Attribute(attr=about) if about in _ABOUT_ONLY:
                return
            case ast.Call(func=ast.Attribute(value=value, attr=way)) if node is not self.node:
                # What is copied within the expression is where it is copied to.
                words = [each for each in card_words(self, node) if each.owner is value]
                copied = self.known(value) if words or way == "cpu" else None
                if copied is not None:
                    place = f"cuda:{words[0].number}" if words else "cpu"
                    yield replace(copied, node=node, name=ast.unparse(node), device=place)
                    return
            case ast.Name(ctx=ctx) | ast.Attribute(ctx=ctx) | ast.Subscript(ctx=ctx):
                known = self.known(node)
                if known is not None:
                    if isinstance(ctx, ast.Load) or isinstance(self.node, ast.AugAssign):
                        yield known
                    return
        for child in ast.iter_child_nodes(node):
            yield from self._operands(child)

    def known(self, node: ast.expr) -> "Operand | None":
        """What these words stand for, where that is on the shelf."""
        root = node
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if not isinstance(root, ast.Name) or root.id in self._local:
            return None
        thing, path = self.ledger.things.get(root.id), ast.unparse(node)
        if thing is None:
            return None
        if root is node and thing.kind in ("tensor", "model"):
            grad = thing.requires_grad
            return Operand(node, path, thing.kind, thing.device, thing.bytes, grad)
        for each in thing.elements:
            if each.path == path and each.kind in ("tensor", "model"):
                return Operand(node, path, each.kind, each.device, each.bytes)
        return None

    @cached_property
    def _local(self) -> "frozenset[str]":
        """Names that are not the session's here, but of the function around."""
        bound, shared = set(), set()
        scopes = [each for each in self._around if isinstance(each, _SCOPES)]
        for each in (inner for scope in scopes for inner in ast.walk(scope)):
            match each:
                case ast.arg(arg=name) | ast.Name(id=name, ctx=ast.Store()):
                    bound.add(name)
                case ast.Global(names=names):
                    shared.update(names)
        return frozenset(bound - shared)

    def _find(self) -> "ast.expr | ast.stmt":
        """Python 3.10 tells the line alone: then the statement. Raises LookupError."""
        frame = self.frame
        covering = [
            each
            for each in ast.walk(self.module)
            if isinstance(each, (ast.expr, ast.stmt))
            and each.lineno <= frame.line <= (each.end_lineno or each.lineno)
        ]
        begin = self.begins[frame.line - 1] if covering else 0
        longest = len(self.lines[frame.line - 1].rstrip()) if covering else 0

        def is_it(node: "ast.expr | ast.stmt") -> bool:
            first, end = self.span(node)
            told = (frame.begin, frame.end)
            return bool(frame.end) and told == (first - begin, min(end - begin, longest))

        exact = list(filter(is_it, covering))  # a statement before its expression
        whole = [each for each in covering if isinstance(each, _SIMPLE)]
        return (exact or whole)[-1]


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
