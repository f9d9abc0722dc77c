"""A person's program in a process of its own, as `python FILE` runs it; and what is said of it
from its first line to its last, by a thread that keeps nothing else waiting.
"""

import _thread
import atexit
import builtins
import contextlib
import functools
import io
import itertools
import os
import platform
import queue
import select
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from gpuexplorer.lab.events import (
    Asked,
    Began,
    Event,
    Failed,
    Finished,
    Hello,
    Printed,
    Watched,
)
from gpuexplorer.lab.start import PROGRAM
from gpuexplorer.lab.wire import line_of
from gpuexplorer.worker.engine import Engine, failed
from gpuexplorer.worker.places import take_files
from gpuexplorer.worker.starting import (
    OwnModules,
    engine_here,
    waiting_passively,
    when_imported,
)
from gpuexplorer.worker.streams import begin_unseen, high, mend_builtins, no_signals
from gpuexplorer.worker.watching.tracing import Tracing

_PERIOD = 0.5
_GONE = OSError
_pause = time.sleep  # the program may put another in its place
_LAST_PATIENCE = 2.0  # for a reader that is slow, once the program is over


class Saying:
    """Where nobody reads, the thread waits, or ends; the program goes on either way."""

    def __init__(self, pipe: int, watched: "Callable[[], Event]") -> None:
        self._pipe = high(pipe)
        self._watched = watched
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._begun = False
        self._over = _thread.allocate_lock()
        self._over.acquire()
        self._due = time.monotonic() + _PERIOD

    def begin(self) -> None:
        """From now on there is something to be said now and then."""
        begin_unseen(self._run)
        self._begun = True

    def say(self, event: Event) -> None:
        if self._begun:
            self._events.put(event)
            return
        with contextlib.suppress(OSError):
            self._write(event)

    def finish(self) -> None:
        """All is said, unless nobody reads it."""
        if self._begun:
            self._events.put(None)
            self._over.acquire(timeout=_LAST_PATIENCE)

    def leave(self) -> None:
        """In a child, which has no thread of ours."""
        with contextlib.suppress(OSError):
            os.close(self._pipe)
        self._pipe, self._begun = -1, False

    def _run(self) -> None:
        while True:
            try:
                event = self._next()
                if event is None:
                    break
                self._write(event)
            except _GONE:
                break
            except:  # noqa: E722 - the program may have taken anything from Python itself
                _pause(_PERIOD)
        self._over.release()

    def _next(self) -> "Event | None":
        try:
            return self._events.get(timeout=max(0.0, self._due - time.monotonic()))
        except queue.Empty:
            self._due = time.monotonic() + _PERIOD
            return self._watched()

    def _write(self, event: Event) -> None:
        line = memoryview(line_of(event).encode())
        while line:
            line = line[os.write(self._pipe, line) :]


