"""Places: which line and expression of the person's is running, or was when an error arose, and
what was copied from there. Their code is cells, in a program also files that are no library's.
"""

import ast
import functools
import itertools
import linecache
import opcode
import os
import re
import sys
import sysconfig
import threading
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import CodeType, FrameType

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
_MOST_FRAMES = 40  # of an error; in the middle of more, such as of endless recursion, they lack
_LONGEST = 120  # letters of an expression
# Words that a person writes in order to copy.
ASKING = frozenset(
    {"to", "cuda", "cpu", "copy_", "type", "type_as", "pin_memory"}
    | {"broadcast", "scatter", "gather", "replicate"}  # of torch.nn.parallel
)
_with_files = False


@dataclass(frozen=True)
class Spot:
    """One instruction of the person's code: where it stands there, and what it does."""

    frame: Frame
    what: str = ""  # the expression, or the line where Python does not know more
    how: str = ""  # its word, such as "to", "print", "if"; empty: what runs has to say it


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
    """Whether code of that name is the person's: a cell's; in a program also of what is not
    Python's, installed, this program's, or made of text.
    """
    if not _with_files or not filename or filename.startswith("<"):
        return filename.startswith("<cell ")
    path = _path(filename)
    real = os.path.realpath(path)
    installed = _LIBRARIES.intersection((*Path(path).parts, *Path(real).parts))
    return not installed and not real.startswith(_roots())


@functools.cache
def _roots() -> "tuple[str, ...]":
    known = ("stdlib", "platstdlib", "purelib", "platlib")
    folders = [*map(sysconfig.get_path, known), str(Path(__file__).parents[1])]
    return tuple(os.path.realpath(each) + os.sep for each in folders)


@functools.cache
def _path(filename: str) -> str:
    """As it was when first asked, wherever the program goes meanwhile. A cell has none."""
    return "" if filename.startswith("<") else os.path.abspath(filename)  # noqa: PTH100 - or a link


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
        return Place(Spot(Frame(0, 0)), within, deep, thread)
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
        name, begin = error.filename or "", max(0, (error.offset or 1) - 1)
        end = (error.end_offset or 1) - 1 if error.end_lineno == error.lineno else 0
        at = error.lineno or 0, "", begin, max(begin, end), _path(name)
        frames.append(Frame(cell_of(name), *at))
    return tuple(frames)


# What an instruction does, by the beginning of its name; of others the expression tells.
_DOES = {
    **dict.fromkeys(("POP_JUMP", "JUMP_IF", "TO_BOOL", "COMPARE_OP"), "if"),
    **dict.fromkeys(("FORMAT_", "CONVERT_"), "format"),
    "UNARY_NOT": "not",
    "STORE_": "assignment",
}


def _spot(code: CodeType, at: int, line: int, how: str = "") -> Spot:
    """Remembered by identity: two cells of the same text have equal code."""
    known = _spots.get((id(code), at))
    if known is not None and known[0] is code:
        return known[1]
    file = _path(code.co_filename)
    lines = linecache.getlines(file or code.co_filename)
    first, last, begin, end = position_of(code, at) or (line, 0, 0, 0)
    what, start, stop = lines[first - 1].strip() if 0 < first <= len(lines) else "", 0, 0
    if first <= last <= len(lines):
        does = opcode.opname[code.co_code[at]]
        word = next((word for begins, word in _DOES.items() if does.startswith(begins)), "")
        start = lines[first - 1].index(what)
        if word != "assignment":  # of which the target alone is known
            parts = [each.encode() for each in lines[first - 1 : last]]  # columns are bytes
            parts[-1] = parts[-1][:end]
            start = len(parts[0][:begin].decode(errors="ignore"))
            parts[0] = parts[0][begin:]
            text = b"".join(parts).decode(errors="ignore")
            what, word = text.split("\n")[0].rstrip(), word or _word(text)
        stop, how = start + len(what), how or word
    elif not how:
        how = min(ASKING.intersection(re.findall(r"\w+", what)), default="")
    what = what if len(what) <= _LONGEST else f"{what[: _LONGEST - 1]}…"
    name = "" if code.co_name == "<module>" else code.co_name
    spot = Spot(Frame(cell_of(code.co_filename), first, name, start, stop, file), what, how)
    _spots[id(code), at] = code, spot
    return spot


