"""A process's pipes, read and written until it ends, or until nobody wants that any more.

Its end is not the pipes': ssh hands them to the process that keeps the shared connection, and
that may be deaf for as long as its link is.
"""

import os
import queue
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import IO

_AT_ONCE = 1 << 16
_LOOKING = 0.25  # seconds
_WAITING = 16  # pieces


class Readable:
    """What the process left behind may hold its pipe open; that is not waited for."""

    def __init__(self, pipe: "IO[bytes]", process: "subprocess.Popen[bytes]") -> None:
        self._pipe, self._process = pipe, process

    def pieces(self, stopped: threading.Event) -> "Iterator[bytes]":
        """Now and then an empty one, while nothing comes."""
        if sys.platform == "win32":  # has nothing to ask a pipe with
            return self._pumped(stopped)
        return self._polled(stopped)

    def _polled(self, stopped: threading.Event) -> "Iterator[bytes]":
        import select  # noqa: PLC0415 - not what it is on Windows

        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        with self._pipe:
            while not stopped.is_set():
                ended = self._process.poll() is not None
                if poll.poll(_LOOKING * 1000):
                    if not (data := self._read()):
                        return
                    yield data
                elif ended:
                    return
                else:
                    yield b""

    def _pumped(self, stopped: threading.Event) -> "Iterator[bytes]":
        """By one more thread, which ends when the process has."""
        came: queue.Queue[bytes] = queue.Queue(_WAITING)

        def pump() -> None:
            with self._pipe:
                data = b" "
                while data and not stopped.is_set():
                    data = self._read()
                    came.put(data)

        threading.Thread(target=pump, name="link pump", daemon=True).start()
        while True:  # also what is not wanted is taken, so that the pump can end
            try:
                if not (data := came.get(timeout=_LOOKING)):
                    return
            except queue.Empty:
                data = b""
                if self._process.poll() is not None:
                    return
            if not stopped.is_set():
                yield data

    def _read(self) -> bytes:
        try:
            return os.read(self._pipe.fileno(), _AT_ONCE)
        except OSError:
            return b""


def write_all(pipe: "IO[bytes]", data: bytes, over: threading.Event) -> None:
    """Raises OSError where nobody reads any more."""
    left = memoryview(data)
    if sys.platform == "win32":
        while left:
            left = left[pipe.write(left) :]
        return
    import select  # noqa: PLC0415 - not what it is on Windows

    os.set_blocking(pipe.fileno(), False)
    poll = select.poll()
    poll.register(pipe, select.POLLOUT)
    while left and not over.is_set():
        if poll.poll(_LOOKING * 1000):
            left = left[os.write(pipe.fileno(), left) :]
