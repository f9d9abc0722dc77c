"""The worker's ways out and in: the pipe for the protocol alone; what a cell prints and draws,
said as it comes and not without end; and Stop, the window's Cancel in the main thread.
"""

import _thread
import base64
import contextlib
import ctypes
import io
import os
import select
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable
from contextlib import AbstractContextManager
from types import FrameType
from typing import Any

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Pictured, Printed
from gpuexplorer.lab.printed import MOST_PRINTED, overwritten
from gpuexplorer.lab.wire import line_of
from gpuexplorer.worker.places import place
from gpuexplorer.worker.starting import when_imported

_FIGURE = 4_000  # letters that a figure counts
_CHUNK = 8_000  # letters that are said at once
_PAUSE = 0.05  # seconds in which less than that is gathered
_READ = 1 << 16  # bytes: all that a pipe holds
_PYPLOT = "matplotlib.pyplot"


class Stop:
    """Within `with stop:` an interrupt waits: what is said to the window is said whole."""

    def __init__(self) -> None:
        self.running: int | None = None  # the command that may be interrupted
        self._cancelled: set[int | None] = set()
        self._main = threading.main_thread().ident or 0
        self._whole = 0
        self._late = False
        sys.unraisablehook = self._on_ignored

    def begin(self, command: int) -> None:
        """A cell before it may have set a handler of its own."""
        signal.signal(signal.SIGINT, self._on_signal)
        self.running = command
        self.checkpoint()

    def cancel(self, command: int) -> None:
        """From the thread that listens. What waits in the system is interrupted too."""
        self._cancelled.add(command)
        if command != self.running:
            return
        if hasattr(signal, "pthread_kill"):
            signal.pthread_kill(self._main, signal.SIGINT)
        else:
            _thread.interrupt_main()

    def over(self) -> None:
        self._cancelled.discard(self.running)
        self.running = None

    @property
    def asked(self) -> bool:
        """Whether what runs was to stop, and goes on."""
        return self.running in self._cancelled

    def checkpoint(self) -> None:
        """Where an interrupt may have been lost without a trace."""
        if self.asked:
            raise KeyboardInterrupt

    def _on_signal(self, _: int, __: "FrameType | None") -> None:
        if self._whole:
            self._late = True
        else:
            self.checkpoint()

    def _on_ignored(self, error: "sys.UnraisableHookArgs") -> None:
        """A destructor loses the interrupt that meets it; another one follows it."""
        if error.exc_type is KeyboardInterrupt and self.asked:
            threading.Timer(0.01, self.cancel, (self.running,)).start()
        else:
            sys.__unraisablehook__(error)

    def __enter__(self) -> None:
        if threading.get_ident() == self._main:
            self._whole += 1

    def __exit__(self, *_: object) -> None:
        if threading.get_ident() == self._main:
            self._whole -= 1
            if self._late and not self._whole:
                self._late = False
                self.checkpoint()


class WindowGone(BaseException):
    """Nobody listens any more. No code of a person's catches it by accident."""


class Pipe:
    """Whoever prints or reads gets other descriptors; a child of this process has no pipe."""

    def __init__(self, whole: "AbstractContextManager[None]") -> None:
        """Within `whole` nothing interrupts."""
        self._out, into = os.dup(1), os.dup(0)
        self._in = os.fdopen(into, encoding="utf-8", errors="replace")
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._whole = whole
        # Again from the same thread, where a destructor prints just then.
        self._lock = threading.RLock()
        self._is_ours = True
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    def say(self, *events: Event) -> None:
        """From any thread; each write wakes who listens. Raises WindowGone where none does."""
        if not self._is_ours:
            return
        # After whatever else may have been written there.
        line = memoryview("".join(["\n" + line_of(each) for each in events]).encode())
        with self._whole, self._lock:
            try:
                while line:
                    line = line[os.write(self._out, line) :]
            except OSError as error:
                raise WindowGone from error

    def next_line(self) -> "str | None":
        """None at the end."""
        return self._in.readline() or None

    def _leave(self) -> None:
        """In a child: the window would wait for its end, too."""
        if self._is_ours:
            os.close(self._out)
            os.close(self._in.fileno())
            self._is_ours = False


