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

_LIBRARIES = frozenset({"site-packages", "dist-packages"})
_OURS = str(Path(__file__).parents[1])


@functools.cache
def absolute(filename: str) -> str:
    """As it was when this was first asked, wherever the program goes meanwhile."""
    return os.path.abspath(filename)  # noqa: PTH100 - a link stays the name it was called by


def is_own_file(filename: str) -> bool:
    """Not of Python, of what is installed, of this program, frozen, or made of text."""
    if not filename or filename.startswith("<"):
        return False
    path = absolute(filename)
    real = os.path.realpath(path)
    for each in (path, real):
        if _LIBRARIES.intersection(Path(each).parts):
            return False
        if each.startswith(_roots()):
            return False
    return True


@functools.lru_cache(maxsize=1)
def _roots() -> "tuple[str, ...]":
    """Folders of libraries. PyTorch may have been built where it is."""
    known = sysconfig.get_paths()
    folders = [known[each] for each in ("stdlib", "platstdlib", "purelib", "platlib")]
    folders.append(_OURS)
    torch = getattr(sys.modules.get("torch"), "__file__", None)
    if torch:
        folders.append(str(Path(torch).parent))
    both = [each for folder in folders for each in (folder, os.path.realpath(folder))]
    return tuple({each.rstrip(os.sep) + os.sep for each in both})


_CELL = re.compile(r"<cell (\d+)>")
# The name of the module, so to speak, whose code shows the value of a cell's last expression.
DISPLAY = "display"
OURS = ("gpuexplorer.",)  # modules that stand between a cell and what is asked for
# They stand between any two calls of PyTorch.
_PLUMBING = frozenset(
    {"torch._ops", "torch.overrides", "torch.utils._device", "torch.utils._python_dispatch"}
)
_MOST_FRAMES = 40  # of an error; in the middle of more, such as of endless recursion, they lack
_MOST_SPOTS = 20_000  # remembered, so that a loop costs little
_LONGEST = 120  # letters of an expression
# Words that a person writes in order to copy.
ASKING = frozenset(
    {
        "to",
        "cuda",
        "cpu",
        "copy_",
        "type",
        "type_as",
        "pin_memory",
        "broadcast",
        "scatter",
        "gather",
        "replicate",
    }
)


@dataclass(frozen=True)
class Spot:
    """One instruction of the person's code: where it stands there, and what it does."""

    frame: Frame
    what: str = ""  # the expression, or the line where Python does not know more
    how: str = ""  # its word, such as "to", "print", "if"; empty: what runs has to say it
    asks: "frozenset[str]" = frozenset()  # words of the line, where only the line is known


@dataclass(frozen=True)
class Place:
    """Where in the person's code we are. The same spot is the same object."""

    spot: Spot
    within: str = ""  # the library's module that runs; empty: the person's code itself
    deep: int = 0  # calls of libraries between it and the person's code
    thread: str = ""  # empty: the main one

    def how(self, does: str = "") -> str:
        """The word that stands there; where there is none, what runs has to say it."""
        if self.spot.asks and not does:
            return min(self.spot.asks)
        return self.spot.how or does


NOWHERE = Spot(Frame(0, 0))
_spots: "dict[tuple[int, int], tuple[CodeType, Spot]]" = {}
_same: "dict[Spot, Spot]" = {}  # an expression may be made of several instructions that call
_LIBRARY, _BETWEEN, _OWN = range(3)  # "between": it is there, and does not count
_kinds: "dict[str, int]" = {}  # by the name of the file
_with_files = False


def take_files(*, taken: bool) -> None:
    """Whether files are the person's code too, as in a program, or cells alone."""
    global _with_files  # noqa: PLW0603 - one program runs in a process
    _with_files = taken
    _kinds.clear()


def is_own(filename: str) -> bool:
    """Whether code of that file's name is the person's."""
    kind = _kinds.get(filename)
    return _is_own(filename) if kind is None else kind == _OWN


def cell_of(filename: str) -> int:
    """The number of the cell that goes by this name; 0: it is none."""
    cell = _CELL.fullmatch(filename)
    return int(cell[1]) if cell is not None else 0


def place() -> Place:
    """The nearest frame of the person's code. Where a thread has none, the main one waits."""
    frame: FrameType | None = sys._getframe(1)
    main = threading.main_thread().ident
    thread = "" if threading.get_ident() == main else _name_of_this_thread()
    within, deep, found = _walked(frame)
    if found is None and thread and main is not None:
        waits = sys._current_frames().get(main)
        found = _walked(waits)[2]
    if found is not None:
        how = DISPLAY if found.f_globals.get("__name__") == DISPLAY else ""
        spot = _spot(
            found.f_code, found.f_lasti, found.f_lineno or found.f_code.co_firstlineno, how
        )
        return Place(spot, within, deep, thread)
    return Place(NOWHERE, within, deep, thread)


