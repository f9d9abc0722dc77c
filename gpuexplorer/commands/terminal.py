"""What a person reads in a terminal: sentences and tables as lines that fit its width, drawn in
place where it can be, and one line that says how far something has got; and JSON for programs.
On Windows a console has to be told to draw in place, and a program that was opened by a click
has none.
"""

import json
import os
import sys
import textwrap
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import compress
from typing import Any, NamedTuple, Self, TextIO, TypeVar

from gpuexplorer.core.words import Message, tr, trn

T = TypeVar("T")
NONE = "-"  # stands where there is no figure
_GAP = "  "
# To so many letters an elastic column shrinks before another is left out.
_SHORTEST, _SHORTEST_OF_ALL = 14, 9
_ROOMY = 60
_NICE = 50  # columns of this weight or less make room before anything is cut short
_WIDEST = 100  # of a paragraph that can be read
_PLAIN = str.maketrans(
    {"°": "", "µ": "u", "…": "~", "─": "-", "×": "x", "·": "-", "\u202f": " "}
)
_UNDERSTANDS_ESCAPES = 0x0004  # ENABLE_VIRTUAL_TERMINAL_PROCESSING
_WITH_A_CROSS = 0x10  # MB_ICONERROR
_EVERY = 0.1  # seconds between two states of the line


class Column(NamedTuple):
    """A column. The one with the smallest weight is left out first; `elastic` ones shrink."""

    title: str
    weight: int = 10
    right: bool = False
    elastic: bool = False


class Page:
    """Lines, none wider than `width`."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.lines: list[str] = []
        self._apart = False

    def __str__(self) -> str:
        return "\n".join(self.lines)

    def gap(self) -> Self:
        """An empty line between what stands there and what comes."""
        self._apart = bool(self.lines)
        return self

    def add(self, *lines: str) -> None:
        """They fit as they are."""
        if self._apart and lines:
            self.lines.append("")
            self._apart = False
        self.lines += lines

    def say(self, *paragraphs: str) -> None:
        for each in filter(None, paragraphs):
            self.add(*wrap(shown(each), self.width))

    def table(self, columns: Sequence[Column], rows: Iterable[Sequence[str]]) -> None:
        """The header and the rows."""
        lines = [[shown(cell) for cell in row] for row in ([c.title for c in columns], *rows)]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        shortest = _SHORTEST if self.width >= _ROOMY else _SHORTEST_OF_ALL
        floor = [max(len(title), shortest) for title in lines[0]]
        least = [
            min(pair) if column.elastic else pair[0]
            for column, *pair in zip(columns, widths, floor, strict=True)
        ]
        kept = sorted(range(len(columns)), key=lambda at: (columns[at].weight, -at))

        def too_wide(widths: Sequence[int]) -> int:
            between = len(_GAP) * (len(kept) - 1)
            return sum(widths[at] for at in kept) + between - self.width

        while too_wide(widths if columns[kept[0]].weight <= _NICE else least) > 0 and kept[1:]:
            del kept[0]
        elastic = sorted(at for at in kept if columns[at].elastic)
        for _ in range(too_wide(widths) if elastic else 0):
            widths[max(elastic, key=lambda at: widths[at] - floor[at])] -= 1
        for line in lines:
            cells = []
            for at in sorted(kept):
                aligned = str.rjust if columns[at].right else str.ljust
                cells.append(aligned(cut(line[at], widths[at]), widths[at]))
            self.add(_GAP.join(cells).rstrip()[: self.width])

    def figures(
        self, columns: Mapping[str, int], rows: Sequence[Sequence[str]], most: int | None = None
    ) -> None:
        """A table by the weights of its titles; its first column says whose the figures are.
        Columns in which nothing stands are left out, and rows beyond `most` counted.
        """
        filled = [any(column) for column in zip(*rows, strict=True)]
        heads = (
            Column(title, weight, right=place > 0, elastic=place == 0)
            for place, (title, weight) in enumerate(columns.items())
        )
        self.table([*compress(heads, filled)], [[*compress(e, filled)] for e in rows[:most]])
        self.count_more(len(rows), most)

    def count_more(self, count: int, most: int | None) -> None:
        """Below a list, those that there is no room for."""
        if most is not None and count > most:
            self.say(Message("and {count} more.", count=count - most))

    def matrix(
        self,
        heads: Sequence[str],
        columns: Iterable[tuple[str, Sequence[str]]],
        *,
        right: bool = True,
    ) -> None:
        """A title and its cells each; in several blocks where one would be too wide."""
        columns = [(shown(title), cells) for title, cells in columns]
        widest = max(len(each) for title, cells in columns for each in (title, *cells))
        room = self.width - max(map(len, heads), default=0)
        at_once = max(1, room // (widest + len(_GAP)))
        for begin in range(0, len(columns), at_once):
            block = columns[begin : begin + at_once]
            self.gap().table(
                [Column("", 100), *(Column(title, 90, right) for title, _ in block)],
                [[head, *(cells[row] for _, cells in block)] for row, head in enumerate(heads)],
            )


@contextmanager
def printed() -> Iterator[Page]:
    """A page as wide as the terminal, which is shown at the end."""
    terminal = Terminal()
    page = Page(terminal.width())
    yield page
    terminal.show(str(page))


# Any: whatever JSON has words for.
def write_json(told: Any, *, line: bool = False) -> None:
    """To be read by programs alone, or with a line for each member and each entry of it."""
    text = json.dumps(told)
    if isinstance(told, dict) and not line:
        members = (f'"{name}": {_a_line_each(each)}' for name, each in told.items())
        text = "{\n" + ",\n".join(members) + "\n}"
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def _a_line_each(member: object) -> str:
    if not isinstance(member, list):
        return json.dumps(member)
    return (
        "[" + ",".join(f"\n{json.dumps(each)}" for each in member) + "\n" * bool(member) + "]"
    )


def shown(text: str) -> str:
    """In the person's language; what is no message is ready to be shown."""
    return tr(text) if isinstance(text, Message) else text


