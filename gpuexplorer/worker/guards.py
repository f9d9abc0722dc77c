"""Guards: what a person's Python may do by accident, and the session goes on; and what we do
there without being counted or interrupted by it.
"""

import _thread
import builtins
import contextlib
import errno
import functools
import mmap
import os
import signal
import subprocess
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from gpuexplorer.core.words import Message
from gpuexplorer.lab.offspring import processes


def begin_unseen(run: "Callable[[], None]") -> None:
    """In a thread. It takes none of the person's signals, nor SIGPIPE, which would end it."""
    with no_signals():
        _thread.start_new_thread(run, ())


@contextmanager
def no_signals() -> "Iterator[None]":
    """They come afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


if sys.platform != "win32":
    import fcntl
    import resource

MOST_THREADS = 1000  # of Python, at a time
MOST_PROCESSES = 500  # that a session has started, at a time
_MOST_FILES = 16_384  # open at a time
_ROOM = 4096  # processes and threads beyond those that the same person has already
_HIGH = 900  # descriptors from here on are not found by code that closes or writes to the low
_BUILTINS = dict(vars(builtins))


def high(descriptor: int) -> int:
    """The same file under a number nobody guesses, which no program started from here inherits.

    The old number is closed.
    """
    if sys.platform == "win32":
        return descriptor
    for lowest in (_HIGH, 100, 3):  # as far as the system allows
        with contextlib.suppress(OSError, ValueError):
            moved: int = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)
            os.close(descriptor)
            return moved
    return descriptor


def set_limits() -> None:
    """No core dumps; not so many files, threads and processes that other programs lack them."""
    for module in (_thread, threading):
        for name in ("start_new_thread", "start_joinable_thread"):
            for each in (name, f"_{name}"):
                _limit(module, each, _refuse_threads)
    if sys.platform == "win32":
        return
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_NOFILE, _MOST_FILES)
    own = os.getuid()
    _lower(resource.RLIMIT_NPROC, _ROOM + sum(p.threads for p in processes() if p.user == own))
    # The system does not hold root to that.
    started = _Started()
    for name in ("fork", "forkpty", "posix_spawn", "posix_spawnp"):
        _limit(os, name, started.one_more)
    _limit(subprocess, "_fork_exec", started.one_more)
    _limit(sys.modules.get("_posixsubprocess"), "fork_exec", started.one_more)


def _lower(which: int, most: int) -> None:
    if sys.platform == "win32":
        return
    soft, hard = resource.getrlimit(which)
    if soft == resource.RLIM_INFINITY or soft > most:
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(which, (most, hard))


# Any: a module's own function, whatever it takes.
def _limit(module: Any, name: str, before: "Callable[[], None]") -> None:
    original = getattr(module, name, None)
    if original is None:
        return

    @functools.wraps(original)
    def limited(*args: Any, **words: Any) -> Any:
        before()
        return original(*args, **words)

    setattr(module, name, limited)


def _refuse_threads() -> None:
    if _thread._count() >= MOST_THREADS:
        raise RuntimeError(
            Message("can't start new thread: the lab has {most} at a time", most=MOST_THREADS)
        )


class _Started:
    """How many processes this one and its children have started, as all of them count them."""

    def __init__(self) -> None:
        self._count = memoryview(mmap.mmap(-1, mmap.PAGESIZE)).cast("q")

    def one_more(self) -> None:
        self._count[0] += 1
        if self._count[0] > MOST_PROCESSES:
            session = os.getsid(0)
            self._count[0] = 1 + sum(each.session == session for each in processes())
        if self._count[0] > MOST_PROCESSES:
            text = Message("the lab has {most} processes at a time", most=MOST_PROCESSES)
            raise BlockingIOError(errno.EAGAIN, text)


@contextlib.contextmanager
def children_end_here() -> "Iterator[None]":
    """A child that a cell forks ends with the cell's code; it never serves commands."""
    owner = os.getpid()
    status = 0
    try:
        yield
    except BaseException as error:
        if os.getpid() == owner:
            raise
        status = 1
        if isinstance(error, SystemExit):
            status = error.code if isinstance(error.code, int) else int(bool(error.code))
        else:
            traceback.print_exception(error)
    finally:
        if os.getpid() != owner:
            os._exit(status)


def mend_builtins() -> "list[str]":
    """Puts back what a cell took from Python's own functions, without which nothing works."""
    now = builtins.__dict__
    gone = [name for name in _BUILTINS if name not in now]
    for name in gone:
        now[name] = _BUILTINS[name]
    return gone
