"""Places: which line and expression of the person's is running just now, or was when an error
arose, and what was copied from there. Their code is cells; in a program, also every file that
is no library's.
"""

import ast
import builtins
import functools
import itertools
import linecache
import os
import re
import sys
import sysconfig
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType
from typing import Union

from gpuexplorer.lab.events import Frame, Transferred
from gpuexplorer.worker.watching.tracing import Tracing

# The name of the module, so to speak, whose code shows the value of a cell's last expression.
DISPLAY = "display"
OURS = ("gpuexplorer.",)  # modules that stand between a cell and what is asked for
# They stand between any two calls of PyTorch.
_PLUMBING = frozenset(
    {"torch._ops", "torch.overrides", "torch.utils._device", "torch.utils._python_dispatch"}
)
_CELL = re.compile(r"<cell (\d+)>")
_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_ROOTS = tuple(
    os.path.realpath(each) + os.sep
    for each in (
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")),
        Path(__file__).parents[1],
    )
)
_MOST_FRAMES = 40  # of an error; in the middle of more, such as of endless recursion, they lack
_LONGEST = 120  # letters of an expression
# Words that a person writes in order to copy.
ASKING = frozenset({"to", "cuda", "cpu", "copy_", "type", "type_as", "pin_memory"}) | {
    *("broadcast", "scatter", "gather", "replicate")  # of torch.nn.parallel
}
_with_files = False


@dataclass(frozen=True)
class Spot:
    """One instruction of the person's code: where it stands there, and what it does."""

    frame: Frame
    what: str = ""  # the expression, or the line where Python does not know more
    how: str = ""  # its word, such as "to", "print", "if"; empty: what runs has to say it


NOWHERE = Spot(Frame(0, 0))
_spots: "dict[tuple[int, int], tuple[CodeType, Spot]]" = {}


@dataclass(frozen=True)
class Place:
    """Where in the person's code we are."""

    spot: Spot
    within: str = ""  # the library's module that runs; empty: the person's code itself
    deep: int = 0  # calls of libraries between it and the person's code
    thread: str = ""  # empty: the main one

    def how(self, does: str = "") -> str:
        """The word that stands there, or else what runs does. Where the line alone is known,
        its word may be that of another expression.
        """
        return self.spot.how or does if self.spot.frame.end else does or self.spot.how


def take_files(*, taken: bool) -> None:
    """Whether files are the person's code too, as in a program, or cells alone."""
    global _with_files  # noqa: PLW0603 - one program runs in a process
    _with_files = taken
    is_own.cache_clear()


@functools.cache
def is_own(filename: str) -> bool:
    """Whether code of that file's name is the person's: a cell's; or in a program what is not
    Python's, installed, this program's, or made of text.
    """
    if not _with_files or not filename or filename.startswith("<"):
        return filename.startswith("<cell ")
    path = _absolute(filename)
    real = os.path.realpath(path)
    installed = _LIBRARIES.intersection((*Path(path).parts, *Path(real).parts))
    return not installed and not real.startswith(_ROOTS)


@functools.cache
def _absolute(filename: str) -> str:
    """As it was when this was first asked, wherever the program goes meanwhile."""
    return os.path.abspath(filename)  # noqa: PTH100 - a link stays the name it was called by


def cell_of(filename: str) -> int:
    """The number of the cell that goes by this name; 0: it is none."""
    cell = _CELL.fullmatch(filename)
    return int(cell[1]) if cell is not None else 0


def place() -> Place:
    """The nearest frame of the person's code. Where a thread has none, the main one waits."""
    within, deep, frame = _walked(sys._getframe(1))
    thread, main = "", threading.main_thread().ident
    if threading.get_ident() != main:
        current = threading.current_thread()
        # Threads that nobody started from Python are PyTorch's, which computes gradients there.
        thread = "autograd" if isinstance(current, threading._DummyThread) else current.name
        if frame is None:
            frame = _walked(sys._current_frames().get(main or 0))[2]
    if frame is None:
        return Place(NOWHERE, within, deep, thread)
    code, how = frame.f_code, DISPLAY if frame.f_globals.get("__name__") == DISPLAY else ""
    spot = _spot(code, frame.f_lasti, frame.f_lineno or code.co_firstlineno, how)
    return Place(spot, within, deep, thread)