# Any: the settings are JSON.
class WatchedProgram:
    """Python runs the program by itself; this hears of PyTorch's import, and of the end."""

    def __init__(self, pipe: int, settings: "dict[str, Any]", torch_version: str) -> None:
        self._settings = settings
        self._torch_version = torch_version
        self._owner = os.getpid()
        self._engine: Engine | None = None
        self._watching: AbstractContextManager[object] | None = None
        self._began = 0.0
        self._simulated = bool(settings["cards"])
        self._devices_said = False
        self._tracing = Tracing() if settings["traced"] else None
        self._saying = Saying(pipe, self._seen_by_now)
        self._modules = OwnModules()

    def begin(self) -> None:
        atexit.register(self._end)  # the first of all, so that it comes last
        self._children = Children(self._before_fork, self._after_fork, self._leave)
        print_without_ours()
        take_files(taken=True)
        if not self._settings["own_streams"]:
            if sys.stdout is not None:
                sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
            if sys.stdin is not None and not sys.stdin.closed:
                self._ask_for_input()
        self._began = time.perf_counter()
        kind = "simulated cards" if self._simulated else ""
        version = platform.python_version()
        self._saying.say(Hello(0, version, self._torch_version, kind, self._simulated))
        self._saying.say(Began(PROGRAM))
        importing = waiting_passively if self._simulated else nullcontext
        when_imported("torch", importing, self._watch)
        self._modules.hide()

    def _ask_for_input(self) -> None:
        """Where a person types it into the window."""
        before = sys.stdin
        raw = _Typed(lambda: self._saying.say(Asked(PROGRAM, "input", "")))
        sys.stdin = sys.__stdin__ = io.TextIOWrapper(  # type: ignore[misc]  # the same, as ever
            io.BufferedReader(raw), encoding=before.encoding, errors=before.errors
        )

    def _watch(self) -> None:
        """PyTorch was imported. A real card is not asked for before the program does so."""
        if os.getpid() != self._owner and not self._simulated:
            return
        try:
            with self._modules.shown():
                engine = engine_here(self._settings)
        except ImportError as error:
            if self._simulated:
                raise
            self._saying.say(Printed(PROGRAM, error.args[0], "note"))
            return
        if os.getpid() != self._owner:
            return  # a child has simulated cards, too, but is not watched
        self._watching = engine.running(program=True, sampled=self._settings["sampled"])
        self._watching.__enter__()
        engine.copies.tracing = self._tracing
        self._engine = engine
        self._saying.begin()

    def _seen_by_now(self) -> Watched:
        """Said at once by the thread that asks; stretches come after the rows they name."""
        seen = self._seen()
        self._say_stretches()
        return seen

    def _say_stretches(self) -> None:
        traced = None if self._tracing is None else self._tracing.taken(PROGRAM)
        if traced is not None:
            self._saying.say(traced)

    def _seen(self, *, over: bool = False) -> Watched:
        """What changed since it was last asked for. Real cards are named where they were used;
        that there is none, at the end.
        """
        took = time.perf_counter() - self._began
        engine, seen = self._engine, Watched(PROGRAM, took, 0.0)
        if engine is not None:
            seen = engine.watched(PROGRAM)
            # PyTorch counts real ones without waking them.
            none = over and not sys.modules["torch"].cuda.device_count()
            if not self._devices_said and (self._simulated or seen.memory or none):
                seen = replace(seen, devices=tuple(engine.devices()))
                self._devices_said = True
        return replace(seen, children=self._children.by_kind)

    def _end(self) -> None:
        """The program is over, with its threads and all it registered. Whatever it has done to
        Python, or its signals do now: nothing of ours is printed.
        """
        with suppress(BaseException):
            if os.getpid() == self._owner:
                mend_builtins()  # nobody but us needs them any more
                with no_signals():
                    self._tell_end()

    def _tell_end(self) -> None:
        took = time.perf_counter() - self._began
        error = getattr(sys, "last_value", None)
        seen = Watched(PROGRAM, took, 0.0, children=self._children.by_kind)
        with suppress(Exception):  # a card may be broken; that is the program's affair
            if self._engine is not None:
                self._engine.settle()
            seen = self._seen(over=True)
        self._saying.say(replace(seen, over=True))
        self._say_stretches()
        if error is None:
            self._saying.say(Finished(PROGRAM, took, memory=seen.memory))
        else:
            said = Failed(PROGRAM, "raised", "", "")
            with suppress(Exception):  # an exception may be anything
                said = failed(PROGRAM, error, lambda: seen.memory)
            self._saying.say(replace(said, host_seconds=took))
        self._saying.finish()
        # What is destroyed later may compute, and our part would have to import for that.
        if self._watching is not None:
            self._watching.__exit__(None, None, None)
            if self._simulated:
                with self._modules.shown():
                    from gpuexplorer.worker.engines.virtual.engine import leave  # noqa: PLC0415

                    leave()

    def _before_fork(self) -> None:
        if self._engine is not None:
            self._engine.copies.lock.acquire()

    def _after_fork(self) -> None:
        if self._engine is not None:
            self._engine.copies.lock.release()

    def _leave(self) -> None:
        """In a child, which goes on as an ordinary Python."""
        self._after_fork()
        self._saying.leave()


class _Typed(io.FileIO):
    """`ask` is called whenever the program begins to wait for what is typed."""

    def __init__(self, ask: "Callable[[], None]") -> None:
        super().__init__(0, closefd=False)
        self._ask = ask

    # Any: whatever takes bytes.
    def readinto(self, into: Any, /) -> int:
        if sys.platform == "win32" or not select.select([0], [], [], 0)[0]:
            self._ask()
        return super().readinto(into)


