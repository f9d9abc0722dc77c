"""Cells: compiles and runs a person's Python, as it is, in a module `__main__` of its own; and
what expressions of a lesson give beside its names, of which they change none.
"""

import ast
import asyncio
import inspect
import io
import json
import linecache
import math
import re
import sys
import threading
import time
import types
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout, suppress
from dataclasses import replace
from typing import Any

from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Worth
from gpuexplorer.lab.wire import Evaluate
from gpuexplorer.worker.places import DISPLAY
from gpuexplorer.worker.streams import Stop

_WHOLE = re.compile(r"\s*%%(\w+)[ \t]*([^\n]*)(?:\n(.*))?", re.DOTALL)
_SPECIAL = re.compile(r"(\s*(?:[\w.\[\], ]+=\s*)?)([!%])\s*(\S.*)")
_ASKED = re.compile(r"(\s*)(\?*)\s*([\w.\[\]]+)\s*(\?*)\s*;?\s*")


def translated(code: str) -> str:
    """As Python, each statement in its line. Python itself says what it does not understand."""
    whole = _WHOLE.fullmatch(code)
    if whole:
        name, arguments, body = whole.groups(default="")
        before = "\n" * code[: whole.start(1)].count("\n")
        return f"{before}__lab__.magic({name!r}, {arguments!r}, {body!r})"
    lines = code.split("\n")
    while (at := _not_python("\n".join(lines))) is not None:
        end = at
        while lines[end].endswith("\\") and end + 1 < len(lines):
            end += 1
        text = "".join([each.removesuffix("\\") for each in lines[at:end]]) + lines[end]
        special, asked = _SPECIAL.fullmatch(text), _ASKED.fullmatch(text)
        if special:
            before, sign, rest = special.groups()
            name, _, arguments = rest.partition(" ")
            call = f"magic({name!r}, {arguments.strip()!r})"
            if sign == "!":
                call = f"{'lines' if before.strip() else 'system'}({rest.strip()!r})"
            lines[at : end + 1] = [f"{before}__lab__.{call}", *[""] * (end - at)]
        elif asked and (asked[2] or asked[4]):
            source = "??" in (asked[2], asked[4])
            lines[at] = f"{asked[1]}__lab__.explain({asked[3]!r}, {source})"
        else:
            break
    return "\n".join(lines)


def _not_python(code: str) -> "int | None":
    """The line that is none; None where all is, or no line is to blame."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # they come when it is run
        try:
            compile(code, "", "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
        except SyntaxError as error:
            line = error.lineno or 0
            return line - 1 if 0 < line <= code.count("\n") + 1 else None
    return None


# Any throughout: values are the person's.
class Cells:
    """`show` is handed the value of a cell's last expression."""

    def __init__(self, show: "Callable[[Any], object]") -> None:
        self.module = types.ModuleType("__main__")
        sys.modules["__main__"] = self.module  # or what cells define could not be pickled
        self.names: dict[str, Any] = vars(self.module)
        self._show = show
        self.seconds = 0.0  # of the last cell: its own code's alone, and not of showing a value

    def run(self, code: str, number: int) -> None:
        """Raises whatever the code raises."""
        name = f"<cell {number}>"
        linecache.cache[name] = (len(code), None, f"{code}\n".splitlines(keepends=True), name)
        self.names.pop("__warningregistry__", None)  # of another cell's lines
        self.seconds = 0.0
        self.carry_out(translated(code), name)

    def carry_out(self, code: str, name: str, first_line: int = 1) -> None:
        """Shows the last expression's value, unless a semicolon is behind it."""
        value, last = self.evaluated(code, name, first_line)
        if value is None or last is None:
            return
        end = (last.end_lineno or 0) - first_line
        behind = code.split("\n")[end].encode()[last.end_col_offset or 0 :]
        if behind.lstrip(b" )").startswith(b";"):
            return
        self.names["_"] = value
        # In a frame of the cell's own: what showing it copies, that expression copied.
        call = ast.Call(ast.Name("show", ast.Load()), [ast.Name("value", ast.Load())], [])
        shown = ast.fix_missing_locations(ast.Expression(ast.copy_location(call, last)))
        names = {"__name__": DISPLAY, "show": self._show, "value": value}
        eval(compile(shown, name, "eval"), names)

    def evaluated(
        self, code: str, name: str, first_line: int = 1
    ) -> "tuple[Any, ast.expr | None]":
        """What the last expression gives, and where it stands."""
        tree = ast.parse(code, name)
        ast.increment_lineno(tree, first_line - 1)
        shown = None
        if tree.body and isinstance(last := tree.body[-1], ast.Expr):
            tree.body.pop()
            shown = last.value
        flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        codes = [compile(tree, name, "exec", flags, dont_inherit=True)]
        if shown is not None:
            codes.append(compile(ast.Expression(shown), name, "eval", flags, dont_inherit=True))
        value, began = None, time.perf_counter()
        try:
            for each in codes:
                value = eval(each, self.names)
                if each.co_flags & inspect.CO_COROUTINE:
                    value = asyncio.run(value)
            return value, shown
        finally:
            self.seconds = time.perf_counter() - began


