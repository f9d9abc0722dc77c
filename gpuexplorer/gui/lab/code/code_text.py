"""Code as it is typed or pasted: whether more is to come, its brackets, its prompts."""

import codeop
import re
import textwrap
import warnings
from collections.abc import Iterator

from gpuexplorer.gui.paint.python import INDENT

_PROMPT = re.compile(r"^\s*(?:>>>|In \[\d*\]:)( |$)")
_MORE_PROMPT = re.compile(r"^\s*(?:\.{3,}:?)( |$)")
_FAR = 10_000  # letters; a bracket that is further off is not looked for
_OPENS = re.compile(r":\s*(#.*)?$")
_LEAVES = re.compile(r"\s*(?:return|raise|break|continue|pass)\b")


def is_open(code: str) -> bool:
    """Whether more has to come before this can run: an open bracket, an indented block."""
    if code.lstrip().startswith(("!", "%")):
        return False
    last = code[code.rfind("\n") + 1 :]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            more = codeop.compile_command(code, symbol="exec") is None
        except (SyntaxError, ValueError, OverflowError, RecursionError, MemoryError):
            return False  # whoever runs it says what is wrong
    return more or (last[:1].isspace() and not last.isspace())


def indent_after(line: str) -> str:
    """What the next line begins with."""
    indent = line[: len(line) - len(line.lstrip())]
    if _OPENS.search(line):
        return indent + INDENT
    return indent.removesuffix(INDENT) if _LEAVES.match(line) else indent


def without_prompts(text: str) -> str:
    """Code that was copied from a session, without its prompts and without what it printed."""
    text = text.replace("\r\n", "\n").replace("\u2028", "\n").replace("\u2029", "\n")
    if any(map(_PROMPT.match, text.splitlines())):
        text = "\n".join(_typed_lines(text))
    return textwrap.dedent(text).strip("\n")


def _typed_lines(text: str) -> Iterator[str]:
    """A line without a prompt was printed, except right below IPython's first line."""
    typed = False
    for line in text.splitlines():
        first = _PROMPT.match(line)
        more = _MORE_PROMPT.match(line) if typed else None
        found = first or more
        if found is not None:
            typed = True
            yield line[found.end() :]
        else:
            typed = False


def bracket_beside(code: str, at: int) -> tuple[int, ...]:
    """The places of the bracket before or after the cursor and of its other; else nothing."""
    for place in (at - 1, at):
        letter = code[place : place + 1] if place >= 0 else ""
        if letter and letter in "([{":
            return _pair(code, place, letter, ")]}"["([{".index(letter)], 1)
        if letter and letter in ")]}":
            return _pair(code, place, letter, "([{"[")]}".index(letter)], -1)
    return ()


def _pair(code: str, place: int, one: str, other: str, step: int) -> tuple[int, ...]:
    depth = 0
    for far in range(_FAR):
        at = place + far * step
        if not 0 <= at < len(code):
            break
        depth += (code[at] == one) - (code[at] == other)
        if depth == 0:
            return (place, at)
    return ()
