"""Cells: compiles and runs a person's Python, as it is, in a module `__main__` of its own; and
what stands there beside Python: `!command`, `%magic` and `name?`.

These are as in IPython, only at a statement's beginning, and only where the cell is no Python.
"""

import __future__

import ast
import builtins
import inspect
import io
import itertools
import linecache
import re
import sys
import time
import tokenize
import types
from collections.abc import Callable
from typing import Any

from gpuexplorer.worker.guards import mend_builtins
from gpuexplorer.worker.places import DISPLAY

_ASSIGNED = re.compile(r"(\s*)([\w.\[\], ]+?)\s*=\s*(!|%)(.+)", re.DOTALL)
_SPECIAL = re.compile(r"\s*[!%]|[\w.\[\], ]+=\s*[!%]")
_ASKED = re.compile(r"\s*(\?{1,2}\s*([\w.\[\]]+)|([\w.\[\]]+)\s*\?{1,2})\s*;?\s*")
_INCOMPLETE = ("multi-line", "triple-quoted", "unexpected EOF")


def translated(code: str) -> str:
    """As Python, each statement in its line. What is Python is left as it is."""
    if is_python(code):
        return code
    whole = re.fullmatch(r"\s*%%(\w+|!)[ \t]*([^\n]*)(?:\n(.*))?", code, re.DOTALL)
    if whole:
        name, arguments, body = whole.groups(default="")
        body += "\n"
        before = "\n" * (len(code) - len(code.lstrip("\n")))
        return f"{before}__lab__.cell_magic({name!r}, {arguments!r}, {body!r})"
    made: list[str] = []
    waiting: list[str] = []  # lines of a statement that is not at its end
    for line in code.split("\n"):
        waiting.append(line)
        text = "\n".join(waiting)
        special = bool(_SPECIAL.match(waiting[0]))
        if line.endswith("\\") if special else _goes_on(text):
            continue
        made.append(_statement(text) if special else _explained(text))
        made += [""] * (len(waiting) - 1) if special else []
        waiting = []
    return "\n".join([*made, *waiting])


def is_python(code: str) -> bool:
    try:
        compile(code, "", "exec", ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return False
    return True


def _goes_on(text: str) -> bool:
    """Whether a bracket or a text is open at its end."""
    try:
        for _ in tokenize.generate_tokens(io.StringIO(text).readline):
            pass
    except tokenize.TokenError as error:
        return any(each in str(error) for each in _INCOMPLETE)
    except SyntaxError:
        return False
    return text.endswith("\\")


def _statement(text: str) -> str:
    text = text.replace("\\\n", "")
    indent = text[: len(text) - len(text.lstrip())]
    rest = text.strip()
    assigned = _ASSIGNED.fullmatch(text)
    if assigned:
        _, target, sign, rest = assigned.groups()
        call = f"__lab__.lines({rest.strip()!r})" if sign == "!" else _magic(rest.strip())
        return f"{indent}{target} = {call}"
    if rest.startswith("!!"):
        return f"{indent}__lab__.lines({rest[2:].strip()!r})"
    if rest.startswith("!"):
        return f"{indent}__lab__.system({rest[1:].strip()!r})"
    return indent + _magic(rest[1:]) if rest.startswith("%") else text


def _magic(text: str) -> str:
    name, _, arguments = text.partition(" ")
    return f"__lab__.line_magic({name!r}, {arguments.strip()!r})"


def _explained(text: str) -> str:
    asked = _ASKED.fullmatch(text)
    if not asked:
        return text
    indent = text[: len(text) - len(text.lstrip())]
    return f"{indent}__lab__.explain({(asked[2] or asked[3])!r}, {'??' in text})"


_FUTURES = sum(getattr(__future__, each).compiler_flag for each in __future__.all_feature_names)
_SILENT = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.ENDMARKER)


