"""A lesson's Python, looked at and never run: its cells, and expressions over what was
measured, with the names that these may use and what each value has.
"""

import ast
import builtins
import warnings
from collections.abc import Iterable, Iterator, Set
from difflib import get_close_matches
from textwrap import shorten

from gpuexplorer.core.metrics import METRICS
from gpuexplorer.core.words import Message
from gpuexplorer.lab.cell_source import NO_PROGRAM, names_made, tree_of, without_magics
from gpuexplorer.lessons.lesson import Check, Expression, Predict, Problems, Step

UNITS = {"KB": 1e3, "MB": 1e6, "GB": 1e9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30}
UNITS |= {"ms": 1e-3, "us": 1e-6}
# Lists and what stands alone, by the kind of thing that they hold or are.
_LISTS = {"cards": "card", "copies": "copy", "cells": "cell", "memory": "held"}
_ALONE = {"host": "card", "before": "before"}
_HAVE = {
    "card": "name index uuid device simulated lost memory_total pcie_peak",
    "copy": "source target bytes seconds rate limit host_seconds pinned blocking asked what"
    " line copies modelled",
    "cell": "code printed value seconds device_seconds failed error message modelled",
    "held": "tensors reserved context free total",
    "before": "cards host memory",
}
FIELDS = {kind: words.split() for kind, words in _HAVE.items()}
_FIGURES = frozenset(map(str, METRICS))  # of a card
_VALUES = {*UNITS, *_LISTS, *_ALONE, "devices", "simulated", "torch", "nn", "F"}
_SECRETIVE = {"exec", "globals"}  # which may make names out of text


def look_at_cell(code: str, line: int, problems: Problems) -> None:
    """`line`: of its first line. What a notebook understands (`!ls`, `%time`) is let pass."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
            compile(without_magics(code), "", "exec", flags, dont_inherit=True)
        except NO_PROGRAM as error:
            at = (error.lineno or 1) - 1 if isinstance(error, SyntaxError) else 0
            cure = "Mend the code of the cell."
            problems.wrong("This is no Python: {why}.", cure, line + at, why=_why(error))


def expression(
    source: str, line: int, problems: Problems, *, constant: bool = False
) -> Expression:
    """`constant`: it may be a plain figure; all others say something of what happened."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            tree = ast.parse(source.strip(), mode="eval").body
            if not constant:
                _refuse_constants(tree, source.strip(), line, problems)
        except NO_PROGRAM as error:
            problems.wrong(
                "This is no Python expression: {why}.",
                "Such as: copies[-1].bytes == 256 * MiB",
                line,
                why=_why(error),
            )
    return Expression(line, source)


def look_at_words(steps: Iterable[Step], problems: Problems) -> None:
    """What no cell makes and no lab says cannot be worked out, so a check of it never holds."""
    known = _names_of(each.source for step in steps for each in step.cells)
    for expression in (each for step in steps for each in _expressions(step)):
        try:
            tree = ast.parse(expression.source.strip(), mode="eval")
        except NO_PROGRAM:
            continue  # said already
        own = {each.arg for each in ast.walk(tree) if isinstance(each, ast.arg)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                own.add(node.id)
        for node in ast.walk(tree):
            if isinstance(node, ast.Name) and known and node.id not in own | known:
                _unknown(node.id, known, expression.line, problems)
            elif isinstance(node, ast.Attribute):
                kind = _kind(node.value)
                has = {*FIELDS.get(kind, [node.attr]), *(_FIGURES if kind == "card" else ())}
                if node.attr not in has:
                    _unknown(node.attr, has, expression.line, problems)


def _refuse_constants(tree: ast.expr, source: str, line: int, problems: Problems) -> None:
    """Whatever names nothing says the same on every machine: it always holds, or never."""
    if isinstance(tree, ast.BoolOp):
        for part in tree.values:
            _refuse_constants(part, source, line, problems)
    elif not any(isinstance(each, ast.Name) for each in ast.walk(tree)):
        text = shorten(ast.get_source_segment(source, tree) or source, 60, placeholder=" …")
        problems.wrong(
            "{text} is the same whatever happens.",
            "It has to name something that was measured, such as copies[-1].bytes.",
            line,
            text=text,
        )


def _why(error: BaseException) -> Message:
    if isinstance(error, SyntaxError):
        return Message("{text}", text=error.msg)  # in Python's own words
    return Message("it is nested too deeply, or holds what no program may")


def _unknown(word: str, known: Set[str], line: int, problems: Problems) -> None:
    close = get_close_matches(word, sorted(known), 4, 0.5)
    problems.wrong(
        "Nothing is called {word} here.",
        "Names that are close to it: {close}. docs/lessons.md has all values of the lab.",
        line,
        word=word,
        close=", ".join(close) or Message("none"),
    )


def _expressions(step: Step) -> Iterator[Expression]:
    conditions = [*step.needs]
    for part in step.parts:
        if isinstance(part, Check):
            conditions += part.conditions
        elif isinstance(part, Predict) and part.number is not None:
            yield part.number
            if part.limit is not None:
                yield part.limit.expression
    yield from (each.expression for each in conditions)


def _names_of(cells: Iterable[str]) -> Set[str]:
    """Of the lab, and of all cells; empty where a cell may make others unseen."""
    known = _VALUES | set(dir(builtins))
    for code in cells:
        known |= names_made(code)
        for node in ast.walk(tree_of(code)):
            if isinstance(node, ast.alias):
                known.add((node.asname or node.name).split(".")[0])
            elif isinstance(node, ast.Name) and node.id in _SECRETIVE:
                return set()
        if "*" in known or any(line.lstrip().startswith("%") for line in code.split("\n")):
            return set()
    return known


def _kind(node: ast.expr) -> str:
    """Of what an expression gives; a list is known by its name."""
    match node:
        case ast.Name(id=name):
            return name if name in _LISTS else _ALONE.get(name, "")
        case ast.Attribute(value=value, attr=attr) if _kind(value) == "before":
            return attr if attr in _LISTS else _ALONE.get(attr, "")
        case ast.Subscript(value=value, slice=ast.Slice()):
            return _kind(value)
        case ast.Subscript(value=value):
            return _LISTS.get(_kind(value), "")
    return ""
