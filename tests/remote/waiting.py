"""Waiting for what comes by itself, and for processes that belong to nobody here."""

import threading
import time
from collections.abc import Callable
from pathlib import Path


def becomes(true: Callable[[], bool], seconds: float) -> bool:
    deadline = time.monotonic() + seconds
    pause = threading.Event()
    while not (came := true()) and time.monotonic() < deadline:
        pause.wait(0.01)  # what is waited for needs the processor too
    return came


def gone_within(pid: int, seconds: float) -> bool:
    """Or nothing but its entry is left, since nobody asked for its status."""
    return becomes(lambda: _gone(pid), seconds)


def _gone(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text("ascii", "replace").rpartition(")")[2]
    except OSError:
        return True
    return state.split()[0] == "Z"