# Any throughout: values are the person's.
class Cells:
    """`show` is handed the value of a cell's last expression."""

    def __init__(self, show: "Callable[[Any], object]") -> None:
        self.module = types.ModuleType("__main__")
        self.names["__builtins__"] = builtins
        sys.modules["__main__"] = self.module  # or what cells define could not be pickled
        self._show = show
        self.seconds = 0.0  # of the last cell: its own code's alone, and not of showing a value
        self.mended: list[str] = []  # what it had taken from Python's own functions
        self._flags = 0  # `from __future__ import …` of earlier cells
        self._awaiting: Any = None  # an event loop, once a cell has an `await`

    @property
    def names(self) -> "dict[str, Any]":
        return self.module.__dict__

    def run(self, code: str, number: int) -> None:
        """Raises whatever the code raises."""
        name = f"<cell {number}>"
        linecache.cache[name] = (len(code), None, f"{code}\n".splitlines(keepends=True), name)
        self.names.pop("__warningregistry__", None)  # of another cell's lines
        self.seconds, self.mended = 0.0, []
        self.carry_out(translated(code), name)

    def carry_out(self, code: str, name: str, first_line: int = 1) -> None:
        """Shows the last expression's value."""
        value, where = self._carried_out(code, name, first_line)
        if value is None or where is None or _is_hidden(code):
            return
        self.names["_"] = value
        # In a frame of the cell's own: what showing it copies, that expression copied.
        call = ast.Call(ast.Name("show", ast.Load()), [ast.Name("value", ast.Load())], [])
        for node in ast.walk(call):
            ast.copy_location(node, where)
        shown = compile(ast.Expression(call), name, "eval")
        eval(shown, {"__name__": DISPLAY, "show": self._show, "value": value})

    def value(self, code: str, name: str, first_line: int) -> Any:
        """What the last expression gives; None where there is none."""
        return self._carried_out(code, name, first_line)[0]

    def repeated(
        self, code: str, before: str, name: str, first_line: int
    ) -> "Callable[[int], None]":
        """As a function of how often: as fast as if the person had written the loop."""
        body = self._parsed(code, name, first_line).body
        loop = ast.parse("def repeated(_times):\n    for _ in _times: pass").body[0]
        assert isinstance(loop, ast.FunctionDef)
        assert isinstance(loop.body[0], ast.For)
        loop.body[0].body = body or [ast.Pass()]
        loop.body[:0] = self._parsed(before, name, first_line).body
        tree = ast.fix_missing_locations(ast.Module([loop], []))
        made: dict[str, Any] = {}
        exec(self._compiled(tree, name, "exec"), self.names, made)
        return lambda times: made["repeated"](itertools.repeat(None, times))

    def _carried_out(
        self, code: str, name: str, first_line: int
    ) -> "tuple[Any, ast.expr | None]":
        tree = self._parsed(code, name, first_line)
        last = tree.body[-1] if tree.body else None
        if isinstance(last, ast.Expr):
            tree.body.pop()
        begun = self._compiled(tree, name, "exec")
        self._flags |= begun.co_flags & _FUTURES
        shown = last.value if isinstance(last, ast.Expr) else None
        ended = None
        if shown is not None:
            ended = self._compiled(ast.Expression(shown), name, "eval")
        try:
            self._evaluate(begun)
            return None if ended is None else self._evaluate(ended), shown
        finally:
            self.mended += mend_builtins()  # before anything of ours needs them

    def _evaluate(self, code: types.CodeType) -> Any:
        run: Callable[[Any], Any] = _itself
        if code.co_flags & inspect.CO_COROUTINE:
            import asyncio  # noqa: PLC0415 - takes a while, and few cells await

            self._awaiting = self._awaiting or asyncio.new_event_loop()
            run = self._awaiting.run_until_complete
        began = time.perf_counter()
        try:
            return run(eval(code, self.names))
        finally:
            self.seconds += time.perf_counter() - began

    def _parsed(self, code: str, name: str, first_line: int) -> ast.Module:
        tree: ast.Module = self._compiled(code, name, "exec", ast.PyCF_ONLY_AST)
        ast.increment_lineno(tree, first_line - 1)
        return tree

    def _compiled(self, source: Any, name: str, mode: str, more: int = 0) -> Any:
        flags = self._flags | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT | more
        return compile(source, name, mode, flags, dont_inherit=True)


def _itself(value: Any) -> Any:
    return value


def _is_hidden(code: str) -> bool:
    """A semicolon at the end hides the value, as in notebooks."""
    if ";" not in code:
        return False
    tokens = tokenize.generate_tokens(io.StringIO(code).readline)
    said = [each for each in tokens if each.type not in _SILENT and each.string]
    return bool(said) and said[-1].string == ";"
