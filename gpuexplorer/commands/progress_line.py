"""ProgressLine: how far something has got, in one line of a terminal."""

import os
import threading
import time
from typing import Self, TextIO

from gpuexplorer.commands.page import cut
from gpuexplorer.commands.windows_console import draws_in_place

_EVERY = 0.1
_USUAL_WIDTH = 79


class ProgressLine:
    """Written over itself, and taken away at the end; only where a person looks.

    `show` may be called from any thread.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._seen = draws_in_place(stream) and os.environ.get("TERM") != "dumb"
        self._lock = threading.Lock()
        self._written = -_EVERY
        self._over = False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        with self._lock:
            self._over = True
            if self._seen:
                self._stream.write("\r\x1b[K")
                self._stream.flush()

    def show(self, words: str) -> None:
        now = time.monotonic()
        with self._lock:
            if not self._seen or self._over or now - self._written < _EVERY:
                return
            self._written = now
            self._stream.write(f"\r{cut(words, self._width())}\x1b[K")
            self._stream.flush()

    def _width(self) -> int:
        try:
            columns = os.get_terminal_size(self._stream.fileno()).columns
            return max(20, columns - 1) if columns else _USUAL_WIDTH
        except (OSError, ValueError):
            return _USUAL_WIDTH
