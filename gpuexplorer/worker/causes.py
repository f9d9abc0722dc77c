"""What a part of a line is called, should it cause a copy: its word, and what it is about."""

import ast

from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.grammar import Line, dotted

_LONGEST = 60
_PATH = (
    ast.Name,
    ast.Attribute,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.Constant,
    ast.expr_context,
)


def cause_of(node: ast.expr) -> "tuple[str, str]":
    """The word: "to", "item", "print"; and the name on the shelf, or a path from it."""
    match node:
        case ast.Call(func=function):
            known = dotted(function)
            if known is not None:
                return known.rpartition(".")[2], _only(node.args)
            if isinstance(function, ast.Attribute):
                into = function.attr == "copy_" and node.args
                return function.attr, path_of(node.args[0] if into else function.value)
            if isinstance(function, ast.Name) and function.id in vocabulary.TAKEN:
                return function.id, _only(node.args)
            return "call", path_of(function)
        case ast.Subscript(value=value):
            return "index", path_of(value)
        case _:
            return "", path_of(node)


def path_of(node: ast.expr) -> str:
    """Empty for what has no name, such as a sum."""
    parts = list(ast.walk(node))
    roots = [each.id for each in parts if isinstance(each, ast.Name)]
    if not all(isinstance(each, _PATH) for each in parts) or len(roots) != 1:
        return ""
    path = ast.unparse(node)
    return "" if roots[0] in vocabulary.TAKEN or len(path) > _LONGEST else path


def shown_by(line: Line) -> str:
    """What a line shows that is no more than a name."""
    return path_of(line.tree.value) if isinstance(line.tree, ast.Expr) else ""


def _only(arguments: "list[ast.expr]") -> str:
    paths = [path for each in arguments if (path := path_of(each))]
    return paths[0] if len(paths) == 1 else ""
