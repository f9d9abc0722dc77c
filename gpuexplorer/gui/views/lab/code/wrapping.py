"""Wrapping: code and sentences broken into lines that fit."""

from gpuexplorer.gui.theme.letters import Lettering

_INDENT = "    "
_UNITS = frozenset(["B", "KiB", "MiB", "GiB", "TiB", "kB", "MB", "GB", "TB", "µs", "ms", "s"])


def wrapped_code(line: str, columns: int) -> list[str]:
    """Broken after a blank, a comma or a bracket; what goes on is indented."""
    if len(line) <= columns:
        return [line]
    deeper = " " * (len(line) - len(line.lstrip())) + _INDENT
    if len(deeper) > columns // 2:
        deeper = _INDENT
    parts: list[str] = []
    at, indent = 0, ""
    while len(indent) + len(line) - at > columns:
        room = columns - len(indent)
        found = max(line.rfind(each, at, at + room) for each in (" ", ",", "("))
        cut = found + 1 if found > at + room // 3 else at + room
        parts.append(indent + line[at:cut].rstrip())
        at, indent = cut, deeper
        while at < len(line) and line[at] == " ":
            at += 1
    if at < len(line):
        parts.append(indent + line[at:])
    return parts


def wrapped(text: str, width: float, letters: Lettering) -> tuple[str, ...]:
    """Word by word: words repeat from line to line, and their widths are remembered."""
    if not text:
        return ()
    lines: list[str] = []
    line: list[str] = []
    blank = letters.width(" ")
    reached = 0.0
    for word in _words(text):
        wide = letters.width(word)
        if line and reached + blank + wide > width:
            lines.append(" ".join(line))
            line, reached = [word], wide
        else:
            reached += wide + (blank if line else 0.0)
            line.append(word)
    return (*lines, " ".join(line))


def _words(text: str) -> list[str]:
    """A unit stays with its number."""
    words: list[str] = []
    for word in text.split(" "):
        if words and word.rstrip(".,;:") in _UNITS:
            words[-1] = f"{words[-1]} {word}"
        else:
            words.append(word)
    return words
