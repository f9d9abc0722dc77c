"""Offspring: what a process has started, and what that started: found, kept near, and ended
with it where Linux shows it.
"""

import contextlib
import ctypes
import os
import signal
import sys
from pathlib import Path

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
