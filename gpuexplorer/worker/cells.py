"""Cells: compiles and runs a person's Python, as it is, in a module `__main__` of its own; and
what expressions of a lesson give beside its names, of which they change none.
"""

import __future__

import ast
import builtins
import difflib
import inspect
import io
import itertools
import json
import linecache
import math
import re
import sys
import threading
import time
import tokenize
import types
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import replace
from typing import Any

from gpuexplorer.core.words import Message, told
from gpuexplorer.lab.events import Worth
from gpuexplorer.lab.wire import Evaluate
from gpuexplorer.worker.places import DISPLAY
from gpuexplorer.worker.streams import Stop, WindowGone, mend_builtins

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


_LEFT = "left side"  # which no source can name
_MOST_FOUND = 60
_MOST_TEXT = 2_000  # letters of what an expression gave, or an exception said
_STOPPED = Message("It was stopped before its end.")
_NOT_REACHED = Message("It was not worked out, since one before it took too long.")


_HOSTS_OWN = Message(
    "PyTorch holds no figures of the host's memory. host.memory_used is there."
)


class NotThereError(Exception):
    """A record has no such figure. The sentence says why."""

    def __init__(self, sentence: Message) -> None:
        super().__init__(str(sentence))
        self.sentence = sentence


# Any throughout: values are JSON's, or whatever an expression makes of them.
class Record:
    """Its fields are attributes. One that is absent raises, and says why."""

    def __init__(self, name: str, has: "Mapping[str, Any]", lacks: "Mapping[str, Any]") -> None:
        self.__dict__.update(has)
        self.__name, self.__lacks = name, lacks

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        reason = self.__lacks.get(name)
        if reason is not None:
            raise NotThereError(Message.from_json(reason))
        there = [each for each in self.__dict__ if each[0] != "_"] + [*self.__lacks]
        close = difflib.get_close_matches(name, there, 5, 0.5) or sorted(there)
        raise NotThereError(
            Message(
                "There is no {name} in {record}. There is: {others}.",
                name=name,
                record=self.__name,
                others=", ".join(close),
            )
        )

    def __repr__(self) -> str:
        return self.__name


class Held(dict):  # type: ignore[type-arg]  # a worker's Python may be too old for it
    """What PyTorch holds, by device. One that it never used raises, and says so."""

    def __missing__(self, device: Any) -> Any:
        if device == "cpu":
            raise NotThereError(_HOSTS_OWN)
        raise NotThereError(
            Message(
                "PyTorch has not used {device} yet, so it holds no figures of its memory.",
                device=device,
            )
        )


class Evaluating:
    """The expressions of one command, one after the other, each with a result of its own."""

    def __init__(
        self,
        command: Evaluate,
        names: "Mapping[str, Any]",
        devices: "Sequence[str]",
        stop: Stop,
    ) -> None:
        self.worths: list[Worth] = []
        self._command = command
        values = _made(json.loads(command.values))
        self._names = {**names, "devices": list(devices), **values}
        self._stop = stop

    def work_out(self) -> None:
        """Raises KeyboardInterrupt where a person has stopped it."""
        sources = self._command.sources
        for source in sources:
            late = threading.Event()
            # Its thread may outlive this one's turn, and must hold none of the session's names.
            of_it = (late, self._stop, self._command.id)
            limit = threading.Timer(self._command.seconds, _end, of_it)
            limit.daemon = True
            limit.start()
            try:
                worth = self._worth(source)
                limit.cancel()
                self._stop.checkpoint()
            except KeyboardInterrupt:
                if not late.is_set():
                    self.worths.append(Worth(error=_STOPPED))
                    raise
                worth = Worth(
                    error=Message(
                        "It took longer than {seconds:g} seconds and was stopped.",
                        seconds=self._command.seconds,
                    )
                )
            finally:
                limit.cancel()
            self.worths.append(worth)
            if late.is_set():
                rest = len(sources) - len(self.worths)
                self.worths += [Worth(error=_NOT_REACHED)] * rest
                return

    def _worth(self, source: str) -> Worth:
        try:
            tree = ast.parse(source.strip(), "<expression>", "eval")
            left = _keep_left(tree.body, source.strip())
            code = compile(tree, "<expression>", "eval", dont_inherit=True)
            names = dict(self._names)  # its own, so that one it assigns is not the session's
            with redirect_stdout(io.StringIO()):  # it would come as the newest cell's
                worth = _worth_of(eval(code, names))
                if not left or worth.truth or worth.error:
                    return worth
                value = " ".join(_shortened(lambda: repr(names[_LEFT])).split())
                value = value if len(value) <= _MOST_FOUND else f"{value[:_MOST_FOUND]} …"
                return replace(
                    worth, found=Message("`{side}` is `{value}`.", side=left, value=value)
                )
        except (KeyboardInterrupt, WindowGone):
            raise
        except NotThereError as absent:
            return Worth(error=absent.sentence)
        except IndexError as error:
            hint = Message("What it counts may not have happened yet.")
            return Worth(error=told(_said(error), hint), fault=True)
        except BaseException as error:  # an expression is a person's
            return Worth(error=_said(error), fault=True)


def _end(late: threading.Event, stop: Stop, command: int) -> None:
    late.set()
    stop.cancel(command)


def _keep_left(tree: ast.expr, source: str) -> str:
    """The left side of a comparison as it is written; its value will be kept."""
    if not isinstance(tree, ast.Compare) or isinstance(tree.left, ast.Constant):
        return ""
    side = " ".join((ast.get_source_segment(source, tree.left) or "").split())
    name = ast.copy_location(ast.Name(_LEFT, ast.Store()), tree.left)
    tree.left = ast.copy_location(ast.NamedExpr(name, tree.left), tree.left)
    return side


def _said(error: BaseException) -> Message:
    text = _shortened(lambda: str(error))
    kind = type(error).__name__
    if not text:
        return Message("Python says: {error}.", error=kind)
    return Message("Python says: {error}: {words}.", error=kind, words=text.rstrip("."))


def _worth_of(value: Any) -> Worth:
    """Also of a tensor that holds one number."""
    if callable(value) and not hasattr(value, "shape"):
        return Worth(
            error=Message("It gives a function and no value. Brackets behind it call it.")
        )
    truth = bool(value)
    text = value if type(value) is str else _shortened(lambda: repr(value))
    if isinstance(value, (str, bytes)):
        return Worth(truth, None, text[:_MOST_TEXT])
    try:
        number = float(value)
    except (TypeError, ValueError, RuntimeError, OverflowError):
        return Worth(truth, None, text)
    if not math.isfinite(number):
        return Worth(error=Message("It gives {number}, which is no number.", number=text))
    return Worth(truth, number, text)


def _shortened(say: "Callable[[], str]") -> str:
    """A person's own class may not even have words."""
    try:
        text = say()
    except Exception:
        return ""
    return text if len(text) <= _MOST_TEXT else f"{text[:_MOST_TEXT]} …"


def _made(value: Any) -> Any:
    if isinstance(value, list):
        return [_made(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "is" in value:
        return Record(str(value["is"]), _made(value["has"]), value["lacks"])
    return Held({name: _made(each) for name, each in value.items()})