def place_of_main() -> Place:
    """Where the main thread is just now; for another."""
    frame = sys._current_frames().get(threading.main_thread().ident or 0)
    within, deep, found = _walked(frame)
    if found is None:
        return Place(NOWHERE, within, deep)
    return Place(_spot(found.f_code, found.f_lasti, found.f_lineno), within, deep)


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
    if isinstance(error, SyntaxError):
        name = error.filename or ""
        if is_own(name):
            begin, end = max(0, (error.offset or 1) - 1), 0
            if error.end_lineno == error.lineno and error.end_offset:
                end = error.end_offset - 1
            line, file = error.lineno or 0, _file_of(name)
            frames.append(Frame(cell_of(name), line, "", begin, max(begin, end), file))
    return tuple(frames)


def _walked(frame: "FrameType | None") -> "tuple[str, int, FrameType | None]":
    within, deep = "", 0
    known = _kinds.get
    while frame is not None:
        kind = known(frame.f_code.co_filename)
        if kind is None:
            kind = _kind(frame)
        if kind == _OWN:
            return within, deep, frame
        if kind == _LIBRARY:
            within = within or frame.f_globals.get("__name__") or ""
            deep += 1
        frame = frame.f_back
    return "", 0, None


def _kind(frame: FrameType) -> int:
    module = frame.f_globals.get("__name__") or ""
    name = frame.f_code.co_filename
    if module.startswith(OURS) or module in _PLUMBING:
        kind = _BETWEEN
    else:
        kind = _OWN if _is_own(name) else _LIBRARY
    if name[:1] != "<" or kind == _OWN:  # what is made of text may be anybody's
        _kinds[name] = kind
    return kind


def _is_own(filename: str) -> bool:
    return filename.startswith("<cell ") or (_with_files and is_own_file(filename))


def _name_of_this_thread() -> str:
    """Threads that nobody started from Python are PyTorch's, which computes gradients there."""
    thread = threading.current_thread()
    return "autograd" if isinstance(thread, threading._DummyThread) else thread.name


def _spot(code: CodeType, at: int, line: int, how: str = "") -> Spot:
    """By identity: two cells of the same text have equal code."""
    known = _spots.get((id(code), at))
    if known is not None and known[0] is code:
        return known[1]
    if len(_spots) >= _MOST_SPOTS:
        _spots.clear()
    spot = _found_spot(code, at, line)
    spot = replace(spot, how=how) if how else spot
    spot = _same.setdefault(spot, spot)
    _spots[id(code), at] = code, spot
    return spot


def _found_spot(code: CodeType, at: int, line: int) -> Spot:
    number, file = cell_of(code.co_filename), _file_of(code.co_filename)
    name = "" if code.co_name == "<module>" else code.co_name
    lines = linecache.getlines(file or code.co_filename)
    text = "".join(lines)
    tree = _tree(text)
    position = position_of(code, at)
    if position is None or tree is None:
        asks = tree.asks_on(line) if tree is not None else frozenset()
        what = lines[line - 1].strip() if 0 < line <= len(lines) else ""
        return Spot(Frame(number, line, name, file=file), _short(what), "", asks)
    how, position = tree.word_at(position)
    first, last, begin, end = position
    begun = text.split("\n")[first - 1]
    start = _letters(begun, begin)
    stop = _letters(begun, end) if first == last else len(begun.rstrip())
    frame = Frame(number, first, name, start, stop, file)
    return Spot(frame, _short(begun[start:stop]), how)


def _file_of(filename: str) -> str:
    """Its whole path; empty where it is a cell."""
    return "" if filename.startswith("<") else absolute(filename)


_Position = tuple[int, int, int, int]  # first and last line, first and last column in bytes
_Node = Union[ast.expr, ast.stmt]  # noqa: UP007 - Python 3.10