def _walked(frame: "FrameType | None") -> "tuple[str, int, FrameType | None]":
    within, deep = "", 0
    while frame is not None:
        module = frame.f_globals.get("__name__") or ""
        if not module.startswith(OURS) and module not in _PLUMBING:
            if is_own(frame.f_code.co_filename):
                return within, deep, frame
            within = within or module
            deep += 1
        frame = frame.f_back
    return "", 0, None


def frames_of(error: BaseException) -> "tuple[Frame, ...]":
    """Calls of the person's own code, the outermost first; the last of them where it arose."""
    found = []
    trace = error.__traceback__
    while trace is not None:
        code = trace.tb_frame.f_code
        if is_own(code.co_filename):
            found.append((code, trace.tb_lasti, trace.tb_lineno))
        trace = trace.tb_next
    if len(found) > _MOST_FRAMES:
        found = [*found[: _MOST_FRAMES // 2], *found[-_MOST_FRAMES // 2 :]]
    frames = [_spot(*each).frame for each in found]
    if isinstance(error, SyntaxError) and is_own(error.filename or ""):
        name = error.filename or ""
        begin = max(0, (error.offset or 1) - 1)
        end = max(begin, (error.end_offset or 1) - 1 if error.end_lineno == error.lineno else 0)
        line, file = error.lineno or 0, _file_of(name)
        frames.append(Frame(cell_of(name), line, "", begin, end, file))
    return tuple(frames)


_Position = tuple[int, int, int, int]  # first and last line, first and last column in bytes
_Node = Union[ast.expr, ast.stmt]  # noqa: UP007 - Python 3.10


def _spot(code: CodeType, at: int, line: int, how: str = "") -> Spot:
    """Remembered by identity: two cells of the same text have equal code."""
    known = _spots.get((id(code), at))
    if known is not None and known[0] is code:
        return known[1]
    number, file = cell_of(code.co_filename), _file_of(code.co_filename)
    name = "" if code.co_name == "<module>" else code.co_name
    lines = linecache.getlines(file or code.co_filename)
    words = _words("".join(lines))
    position = position_of(code, at)
    if words is None or position is None or position[1] > len(lines):
        asked = [
            word
            for (first, last, *_), (word, _) in (words or {}).items()
            if first <= line <= last and word in ASKING
        ]
        frame, how = Frame(number, line, name, file=file), how or min(asked, default="")
        what = lines[line - 1].strip() if 0 < line <= len(lines) else ""
    else:
        word, (first, last, begin, end) = _word_at(words, position)
        text = lines[first - 1].rstrip("\r\n")
        start = _letters(text, begin)
        stop = _letters(text, end) if first == last else len(text.rstrip())
        frame, how, what = Frame(number, first, name, start, stop, file), how or word, ""
        what = text[start:stop]
    spot = Spot(frame, what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…", how)
    _spots[id(code), at] = code, spot
    return spot


def _file_of(filename: str) -> str:
    """Its whole path; empty where it is a cell."""
    return "" if filename.startswith("<") else _absolute(filename)


def position_of(code: CodeType, at: int) -> "_Position | None":
    """None: Python 3.10, which knows lines only."""
    if not hasattr(code, "co_positions"):
        return None
    found = next(itertools.islice(code.co_positions(), at // 2, None), (None,) * 4)
    return None if None in found else (found[0], found[1], found[2], found[3])


def _letters(line: str, count: int) -> int:
    """Python counts bytes."""
    return len(line.encode()[:count].decode(errors="ignore"))


_Words = dict[_Position, tuple[str, _Position]]
_TESTING = {ast.While: "while", ast.Assert: "assert"}


def _word_at(words: _Words, position: _Position) -> "tuple[str, _Position]":
    """And the whole of what is said there, such as the assignment around its target."""
    if position in words:
        return words[position]
    # A call of a method begins at its name, where that stands on a line of its own.
    first, *end = position[0], position[1], position[3]
    calls = [
        word
        for (begins, last, _, column), (word, _) in words.items()
        if begins < first and [last, column] == end
    ]
    return calls[0] if calls else "", position


@functools.lru_cache(maxsize=64)
def _words(text: str) -> "_Words | None":
    """Those of expressions, by where they stand, each with what is to be shown of it. None: the
    text is not there any more, or never was Python as it stands.
    """
    try:
        nodes = [*ast.walk(ast.parse(text))] if text else []
    except (SyntaxError, ValueError, RecursionError):
        return None
    words: _Words = {}

    def put(node: _Node, word: str, shown: _Node) -> None:
        """The first stays: what is around comes before what is within."""
        words.setdefault(_span(node), (word, _span(shown)))

    for node in nodes:
        match node:
            case ast.Call(func=ast.Attribute(attr=word)):
                put(node, word, node)
            case ast.Call(func=ast.Name(id=word)) if hasattr(builtins, word):
                put(node, word, node)
            case ast.Call():
                put(node, "call", node)
            case ast.Subscript():
                put(node, "index", node)
            case ast.JoinedStr() | ast.FormattedValue():
                put(node, "format", node)
            case ast.If() | ast.IfExp() | ast.While() | ast.Assert():
                word = _TESTING.get(type(node), "if")
                put(node.test, word, node.test)
                put(node, word, node.test)
            case ast.BoolOp(op=op):
                put(node, type(op).__name__.lower(), node)
            case ast.UnaryOp(op=ast.Not()):
                put(node, "not", node)
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                for test in (test for each in node.generators for test in each.ifs):
                    put(test, "if", test)
                    put(node, "if", test)
            case ast.Assign() | ast.AugAssign() | ast.AnnAssign():
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                for target in targets:
                    if isinstance(target, ast.Subscript):
                        put(target, "assignment", node)
    return words if nodes else None


def _span(node: _Node) -> _Position:
    last, end = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
    return node.lineno, last, node.col_offset, end


_MOST_CHECKED = 256 << 20  # bytes of the copies of a cell that are compared
_LEAST_CHECKED = 256 << 10  # so many are compared while a small copy is prepared for it

# Compares what arrived with what was sent, when the cell is over. None: either is gone by now,
# or was changed since.
Check = Callable[[], bool | None]


class Copies:
    """Those of one cell; those alike of one place in it are told as one. Any thread may add."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # also for whoever notes and times them
        self.tracing: Tracing | None = None  # where a trace of all that is watched is wanted
        self.begin()

    def begin(self, *, program: bool = False) -> None:
        """A new cell; or a program, which may make any number of copies for hours: none of
        their values are held to be compared.
        """
        with self.lock:
            self.noted = 0  # counts the copies that were seen
            self.kernels = 0  # counted up by whoever sees a card compute
            self._program = program
            self._rows: dict[int, _Row] = {}
            self._changed: set[int] = set()
            self._numbers: dict[tuple[object, ...], int] = {}  # of rows, before they are there
            self._computed: dict[int, int] = {}  # by row: `kernels` at its last copy
            self._checked = 0

    def note(self) -> Place:
        """Something is being copied; where. It is added once its times are known."""
        with self.lock:
            self.noted += 1
        return place()

    def wants_check(self, size: int, noted: Place) -> bool:
        """Whether the copy of so many bytes is to be checked; counts those that are."""
        with self.lock:
            more = self._checked + max(size, _LEAST_CHECKED)
            wanted = noted.how() in ASKING and more <= _MOST_CHECKED and not self._program
            self._checked = more if wanted else self._checked
            return wanted

    def numbered(self, copy: Transferred, noted: Place) -> "tuple[int, int]":
        """The number of its row, and 1 where a card computed since the row's last copy, else 0.
        For whoever has to know it before `add`, when the copy is asked for.
        """
        with self.lock:
            way = copy.source, copy.target, copy.pinned, copy.blocking, copy.direct
            # Threads of a pool differ by their numbers alone.
            whose = noted.how(copy.how), noted.within, noted.thread == "autograd"
            row = self._numbers.setdefault((*way, *whose, noted.spot), len(self._numbers) + 1)
            begins = self._computed.get(row) != self.kernels
            self._computed[row] = self.kernels
            return row, int(begins)

    def add(
        self,
        copy: Transferred,
        noted: Place,
        check: "Check | None" = None,
        numbered: "tuple[int, int] | None" = None,
    ) -> None:
        """In the order in which they were asked for. Its place is filled in here; `how` is what
        the copy did, should no word of the code say it. A lazy layer's copies hold nothing yet.
        """
        if not (copy.bytes or copy.already_there):
            return
        with self.lock:
            number, bursts = numbered or self.numbered(copy, noted)
            if number not in self._rows:
                self._rows[number] = _Row(copy, noted, number)
            self._rows[number].take(copy, check, bursts)
            self._changed.add(number)
        if self.tracing is not None and not copy.already_there:
            self.tracing.copied(copy, number)

    def changed(self, command: int) -> "tuple[Transferred, ...]":
        """Rows that are not as they were last said; while the cell or the program runs."""
        with self.lock:
            changed, self._changed = sorted(self._changed), set()
            return tuple(self._rows[number].told(command) for number in changed)

    def leave_unchecked(self) -> None:
        """The cell failed: nobody knows what its devices hold, or whether they answer."""
        with self.lock:
            for row in self._rows.values():
                row.checks = [lambda: None]

    def told(self, command: int) -> Sequence[Transferred]:
        """Once the cell is over and what it copied can be compared. What is held for that is
        let go of.
        """
        with self.lock:
            self._changed.clear()
            for row in self._rows.values():
                checks, row.checks = row.checks, []
                for check in checks:
                    row.judge(check())
            return [row.told(command) for row in self._rows.values()]


class _Row:
    """Copies of a kind: the first of them, and their sums."""

    def __init__(self, copy: Transferred, noted: Place, number: int) -> None:
        spot, how = noted.spot, noted.how(copy.how)
        self._first = replace(
            copy,
            row=number,
            how=how,
            what=spot.what,
            asked=how in ASKING,
            cell=spot.frame.cell,
            line=spot.frame.line,
            file=spot.frame.file,
            within=noted.within,
            deep=noted.deep,
            thread=noted.thread,
        )
        self._bytes = self._copies = self._bursts = 0
        self._seconds: float | None = 0.0
        self._host_seconds: float | None = 0.0
        self._end: float | None = None
        self._intact: bool | None = True
        self.checks: list[Check] = []

    def take(self, copy: Transferred, check: "Check | None", bursts: int) -> None:
        self._bytes += copy.bytes
        self._copies += copy.copies
        self._bursts += bursts
        self._seconds = _sum(self._seconds, copy.seconds)
        self._host_seconds = _sum(self._host_seconds, copy.host_seconds)
        self._end = self._end if copy.end is None else copy.end
        if check is None:
            self.judge(copy.intact)
        else:
            self.checks.append(check)

    def judge(self, intact: "bool | None") -> None:
        """Of one of them: all have to be."""
        if intact is not True and self._intact is not False:
            self._intact = intact

    def told(self, command: int) -> Transferred:
        return replace(
            self._first,
            id=command,
            bytes=self._bytes,
            copies=self._copies,
            bursts=self._bursts,
            seconds=self._seconds,
            host_seconds=self._host_seconds,
            end=self._end,
            intact=None if self.checks else self._intact,
        )


def _sum(one: "float | None", other: "float | None") -> "float | None":
    return None if one is None or other is None else one + other
