"""Link: one process of ssh, and what goes through it: a preamble, then lines both ways.

It knows nothing of cards. Whatever comes from there is bounded in memory.
"""

import os
import queue
import selectors
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import StrEnum
from typing import IO, NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark
from gpuexplorer.remote.refusals import Course, Ending, ending_of, endless
from gpuexplorer.remote.ssh import AskedQuestions, HostName

LONGEST_LINE = 4 << 20
PATIENCE = 30.0  # to the mark, once ssh has logged in or was answered
_STOPPING = (0.5, 0.3, 2.0)  # for it to end by itself; when it is asked to; when it must
_AT_ONCE = 1 << 16
_WAITING = 16  # pieces
_LOOKING = 0.25  # seconds
_NO_WINDOW: int = getattr(subprocess, "CREATE_NO_WINDOW", 0)
_SIGKILL = getattr(signal, "SIGKILL", signal.SIGTERM)
# At our terminal it would end by the Ctrl+C that is meant for us, and before our last words.
_WITHOUT_CTRL_C = ("sh", "-c", "trap '' INT; exec \"$@\"", "sh")


class LinkState(StrEnum):
    """How the connection to another machine is; the value is said to people."""

    CONNECTING = mark("connecting")
    ASKING = mark("ssh has a question")  # that a person has to answer
    UP = mark("connected")
    BROKEN = mark("no connection")  # it is tried again by itself
    REFUSED = mark("refused")  # there is no use in trying again without a person
    ENDED = mark("ended")  # or never begun


class LinkNow(NamedTuple):
    """Replaced whole, so that it fits together in any thread."""

    state: LinkState
    since: float  # steady seconds
    why: Message = NOTHING
    hint: Message = NOTHING
    retry_at: float | None = None  # steady seconds


