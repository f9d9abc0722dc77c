"""A person's program in a process of its own, as `python FILE` runs it; and what is said of it
from its first line to its last, by a thread that keeps nothing else waiting.
"""

import atexit
import io
import os
import platform
import queue
import select
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AbstractContextManager, suppress
from dataclasses import replace
from importlib.metadata import PackageNotFoundError, version
from multiprocessing.process import BaseProcess
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from gpuexplorer.core.words import Message
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
from gpuexplorer.worker.engine import engine_for, failed
from gpuexplorer.worker.places import take_files
from gpuexplorer.worker.starting import when_imported
from gpuexplorer.worker.streams import begin_unseen
from gpuexplorer.worker.watching.tracing import Tracing

if TYPE_CHECKING:
    from gpuexplorer.worker.engine import Engine

_PERIOD = 0.5
_LAST_PATIENCE = 2.0  # for a reader that is slow, once the program is over
_LOADERS = "torch.utils.data"
_OTHERS = {"subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn"}


class Saying:
    """Where nobody reads, the thread waits, or ends; the program goes on either way."""

    def __init__(self, pipe: int, look: "Callable[[], object]") -> None:
        """`look` is called now and then, once there is something to see."""
        self._pipe, self._look = pipe, look
        self._events: queue.SimpleQueue[Event | None] = queue.SimpleQueue()
        self._begun = False
        self._over = threading.Event()

    def begin(self) -> None:
        begin_unseen(self._run)
        self._begun = True

    def say(self, event: Event) -> None:
        if self._begun:
            self._events.put(event)
        else:
            self._write(event)

    def finish(self) -> None:
        """All is said, unless nobody reads it."""
        if self._begun:
            self._events.put(None)
            self._over.wait(_LAST_PATIENCE)

    def _run(self) -> None:
        due = time.monotonic() + _PERIOD
        while not self._over.is_set():
            try:
                event = self._events.get(timeout=max(0.0, due - time.monotonic()))
            except queue.Empty:
                due = time.monotonic() + _PERIOD
                with suppress(Exception):  # the program may be changing what is looked at
                    self._look()
                continue
            if event is None:
                self._over.set()
            else:
                self._write(event)

    def _write(self, event: Event) -> None:
        line = memoryview(line_of(event).encode())
        try:
            while line:
                line = line[os.write(self._pipe, line) :]
        except OSError:  # nobody reads any more
            self._over.set()


