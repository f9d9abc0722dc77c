"""Link: one process of ssh, and what goes through it: a preamble, then lines both ways.

It knows nothing of cards. Whatever comes from there is bounded in memory.
"""

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import IO

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.questions import AskedQuestions
from gpuexplorer.remote.refusals import Course, Ending, ending_of

LONGEST_LINE = 4 << 20
PATIENCE = 30.0  # to the mark, once ssh has logged in or was answered
_KEPT = 8_192  # bytes of what it said last
_STOPPING = (0.5, 0.3, 2.0)  # for it to end by itself; when it is asked to; when it must
_LOGGED_IN = b"Authenticated to "
_NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)


# At our terminal it would end by the Ctrl+C that is meant for us, and before our last words.
_WITHOUT_CTRL_C = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")


class Link:
    """`on_line` is called from a reader's thread for each line after the mark's, without its
    newline, in order. Then `on_end` once, from the same thread; never after `stop`.
    """

    def __init__(
        self,
        host: HostName,
        command: Sequence[str],
        preamble: bytes,
        mark: bytes,
        on_line: Callable[[bytes], None],
        on_end: Callable[[Ending], None],
        *,
        questions: AskedQuestions | None = None,
        at_terminal: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        """With `at_terminal` ssh itself asks at our terminal."""
        self._host, self._mark = host, mark
        self._on_line, self._on_end = on_line, on_end
        self._questions, self._patience = questions, patience
        self._at_terminal = at_terminal
        self._stopped = threading.Event()
        self._over = threading.Event()  # the process has ended
        self._ready = self._logged_in = False
        self._late: float | None = None
        self._because: Ending | None = None
        self._heard = self._complained = b""
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._outgoing.put(preamble)
        self._process = self._started(command)
        self._out = Readable(_pipe(self._process.stdout), self._process)
        self._err = Readable(_pipe(self._process.stderr), self._process)
        self._since = time.monotonic()
        self._helpers = [
            threading.Thread(target=run, name=f"link {name}", daemon=True)
            for run, name in ((self._write, "writer"), (self._read_errors, "errors"))
        ]
        self._reader = threading.Thread(target=self._read, name="link reader", daemon=True)
        for each in (*self._helpers, self._reader):
            each.start()

    @property
    def ready(self) -> bool:
        """The mark came."""
        return self._ready

    def send(self, line: bytes) -> None:
        """With its newline. Never waits, and is lost where the link is over."""
        self._outgoing.put(line)

    def stop(self) -> None:
        """Closes its input, then ends it: at most a second, unless this system hangs."""
        self._stopped.set()
        self._end_process()
        for each in (*self._helpers, self._reader):
            if each is not threading.current_thread():
                each.join()

    def _started(self, command: Sequence[str]) -> "subprocess.Popen[bytes]":
        # A jump host's ssh knows nothing of our options.
        variables = {} if self._at_terminal else {"SSH_ASKPASS_REQUIRE": "never"}
        if self._questions is not None:
            variables = self._questions.variables
        if self._at_terminal and sys.platform != "win32":
            command = [*_WITHOUT_CTRL_C, *command]
        try:
            return subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                env={**os.environ, **variables},
                # Without a terminal ssh asks our program, and ends with all that it started.
                start_new_session=not self._at_terminal,
                creationflags=0 if self._at_terminal else _NO_WINDOW,
            )
        except OSError as error:
            raise Trouble(
                "ssh cannot be started: {why}.",
                "Look whether OpenSSH is installed on this computer.",
                why=error.strerror,
            ) from None

    def _write(self) -> None:
        pipe = _pipe(self._process.stdin)
        # Whoever refuses us does not read on. Why it does, the readers hear.
        with contextlib.suppress(OSError), pipe:
            while (line := self._outgoing.get()) is not None:
                write_all(pipe, line, self._over)

    def _read_errors(self) -> None:
        for data in self._err.pieces(self._stopped):
            self._complained = (self._complained + data)[-_KEPT:]
            if not self._logged_in and _LOGGED_IN in self._complained:
                self._logged_in, self._since = True, time.monotonic()

    def _read(self) -> None:
        waiting = bytearray()
        try:
            for data in self._out.pieces(self._stopped):
                waiting += data
                if not self._ready:
                    self._heard = (self._heard + data)[-_KEPT:]
                    self._look_for_mark(waiting)
                if self._ready and (
                    b"\n" in waiting[-len(data) :] or len(waiting) > LONGEST_LINE
                ):
                    self._hand_on(waiting)
                if self._because is not None or (not self._ready and self._is_late()):
                    break
        finally:
            self._finish()

    def _look_for_mark(self, waiting: bytearray) -> None:
        """What a login shell prints before is not ours, however much it is."""
        at = waiting.find(self._mark)
        if at < 0:
            del waiting[: -len(self._mark)]
        elif (end := waiting.find(b"\n", at)) >= 0:
            self._ready = True
            del waiting[: end + 1]

    def _hand_on(self, waiting: bytearray) -> None:
        """Whole lines, and takes them away."""
        *lines, rest = bytes(waiting).split(b"\n")
        waiting[:] = rest
        for line in lines:
            if self._stopped.is_set() or self._because is not None:
                break
            if len(line) <= LONGEST_LINE:
                self._on_line(line)
        if max(map(len, (*lines, rest))) > LONGEST_LINE:
            self._because = Ending(
                Message("{host} sent a line without an end.", host=self._host.text), again=False
            )

    def _is_late(self) -> bool:
        asked = self._questions
        if asked is not None and asked.refused:
            self._because = Ending(
                Message("The question of ssh was not answered."),
                Message("Connect again to be asked once more."),
                again=False,
            )
            return True
        now = time.monotonic()
        if (asked is not None and asked.being_answered) or self._at_terminal_still:
            self._since = now
        if now - self._since > self._patience:
            self._late = self._patience
        return self._late is not None

    @property
    def _at_terminal_still(self) -> bool:
        """Nobody tells us whether ssh is asking there."""
        return self._at_terminal and not self._logged_in

    def _finish(self) -> None:
        by_us = self._because is not None or self._late is not None or self._stopped.is_set()
        if not by_us:  # its last words are on their way
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(_STOPPING[0])
        status = self._process.poll()
        told = not self._stopped.is_set()
        self._end_process()
        if not told:
            return
        for each in self._helpers:
            each.join()
        course = Course(
            self._host.text,
            None if by_us else status,
            self._ready,
            self._logged_in,
            self._late,
            self._heard,
            self._complained,
        )
        self._on_end(self._because or ending_of(course))

    def _end_process(self) -> None:
        """And all that it started, but not the connection that others may share."""
        if self._questions is not None:
            self._questions.stop()
        self._outgoing.put(None)
        for patience, number in zip(_STOPPING, (None, signal.SIGTERM, _SIGKILL), strict=True):
            if number is not None:
                self._signal(number)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(patience)
                break
        self._over.set()
        self._signal(_SIGKILL)

    def _signal(self, number: int) -> None:
        with contextlib.suppress(OSError):
            if sys.platform == "win32" or self._at_terminal:
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)


def _pipe(stream: "IO[bytes] | None") -> "IO[bytes]":
    assert stream is not None
    return stream


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
