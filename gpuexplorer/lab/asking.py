"""Asking a program one question: it may never answer; then it is ended with all it started."""

import contextlib
import os
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_GLANCE = 0.1  # seconds between two looks whether it was given up
_BURYING = 1.0
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)  # Windows has one way for both


@dataclass(frozen=True)
class Answer:
    """What it printed. `code` is None where it did not end by itself, and was ended."""

    code: "int | None"
    text: str


def asked(
    command: "Sequence[str | Path]", patience: float, given_up: "threading.Event | None" = None
) -> Answer:
    """Raises OSError where it cannot be started."""
    given_up = given_up or threading.Event()
    deadline = time.monotonic() + patience
    with subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        start_new_session=True,  # to be ended with all that it started
    ) as program:
        while not given_up.is_set() and time.monotonic() < deadline:
            try:
                said, _ = program.communicate(timeout=min(_GLANCE, patience))
            except subprocess.TimeoutExpired:
                continue
            return Answer(program.returncode, said.decode("utf-8", "replace"))
        _end(program)
    return Answer(None, "")


def _end(program: "subprocess.Popen[bytes]") -> None:
    with contextlib.suppress(ProcessLookupError):
        if hasattr(os, "killpg"):
            os.killpg(program.pid, _SIGKILL)
        else:
            program.kill()
    with contextlib.suppress(subprocess.TimeoutExpired):
        program.wait(_BURYING)
