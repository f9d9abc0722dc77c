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
_PARTS = re.compile(
    r"""
    (?P<COMMENT>\#.*)
    |(?P<TEXT>[rRbBfFuU]{0,2}(?:'''.*?'''|\"\"\".*?\"\"\"|(?P<open>'''|\"\"\").*
        |'(?:\\.|[^'\\])*'?|"(?:\\.|[^"\\])*"?))
    |(?P<NUMBER>(?<![\w.])(?:0[xXbBoO][\da-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?j?))
    |(?P<WORD>^\s*(?:@[\w.]+|[!%]\S*))
    |(?P<attribute>\.\s*[^\W\d]\w*)
    |(?P<name>[^\W\d]\w*)
    """,
    re.VERBOSE,
)
# Those that are words of everyday code; `dir(builtins)` also holds every exception.
_BUILTINS = frozenset(each for each in dir(builtins) if each.islower()) | {"self", "cls"}


class CodePart(StrEnum):
    """What a stretch of code is: the name of its colour."""

    WORD = "code_word"
    TEXT = "code_text"
    NUMBER = "code_number"
    COMMENT = "faint"


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
    found, at = [], 0
    if quotes:
        at = line.find(quotes) + len(quotes)
        if at < len(quotes):
            return [(0, len(line), CodePart.TEXT)], quotes
        found.append((0, at, CodePart.TEXT))
    left_open = ""
    for match in _PARTS.finditer(line, at):
        kind, name = CodePart.__members__.get(match.lastgroup or ""), match["name"] or ""
        left_open = match["open"] or ""
        if keyword.iskeyword(name):
            kind = CodePart.WORD
        elif name in _BUILTINS:
            kind = CodePart.NUMBER
        if kind is not None:
            found.append((*match.span(), kind))
    return found, left_open


def colour(theme: Theme, part: CodePart) -> QColor:
    return getattr(theme, part)  # type: ignore[no-any-return]  # each is a name