def position_of(code: CodeType, at: int) -> "_Position | None":
    """None: Python 3.10, which knows lines only."""
    if not hasattr(code, "co_positions"):
        return None
    found = next(itertools.islice(code.co_positions(), at // 2, None), (None,))
    first, last, begin, end = (*found, None, None, None)[:4]
    if first is None or last is None or begin is None or end is None:
        return None
    return first, last, begin, end


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _letters(line: str, count: int) -> int:
    """Python counts bytes."""
    return len(line.encode()[:count].decode(errors="ignore"))


class _Tree:
    """A cell's expressions by where they stand, each with its word."""

    def __init__(self, module: ast.Module) -> None:
        self._words: dict[_Position, tuple[str, _Position]] = {}
        self._ends: dict[tuple[int, int], str] = {}  # of calls
        self._asks: dict[int, set[str]] = {}
        for node in ast.walk(module):
            self._take(node)

    def word_at(self, position: _Position) -> "tuple[str, _Position]":
        """And the whole of what is said there, such as the assignment around its target."""
        found = self._words.get(position)
        if found is not None:
            return found
        # A call of a method begins at its name, where that stands on a line of its own.
        return self._ends.get((position[1], position[3]), ""), position

    def asks_on(self, line: int) -> "frozenset[str]":
        return frozenset(self._asks.get(line, ()))

    def _take(self, node: ast.AST) -> None:
        if isinstance(node, ast.Call):
            word = _called(node.func)
            self._put(node, word)
            self._ends[_end(node)] = word
            if word in ASKING:
                for line in range(node.lineno, (node.end_lineno or node.lineno) + 1):
                    self._asks.setdefault(line, set()).add(word)
        elif isinstance(node, ast.Subscript):
            self._put(node, "index")
        elif isinstance(node, ast.JoinedStr):
            for each in (node, *ast.walk(node)):
                if isinstance(each, (ast.JoinedStr, ast.FormattedValue)):
                    self._put(each, "format")
        elif isinstance(node, (ast.If, ast.IfExp, ast.While, ast.Assert)):
            word = "if" if isinstance(node, ast.IfExp) else type(node).__name__.lower()
            self._put(node.test, word)
            self._put(node, word, node.test)
        elif isinstance(node, ast.BoolOp):
            self._put(node, type(node.op).__name__.lower())
        elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            self._put(node, "not")
        elif isinstance(node, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)):
            for test in (test for each in node.generators for test in each.ifs):
                self._put(test, "if")
                self._put(node, "if", test)
        elif isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Subscript):
                    self._words[_span(target)] = "assignment", _span(node)

    def _put(self, node: _Node, word: str, shown: "_Node | None" = None) -> None:
        """The first stays: what is around comes before what is within."""
        self._words.setdefault(_span(node), (word, _span(shown or node)))


@functools.lru_cache(maxsize=64)
def _tree(text: str) -> "_Tree | None":
    """None: the text is not there any more, or never was Python as it stands."""
    try:
        return _Tree(ast.parse(text)) if text else None
    except (SyntaxError, ValueError, RecursionError):
        return None


def _called(function: ast.expr) -> str:
    if isinstance(function, ast.Attribute):
        return function.attr
    known = isinstance(function, ast.Name) and hasattr(builtins, function.id)
    return function.id if known and isinstance(function, ast.Name) else "call"


def _span(node: _Node) -> _Position:
    line, column = _end(node)
    return node.lineno, line, node.col_offset, column


def _end(node: _Node) -> "tuple[int, int]":
    return node.end_lineno or node.lineno, node.end_col_offset or node.col_offset


LARGEST_CHECKED = 256 << 20  # bytes, of one copy and of all of a cell
_MOST_ROWS = 1000  # of a cell; what comes from yet another place has none
_MOST_OF_PROGRAM = 20_000
_MOST_CHECKED = 1000


# Compares what arrived with what was sent, when the cell is over. None: either is gone by now,
# or was changed since.
Check = Callable[[], bool | None]


