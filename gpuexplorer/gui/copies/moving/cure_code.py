"""A cell's own code, changed such that it copies less; its remarks and its layout stay."""

import ast
from collections.abc import Iterator

from gpuexplorer.lab.cell_source import NO_PROGRAM, Edit, Source, plain

_READING = frozenset({"item", "tolist", "cpu", "numpy"})
_CASTING = frozenset({"float", "int", "bool"})
_MOVING = frozenset({"to", "cuda"})


def cure_code(code: str, line: int, how: str, *, asked: bool) -> str:
    """With cheaper copies in that line; empty where no code makes them."""
    source, tree = Source(plain(code)), _tree(code)
    if tree is None:
        return ""
    if asked:
        return _changed_moves(source, tree, line, ".pin_memory()", ", non_blocking=True")
    return _read_once(source, tree, line) if how in _READING | _CASTING else ""


def code_by_host(code: str, line: int) -> str:
    """Through the host's memory; empty where the line moves in another way."""
    tree = _tree(code)
    return "" if tree is None else _changed_moves(Source(plain(code)), tree, line, ".cpu()", "")


def _tree(code: str) -> ast.Module | None:
    try:
        return ast.parse(plain(code))
    except NO_PROGRAM:
        return None


def _on(tree: ast.AST, line: int) -> Iterator[ast.Call]:
    """The calls of that line; 0: of all."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and line in (0, node.lineno):
            yield node


def _changed_moves(source: Source, tree: ast.Module, line: int, before: str, word: str) -> str:
    """`X.to(…)` becomes `X.cpu().to(…)`, and takes one more word."""
    edits: list[Edit] = []
    for call in _on(tree, line):
        function = call.func
        if not isinstance(function, ast.Attribute) or function.attr not in _MOVING:
            continue
        if ast.unparse(function.value).startswith("torch.") or "non_blocking" in {
            each.arg for each in call.keywords
        }:
            continue
        begin = source.span(function)[1] - len(function.attr) - 1
        close = source.span(call)[1]
        said = source.text(call)[:-1].rstrip()
        last = word.removeprefix(", ") if said[-1:] in "(," else word
        edits += [Edit(begin, begin, before), Edit(close - 1, close - 1, last)]
    return source.changed(edits) if edits else ""


def _read_once(source: Source, tree: ast.Module, line: int) -> str:
    """A loop that keeps what it read: it stays on the card, and all is read at the end."""
    fresh = {
        target.id
        for each in tree.body
        if isinstance(each, ast.Assign) and ast.unparse(each.value) == "[]"
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    for loop in tree.body:
        if not isinstance(loop, ast.For | ast.While):
            continue
        for name, value in _kept(loop, line):
            tensor = _read(value)
            if name in fresh and tensor is not None:
                end = source.begins[loop.end_lineno or loop.lineno] - 1
                kept = f"{ast.unparse(tensor)}.detach()"
                once = f"\n{name} = torch.stack({name}).tolist()"
                edits = [Edit(*source.span(value), kept), Edit(end, end, once)]
                return source.changed(edits)
    return ""


def _kept(loop: ast.AST, line: int) -> Iterator[tuple[str, ast.expr]]:
    """What it puts into which list: `log.append(x)` and `log += [x]`."""
    for node in ast.walk(loop):
        match node:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[value]
            ) if line in (0, node.lineno):
                yield name, value
            case ast.AugAssign(target=ast.Name(id=name), value=ast.List(elts=[value])) if (
                line in (0, node.lineno)
            ):
                yield name, value
            case _:
                pass


def _read(value: ast.expr) -> ast.expr | None:
    """What `loss.item()` and `float(loss)` read."""
    match value:
        case ast.Call(func=ast.Attribute(value=tensor, attr=word)) if word in _READING:
            return tensor
        case ast.Call(func=ast.Name(id=word), args=[tensor]) if word in _CASTING:
            return tensor
        case _:
            return None
