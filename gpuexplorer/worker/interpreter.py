"""Carries out a line that the grammar let through, node by node; nothing is ever evaluated."""

import ast
import operator
from collections.abc import Callable, Mapping, MutableMapping
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Transferred
from gpuexplorer.lab.grammar import Line, dotted
from gpuexplorer.worker.causes import cause_of, path_of
from gpuexplorer.worker.engine import Engine

_MOST_BITS = 14_000  # of a whole number: Python writes out not many more
_LONGEST = 1_000_000  # of a text or a list that is repeated or joined


# Any throughout: values are PyTorch's own.
def _refuse_too_long(how: ast.operator, left: Any, right: Any) -> None:
    """What would fill the host's memory, or be computed where nobody can stop it."""
    if isinstance(how, ast.Mod) and isinstance(left, str):
        raise Trouble("The lab does not fill in texts with %.", "Such as: print('X', X)")
    if _bits(how, left, right) > _MOST_BITS:
        raise Trouble("That number would be too long for the lab.")
    if _length(how, left, right) > _LONGEST:
        raise Trouble("That would be too long for the lab.")


def _bits(how: ast.operator, left: Any, right: Any) -> int:
    """Of the whole number it would give; 0: it gives none, or a short one."""
    if not (isinstance(left, int) and isinstance(right, int)):
        return 0
    if isinstance(how, ast.Pow):
        return left.bit_length() * max(0, right)
    return left.bit_length() + right.bit_length() if isinstance(how, ast.Mult) else 0


def _length(how: ast.operator, left: Any, right: Any) -> int:
    """Of the text or list it would give; 0: it gives none."""
    rows = [len(each) for each in (left, right) if isinstance(each, (str, list, tuple))]
    if isinstance(how, ast.Add):
        return sum(rows)
    counts = [each for each in (left, right) if isinstance(each, int)]
    return rows[0] * counts[0] if isinstance(how, ast.Mult) and rows and counts else 0


_BINARY: "Mapping[type[ast.AST], Callable[[Any, Any], Any]]" = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
    ast.BitAnd: operator.and_,
    ast.BitOr: operator.or_,
    ast.BitXor: operator.xor,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Is: operator.is_,
    ast.IsNot: operator.is_not,
}
_IN_PLACE: "Mapping[type[ast.AST], Callable[[Any, Any], Any]]" = {
    ast.Add: operator.iadd,
    ast.Sub: operator.isub,
    ast.Mult: operator.imul,
    ast.Div: operator.itruediv,
    ast.MatMult: operator.imatmul,
}
_UNARY: "Mapping[type[ast.AST], Callable[[Any], Any]]" = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
    ast.Not: operator.not_,
    ast.Invert: operator.invert,
}
_MOVING = frozenset({"to", "cuda", "cpu"})


