"""Children: nothing that the agent started over there outlives it."""

import ctypes
import os
import signal
import sys
from contextlib import suppress

from gpuexplorer.telemetry import proc_files

_PR_SET_CHILD_SUBREAPER = 36
_ROUNDS = 3  # what starts others while it is ended


def adopt() -> None:
    """From now on also what a child leaves behind is a child of ours."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


def end_all() -> None:
    if sys.platform != "linux":
        return
    for _ in range(_ROUNDS):
        started = _started_by(os.getpid())
        for pid in started:
            with suppress(OSError):
                os.kill(pid, signal.SIGKILL)
        if not started:
            return


def _started_by(pid: int) -> "list[int]":
    children = proc_files.children_of_all()
    found, waiting = [], [pid]
    while waiting:
        those = children.get(waiting.pop(), [])
        found += those
        waiting += those
    return found
