"""What the parts of a line of Python are, and the colours of code."""

import builtins
import keyword
import re
from enum import StrEnum

from PySide6.QtGui import QColor, QSyntaxHighlighter, QTextDocument

from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Theme

INDENT = "    "
_LONGEST = 2000  # letters; a longer line is data, and stays as it is
_LEFT_OPEN = ("", "'''", '"""')  # by the state of the line that leaves them open
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


_KINDS = {
    "comment": CodePart.COMMENT,
    "text": CodePart.TEXT,
    "number": CodePart.NUMBER,
    "decorator": CodePart.WORD,
    "shell": CodePart.WORD,
}


class PythonColours(QSyntaxHighlighter):
    """In a document of Qt's that holds one cell. Changes with the theme by itself."""

    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        look().changed.connect(self.rehighlight)

    def highlightBlock(self, text: str) -> None:
        quotes = _LEFT_OPEN[max(0, self.previousBlockState())]
        found, quotes = parts(text, quotes) if len(text) <= _LONGEST else ([], quotes)
        for begin, end, part in found:
            self.setFormat(begin, end - begin, colour(look().theme, part))
        self.setCurrentBlockState(_LEFT_OPEN.index(quotes))


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
        kind = _KINDS.get(match.lastgroup or "")
        if match.lastgroup == "long":
            quotes, kind = match[0][-3:], CodePart.TEXT
        elif match.lastgroup == "word" and keyword.iskeyword(match[0]):
            kind = CodePart.WORD
        elif match.lastgroup == "word" and match[0] in _BUILTINS:
            kind = CodePart.NUMBER
        if kind is not None:
            found.append((match.start(), at, kind))
    return found, quotes


def colour(theme: Theme, part: CodePart) -> QColor:
    return {
        CodePart.WORD: theme.code_word,
        CodePart.TEXT: theme.code_text,
        CodePart.NUMBER: theme.code_number,
        CodePart.COMMENT: theme.faint,
    }[part]