LOADER, POOL, FORK, OTHER = "loader", "multiprocessing", "fork", "other program"
_OTHERS = {"subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "pty.spawn"}


class Children:
    """`before` is called before a fork, `after` in its parent, `leave` in its child."""

    def __init__(
        self,
        before: "Callable[[], object]",
        after: "Callable[[], object]",
        leave: "Callable[[], object]",
    ) -> None:
        self.counted: Counter[str] = Counter()
        self._owner = os.getpid()
        self._before = before
        self._starting = threading.local()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(
                before=self._forking, after_in_parent=after, after_in_child=leave
            )
        setattr(BaseProcess, "start", self._counting(BaseProcess.start))  # noqa: B010 - mypy
        sys.addaudithook(self._hear)

    @property
    def by_kind(self) -> "tuple[tuple[str, int], ...]":
        return tuple(sorted(self.counted.items()))

    # Any: a process of multiprocessing's, of whichever kind.
    def _counting(self, original: "Callable[[Any], None]") -> "Callable[[Any], None]":
        @functools.wraps(original)
        def start(process: Any) -> None:
            self._count(LOADER if _is_in_loader(sys._getframe(1)) else POOL)
            self._starting.now = True
            try:
                original(process)
            finally:
                self._starting.now = False

        return start

    def _forking(self) -> None:
        if not getattr(self._starting, "now", False):
            self._count(FORK)
        self._before()

    def _hear(self, event: str, _: object) -> None:
        if event in _OTHERS:
            self._count(OTHER)

    def _count(self, kind: str) -> None:
        if os.getpid() == self._owner:
            self.counted[kind] += 1


def _is_in_loader(frame: "FrameType | None") -> bool:
    while frame is not None:
        if str(frame.f_globals.get("__name__")).startswith("torch.utils.data"):
            return True
        frame = frame.f_back
    return False


_OURS = str(Path(__file__).parents[1])
_IMPORT = "<frozen importlib."
# Python's own, whatever an exception of the person's has in their place.
_TRACE, _CAUSE, _CONTEXT = (
    vars(BaseException)[each] for each in ("__traceback__", "__cause__", "__context__")
)
_GROUP: Any = vars(builtins).get("BaseExceptionGroup", ())  # Python 3.10 has none
# By which an operation goes on that was seen.
_BEHIND = ("/torch/_ops.py", "\\torch\\_ops.py")


def print_without_ours() -> None:
    """Python's own hooks; one that the program sets is its own affair."""
    original = sys.excepthook

    def excepthook(
        kind: "type[BaseException]", error: BaseException, trace: "TracebackType | None"
    ) -> None:
        strip(error)
        original(kind, error, error.__traceback__)

    sys.excepthook = sys.__excepthook__ = excepthook
    in_threads = threading.excepthook

    # Any: what threading hands on is a tuple of its own.
    def threads_excepthook(args: Any) -> None:
        error = args.exc_value
        if error is not None:
            strip(error)
            args = type(args)((args.exc_type, error, error.__traceback__, args.thread))
        in_threads(args)

    threading.excepthook = threading.__excepthook__ = threads_excepthook


def strip(error: BaseException) -> None:
    """From the error, and from those that led to it."""
    left: list[BaseException | None] = [error]
    seen: set[int] = set()
    while left:
        each = left.pop()
        if each is None or id(each) in seen:
            continue
        seen.add(id(each))
        _TRACE.__set__(each, _stripped(_TRACE.__get__(each)))
        left += [_CAUSE.__get__(each), _CONTEXT.__get__(each)]
        if isinstance(each, _GROUP):
            left += each.exceptions


def _stripped(trace: "TracebackType | None") -> "TracebackType | None":
    entries = []
    while trace is not None:
        entries.append(trace)
        trace = trace.tb_next
    files = [each.tb_frame.f_code.co_filename for each in entries]
    ours = [each.startswith(_OURS) for each in files]
    for place, file in enumerate(files):
        beside = place and ours[place - 1]
        ours[place] = ours[place] or bool(beside and file.endswith(_BEHIND))
    # Python leaves out its own steps of an import, unless there are others between them.
    for places in (range(len(files)), reversed(range(len(files)))):
        beside = False
        for place in places:
            beside = ours[place] = ours[place] or (beside and files[place].startswith(_IMPORT))
    kept = [each for each, left_out in zip(entries, ours, strict=True) if not left_out]
    for one, following in itertools.pairwise(kept):
        one.tb_next = following
    if not kept:
        return None
    kept[-1].tb_next = None
    return kept[0]
