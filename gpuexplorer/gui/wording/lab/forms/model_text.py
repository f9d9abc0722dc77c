"""Reads a model that a person typed: layers of torch.nn and literals, and nothing else."""

import ast
import difflib
from collections.abc import Callable

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.wording.lab.forms.layer_counts import LAYER_COUNTS, Count, together
from gpuexplorer.lab import vocabulary
from gpuexplorer.lab.grammar import dotted, read_line

_SUCH_AS = Message("Such as: nn.Sequential(nn.Linear(3, 1))")


def read_model(text: str) -> str:
    """The same on one line. Raises Trouble at the first thing that is no layer."""
    line = " ".join(text.split()).replace("( ", "(").replace(" )", ")")
    if not line:
        raise Trouble("The model is missing.", _SUCH_AS)
    _check(_expression(line))
    return line


def count_model(line: str) -> Count | None:
    """For what `read_model` let through; None where arithmetic alone cannot tell."""
    count = _count(_expression(line))
    return None if count is None or count.parameters < 0 else count


def _expression(line: str) -> ast.expr:
    tree = read_line(f"model = {line}").tree
    if not isinstance(tree, ast.Assign):  # `a = b` typed into the field reads as something else
        raise Trouble("A model is one layer, or nn.Sequential of several.", _SUCH_AS)
    return tree.value


def _check(node: ast.expr) -> None:
    if not isinstance(node, ast.Call):
        raise Trouble("{code} is no layer.", _SUCH_AS, code=_shown(node))
    name = dotted(node.func) or ""
    short = name.removeprefix("torch.nn.")
    if not name.startswith("torch.nn.") or short not in vocabulary.LAYERS:
        near = difflib.get_close_matches(short, vocabulary.LAYERS, n=1)
        hint = Message("Did you mean nn.{layer}?", layer=near[0]) if near else _SUCH_AS
        raise Trouble("{code} is no layer of torch.nn.", hint, code=_shown(node.func))
    arguments = [*node.args, *(word.value for word in node.keywords)]
    for each in arguments:
        if short == "Sequential":
            _check(each)
        else:
            _check_literal(each)


def _check_literal(node: ast.expr) -> None:
    try:
        ast.literal_eval(node)
    except (ValueError, TypeError, RecursionError):
        raise Trouble(
            "{code} is no number.",
            "A layer takes numbers, not calculations or names.",
            code=_shown(node),
        ) from None


def _count(node: ast.expr) -> Count | None:
    if not isinstance(node, ast.Call):
        return None
    short = (dotted(node.func) or "").removeprefix("torch.nn.")
    if short == "Sequential":
        parts = [_count(each) for each in node.args]
        known = [each for each in parts if each is not None]
        return together(known) if len(known) == len(parts) else None
    count: Callable[..., Count] | None = LAYER_COUNTS.get(short)
    if count is None:  # lazy layers, which learn their sizes at the first input
        return None
    given = [ast.literal_eval(each) for each in node.args]
    named = {word.arg: ast.literal_eval(word.value) for word in node.keywords if word.arg}
    try:
        return count(*given, **named)
    except (TypeError, ValueError, ZeroDivisionError, OverflowError):
        return None


def _shown(node: ast.expr) -> str:
    text = ast.unparse(node)
    return text if len(text) <= 24 else f"{text[:23]}…"
