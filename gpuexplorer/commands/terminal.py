"""What a person reads in a terminal: sentences and tables as lines that fit its width, drawn in
place where it can be, and one line that says how far something has got; and JSON for programs.
"""

import json
import os
import re
import shutil
import sys
import textwrap
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self, TextIO, TypeVar

from gpuexplorer.core.words import Message, tr

K = TypeVar("K")
T = TypeVar("T")
NONE = "-"  # stands where there is no figure
SIMULATED = Message("SIMULATED: these cards do not exist, what is told of them is made up.")
_GAP = "  "
# To so many letters a column of words shrinks before another is left out.
_SHORTEST, _SHORTEST_OF_ALL = 14, 9
_ROOMY = 60
_NICE = 50  # columns of this weight or less make room before anything is cut short
# The weight from which on a column without any figure is shown, and words shrink; those of
# more than the key never do.
_ALWAYS, _KEY = 90, 100
_WIDEST = 100  # of a paragraph that can be read
_SIZE = (100, 30)  # of a terminal that does not say it
_PLAIN = str.maketrans(
    {"°": "", "µ": "u", "…": "~", "─": "-", "×": "x", "·": "-", "\u202f": " "}
)
_WITH_ESCAPES = 0x0007  # ENABLE_VIRTUAL_TERMINAL_PROCESSING and what a console has anyhow
_WITH_A_CROSS = 0x10  # MB_ICONERROR
_EVERY = 0.1  # seconds between two states of the line
_FIGURE = re.compile(r"<?[\d.,]+(?![\w.,])")
_LONGEST_FIGURE = 22  # "9.99 GB/s, 999 MB/s"


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
            self.add(*wrap(shown(each), min(self.width, _WIDEST)))

    def table(
        self, columns: Mapping[str, int], rows: Sequence[Sequence[str]], most: int | None = None
    ) -> None:
        """By titles with their weights: the smallest is left out first, and one in which nobody
        has a figure at once. Columns of figures stand to the right; words that matter shrink
        where there is no room. Rows beyond `most` are counted.
        """
        told = [[shown(cell) for cell in row] for row in rows]
        titles, weights = [shown(title) for title in columns], [*columns.values()]
        lines = [titles, *told[:most]]
        widths = [max(map(len, cells)) for cells in zip(*lines, strict=True)]
        floor, words, kept = [*widths], {0}, []
        for place, column in enumerate(zip(*told, strict=True)):
            if {*column} - ({"", NONE} if weights[place] < _ALWAYS else {""}):
                kept.append(place)
            if widths[place] > _LONGEST_FIGURE or not any(map(_FIGURE.match, column)):
                words.add(place)
                if _ALWAYS <= weights[place] <= _KEY:
                    shortest = _SHORTEST if self.width >= _ROOMY else _SHORTEST_OF_ALL
                    floor[place] = min(widths[place], max(len(titles[place]), shortest))
        kept.sort(key=lambda place: (weights[place], -place))

        def too_wide(widths: Sequence[int]) -> int:
            return sum(widths[each] + len(_GAP) for each in kept) - len(_GAP) - self.width

        while kept[1:] and too_wide(widths if weights[kept[0]] <= _NICE else floor) > 0:
            del kept[0]
        for _ in range(too_wide(widths)):
            widths[max(kept, key=lambda place: widths[place] - floor[place])] -= 1
        for line in lines:
            cells = [
                cut(line[place], widths[place]).ljust(widths[place])
                if place in words
                else line[place].rjust(widths[place])
                for place in sorted(kept)
            ]
            self.add(_GAP.join(cells).rstrip()[: self.width])
        self.count_more(len(rows), most)

    def count_more(self, count: int, most: int | None) -> None:
        """Below a list, those that there is no room for."""
        if most is not None and count > most:
            self.say(Message("and {count} more.", count=count - most))

    def matrix(
        self, heads: Sequence[str], columns: Iterable[tuple[str, Sequence[str]]]
    ) -> None:
        """A title and its cells each; in several blocks where one would be too wide."""
        columns = [(shown(title), cells) for title, cells in columns]
        widest = max(len(each) for title, cells in columns for each in (title, *cells))
        room = self.width - max(map(len, heads), default=0)
        at_once = max(1, room // (widest + len(_GAP)))
        for begin in range(0, len(columns), at_once):
            titles, cells = zip(*columns[begin : begin + at_once], strict=True)
            weights = {"": 100, **dict.fromkeys(titles, 90)}
            self.gap().table(weights, [*zip(heads, *cells, strict=True)])


@contextmanager
def printed() -> Iterator[Page]:
    """A page as wide as the terminal, which is shown at the end."""
    terminal = Terminal()
    page = Page(terminal.width())
    yield page
    terminal.show(str(page))


# Any: whatever JSON has words for.
def write_json(told: Any, *, line: bool = False) -> None:
    """In one line, or with a line for each member of it."""
    text = json.dumps(told)
    if not line and isinstance(told, dict):
        members = (f"{json.dumps(name)}: {json.dumps(each)}" for name, each in told.items())
        text = "{\n" + ",\n".join(members) + "\n}"
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def shown(text: str) -> str:
    """In the person's language; what is no message is ready to be shown."""
    return tr(text) if isinstance(text, Message) else text


def cut(text: str, width: int) -> str:
    """The text, or its beginning and a sign that there is more."""
    if len(text) <= width:
        return text
    return text[: max(0, width - 1)] + "…" if width > 0 else ""


def wrap(text: str, width: int, set_in: str = "  ", head: str = "") -> list[str]:
    """In lines that fit, the later ones set in. What a person would copy stays whole: paths,
    options, and commands between backticks.
    """
    kept = re.sub("`[^`]*`", lambda command: command[0].replace(" ", "\0"), text)
    lines = textwrap.wrap(
        kept,
        width,
        initial_indent=head,
        subsequent_indent=set_in,
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace("\0", " ") for line in lines] or [head]


def gathered(pairs: Iterable[tuple[K, T]]) -> dict[K, list[T]]:
    """What belongs together, in the order in which it came."""
    found: dict[K, list[T]] = {}
    for key, value in pairs:
        found.setdefault(key, []).append(value)
    return found


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
        return max(20, shutil.get_terminal_size(_SIZE).columns)

    def show(self, text: str) -> None:
        """Print below what stands there already."""
        self.write(text + "\n")

    def redraw(self, text: str) -> None:
        """Print in place of what was shown before."""
        self._last = text
        if not self.interactive:
            self.show(text + "\n")
            return
        lines, height = text.splitlines(), shutil.get_terminal_size(_SIZE).lines
        if len(lines) >= height:
            lines = [line for line in lines if line]  # space for figures rather than for air
        if len(lines) >= height:
            more = tr(
                "({count} lines more: make the terminal taller)", count=len(lines) - height + 2
            )
            lines = [*lines[: max(0, height - 2)], more[: self.width()]]
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


@contextmanager
def progress_line(stream: TextIO) -> Iterator[Callable[[str], None]]:
    """What shows words in place of those before, from any thread; only where a person looks.
    They are taken away at the end.
    """
    terminal, written = Terminal(stream), -_EVERY
    seen = terminal.interactive and os.environ.get("TERM") != "dumb"

    def show(words: str) -> None:
        nonlocal written
        if seen and time.monotonic() - written >= _EVERY:
            written = time.monotonic()
            terminal.write(f"\r{cut(words, terminal.width() - 1)}\x1b[K")

    try:
        yield show
    finally:
        terminal.write("\r\x1b[K" if seen else "")


def draws_in_place(stream: TextIO) -> bool:
    """Whether a person looks at it, and escapes move its cursor instead of being shown."""
    if not stream.isatty():
        return False
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415
        import msvcrt  # noqa: PLC0415 - only Windows has it

        # Refused where it is no console, such as NUL.
        console = ctypes.c_void_p(msvcrt.get_osfhandle(stream.fileno()))
        return bool(ctypes.windll.kernel32.SetConsoleMode(console, _WITH_ESCAPES))
    else:  # noqa: RET505 - so the checker of types sees that only one of them is reached
        return True


def nobody_reads() -> bool:
    """Whether this program was started without a place for what it says."""
    return sys.platform == "win32" and sys.__stderr__ is None


def say_in_a_box(title: str, text: str) -> None:
    """Without Qt, which may be what is missing. Waits until a person has read it."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        ctypes.windll.user32.MessageBoxW(None, text, title, _WITH_A_CROSS)
