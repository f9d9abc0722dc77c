"""Pipe: takes standard input and output for the protocol alone, and sends stray prints away."""

import errno
import os
import sys
import threading
from typing import IO

from gpuexplorer.lab.events import Event
from gpuexplorer.lab.wire import line_of


class Pipe:
    """Whatever PyTorch or a library prints goes to standard error from now on."""

    def __init__(self) -> None:
        self._out: IO[str] = os.fdopen(os.dup(1), "w", encoding="utf-8")
        self._in: IO[str] = os.fdopen(os.dup(0), encoding="utf-8", errors="replace")
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        sys.stdout = sys.stderr
        self._lock = threading.Lock()

    def say(self, event: Event) -> None:
        """From any thread. Raises BrokenPipeError where nobody listens any more."""
        with self._lock:
            try:
                self._out.write(line_of(event))
                self._out.flush()
            except OSError as error:
                if error.errno != errno.EINVAL:
                    raise
                # Windows has no word of its own for a pipe that nobody reads.
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from error

    def next_line(self) -> "str | None":
        """None at the end."""
        return self._in.readline() or None
