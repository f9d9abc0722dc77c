"""Cell source: a cell as text that can stand in a file, or be changed a little; and the names
that it speaks of. Nothing is run for that.
"""

import ast
import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate

# Lines end here only: what else Unicode calls a line's end is a letter to Python.
_ENDS = re.compile(r"\r\n?")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
# `!ls`, `%matplotlib inline`, `files = !ls`, `help?`
_NOT_PYTHON = re.compile(r"^\s*(?:[!%?]|[\w.,\s]+=\s*[!%])|\?\s*$")
_TIMED = re.compile(r"^(\s*)%time\s+(?=\S)")
# What `compile` raises for text that is no program.
NO_PROGRAM = (SyntaxError, ValueError, RecursionError, MemoryError, OverflowError)


@dataclass(frozen=True)
class Edit:
    """Letters from `begin` to `end` of a cell's text become others."""

    begin: int
    end: int
    text: str


class Source:
    """A cell's text. Places in it are letters from its beginning; `ast` counts bytes."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.lines = code.split("\n")
        self.begins = [0, *accumulate(len(each) + 1 for each in self.lines)]

    def span(self, node: "ast.expr | ast.stmt") -> "tuple[int, int]":
        last = node.end_lineno or node.lineno
        end = node.end_col_offset or node.col_offset
        return self._place(node.lineno, node.col_offset), self._place(last, end)

    def text(self, node: "ast.expr | ast.stmt") -> str:
        begin, end = self.span(node)
        return self.code[begin:end]

    def changed(self, edits: "Iterable[Edit]") -> str:
        """All else stays, remarks too. No edit may lie in another."""
        text = self.code
        for edit in sorted(edits, key=lambda each: each.begin, reverse=True):
            text = text[: edit.begin] + edit.text + text[edit.end :]
        return text

    def _place(self, line: int, column: int) -> int:
        letters = self.lines[line - 1].encode()[:column].decode(errors="ignore")
        return self.begins[line - 1] + len(letters)


def plain(code: str) -> str:
    """The same code with plain line ends; what UTF-8 cannot write is replaced."""
    writable = code.removeprefix("\ufeff").encode("utf-8", "replace").decode()
    return _ENDS.sub("\n", writable)


def lines_of(text: str) -> "list[str]":
    """Joined they are the text again: a line ends with its newline and nowhere else."""
    return _LINE.findall(plain(text))


def compiles(code: str) -> bool:
    """As a file. What Python warns of is not for the window."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            compile(code, "<cell>", "exec", dont_inherit=True)
        except NO_PROGRAM:
            return False
    return True


def in_a_file(code: str, number: int) -> "tuple[tuple[str, ...], str]":
    """The names that it imports from `__future__`, and the rest of it."""
    without = without_magics(plain(code))
    futures, text = _without_futures(without)
    beginning = f"from __future__ import {', '.join(futures)}\n" if futures else ""
    return (futures, text) if compiles(beginning + text) else ((), as_string(without, number))


def as_string(code: str, number: int) -> str:
    """A cell that only runs as a cell: with `await`, say, or with `global` after a use."""
    quoted = "\n".join(f"    {line!a}" for line in lines_of(code)) or "    ''"
    return (
        "# This cell runs in the lab, but cannot stand in a file as it is.\n"
        f"_cell = (\n{quoted}\n)\n"
        '_await = __import__("ast").PyCF_ALLOW_TOP_LEVEL_AWAIT\n'
        f'_awaited = eval(compile(_cell, "<cell {number}>", "exec", _await))\n'
        "if _awaited is not None:\n"
        '    __import__("asyncio").run(_awaited)'
    )


def without_magics(code: str) -> str:
    """What only a notebook understands becomes a comment; in strings it is left alone.

    Python itself says in which line it stops understanding.
    """
    if code.lstrip().startswith("%%"):
        first, _, rest = code.lstrip().partition("\n")
        if first.split()[0] in ("%%time", "%%capture"):
            return f"# {first}\n{without_magics(rest)}"
        return "\n".join(f"# {line}" for line in code.split("\n"))
    lines = code.split("\n")
    for _ in lines:
        at = _not_understood("\n".join(lines))
        if at is None or not 0 < at <= len(lines):
            break
        line = lines[at - 1]
        timed = _TIMED.sub(r"\1", line)
        if timed != line:
            lines[at - 1] = timed
        elif _NOT_PYTHON.search(line):
            indent = line[: len(line) - len(line.lstrip())]
            why = "only a notebook runs this"
            lines[at - 1] = f"{indent}{'pass  ' if indent else ''}# {line.strip()}  # {why}"
        else:
            break
    return "\n".join(lines)


def _not_understood(code: str) -> "int | None":
    """The line; None where all is understood."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            ast.parse(code)
        except SyntaxError as error:
            return error.lineno
        except NO_PROGRAM:
            return None
    return None


def _without_futures(code: str) -> "tuple[tuple[str, ...], str]":
    """They have to be the first lines of a file."""
    if _not_understood(code) is not None:
        return (), code
    try:
        tree = ast.parse(code)
    except NO_PROGRAM:
        return (), code
    found = [
        each
        for each in tree.body
        if isinstance(each, ast.ImportFrom) and each.module == "__future__" and not each.level
    ]
    names = tuple(name.name for each in found for name in each.names if not name.asname)
    source = Source(code)
    return names, source.changed(Edit(*source.span(each), "pass") for each in found)


_LONGEST = 100_000  # letters; the window waits while a cell is read


@lru_cache(maxsize=512)
def tree_of(code: str) -> ast.Module:
    """Empty where it is no Python, or more than anybody wrote; magics are passed over."""
    if len(code) > _LONGEST:
        return ast.Module([], [])
    lines = [_without_magic(each) for each in code.splitlines()]
    try:
        return ast.parse("\n".join(lines))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


@lru_cache(maxsize=512)
def names_read(code: str) -> frozenset[str]:
    return _names(code, ast.Load)


@lru_cache(maxsize=512)
def names_made(code: str) -> frozenset[str]:
    """What it assigns or defines, inside functions too."""
    defined = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    made = {each.name for each in ast.walk(tree_of(code)) if isinstance(each, defined)}
    return _names(code, ast.Store) | made


def _names(code: str, how: type[ast.expr_context]) -> frozenset[str]:
    nodes = ast.walk(tree_of(code))
    return frozenset(
        each.id for each in nodes if isinstance(each, ast.Name) and isinstance(each.ctx, how)
    )


def _without_magic(line: str) -> str:
    bare = line.lstrip()
    return line[: len(line) - len(bare)] + "pass" if bare.startswith(("!", "%")) else line
