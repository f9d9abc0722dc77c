"""What the parts of a line of Python are, and their colours."""

import builtins
import keyword
import re
from enum import StrEnum

from PySide6.QtGui import QColor

from gpuexplorer.gui.theme.palette import Theme

INDENT = "    "
_QUOTES = r"'''|\"\"\""
_PARTS = re.compile(
    rf"""
    (?P<comment>\#.*)
    |(?P<long>[rRbBfFuU]{{0,2}}(?:{_QUOTES}))
    |(?P<text>[rRbBfFuU]{{0,2}}(?:'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?))
    |(?P<number>(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?j?))
    |(?P<decorator>^\s*@[\w.]+)
    |(?P<shell>^\s*[!%][^\s]*)
    |(?P<attribute>\.\s*[^\W\d]\w*)
    |(?P<word>[^\W\d]\w*)
    """,
    re.VERBOSE,
)
# Those that are words of everyday code; `dir(builtins)` also holds every exception.
_BUILTINS = frozenset(each for each in dir(builtins) if each.islower()) | {"self", "cls"}


class CodePart(StrEnum):
    """What a stretch of code is."""

    WORD = "word"
    TEXT = "text"
    NUMBER = "number"
    COMMENT = "comment"


def parts(line: str, quotes: str = "") -> tuple[list[tuple[int, int, CodePart]], str]:
    """Where each part begins and ends. `quotes`: of a long text that an earlier line opened;
    what is open at the end of this line is handed back.
    """
    found: list[tuple[int, int, CodePart]] = []
    at = 0
    while at < len(line) or quotes:
        if quotes:
            end = line.find(quotes, at)
            stop = len(line) if end < 0 else end + len(quotes)
            found.append((at, stop, CodePart.TEXT))
            if end < 0:
                return found, quotes
            at, quotes = stop, ""
            continue
        match = _PARTS.search(line, at)
        if match is None:
            break
        at = match.end()
        if match.lastgroup == "long":
            quotes = match[0][-3:]
            found.append((match.start(), match.end(), CodePart.TEXT))
        else:
            kind = _kind(match)
            if kind is not None:
                found.append((match.start(), match.end(), kind))
    return found, quotes


def _kind(match: re.Match[str]) -> CodePart | None:
    match match.lastgroup:
        case "comment":
            return CodePart.COMMENT
        case "text":
            return CodePart.TEXT
        case "number":
            return CodePart.NUMBER
        case "decorator" | "shell":
            return CodePart.WORD
        case "word" if keyword.iskeyword(match[0]):
            return CodePart.WORD
        case "word" if match[0] in _BUILTINS:
            return CodePart.NUMBER
        case _:
            return None


def colour(theme: Theme, part: CodePart) -> QColor:
    match part:
        case CodePart.WORD:
            return theme.code_word
        case CodePart.TEXT:
            return theme.code_text
        case CodePart.NUMBER:
            return theme.code_number
        case CodePart.COMMENT:
            return theme.faint
