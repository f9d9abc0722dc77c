"""WatchedProgram: what is said of a program from its first line to its last, by a thread that
keeps nothing else waiting.
"""

import _thread
import atexit
import contextlib
import io
import os
import platform
import queue
import select
import sys
import time
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext, suppress
from dataclasses import replace
from typing import Any

from gpuexplorer.lab.events import (
    VERSION,
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
from gpuexplorer.worker.engine import Engine
from gpuexplorer.worker.failures import failed
from gpuexplorer.worker.guards import begin_unseen, high, mend_builtins, no_signals
from gpuexplorer.worker.places import take_files
from gpuexplorer.worker.program.children import Children
from gpuexplorer.worker.program.own_modules import (
    OwnModules,
    engine_here,
    waiting_passively,
    when_imported,
)
from gpuexplorer.worker.program.tracebacks import print_without_ours
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
        self._saying.say(self._hello())
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

    def _hello(self) -> Hello:
        kind = "simulated cards" if self._simulated else ""
        version = platform.python_version()
        return Hello(VERSION, version, self._torch_version, kind, self._simulated)

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
            known = self._simulated or seen.memory or (over and not _cards())
            if known and not self._devices_said:
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
        self._leave_torch()

    def _leave_torch(self) -> None:
        """What is destroyed later may compute, and our part would have to import for that."""
        if self._watching is not None:
            self._watching.__exit__(None, None, None)
        if self._watching is not None and self._simulated:
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


def _cards() -> int:
    """Those of NVIDIA and AMD; PyTorch counts them without waking them."""
    count: int = sys.modules["torch"].cuda.device_count()
    return count
