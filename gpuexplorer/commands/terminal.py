"""The terminal a person reads: its width, its letters, and how to draw in place."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from gpuexplorer.commands.windows_console import draws_in_place
from gpuexplorer.core.words import trn

_PLAIN = str.maketrans(
    {"°": "", "µ": "u", "…": "~", "─": "-", "×": "x", "·": "-", "\u202f": " "}
)


class Terminal:
    """Writes text that this terminal can show, and never wider than it is."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.interactive = draws_in_place(self._stream)
        self._last = ""
        self.colour = (
            self.interactive
            and "NO_COLOR" not in os.environ
            and os.environ.get("TERM") != "dumb"
        )
        self._rich = _can_show("°…─×·", self._stream)

    def width(self) -> int:
        """Columns; unlimited where nobody looks, since a file has no edge."""
        if not self.interactive and "COLUMNS" not in os.environ:
            return 10_000
        return max(20, self._size().columns)

    def height(self) -> int | None:
        return self._size().lines if self.interactive else None

    def show(self, text: str) -> None:
        """Print below what stands there already."""
        self._write(self._showable(text) + "\n")

    def redraw(self, text: str) -> None:
        """Print in place of what was shown before."""
        self._last = text
        if not self.interactive:
            self.show(text + "\n")
            return
        lines = self._showable(text).splitlines()
        height = self.height() or len(lines)
        if len(lines) >= height:
            lines = [line for line in lines if line]  # space for figures rather than for air
        if len(lines) >= height:
            more = len(lines) - height + 2
            notice = trn(
                "({count} more line: make the terminal taller)",
                "({count} more lines: make the terminal taller)",
                more,
            )
            lines = [*lines[: max(0, height - 2)], notice[: self.width()]]
        # Each line is cleared to its end, and all below the last: nothing flickers.
        self._write("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """A screen of its own, which is taken away afterwards."""
        if not self.interactive:
            yield
            return
        self._write("\x1b[?1049h\x1b[?25l\x1b[2J")
        try:
            yield
        finally:
            self._write("\x1b[?25h\x1b[?1049l")
            if self._last:
                self.show(self._last)  # so that the last picture is still there to read

    def warn(self, text: str) -> str:
        """The same words, marked where the terminal has colours."""
        return f"\x1b[33m{text}\x1b[0m" if self.colour else text

    def _size(self) -> os.terminal_size:
        try:
            size = os.get_terminal_size(self._stream.fileno())
        except (OSError, ValueError):
            size = os.terminal_size((0, 0))
        columns = os.environ.get("COLUMNS", "")
        return os.terminal_size(
            (int(columns) if columns.isdigit() else size.columns or 100, size.lines or 30)
        )

    def _showable(self, text: str) -> str:
        if self._rich:
            return text
        encoding = self._stream.encoding or "ascii"
        return text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()


def _can_show(letters: str, stream: TextIO) -> bool:
    try:
        letters.encode(stream.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