def cut(text: str, width: int) -> str:
    """The text, or its beginning and a sign that there is more."""
    if len(text) <= width:
        return text
    return text[: max(0, width - 1)] + "…" if width > 0 else ""


def wrap(text: str, width: int, set_in: str = "  ") -> list[str]:
    """The text in lines that can be read, with the later ones set in."""
    lines = textwrap.wrap(
        text,
        min(width, _WIDEST),
        subsequent_indent=set_in,
        # A path or an option with a hyphen could not be copied from two lines.
        break_on_hyphens=False,
        break_long_words=False,
    )
    return lines or [""]


def figure(value: T | None, show: Callable[[T], object] = str) -> str:
    return NONE if value is None else str(show(value))


def percent(share: float, digits: int = 0) -> str:
    return f"{share * 100:.{digits}f} %"


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
        self.write(text + "\n")

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
        self.write("\x1b[H" + "".join(f"{line}\x1b[K\n" for line in lines) + "\x1b[J")

    @contextmanager
    def drawing(self) -> Iterator[None]:
        """A screen of its own, which is taken away afterwards."""
        if not self.interactive:
            yield
            return
        self.write("\x1b[?1049h\x1b[?25l\x1b[2J")
        try:
            yield
        finally:
            self.write("\x1b[?25h\x1b[?1049l")
            if self._last:
                self.show(self._last)  # so that the last picture is still there to read

    def warn(self, text: str) -> str:
        """The same words, marked where the terminal has colours."""
        return f"\x1b[33m{text}\x1b[0m" if self.colour else text

    def write(self, text: str) -> None:
        if not (self._stream.encoding or "").lower().startswith("utf"):
            text = text.translate(_PLAIN)
        self._stream.write(text)
        self._stream.flush()


class ProgressLine:
    """Written over itself, and taken away at the end; only where a person looks.

    `show` may be called from any thread.
    """

    def __init__(self, stream: TextIO) -> None:
        self._terminal, self._lock = Terminal(stream), threading.Lock()
        self._seen = self._terminal.interactive and os.environ.get("TERM") != "dumb"
        self._written = -_EVERY

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._written = -_EVERY
        self.show("")
        self._seen = False

    def show(self, words: str) -> None:
        with self._lock:
            now = time.monotonic()
            if self._seen and now - self._written >= _EVERY:
                self._written = now
                self._terminal.write(f"\r{cut(words, self._terminal.width() - 1)}\x1b[K")


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
