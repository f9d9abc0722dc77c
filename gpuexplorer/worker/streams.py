"""Streams: what a cell prints, in Python and below it, said as it comes and not without end."""

import codecs
import contextlib
import ctypes
import io
import os
import select
import selectors
import socket
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Any, Union

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Pictured, Printed
from gpuexplorer.lab.printed import MOST_PRINTED, overwritten
from gpuexplorer.worker.guards import high
from gpuexplorer.worker.places import cell_of, is_own

_APART = 100  # letters that an output of its own counts at least
_CHUNK = 8_000
_PAUSE = 0.05  # seconds between two chunks that are not full
_READ = 1 << 16
_NAMES = {1: "out", 2: "err"}


class Streams:
    """Takes `sys.stdout` and `sys.stderr`, and the descriptors 1 and 2 where the system can.

    What comes while no cell runs, such as from a thread that was left behind, belongs to the
    newest. `whole`: within it nothing interrupts.
    """

    def __init__(
        self, say: "Callable[[Event], None]", whole: "AbstractContextManager[None]"
    ) -> None:
        self._say = say
        self._whole = whole
        self._lock = threading.RLock()  # a destructor may print while we are at it
        self.forked = False
        self.command = 0  # the newest
        self._stream = "out"
        self._waiting: list[str] = []
        self._letters = 0  # of these
        self._last = 0.0  # when something was said, or began to wait
        self._joined = ""  # the stream whose next text goes on in the newest output
        self._room = MOST_PRINTED + _APART
        self._cut = False  # it was said that there is no room
        self._left_out = 0
        decoder = codecs.getincrementaldecoder("utf-8")
        self._decoders = {each: decoder("replace") for each in (1, 2, -1, -2)}
        self._ends: dict[int, int] = {}  # by descriptor: where what is written there goes in
        self._below: dict[int, int] = {}  # where it comes out, and of which descriptor
        self._ready = select.poll() if hasattr(select, "poll") else None
        self._selector = selectors.DefaultSelector()
        self.errors = high(os.dup(2))  # where the worker's last words go
        self._bell, self._ear = (_high(each) for each in socket.socketpair())
        self._bell.settimeout(0)
        self._selector.register(self._ear, selectors.EVENT_READ)
        if self._ready is not None:
            for number in _NAMES:
                self._take(number)
        sys.stdout = sys.stderr = None  # made in the next line
        self.renew()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)
        threading.Thread(target=self._pump, name="prints", daemon=True).start()

    def begin(self, command: int) -> None:
        """A new cell; what was closed is open again."""
        with self._whole, self._lock:
            self._flush()
            self.command, self._joined = command, ""
            self._room, self._cut, self._left_out = MOST_PRINTED + _APART, False, 0
        self.renew()

    def finish(self) -> None:
        """All that the cell printed is said now."""
        for name in ("stdout", "stderr"):
            with contextlib.suppress(Exception):  # it may be a person's own
                getattr(sys, name).flush()
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).fflush(None)
        with self._whole, self._lock:
            for _ in range(64):  # nobody writes faster for ever
                if not self._read_below():
                    break
            self._flush()
            if self._left_out:
                left_out = Message(
                    "{letters} letters were left out.", letters=f"{self._left_out:,}"
                )
                self._say(Printed(self.command, left_out, "note"))
                self._left_out = 0

    def takes(self, letters: int) -> bool:
        """Whether there is room for an output apart from the text that counts so much."""
        with self._whole, self._lock:
            self._read_below()
            self._flush()
            if not self._room:
                self._leave_out(0)
                return False
            self._room = max(0, self._room - max(letters, _APART))
            return True

    def event(self, event: Event) -> None:
        """Said after everything that was printed before it."""
        if self.forked:
            return
        with self._whole, self._lock:
            self._read_below()
            self._flush()
            if isinstance(event, (Printed, Pictured)):
                self._joined = ""
            self._say(event)

    def note(self, text: Message) -> None:
        """A sentence of the lab's own."""
        self.event(Printed(self.command, text, "note"))

    def write(self, number: int, data: bytes) -> None:
        """From Python, in any thread."""
        if self.forked:
            while data:
                data = data[os.write(number, data) :]
            return
        with self._lock:
            if self._room:
                self._read_below()
            self._put(number, -number, data)

    def renew(self) -> None:
        for number, name in ((1, "stdout"), (2, "stderr")):
            if getattr(getattr(sys, name, None), "closed", True):
                made = io.TextIOWrapper(
                    _Written(self, number),  # type: ignore[type-var]  # raw is enough
                    encoding="utf-8",
                    errors="backslashreplace",
                    newline="\n",
                    write_through=True,
                )
                setattr(sys, name, made)
                setattr(sys, f"__{name}__", made)
            if number in self._ends:
                try:
                    os.fstat(number)
                except OSError:
                    os.dup2(self._ends[number], number)

    def _take(self, number: int) -> None:
        out, into = os.pipe()
        out, into = high(out), high(into)
        os.set_blocking(out, False)
        os.dup2(into, number)
        self._ends[number], self._below[out] = into, number
        self._selector.register(out, selectors.EVENT_READ)
        assert self._ready is not None
        self._ready.register(out, select.POLLIN)
        with contextlib.suppress(Exception):  # C's own would keep lines back
            name = {1: "stdout", 2: "stderr"}[number]
            library = ctypes.CDLL(None)
            file = ctypes.c_void_p.in_dll(library, name)
            library.setvbuf(file, None, 1, 0)  # _IOLBF

    def _pump(self) -> None:
        """In a thread of its own."""
        while True:
            found = self._selector.select(_PAUSE if self._waiting else None)
            with self._lock:
                if any(key.fileobj is self._ear for key, _ in found):
                    self._ear.recv(_READ)
                self._read_below()
                if time.monotonic() - self._last >= _PAUSE:
                    self._flush()

    def _read_below(self) -> bool:
        """What was written to the descriptors by C, or by another program."""
        if self._ready is None:
            return False
        ready = self._ready.poll(0)
        for out, _ in ready:
            with contextlib.suppress(BlockingIOError):
                number = self._below[out]
                self._put(number, number, os.read(out, _READ))
        return bool(ready)

    def _put(self, number: int, source: int, data: bytes) -> None:
        if not self._room:
            self._leave_out(len(data))
            return
        if self._stream != _NAMES[number]:
            self._flush()
            self._stream = _NAMES[number]
        text = self._decoders[source].decode(data)
        pause = time.monotonic() - self._last
        if not self._waiting:
            # Full, it has rung already; and who would make room may be waiting for our lock.
            with contextlib.suppress(BlockingIOError):
                self._bell.send(b"\0")
            self._last = max(self._last, time.monotonic() - _PAUSE / 2)
        self._waiting.append(text)
        self._letters += len(text)
        if self._letters >= _CHUNK or (pause >= _PAUSE and text.endswith("\n")):
            self._flush()

    def _flush(self) -> None:
        text, self._waiting, self._letters = "".join(self._waiting), [], 0
        if not text:
            return
        self._last = time.monotonic()
        text = overwritten(text)
        shown = text[: self._room]
        # A line that is written over and over, as of a progress bar, does not fill anything.
        count = len(shown) if "\n" in shown or "\r" not in shown else 0
        if shown:
            if self._stream != self._joined:
                self._joined = self._stream
                count += _APART
            self._say(Printed(self.command, shown, self._stream))
        self._room = max(0, self._room - count)
        if len(text) > len(shown):
            self._leave_out(len(text) - len(shown))

    def _leave_out(self, letters: int) -> None:
        if not self._cut:
            self._cut = True
            cut = Message("This prints too much for the lab: what follows is left out.")
            self._say(Printed(self.command, cut, "note"))
        self._left_out += letters

    def _leave(self) -> None:
        """In a child, what is printed goes through the descriptors to its parent."""
        self.forked = True
        self._waiting = []
        self._lock = threading.RLock()


