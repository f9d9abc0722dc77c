"""The worker's ways out and in: the pipe for the protocol alone; what a cell prints and draws,
said as it comes and not without end; and Stop, the window's Cancel in the main thread.
"""

import _thread
import base64
import builtins
import codecs
import contextlib
import ctypes
import errno
import io
import math
import os
import select
import selectors
import signal
import socket
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from types import FrameType, TracebackType
from typing import Any

from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Event, Pictured, Printed
from gpuexplorer.lab.printed import MOST_PRINTED, overwritten
from gpuexplorer.lab.wire import line_of
from gpuexplorer.worker.places import cell_of, is_own
from gpuexplorer.worker.starting import when_imported

if sys.platform != "win32":
    import fcntl
    import resource

PIPE_CLOSED = 7  # an exit status; the window has the words for it
_SOON = 0.02
_HIGH = 900  # descriptors from here on are not found by code that closes or writes to the low
_APART = 100  # letters that an output of its own counts at least
_CHUNK = 8_000
_PAUSE = 0.05  # seconds between two chunks that are not full
_READ = 1 << 16
_NAMES = {1: "out", 2: "err"}
_PYPLOT = "matplotlib.pyplot"
_MOST_DOTS = 4_000_000  # of one picture


# Any throughout: figures are matplotlib's.
_MOST_FILES = 16_384  # open at a time
_BUILTINS = dict(vars(builtins))


class Stop:
    """Within `with stop:` an interrupt waits: what is said to the window is said whole. So it
    does while PyTorch imports a part of itself, which would be broken to the session's end.
    """

    def __init__(self) -> None:
        self.running: int | None = None  # the command that may be interrupted
        self._cancelled: set[int] = set()
        self._main = threading.main_thread().ident
        self._whole = 0
        self._late = False

    def install(self) -> None:
        """Before each command: a cell may have set handlers of its own."""
        signal.signal(signal.SIGINT, self._on_signal)
        sys.unraisablehook = self._on_unraisable

    def cancel(self, command: int) -> None:
        """From the thread that listens. What waits in the system is interrupted too."""
        self._cancelled.add(command)
        if command != self.running:
            return
        if hasattr(signal, "pthread_kill") and self._main is not None:
            signal.pthread_kill(self._main, signal.SIGINT)
        else:
            _thread.interrupt_main()

    def over(self) -> None:
        """What ran has ended, or is being put away."""
        if self.running is not None:
            self._cancelled.discard(self.running)
        self.running = None

    def asked(self) -> bool:
        """Whether what runs was to stop, and goes on."""
        return self.running in self._cancelled

    def checkpoint(self) -> None:
        """Where an interrupt may have been lost without a trace."""
        if self.asked():
            raise KeyboardInterrupt

    def _on_signal(self, number: int, frame: "FrameType | None") -> None:
        if not self.asked():
            return
        if self._whole:
            self._late = True
        elif _imports_torch(frame):
            self._ask_again()
        else:
            raise KeyboardInterrupt

    def _on_unraisable(self, lost: "sys.UnraisableHookArgs") -> None:
        """What is raised in a destructor is lost."""
        if lost.exc_type is KeyboardInterrupt and self.asked():
            self._ask_again()
        else:
            sys.__unraisablehook__(lost)

    def _ask_again(self) -> None:
        """Soon, and from another thread: raised here it would be lost once more."""
        command = self.running
        assert command is not None

        def ask() -> None:
            time.sleep(_SOON)
            if self.running == command:
                self.cancel(command)

        # A Thread's start takes locks, which the cell may hold just then.
        _thread.start_new_thread(ask, ())

    def __enter__(self) -> None:
        if threading.get_ident() == self._main:
            self._whole += 1

    def __exit__(
        self,
        kind: "type[BaseException] | None",
        error: "BaseException | None",
        trace: "TracebackType | None",
    ) -> None:
        if threading.get_ident() != self._main:
            return
        self._whole -= 1
        if self._late and not self._whole:
            self._late = False
            self.checkpoint()


def _imports_torch(frame: "FrameType | None") -> bool:
    while frame is not None:
        name = str(frame.f_globals.get("__name__"))
        if frame.f_code.co_name == "<module>" and name.partition(".")[0] == "torch":
            return True
        frame = frame.f_back
    return False


class WindowGone(BaseException):
    """Nobody listens any more. No code of a person's catches it by accident."""


