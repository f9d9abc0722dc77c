"""Offspring: what a process has started, and what that started: found, kept near, ended with it
where Linux shows it, and handed the signals that are meant for it.

Imports little: every command begins with it.
"""

import contextlib
import ctypes
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_ROUNDS = 3  # what starts others while it is ended


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    threads: int
    user: int


def processes() -> "Iterator[Process]":
    """All that Linux shows; none elsewhere."""
    with contextlib.suppress(OSError), os.scandir("/proc") as found:
        for each in found:
            if each.name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    text = Path(each.path, "stat").read_bytes().rpartition(b")")[2].split()
                    parent, threads = int(text[1]), int(text[17])
                    user = each.stat().st_uid
                    yield Process(int(each.name), parent, threads, user)


def descendants(pid: int) -> "list[int]":
    """The process itself, what it started, and what those started."""
    found = [pid]
    children = [(each.parent, each.pid) for each in processes()]
    for each in found:
        found += [child for parent, child in children if parent == each]
    return found


def adopt() -> None:
    """From now on also what a child leaves behind is a child of ours."""
    _process_control(_PR_SET_CHILD_SUBREAPER, 1)


def end_with_parent() -> None:
    """However that ends."""
    _process_control(_PR_SET_PDEATHSIG, signal.SIGKILL)


def end_all() -> None:
    """All that this process has started."""
    for _ in range(_ROUNDS):
        started = descendants(os.getpid())[1:]
        for each in started:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)
        if not started:
            return


def _process_control(option: int, value: int) -> None:
    """Linux alone has it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


_NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
HANDED_ON = frozenset(getattr(signal, name) for name in _NAMES if hasattr(signal, name))
_LOOK = 0.1  # seconds until the thread sees that it is over


@contextlib.contextmanager
def held_back() -> "Iterator[None]":
    """Threads that begin meanwhile, such as numpy's, leave signals to the main thread for good;
    what comes meanwhile waits for it.
    """
    if sys.platform == "win32":
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


class HandingOn:
    """Signals, while a program has our terminal: it gets each of them once.

    At a terminal, Ctrl+C reaches the program and us alike; it is the program's to answer, and
    we wait for its end. What somebody sends to us alone is handed on.

    Entered in the main thread before the program is started, left when it has ended.
    """

    def __init__(self) -> None:
        self._send: Callable[[int], None] | None = None
        self._over = threading.Event()
        self._thread: threading.Thread | None = None
        self._blocked: Any = ()
        self._handlers: dict[int, Any] = {}

    def to(self, send: "Callable[[int], None]") -> None:
        """The program runs; what came in the meantime is handed on now."""
        self._send = send
        if sys.platform == "linux":
            self._thread = threading.Thread(target=self._wait, name="signals", daemon=True)
            self._thread.start()

    def __enter__(self) -> "HandingOn":
        if sys.platform == "linux":
            # Held back in the program too, until it can take them: it lets them come itself.
            self._blocked = signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON)
        for each in HANDED_ON:  # a library's thread may still take what is blocked here
            if signal.getsignal(each) is not signal.SIG_IGN:  # or the program would not either
                self._handlers[each] = signal.signal(each, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        self._over.set()
        if sys.platform == "linux":
            if self._thread is not None:
                self._thread.join()
            while signal.sigtimedwait(HANDED_ON, 0) is not None:
                pass  # it was for the program
            signal.pthread_sigmask(signal.SIG_SETMASK, self._blocked)
        for each, handler in self._handlers.items():
            signal.signal(each, handler)

    def _wait(self) -> None:
        if sys.platform != "linux":
            return
        while not self._over.is_set():
            found = signal.sigtimedwait(HANDED_ON, _LOOK)
            if found is not None and found.si_code <= 0 and self._send is not None:
                self._send(found.si_signo)  # sent by a process, not by the terminal

    # Any: a frame, of which nothing is needed.
    def _on_signal(self, number: int, _: Any) -> None:
        if self._send is not None and (number == signal.SIGTERM or not _at_terminal()):
            self._send(number)


def _at_terminal() -> bool:
    """Whether what is typed at a terminal reaches us; on Windows whatever came was typed."""
    if sys.platform == "win32":
        return True
    with contextlib.suppress(OSError):
        terminal = os.open("/dev/tty", os.O_RDONLY | os.O_NOCTTY)
        try:
            return os.tcgetpgrp(terminal) == os.getpgrp()
        finally:
            os.close(terminal)
    return False
