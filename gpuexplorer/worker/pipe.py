"""Pipe: takes standard input and output for the protocol alone; and Stop, the window's Cancel
as a KeyboardInterrupt in the main thread.
"""

import _thread
import errno
import os
import signal
import sys
import threading
import time
from contextlib import AbstractContextManager
from types import FrameType, TracebackType

from gpuexplorer.lab.events import Event
from gpuexplorer.lab.wire import line_of
from gpuexplorer.worker.guards import high

_SOON = 0.02


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


PIPE_CLOSED = 7  # an exit status; the window has the words for it


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

    def say(self, event: Event) -> None:
        """From any thread. Raises WindowGone where nobody listens."""
        if os.getpid() != self._owner:
            return
        # After whatever else may have been written there.
        line = memoryview(("\n" + line_of(event)).encode())
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
