"""Offspring: what a process has started, and what that started: found, kept near, ended with it
where Linux shows it, and handed the signals that are meant for it.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_ROUNDS = 3  # what starts others while it is ended


def descendants(pid: int) -> "list[int]":
    """The process itself, what it started, and what those started."""
    found = [pid]
    for each in found:
        with contextlib.suppress(OSError):
            for children in Path(f"/proc/{each}/task").glob("*/children"):
                found += map(int, children.read_text("ascii").split())
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
        for each in descendants(os.getpid())[1:]:
            with contextlib.suppress(OSError):
                os.kill(each, signal.SIGKILL)


def _process_control(option: int, value: int) -> None:
    """Linux alone has it."""
    if sys.platform == "linux":
        with contextlib.suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


class HandingOn:
    """Signals, while a program has our terminal. Entered before it is started, left when it has
    ended. What is typed reaches the program and us alike; it is the program's to answer, and we
    wait for its end. That somebody wants us to end is handed on.
    """

    def __init__(self) -> None:
        self._send: Callable[[int], None] = lambda _: None
        self._before: dict[int, Any] = {}

    def to(self, send: "Callable[[int], None]") -> None:
        """The program runs."""
        self._send = send

    def __enter__(self) -> "HandingOn":
        names = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")
        for number in {getattr(signal, each, signal.SIGINT) for each in names}:
            if (
                signal.getsignal(number) is not signal.SIG_IGN
            ):  # or the program would not either
                self._before[number] = signal.signal(number, self._on_signal)
        return self

    def __exit__(self, *error: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    # Any: a frame, of which nothing is needed.
    def _on_signal(self, number: int, _: Any) -> None:
        typed = sys.platform == "win32" or any(
            os.isatty(each) and os.tcgetpgrp(each) == os.getpgrp() for each in range(3)
        )
        if number == signal.SIGTERM or not typed:
            self._send(number)