class Interpreter:
    """Works on the things of a shelf. Values are PyTorch's own: Any throughout."""

    def __init__(
        self,
        engine: Engine,
        things: "MutableMapping[str, Any]",
        helpers: "Mapping[str, Callable[..., Any]]",
    ) -> None:
        self._engine = engine
        self._things = things
        self._helpers = helpers
        # Of the line that runs.
        self._causes: dict[ast.expr, tuple[str, str]] = {}
        self._whole: ast.expr | None = None  # its one value, where it has no more than that

    def carry_out(self, line: Line) -> Any:
        """The value of a line that was not assigned, else None."""
        unknown = sorted(line.uses - set(self._things) - set(line.makes))
        if unknown:
            raise Trouble(
                "There is no {name} on the shelf.",
                "Make it first, or mind the case.",
                name=unknown[0],
            )
        self._causes.clear()
        tree = line.tree
        self._whole = tree.value if isinstance(tree, (ast.Assign, ast.Expr)) else None
        return self._statement(line.tree)

    def _statement(self, node: ast.stmt) -> Any:
        match node:
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self._value(value), path_of(value))
            case ast.AugAssign(target=target, op=how, value=value):
                before, by = self._value(target), self._value(value)
                _refuse_too_long(how, before, by)
                change = _IN_PLACE.get(type(how), _BINARY[type(how)])
                self._assign(target, change(before, by))
            case ast.Expr(value=value):
                return self._value(value)
            case ast.Delete(targets=targets):
                for each in targets:
                    if isinstance(each, ast.Name):
                        del self._things[each.id]
            case ast.For(target=ast.Name(id=name), iter=numbers, body=body):
                for number in self._value(numbers):
                    self._things[name] = number
                    for inner in body:
                        self._statement(inner)
            case ast.With(items=[item], body=body):
                with self._value(item.context_expr):
                    for inner in body:
                        self._statement(inner)
        return None

    def _assign(self, target: ast.expr, value: Any, what: str = "") -> None:
        match target:
            case ast.Name(id=name):
                self._things[name] = value
            case ast.Subscript(value=held, slice=index):
                changed, at = self._value(held), self._index(index)
                with self._engine.copies.caused_by("assignment", what):
                    changed[at] = value
            case ast.Attribute(value=held, attr=name):
                setattr(self._value(held), name, value)

    def _value(self, node: ast.expr) -> Any:
        match node:
            case ast.Constant(value=value):
                return value
            case ast.Name(id=name):
                return self._things[name]
            case ast.Tuple(elts=parts):
                return tuple(self._value(part) for part in parts)
            case ast.List(elts=parts):
                return [self._value(part) for part in parts]
            case ast.UnaryOp(op=how, operand=operand):
                return _UNARY[type(how)](self._value(operand))
            case ast.BinOp(left=left, op=how, right=right):
                one, other = self._value(left), self._value(right)
                _refuse_too_long(how, one, other)
                return _BINARY[type(how)](one, other)
            case ast.Compare(left=left, ops=[how], comparators=[right]):
                return _BINARY[type(how)](self._value(left), self._value(right))
            case ast.Subscript(value=held, slice=index):
                seen, at = self._value(held), self._index(index)
                with self._engine.copies.caused_by(*self._cause(node)):
                    return seen[at]
            case ast.Attribute(value=held, attr=name):
                known = dotted(node)
                if known is not None:
                    return self._engine.word(known)
                return getattr(self._value(held), name)
            case ast.Call():
                return self._call(node)
            case _:  # the grammar lets nothing else through
                raise AssertionError(ast.dump(node))

    def _call(self, node: ast.Call) -> Any:
        if isinstance(node.func, ast.Name) and node.func.id in self._helpers:
            function = self._helpers[node.func.id]
        else:
            function = self._value(node.func)
        arguments = [self._value(each) for each in node.args]
        words = {each.arg: self._value(each.value) for each in node.keywords if each.arg}
        how, what = self._cause(node)
        owner = getattr(function, "__self__", None)
        model = hasattr(owner, "state_dict")
        alone = node is self._whole or not model
        copies = self._engine.copies
        with copies.caused_by(how, what, of_model=model, checked=alone) as call:
            value = function(*arguments, **words)
            moved = how in _MOVING and value is owner is not None
            if moved and not copies.copied_by(call):
                self._tell_already_there(value, how, [*arguments, *words.values()])
        return value

    def _tell_already_there(self, thing: Any, how: str, asked: "list[Any]") -> None:
        """It was asked to be moved to where it is."""
        if how == "to" and all(type(each).__name__ == "dtype" for each in asked):
            return
        parts = [*thing.parameters()] if hasattr(thing, "parameters") else [thing]
        if not parts or any(type(each).__name__.startswith("Uninit") for each in parts):
            return
        device = str(parts[0].device)
        copies = self._engine.copies
        copies.add(Transferred(0, device, device, 0, None), copies.note())

    def _cause(self, node: ast.expr) -> "tuple[str, str]":
        known = self._causes.get(node)
        if known is None:
            known = self._causes[node] = cause_of(node)
        return known

    def _index(self, node: ast.expr) -> Any:
        match node:
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = (lower, upper, step)
                return slice(*(None if part is None else self._value(part) for part in parts))
            case ast.Tuple(elts=parts):
                return tuple(self._index(part) for part in parts)
            case _:
                return self._value(node)