class _Written(io.RawIOBase):
    def __init__(self, streams: Streams, number: int) -> None:
        super().__init__()
        self._streams = streams
        self._number = number

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    # Any: whatever holds bytes.
    def write(self, data: Any) -> int:
        whole = bytes(data)
        self._streams.write(self._number, whole)
        return len(whole)


def tell_warnings(streams: Streams) -> None:
    """As events, with the cell's line that they are about."""

    def show(
        message: Union[Warning, str],  # noqa: UP007 - Python 3.10
        category: "type[Warning]",
        filename: str,
        lineno: int,
        file: Any = None,
        line: Any = None,
    ) -> None:
        cell, number = _cell(filename, lineno)
        text = f"{category.__name__}: {str(message).strip()}"[:_CHUNK]
        if streams.takes(len(text)):
            streams.event(Printed(streams.command, text, "warning", cell, number))

    warnings.showwarning = show
    # PyTorch asks for it; the window shows what is drawn, whatever draws it.
    warnings.filterwarnings("ignore", message=".*is non-interactive, and thus cannot")


def _cell(filename: str, line: int) -> "tuple[int, int]":
    """Where a library warns of itself, the cell that called it."""
    frame: Any = sys._getframe(2)
    while frame is not None and not is_own(filename):
        filename, line = frame.f_code.co_filename, frame.f_lineno
        frame = frame.f_back
    cell = cell_of(filename)
    return (cell, line) if cell else (0, 0)


def _high(each: socket.socket) -> socket.socket:
    return socket.socket(fileno=high(each.detach())) if os.name != "nt" else each
