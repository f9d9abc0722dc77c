"""Readable: a process's output, read until it ends, or until nobody wants it any more."""

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import IO

_AT_ONCE = 1 << 16
_LOOKING = 0.25  # seconds


class Readable:
    """Something that the process left behind may hold its pipe open; that is not waited for."""

    def __init__(self, pipe: "IO[bytes]", process: "subprocess.Popen[bytes]") -> None:
        self._pipe, self._process = pipe, process

    def pieces(self, stopped: threading.Event) -> "Iterator[bytes]":
        """Now and then an empty one, while nothing comes; closes the pipe at the end."""
        with self._pipe:
            while not stopped.is_set():
                ended = self._process.poll() is not None
                if not self._something_came():
                    if ended:
                        return
                    yield b""
                    continue
                data = self._read()
                if not data:
                    return
                yield data

    def _read(self) -> bytes:
        try:
            return os.read(self._pipe.fileno(), _AT_ONCE)
        except OSError:
            return b""

    def _something_came(self) -> bool:
        if sys.platform == "win32":  # has nothing to ask a pipe with; there reading waits
            return True
        import select  # noqa: PLC0415 - not what it is on Windows

        poll = select.poll()
        poll.register(self._pipe, select.POLLIN)
        return bool(poll.poll(_LOOKING * 1000))
