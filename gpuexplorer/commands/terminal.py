"""The terminal a person reads: its width, its letters, how to draw in place, and one line that
says how far something has got. On Windows a console has to be told to draw in place, and a
program that was opened by a click has none.
"""

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Self, TextIO

from gpuexplorer.core.words import trn

_PLAIN = str.maketrans(
    {"°": "", "µ": "u", "…": "~", "─": "-", "×": "x", "·": "-", "\u202f": " "}
)
_UNDERSTANDS_ESCAPES = 0x0004  # ENABLE_VIRTUAL_TERMINAL_PROCESSING
_WITH_A_CROSS = 0x10  # MB_ICONERROR
_EVERY = 0.1  # seconds between two states of the line


class Terminal:
    """Writes text that this terminal can show, and never wider than it is."""

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stdout
        self.interactive = draws_in_place(self._stream)
        self._last = ""
        plain = "NO_COLOR" in os.environ or os.environ.get("TERM") == "dumb"
        self.colour = self.interactive and not plain

    def width(self) -> int:
        """Columns; unlimited where nobody looks, since a file has no edge."""
        if not self.interactive and "COLUMNS" not in os.environ:
            return 10_000
        return max(20, _size(self._stream)[0])

    def show(self, text: str) -> None:
        """Print below what stands there already."""
        self._write(text + "\n")

    def redraw(self, text: str) -> None:
        """Print in place of what was shown before."""
        self._last = text
        if not self.interactive:
            self.show(text + "\n")
            return
        lines, height = text.splitlines(), _size(self._stream)[1]
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

    def _write(self, text: str) -> None:
        encoding = self._stream.encoding or "ascii"
        if not encoding.lower().startswith("utf"):
            text = text.translate(_PLAIN).encode(encoding, "replace").decode(encoding)
        self._stream.write(text)
        self._stream.flush()


class ProgressLine:
    """Written over itself, and taken away at the end; only where a person looks.

    `show` may be called from any thread.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._seen = draws_in_place(stream) and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._written = -_EVERY

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._write("")
            self._seen = False

    def show(self, words: str) -> None:
        now = time.monotonic()
        with self._lock:
            if now - self._written >= _EVERY:
                self._written = now
                room = _size(self._stream)[0] - 1
                self._write(words if len(words) <= room else f"{words[: room - 1]}…")

    def _write(self, words: str) -> None:
        if self._seen:
            self._stream.write(f"\r{words}\x1b[K")
            self._stream.flush()


def _size(stream: TextIO) -> tuple[int, int]:
    try:
        columns, lines = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        columns, lines = 0, 0
    asked = os.environ.get("COLUMNS", "")
    return int(asked) if asked.isdigit() else columns or 100, lines or 30


def draws_in_place(stream: TextIO) -> bool:
    """Whether a person looks at it, and escapes move its cursor instead of being shown."""
    if not stream.isatty():
        return False
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415
        import msvcrt  # noqa: PLC0415 - only Windows has it

        try:
            handle = msvcrt.get_osfhandle(stream.fileno())
        except OSError:
            return False
        return teach_escapes(ctypes.windll.kernel32, handle)
    else:  # noqa: RET505 - so the checker of types sees that only one of them is reached
        return True


# Any: the functions of a library of Windows.
def teach_escapes(kernel: Any, handle: int) -> bool:
    """False where it is no console, such as NUL, or one that is too old."""
    import ctypes  # noqa: PLC0415

    console, mode = ctypes.c_void_p(handle), ctypes.c_uint32()
    if not kernel.GetConsoleMode(console, ctypes.byref(mode)):
        return False
    if mode.value & _UNDERSTANDS_ESCAPES:
        return True
    return bool(kernel.SetConsoleMode(console, mode.value | _UNDERSTANDS_ESCAPES))


def nobody_reads() -> bool:
    """Whether this program was started without a place for what it says."""
    return sys.platform == "win32" and sys.__stderr__ is None


def say_in_a_box(title: str, text: str) -> None:
    """Without Qt, which may be what is missing. Waits until a person has read it."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        ctypes.windll.user32.MessageBoxW(None, text, title, _WITH_A_CROSS)