# Any: the settings are JSON.
class WatchedProgram:
    """Python runs the program by itself; this hears of PyTorch's import, and of the end."""

    def __init__(self, pipe: int, settings: "dict[str, Any]") -> None:
        self._settings = settings
        self._owner = os.getpid()
        self._engine: Engine | None = None
        self._watching: AbstractContextManager[object] | None = None
        self._began = 0.0
        self._simulated = bool(settings["cards"])
        self._devices_said = False
        self._children: Counter[str] = Counter()  # that were not watched, by kind
        self._tracing = Tracing() if settings["traced"] else None
        self._saying = Saying(pipe, self._say_seen)

    def begin(self) -> None:
        atexit.register(self._end)  # the first of all, so that it comes last
        self._count_children()
        sys.excepthook = sys.__excepthook__ = _print_without_ours
        take_files(taken=True)
        if not self._settings["own_streams"]:
            sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
            # A person types it into the window.
            raw = _Typed(lambda: self._saying.say(Asked(PROGRAM, "input", "")))
            sys.stdin = sys.__stdin__ = io.TextIOWrapper(  # type: ignore[misc]  # as ever
                io.BufferedReader(raw), sys.stdin.encoding, sys.stdin.errors
            )
        self._began = time.perf_counter()
        kind = "simulated cards" if self._simulated else ""
        torch = ""  # the program imports it when it wants to, and chooses much before that
        with suppress(PackageNotFoundError):
            torch = version("torch")
        self._saying.say(Hello(0, platform.python_version(), torch, kind, self._simulated))
        self._saying.say(Began(PROGRAM))
        when_imported("torch", self._watch)

    def _count_children(self) -> None:
        original = BaseProcess.start

        # Any: a process of multiprocessing's, of whichever kind.
        def start(process: Any) -> None:
            runs = str(getattr(process._target, "__module__", ""))
            self._children["loader" if runs.startswith(_LOADERS) else "multiprocessing"] += 1
            original(process)

        def hear(event: str, _: object) -> None:
            if event in _OTHERS and os.getpid() == self._owner:
                self._children["other program"] += 1

        setattr(BaseProcess, "start", start)  # noqa: B010 - mypy
        sys.addaudithook(hear)

    def _watch(self) -> None:
        """PyTorch was imported. A real card is not asked for before the program does so."""
        if os.getpid() != self._owner:
            return
        try:
            engine = engine_for(self._settings)
        except (ImportError, AttributeError) as error:
            lacking = Message("This PyTorch lacks what the lab needs: {said}.", said=str(error))
            self._saying.say(Printed(PROGRAM, lacking, "note"))
            return
        self._watching = engine.running(program=True, sampled=self._settings["sampled"])
        self._watching.__enter__()
        engine.copies.tracing = self._tracing
        if hasattr(os, "register_at_fork"):
            lock = engine.copies.lock
            os.register_at_fork(
                before=lock.acquire, after_in_parent=lock.release, after_in_child=lock.release
            )
        self._engine = engine
        self._saying.begin()

    def _say_seen(self, *, over: bool = False) -> Watched:
        """What changed since it was last asked for. Real cards are named where they were used;
        that there is none, at the end. Stretches come after the rows they name.
        """
        engine, seen = self._engine, Watched(PROGRAM, time.perf_counter() - self._began, 0.0)
        with suppress(RuntimeError):  # a card may be broken; that is the program's affair
            if engine is not None:
                if over:
                    with suppress(RuntimeError):
                        engine.settle()
                seen = engine.watched(PROGRAM)
                # PyTorch counts real ones without waking them.
                none = over and not sys.modules["torch"].cuda.device_count()
                if not self._devices_said and (self._simulated or seen.memory or none):
                    seen = replace(seen, devices=tuple(engine.devices()))
                    self._devices_said = True
        children = tuple(sorted(self._children.items()))
        self._saying.say(replace(seen, children=children, over=over))
        traced = None if self._tracing is None else self._tracing.taken(PROGRAM)
        if traced is not None:
            self._saying.say(traced)
        return seen

    def _end(self) -> None:
        """The program is over, with its threads and all it registered. Nothing of ours is
        printed, whatever its signals do now.
        """
        if os.getpid() != self._owner:
            return
        with suppress(BaseException):
            took = time.perf_counter() - self._began
            error = getattr(sys, "last_value", None)
            seen = self._say_seen(over=True)
            said: Finished | Failed = Finished(PROGRAM, took, memory=seen.memory)
            if error is not None:
                said = failed(PROGRAM, error, lambda: seen.memory)
            self._saying.say(replace(said, host_seconds=took))
            self._saying.finish()
            # What is destroyed later may compute, and our part would have to import for that.
            if self._watching is not None:
                self._watching.__exit__(None, None, None)
                if self._simulated:
                    from gpuexplorer.worker.engines.virtual.engine import leave  # noqa: PLC0415

                    leave()


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


_OURS = str(Path(__file__).parents[1])
# By which an operation goes on that was seen, or a program that we run ourselves.
_BEHIND = ("/torch/_ops.py", "\\torch\\_ops.py", "<frozen runpy>")
_pythons_own = sys.excepthook


def _print_without_ours(
    kind: "type[BaseException]", error: BaseException, _: "TracebackType | None"
) -> None:
    """Python's own hook, of the error and of those that led to it; one that the program sets is
    its own affair.
    """
    left = [error]
    for each in left:
        each.__traceback__ = _stripped(each.__traceback__)
        led = each.__cause__, each.__context__
        left += [one for one in led if one is not None and one not in left]
    _pythons_own(kind, error, error.__traceback__)


def _stripped(trace: "TracebackType | None") -> "TracebackType | None":
    kept, ours = [], False
    while trace is not None:
        file = trace.tb_frame.f_code.co_filename
        ours = file.startswith(_OURS) or (ours and file.endswith(_BEHIND))
        if not ours:
            kept.append(trace)
        trace = trace.tb_next
    for one, following in zip(kept, [*kept[1:], None], strict=False):
        one.tb_next = following
    return kept[0] if kept else None