def whole_line(spot: Spot) -> Spot:
    """The same, whatever the line is at."""
    line = linecache.getline(spot.frame.file or f"<cell {spot.frame.cell}>", spot.frame.line)
    return replace(spot, what=line.strip()[:_LONGEST] or spot.what)


def position_of(code: CodeType, at: int) -> "tuple[int, int, int, int] | None":
    """First and last line, first and last column. None: Python 3.10, which knows lines only."""
    if not hasattr(code, "co_positions"):
        return None
    positions = itertools.islice(code.co_positions(), at // 2, None)
    first, last, begin, end = next(positions, (None, None, None, None))
    if first is None or last is None or begin is None or end is None:
        return None
    return first, last, begin, end


def _word(text: str) -> str:
    """Of an expression; empty where it is none that is known to copy."""
    try:
        node = ast.parse(f"({text})", mode="eval").body
    except (SyntaxError, ValueError, RecursionError):
        return ""
    match node:
        case ast.Call(func=ast.Attribute(attr=name) | ast.Name(id=name)):
            return name
        case ast.Subscript():
            return "index"
    return ""


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
        """A new cell; or a program, none of whose values are held to be compared."""
        with self.lock:
            self.noted = 0  # counts the copies that were seen
            self.kernels = 0  # counted up by whoever sees a card compute
            self._program = program
            self._numbers: dict[tuple[object, ...], int] = {}  # of rows, before they are there
            self._rows: dict[int, Transferred] = {}
            self._changed: set[int] = set()
            self._computed: dict[int, int] = {}  # by row: `kernels` at its last copy
            self._intact: dict[int, set[bool | None]] = defaultdict(set)  # by row
            self._checks: dict[int, list[Check]] = defaultdict(list)
            self._checked = 0  # bytes

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
        """When it is asked for: the number of its row, and 1 where a card computed since the
        row's last copy, else 0.
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
        """Its place is filled in here; `how` is what the copy did, should no word of the code
        say it. A lazy layer's copies hold nothing yet.
        """
        if not (copy.bytes or copy.already_there):
            return
        with self.lock:
            number, bursts = numbered or self.numbered(copy, noted)
            before = self._rows.get(number)
            if before is None:
                spot, how = noted.spot, noted.how(copy.how)
                row = replace(
                    copy, row=number, how=how, what=spot.what, asked=how in ASKING,
                    cell=spot.frame.cell, line=spot.frame.line, file=spot.frame.file,
                    within=noted.within, deep=noted.deep, thread=noted.thread,
                )  # fmt: skip
            else:
                row = replace(
                    before,
                    bytes=before.bytes + copy.bytes,
                    copies=before.copies + copy.copies,
                    bursts=before.bursts + bursts,
                    seconds=_sum(before.seconds, copy.seconds),
                    host_seconds=_sum(before.host_seconds, copy.host_seconds),
                    end=before.end if copy.end is None else copy.end,
                )
            self._rows[number] = row
            self._changed.add(number)
            if check is None:
                self._intact[number].add(copy.intact)
            else:
                self._checks[number].append(check)
        if self.tracing is not None and not copy.already_there:
            self.tracing.copied(copy, number)

    def trace(self, kind: str, device: str, begin: float, end: float, row: int = 0) -> None:
        """A stretch of what is watched, where a trace is wanted."""
        if self.tracing is not None:
            self.tracing.add(kind, device, begin, end, row)

    def changed(self, command: int) -> "tuple[Transferred, ...]":
        """Rows that are not as they were last said; while the cell or the program runs."""
        with self.lock:
            changed, self._changed = sorted(self._changed), set()
            return tuple(replace(self._rows[number], id=command) for number in changed)

    def leave_unchecked(self) -> None:
        """The cell failed: nobody knows what its devices hold, or whether they answer."""
        with self.lock:
            self._checks.clear()
            self._intact.update((number, {None}) for number in self._rows)

    def told(self, command: int) -> Sequence[Transferred]:
        """Once the cell is over. What is held to be compared is let go of."""
        with self.lock:
            self._changed.clear()
            for number, row in sorted(self._rows.items()):
                verdicts = self._intact[number]
                verdicts.update(check() for check in self._checks.pop(number, ()))
                intact = None if None in verdicts else True
                intact = False if False in verdicts else intact
                self._rows[number] = replace(row, id=command, intact=intact)
            return [row for _, row in sorted(self._rows.items())]


def _sum(one: "float | None", other: "float | None") -> "float | None":
    return None if one is None or other is None else one + other