class Streams:
    """Takes `sys.stdout` and `sys.stderr`, and the descriptors below where the system can. What
    comes while no cell runs, such as from a thread that was left behind, belongs to the newest.
    """

    def __init__(self, pipe: Pipe, stop: Stop) -> None:
        self._pipe = pipe
        self._stop = stop
        self._owner = os.getpid()
        self._lock = threading.RLock()  # a destructor may print while we are at it
        self.command = 0  # the newest
        self._stream, self._text = "out", ""  # what waits to be said
        self._waiting = threading.Event()
        self._room = MOST_PRINTED
        self._below: dict[int, str] = {}
        self.errors = os.dup(2)  # where the worker's last words go
        for number, name in ((1, "out"), (2, "err")):
            if sys.platform != "win32":
                # What is written there stays open, even where a cell puts another in its place.
                out, into = os.pipe()
                os.dup2(into, number)
                self._below[out] = name
            made = _Printed(self, number, name)
            setattr(sys, f"std{name}", made)
            setattr(sys, f"__std{name}__", made)
        warnings.showwarning = self._warn
        # PyTorch asks for it; the window shows what is drawn, whatever draws it.
        warnings.filterwarnings("ignore", message=".*is non-interactive, and thus cannot")
        os.environ["MPLBACKEND"] = "agg"
        when_imported(_PYPLOT, self._take_pyplot)
        for run in (self._pump, self._listen):
            threading.Thread(target=run, name="prints", daemon=True).start()

    @property
    def forked(self) -> bool:
        """In a child, what is printed goes through the descriptors to its parent."""
        return os.getpid() != self._owner

    def begin(self, command: int) -> None:
        with self._stop, self._lock:
            self._flush()
            self.command, self._room = command, MOST_PRINTED

    def finish(self) -> None:
        """All that the cell printed is said now, also what C holds back."""
        with contextlib.suppress(Exception):
            ctypes.CDLL(None).fflush(None)
        with self._stop, self._lock:
            self._read_below()
            self._flush()

    def event(self, event: Event, letters: int = 0) -> None:
        """Said after everything that was printed before it. One that counts letters is left
        out where the cell has printed too much.
        """
        if self.forked:
            return
        with self._stop, self._lock:
            self._read_below()
            self._flush()
            if not letters or self._room > 0:
                self._pipe.say(event)
                self._spend(letters)

    def note(self, text: Message) -> None:
        """A sentence of the lab's own."""
        self.event(Printed(self.command, text, "note"))

    def write(self, number: int, stream: str, text: str) -> None:
        """From Python, in any thread."""
        if self.forked:
            os.write(number, text.encode("utf-8", "replace"))
            return
        with self._stop, self._lock:
            self._read_below()
            self._put(stream, text)

    def show_figures(self) -> None:
        """At `plt.show()`, and at the end of a cell. A figure that was shown is closed."""
        plt: Any = sys.modules.get(_PYPLOT)  # Any: matplotlib has no types
        for number in () if plt is None else plt.get_fignums():
            try:
                if self._room > 0:
                    whole = io.BytesIO()
                    plt.figure(number).savefig(whole, format="png", bbox_inches="tight")
                    text = base64.b64encode(whole.getvalue()).decode("ascii")
                    self.event(Pictured(self.command, text), _FIGURE)
            finally:
                plt.close(number)

    def _take_pyplot(self) -> None:
        plt: Any = sys.modules[_PYPLOT]
        plt.show = lambda *_, **__: self.show_figures()  # a function, as matplotlib marks it

    # Any: as Python calls it.
    def _warn(self, message: Any, category: "type[Warning]", *_: Any, **__: Any) -> None:
        """With the line of the cell that it is about, or that called a library."""
        at = place().spot.frame
        text = f"{category.__name__}: {str(message).strip()}"[:_CHUNK]
        self.event(Printed(self.command, text, "warning", at.cell, at.line), len(text))

    def _pump(self) -> None:
        while True:
            self._waiting.wait()
            time.sleep(_PAUSE)
            with self._lock:
                self._flush()

    def _listen(self) -> None:
        while self._below:
            select.select(list(self._below), [], [])
            with self._lock:
                self._read_below()

    def _read_below(self) -> None:
        """What was written to the descriptors by C, or by another program."""
        below = list(self._below)
        for out in select.select(below, [], [], 0)[0] if below else ():
            self._put(self._below[out], os.read(out, _READ).decode("utf-8", "replace"))

    def _put(self, stream: str, text: str) -> None:
        if self._room <= 0:
            return
        if stream != self._stream:
            self._flush()
            self._stream = stream
        self._text += text
        if len(self._text) >= _CHUNK:
            self._flush()
        else:
            self._waiting.set()

    def _flush(self) -> None:
        text, self._text = overwritten(self._text)[: max(0, self._room)], ""
        self._waiting.clear()
        if not text:
            return
        self._pipe.say(Printed(self.command, text, self._stream))
        # A line that is written over and over, as of a progress bar, does not fill anything.
        if "\n" in text or "\r" not in text:
            self._spend(len(text))

    def _spend(self, letters: int) -> None:
        room, self._room = self._room, self._room - letters
        if room > 0 >= self._room:
            cut = Message("This prints too much for the lab: what follows is left out.")
            self._pipe.say(Printed(self.command, cut, "note"))


class _Printed(io.TextIOBase):
    encoding = "utf-8"

    def __init__(self, streams: Streams, number: int, name: str) -> None:
        super().__init__()
        self._streams, self._number, self._name = streams, number, name

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._number

    def write(self, text: str, /) -> int:
        self._streams.write(self._number, self._name, text)
        return len(text)


def begin_unseen(run: "Callable[[], None]") -> None:
    """In a thread. It takes none of the person's signals, nor SIGPIPE, which would end it."""

    def unseen() -> None:
        if hasattr(signal, "pthread_sigmask"):
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        run()

    _thread.start_new_thread(unseen, ())