class Copies:
    """Those of one cell; those alike of one place in it are told as one. Any thread may add."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # also for whoever notes and times them
        self.tracing: Tracing | None = (
            None  # where a trace of all that is watched was asked for
        )
        self.begin()

    def begin(self, *, program: bool = False) -> None:
        """A new cell; or a program, which may make any number of copies for hours: none of
        their values are held to be compared.
        """
        with self.lock:
            self.noted = 0  # counts the copies that were seen
            self.kernels = 0  # counted up by whoever sees a card compute
            self.dropped = 0  # copies of places for which there was no row left
            self._program = program
            self._most = _MOST_OF_PROGRAM if program else _MOST_ROWS
            self._rows: dict[int, _Row] = {}
            self._changed: set[int] = set()
            self._spots: dict[int, Spot] = {}  # by row; kept, since they are known by identity
            self._numbers: dict[tuple[object, ...], int] = {}  # of rows, before they are there
            self._computed: dict[int, int] = {}  # by row: `kernels` at its last copy
            self._checks = 0
            self._checked_bytes = 0

    def note(self) -> Place:
        """Something is being copied; where. It is added once its times are known."""
        with self.lock:
            self.noted += 1
        return place()

    def wants_check(self, size: int, noted: Place) -> bool:
        """Whether the copy of so many bytes is to be checked; counts those that are."""
        with self.lock:
            more = self._checked_bytes + size
            room = more <= LARGEST_CHECKED and self._checks < _MOST_CHECKED
            wanted = noted.how() in ASKING and room and not self._program
            if wanted:
                self._checks += 1
                self._checked_bytes = more
            return wanted

    def numbered(self, copy: Transferred, noted: Place) -> "tuple[int, int]":
        """The number of its row, and 1 where a card computed since the row's last copy, else 0.
        For whoever has to know it before `add`, when the copy is asked for.
        """
        with self.lock:
            row = self._number(copy, noted)
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
            row = self._rows.get(number)
            if row is not None:
                row.take(copy, check, bursts)
            else:
                self._rows[number] = _Row(self._whole(copy, noted, number), check)
            self._changed.add(number)
        if self.tracing is not None and not copy.already_there:
            self.tracing.copied(copy, number)

    def changed(self, command: int) -> "tuple[Transferred, ...]":
        """Rows that are not as they were last said; while the cell or the program runs."""
        with self.lock:
            said = [self._rows[number].sum() for number in sorted(self._changed)]
            self._changed.clear()
            return tuple(replace(each, id=command) for each in said)

    def leave_unchecked(self) -> None:
        """The cell failed: nobody knows what its devices hold, or whether they answer."""
        with self.lock:
            for row in self._rows.values():
                row.leave_unchecked()

    def told(self, command: int) -> Sequence[Transferred]:
        """Once the cell is over and what it copied can be compared."""
        with self.lock:
            self._changed.clear()
            return [replace(row.told(), id=command) for row in self._rows.values()]

    def _number(self, copy: Transferred, noted: Place) -> int:
        spot = noted.spot
        way = copy.source, copy.target, copy.pinned, copy.blocking, copy.direct
        # Threads of a pool differ by their numbers alone.
        how = *way, noted.how(copy.how), noted.within, noted.thread == "autograd"
        number = self._numbers.get((*how, id(spot)))
        if number is None:
            if len(self._numbers) >= self._most:
                spot = NOWHERE
                self.dropped += copy.copies
            number = self._numbers.setdefault((*how, id(spot)), len(self._numbers) + 1)
            self._spots[number] = spot
        return number

    def _whole(self, copy: Transferred, noted: Place, number: int) -> Transferred:
        how, spot = noted.how(copy.how), self._spots[number]
        return replace(
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


class _Row:
    """One copy, or several of a kind."""

    def __init__(self, copy: Transferred, check: "Check | None") -> None:
        self._first = copy
        self._bytes, self._copies, self._end = copy.bytes, copy.copies, copy.end
        self._bursts = copy.bursts
        self._seconds, self._host_seconds = copy.seconds, copy.host_seconds
        self._intact = copy.intact
        self._checks = [] if check is None else [check]
        self._all_checked = check is not None or copy.intact is not None

    def take(self, copy: Transferred, check: "Check | None", bursts: int) -> None:
        self._bytes += copy.bytes
        self._copies += copy.copies
        self._bursts += bursts
        self._seconds = _sum(self._seconds, copy.seconds)
        self._host_seconds = _sum(self._host_seconds, copy.host_seconds)
        self._end = self._end if copy.end is None else copy.end
        if copy.intact is False:
            self._intact = False
        if check is not None:
            self._checks.append(check)
        elif copy.intact is None:
            self._all_checked = False

    def leave_unchecked(self) -> None:
        self._checks = []
        self._all_checked = False

    def told(self) -> Transferred:
        """The first time, what is held to be compared is let go of."""
        verdicts = [check() for check in self._checks]
        self._checks = []
        if False in verdicts:
            self._intact = False
        elif self._intact is not False:
            sure = self._all_checked and None not in verdicts
            self._intact = True if sure else None
            self._all_checked = sure
        return self.sum()

    def sum(self) -> Transferred:
        return replace(
            self._first,
            bytes=self._bytes,
            copies=self._copies,
            bursts=self._bursts,
            seconds=self._seconds,
            host_seconds=self._host_seconds,
            end=self._end,
            intact=self._intact,
        )


def _sum(one: "float | None", other: "float | None") -> "float | None":
    return None if one is None or other is None else one + other