class Link:
    """Heard in one thread: in that which calls `run`, or in one of its own after `start`."""

    def __init__(
        self,
        host: HostName,
        command: Sequence[str],
        preamble: bytes,
        mark: bytes,
        on_line: Callable[[bytes], object],
        on_look: Callable[[], Ending | None] = lambda: None,
        *,
        questions: AskedQuestions | None = None,
        at_terminal: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        """`on_line` hears each line after the mark's, without its newline; `on_look` is called
        some times a second, and may end it. With `at_terminal` ssh itself asks at our terminal.
        """
        self._mark, self._on_line, self._on_look = mark, on_line, on_look
        self._questions, self._patience = questions, patience
        self._at_terminal = at_terminal
        self.course = Course(host.text)
        self._rest = b""
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._outgoing.put(preamble)
        self._came: queue.Queue[tuple[bool, bytes] | None] = queue.Queue(_WAITING)
        self._stopped, self._over = threading.Event(), threading.Event()
        self._process = self._started(command)
        self._since = time.monotonic()
        for run in (self._write, self._read, self._read_complaints):
            threading.Thread(target=run, name=f"link {run.__name__}", daemon=True).start()

    @property
    def asks(self) -> bool:
        """A person is asked something just now."""
        return self._questions is not None and self._questions.being_answered

    def start(self, on_end: Callable[[Ending], object]) -> None:
        """`on_end` is called once at the end, and not after `stop`."""

        def run() -> None:
            if (ending := self.run()) is not None:
                on_end(ending)

        threading.Thread(target=run, name="link", daemon=True).start()

    def run(self) -> Ending | None:
        """Until it has ended, and why it has; None where it was stopped."""
        ending = None
        try:
            for is_complaint, data in self._pieces():
                if is_complaint:
                    self._complain(data)
                else:
                    ending = self._hear(data)
                if ending := ending or self._on_look() or self._given_up():
                    break
            else:
                if not self._stopped.is_set():
                    self.course.status = self._status_within(_STOPPING[0])
        finally:
            self._end_process()
        return None if self._stopped.is_set() else ending or ending_of(self.course)

    def send(self, line: bytes) -> None:
        """With its newline. Never waits, and is lost where the link is over."""
        self._outgoing.put(line)

    def wake(self) -> None:
        """It looks at once."""
        with suppress(queue.Full):  # then it does
            self._came.put_nowait(None)

    def stop(self) -> None:
        """Closes its input, then ends it: at most a second, unless this system hangs."""
        self._stopped.set()
        self.wake()
        self._over.wait()

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
        # Whoever refuses us does not read on. Why it does, the readers hear.
        with suppress(OSError), _pipe(self._process.stdin) as pipe:
            while (line := self._outgoing.get()) is not None:
                pipe.write(line)
                pipe.flush()

    def _read(self) -> None:
        self._pump(self._process.stdout, is_complaint=False)

    def _read_complaints(self) -> None:
        self._pump(self._process.stderr, is_complaint=True)

    def _pump(self, stream: "IO[bytes] | None", *, is_complaint: bool) -> None:
        """Ends with the link, also where a connection that others share holds the pipe."""
        with _pipe(stream) as pipe, selectors.DefaultSelector() as selector:
            if sys.platform != "win32":  # has nothing to ask a pipe with
                selector.register(pipe, selectors.EVENT_READ)
            data = b" "
            while data and not self._over.is_set():
                if sys.platform == "win32" or selector.select(_LOOKING):
                    data = os.read(pipe.fileno(), _AT_ONCE)
                    self._came.put((is_complaint, data))

    def _pieces(self) -> Iterator[tuple[bool, bytes]]:
        """Now and then an empty one. What the process left behind may hold its pipes open:
        once the process has ended, that is not waited for.
        """
        open_still, deadline = {True, False}, float("inf")
        while open_still and time.monotonic() < deadline and not self._stopped.is_set():
            try:
                came = self._came.get(timeout=_LOOKING)
            except queue.Empty:
                if self._process.poll() is not None:
                    return
                came = None
            if came is not None and not came[1]:
                open_still.discard(came[0])
                if False not in open_still:
                    deadline = min(deadline, time.monotonic() + _STOPPING[0])
            yield came or (False, b"")

    def _complain(self, data: bytes) -> None:
        before = self.course.logged_in
        self.course.complain(data)
        if self.course.logged_in is not before:
            self._since = time.monotonic()

    def _hear(self, data: bytes) -> Ending | None:
        """What a login shell prints before the mark is not ours, however much it is."""
        self._rest += data
        if not self.course.ready:
            self.course.hear(data)
            _, found, after = self._rest.partition(self._mark)
            _, ended, ours = after.partition(b"\n")
            self.course.ready = bool(ended)
            self._rest = ours if ended else found + after or self._rest[-len(self._mark) :]
        if self.course.ready:
            *lines, self._rest = self._rest.split(b"\n")
            for line in lines:
                if not self._stopped.is_set():
                    self._on_line(line)
        if len(self._rest) > LONGEST_LINE:
            return endless(self.course.host)
        return None

    def _given_up(self) -> Ending | None:
        """Before the mark: what a person would not answer, and what takes too long."""
        if self.course.ready:
            return None
        now = time.monotonic()
        if self._questions is not None and self._questions.refused:
            return Ending(
                Message("The question of ssh was not answered."),
                Message("Connect again to be asked once more."),
                again=False,
            )
        # Nobody tells us whether ssh is asking at a terminal.
        if self.asks or (self._at_terminal and not self.course.logged_in):
            self._since = now
        if now - self._since <= self._patience:
            return None
        self.course.late = self._patience
        return ending_of(self.course)

    def _end_process(self) -> None:
        """And all that it started, but not the connection that others may share."""
        if self._questions is not None:
            self._questions.stop()
        self._outgoing.put(None)
        for patience, number in zip(_STOPPING, (None, signal.SIGTERM, _SIGKILL), strict=True):
            if number is not None:
                self._signal(number)
            if self._status_within(patience) is not None:
                break
        self._signal(_SIGKILL)
        self._over.set()
        with suppress(queue.Empty):  # whoever waits for room there can end
            while True:
                self._came.get_nowait()

    def _status_within(self, seconds: float) -> int | None:
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(seconds)
        return None

    def _signal(self, number: int) -> None:
        with suppress(OSError):
            if sys.platform == "win32" or self._at_terminal:
                self._process.send_signal(number)
            else:
                os.killpg(self._process.pid, number)


def _pipe(stream: "IO[bytes] | None") -> "IO[bytes]":
    assert stream is not None
    return stream