_LEFT = "left side"  # which no source can name
_MOST_FOUND = 60
_MOST_TEXT = 2_000  # letters of what an expression gave, or an exception said


class NotThereError(Exception):
    """A record has no such figure; why, in a sentence."""


# Any throughout: values are JSON's, or whatever an expression makes of them.
class Record:
    """Its fields are attributes. One that is absent raises, and says why."""

    def __init__(self, name: str, has: "Mapping[str, Any]", lacks: "Mapping[str, Any]") -> None:
        self.__dict__.update(has)
        self._name, self._lacks = name, lacks

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        if name in self._lacks:
            raise NotThereError(Message.from_json(self._lacks[name]))
        there = ", ".join(
            sorted(each for each in (*vars(self), *self._lacks) if each[0] != "_")
        )
        raise NotThereError(
            Message(
                "There is no {name} in {record}. There is: {others}.",
                name=name,
                record=self._name,
                others=there,
            )
        )

    def __repr__(self) -> str:
        return self._name


class Held(dict):  # type: ignore[type-arg]  # a worker's Python may be too old for it
    """What PyTorch holds, by device. One that it never used raises, and says so."""

    def __missing__(self, device: Any) -> Any:
        raise NotThereError(
            Message(
                "PyTorch has not used {device} yet, so it holds no figures of its memory.",
                device=device,
            )
        )


def worths_of(
    command: Evaluate, names: "Mapping[str, Any]", devices: "Sequence[str]", stop: Stop
) -> "Iterator[Worth]":
    """Of its expressions, one after the other; the last one's where it takes too long. Raises
    KeyboardInterrupt where a person has stopped it.
    """
    known = {**names, "devices": [*devices], **json.loads(command.values, object_hook=_made)}
    late = threading.Event()

    def end() -> None:
        late.set()
        stop.cancel(command.id)

    limit = threading.Timer(command.seconds, end)
    limit.daemon = True
    limit.start()
    try:
        for source in command.sources:
            worth = _worth(source, known)
            stop.checkpoint()
            yield worth
    except KeyboardInterrupt:
        if not late.is_set():
            raise
        took = Message(
            "It took longer than {seconds:g} seconds and was stopped.", seconds=command.seconds
        )
        yield Worth(error=took)
    finally:
        limit.cancel()


def _made(value: "dict[str, Any]") -> Any:
    if "is" in value:
        return Record(value["is"], value["has"], value["lacks"])
    return Held(value)


def _worth(source: str, known: "Mapping[str, Any]") -> Worth:
    try:
        tree = ast.parse(source.strip(), "<expression>", "eval")
        left = _keep_left(tree.body, source.strip())
        code = compile(tree, "<expression>", "eval", dont_inherit=True)
        names = dict(known)  # its own, so that one it assigns is not the session's
        with redirect_stdout(io.StringIO()):  # it would come as the newest cell's
            worth = _worth_of(eval(code, names))
            if not left or worth.truth or worth.error:
                return worth
            value = " ".join(repr(names[_LEFT])[:_MOST_TEXT].split())
        value = value if len(value) <= _MOST_FOUND else f"{value[:_MOST_FOUND]} …"
        return replace(worth, found=Message("`{side}` is `{value}`.", side=left, value=value))
    except NotThereError as absent:
        return Worth(error=absent.args[0])
    except Exception as error:  # an expression is a person's
        words = f"{type(error).__name__}: {str(error)[:_MOST_TEXT]}".rstrip(". :")
        said = Message("Python says: {error}.", error=words)
        hint = Message("What it counts may not have happened yet.")
        return Worth(
            error=told(said, hint) if isinstance(error, IndexError) else said, fault=True
        )


def _keep_left(tree: ast.expr, source: str) -> str:
    """The left side of a comparison as it is written; its value will be kept."""
    if not isinstance(tree, ast.Compare) or isinstance(tree.left, ast.Constant):
        return ""
    side = " ".join((ast.get_source_segment(source, tree.left) or "").split())
    name = ast.copy_location(ast.Name(_LEFT, ast.Store()), tree.left)
    tree.left = ast.copy_location(ast.NamedExpr(name, tree.left), tree.left)
    return side


def _worth_of(value: Any) -> Worth:
    """Also of a tensor that holds one number."""
    truth, is_text = bool(value), isinstance(value, (str, bytes))
    text = str(value) if is_text else repr(value)
    text = text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} …"
    number = None
    if not is_text:
        with suppress(TypeError, ValueError, RuntimeError, OverflowError):
            number = float(value)
    if number is not None and not math.isfinite(number):
        return Worth(error=Message("It gives {number}, which is no number.", number=text))
    return Worth(truth, number, text)