class Pipe:
    """Its descriptors are not those that code writes to, or closes, by mistake.

    `whole`: within it nothing interrupts. A child of this process has no pipe.
    """

    def __init__(self, whole: "AbstractContextManager[None]") -> None:
        self._out = high(os.dup(1))
        self._in = os.fdopen(high(os.dup(0)), encoding="utf-8", errors="replace")
        os.dup2(2, 1)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        self._whole = whole
        self._owner = os.getpid()
        # Again from the same thread, where a destructor prints just then.
        self._lock = threading.RLock()
        if hasattr(os, "register_at_fork"):
            os.register_at_fork(after_in_child=self._leave)

    def say(self, *events: Event) -> None:
        """From any thread; each write wakes who listens. Raises WindowGone where none does."""
        if os.getpid() != self._owner:
            return
        # After whatever else may have been written there.
        line = memoryview("".join(["\n" + line_of(each) for each in events]).encode())
        with self._whole, self._lock:
            try:
                while line:
                    line = line[os.write(self._out, line) :]
            except OSError as error:
                # Windows has no word of its own for a pipe that nobody reads.
                if error.errno in (errno.EPIPE, errno.EINVAL):
                    raise WindowGone from error
                os._exit(PIPE_CLOSED)

    def next_line(self) -> "str | None":
        """None at the end."""
        return self._in.readline() or None

    def _leave(self) -> None:
        """In a child: the window would wait for its end, too. A child's child has none."""
        if self._out >= 0:
            os.close(self._out)
            os.close(self._in.fileno())
            self._out = -1


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
        message: "Warning | str",
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


class Figures:
    """`say` is handed each figure."""

    def __init__(self, say: "Callable[[Any], None]") -> None:
        self._say = say
        os.environ["MPLBACKEND"] = "agg"
        when_imported(_PYPLOT, nullcontext, self._take)

    def show(self) -> None:
        """At `plt.show()`, and at the end of a cell. A figure that was shown is closed."""
        plt: Any = sys.modules.get(_PYPLOT)
        if plt is None:
            return
        numbers = plt.get_fignums()
        try:
            for number in numbers:
                self._say(plt.figure(number))
        finally:
            for number in numbers:
                plt.close(number)

    def _take(self) -> None:
        def show(*args: object, **words: object) -> None:
            self.show()

        # A function, as matplotlib marks it.
        sys.modules[_PYPLOT].show = show  # type: ignore[attr-defined]


def png(figure: Any) -> str:
    """In base64."""
    width, height = figure.get_size_inches()
    dpi = min(figure.dpi, math.sqrt(_MOST_DOTS / max(1e-6, width * height)))
    whole = io.BytesIO()
    figure.savefig(whole, format="png", dpi=dpi, bbox_inches="tight")
    return base64.b64encode(whole.getvalue()).decode("ascii")


def high(descriptor: int) -> int:
    """The same file under a number nobody guesses, which no program started from here inherits.

    The old number is closed.
    """
    if sys.platform == "win32":
        return descriptor
    for lowest in (_HIGH, 100, 3):  # as far as the system allows
        with contextlib.suppress(OSError, ValueError):
            moved: int = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, lowest)
            os.close(descriptor)
            return moved
    return descriptor


def begin_unseen(run: "Callable[[], None]") -> None:
    """In a thread. It takes none of the person's signals, nor SIGPIPE, which would end it."""
    with no_signals():
        _thread.start_new_thread(run, ())


@contextlib.contextmanager
def no_signals() -> "Iterator[None]":
    """They come afterwards."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def set_limits() -> None:
    """No core dumps; not so many files that other programs lack them."""
    if sys.platform == "win32":
        return
    for which, most in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_NOFILE, _MOST_FILES),
    ):
        soft, hard = resource.getrlimit(which)
        if soft == resource.RLIM_INFINITY or soft > most:
            with contextlib.suppress(OSError, ValueError):
                resource.setrlimit(which, (most, hard))


@contextlib.contextmanager
def children_end_here() -> "Iterator[None]":
    """A child that a cell forks ends with the cell's code; it never serves commands."""
    owner = os.getpid()
    status = 0
    try:
        yield
    except BaseException as error:
        if os.getpid() == owner:
            raise
        status = 1
        if isinstance(error, SystemExit):
            status = error.code if isinstance(error.code, int) else int(bool(error.code))
        else:
            traceback.print_exception(error)
    finally:
        if os.getpid() != owner:
            os._exit(status)


def mend_builtins() -> "list[str]":
    """Puts back what a cell took from Python's own functions, without which nothing works."""
    now = builtins.__dict__
    gone = [name for name in _BUILTINS if name not in now]
    for name in gone:
        now[name] = _BUILTINS[name]
    return gone
