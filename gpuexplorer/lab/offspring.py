"""Offspring: what a process has started, on Linux, and what that started: found, kept near, and
ended with it. Elsewhere there is none to be seen.
"""

import contextlib
import ctypes
import os
import signal
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_PR_SET_PDEATHSIG, _PR_SET_CHILD_SUBREAPER = 1, 36
_ROUNDS = 3  # what starts others while it is ended


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    session: int
    threads: int
    user: int


def processes() -> "Iterator[Process]":
    """All that Linux shows; none elsewhere."""
    with contextlib.suppress(OSError), os.scandir("/proc") as found:
        for each in found:
            if each.name.isdigit():
                with contextlib.suppress(OSError, ValueError, IndexError):
                    text = Path(each.path, "stat").read_bytes().rpartition(b")")[2].split()
                    parent, session, threads = (int(text[at]) for at in (1, 3, 17))
                    user = each.stat().st_uid
                    yield Process(int(each.name), parent, session, threads, user)


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
