"""Link: one process of ssh, and what goes through it: a preamble, then lines both ways; and why
it ended or never began: what ssh and the other machine said, as a sentence.

It knows nothing of cards. Whatever comes from there is bounded in memory. ssh's own status is
255 for everything; only its words tell one reason from another.
"""

import os
import queue
import re
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from io import BufferedReader
from typing import IO, NamedTuple

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.remote.parcel import Parcel
from gpuexplorer.remote.ssh import AskedQuestions, HostName, plain

_KEPT = 8_192  # bytes of what was said last
_AT_ONCE = 1 << 16


class Ending(NamedTuple):
    why: Message
    hint: Message = NOTHING
    again: bool = True  # whether it makes sense to try again without a person


@dataclass
class Course:
    """All that is known of a connection, as it goes on. Two threads read for it."""

    host: str
    status: int | None = None  # of ssh when it has ended; None: we ended it
    ready: bool = False  # the mark came
    logged_in: bool = False  # ssh said so
    late: float | None = None  # seconds after which we gave up
    endless: bool = False  # a line was longer than any of ours
    heard: bytes = b""  # the last of what came before the mark
    complained: bytes = b""  # the last of standard error

    def lines(self, said: IO[bytes], mark: bytes, longest: int) -> Iterator[bytes]:
        """Those after our mark. What a login shell prints before it has perhaps no end."""
        assert isinstance(said, BufferedReader)
        while not self.ready:
            if not (seen := said.peek()):
                return
            piece = said.read(seen.find(b"\n") + 1 or len(seen))
            self.heard = (self.heard + piece)[-_KEPT:]
            self.ready = mark in self.heard and piece.endswith(b"\n")
        while (line := said.readline(longest)).endswith(b"\n"):
            yield line[:-1]
        self.endless = len(line) >= longest

    def complaints(self, said: IO[bytes]) -> Iterator[bytes]:
        while line := said.readline(_AT_ONCE):
            self.complained = (self.complained + line)[-_KEPT:]
            self.logged_in = self.logged_in or b"Authenticated to " in self.complained
            yield line


_SSHS = 255
_KILLED = (137, 143, -9, -15)
_TRY = mark("Type `ssh {host}` in a terminal: it shows the same, and asks what it has to ask.")
_SWITCHED_ON = mark("Is it switched on, and does a firewall let ssh through?")
_TRY_PYTHON = mark("`ssh {host} python3 --version` in a terminal has to answer.")
_NEWER = mark(
    "Install Python 3.10 or newer there, or name one where the machine is added, or with "
    "--host-python."
)
_BROKE = mark("The connection to {host} broke.")
_CANNOT = mark("ssh cannot connect to {host}: {said}.")

# What is said, the sentence, the way out, and whether it may be otherwise in a while; the first
# that fits. ssh's own words are English everywhere.
_Known = Sequence[tuple[str, str, str, bool]]
_BEFORE: _Known = (
    (
        r"REMOTE HOST IDENTIFICATION HAS CHANGED|[Hh]ost key for .* has changed",
        mark("The host key of {host} is not the one that is known here."),
        mark(
            "Somebody may be listening in, or the machine was set up anew. Ask who looks after "
            "it; if all is well, `ssh-keygen -R` with its name forgets the old key."
        ),
        False,
    ),
    (
        r"Host key verification failed|host key is known for .* strict",
        mark("The host key of {host} is not known here, and nobody accepted it."),
        mark("Type `ssh {host}` in a terminal once, compare the fingerprint and accept it."),
        False,
    ),
    (
        (
            r"UNPROTECTED PRIVATE KEY|bad permissions|ssh_askpass: exec|[Nn]o matching .* found"
            r"|Too many authentication|Bad configuration|Bad owner|terminating, \d+ bad"
        ),
        _CANNOT,
        _TRY,
        False,
    ),
    (
        r"Permission denied \((?P<ways>[\w,.@-]+)\)",
        mark("{host} refuses this login; it would take: {ways}."),
        mark(
            "Is it the right user, with the right password, or a key that is there and "
            "unlocked (`ssh-add -l`)? `ssh {host}` in a terminal has to work first."
        ),
        False,
    ),
    (
        r"Could not resolve hostname",
        mark("The name {host} is not known on the network."),
        mark("Look for a slip of the pen, and whether this computer is connected."),
        True,
    ),
    (
        r"Connection refused",
        mark("{host} is there, but takes no ssh connection."),
        mark("Is its ssh server running, and is it the right port?"),
        True,
    ),
    (
        r"No route to host|Network is unreachable|Network is down|Host is down",
        mark("No way leads to {host} from here."),
        mark("Is this computer connected, and the other one switched on?"),
        True,
    ),
    (
        r"(Connection|Operation) timed out|Timeout, server|Connection to .* timed out",
        mark("{host} does not answer."),
        _SWITCHED_ON,
        True,
    ),
)
# What is said over there, by whatever shell, once the login was done.
_AFTER: _Known = (
    (
        r"too old: (?P<version>\d[\d.]*)",
        mark("The Python of {host} is too old: {version}."),
        _NEWER,
        False,
    ),
    (
        (
            r"status 12[67]$|not found|nicht gefunden|nknown command|No such file or"
            r"|not recognized"
        ),
        mark("{host} cannot start Python: {said}."),
        _NEWER,
        False,
    ),
    (
        r"(?i:account is (currently )?not available|sftp connections|shell access|restricted)",
        mark("{host} runs no commands for this login: {said}."),
        mark("Ask whoever looks after it for a login with a shell."),
        False,
    ),
)
SSHS_LINES = re.compile(
    r"^(Authenticated to|Transferred: sent|Bytes per second|debug\d|Warning: Permanently added"
    r"|\*\* (WARNING|This session|The server)|mux_client).*$",
    re.MULTILINE,
)


def ending_of(course: Course) -> Ending:
    """It was refused, took too long, was stopped over there, or broke."""
    said = SSHS_LINES.sub("", plain(course.complained))
    heard = "" if course.ready else plain(course.heard)
    reason, status = _last(said) or _last(heard), course.status
    hint, again = "", True
    known: _Known = ()
    if course.endless:
        sentence, again = mark("{host} sent a line without an end."), False
    elif course.late is not None and not course.ready:
        sentence, hint = mark("{host} did not answer within {seconds:.0f} s."), _SWITCHED_ON
        if course.heard or course.logged_in:
            again = False
            sentence = mark(
                "{host} took the login, but its login shell started nothing within "
                "{seconds:.0f} s."
            )
            hint = mark(
                "What the shell runs at a login (.bashrc, .profile, a forced command) must not "
                "wait or read. `ssh {host} true` in a terminal has to come back."
            )
    elif status == _SSHS and not (course.ready or course.logged_in):
        known, hint, sentence = _BEFORE, _TRY, _CANNOT
    elif status is None or (status == _SSHS and (course.ready or not reason)):
        sentence = _BROKE
    elif not course.ready:  # it was logged in, or another than ssh was started
        known, hint = _AFTER, _TRY_PYTHON
        sentence = mark("Python did not start on {host} (status {status}): {said}.")
    elif status in _KILLED:
        sentence = mark("Our part on {host} was killed.")
    else:
        sentence = mark("Our part on {host} ended with status {status}: {said}.")
    values = {"host": course.host, "status": status, "seconds": course.late}
    values["said"] = reason or Message("it said nothing")
    for pattern, fits, way_out, passes in known:
        if found := re.search(pattern, f"{said}\n{heard}\nstatus {status}"):
            groups = found.groupdict().items()
            values |= {name: text.replace(",", ", ") for name, text in groups}
            sentence, hint, again = fits, way_out, passes
            break
    why = Message(sentence, **values)
    # Of a shell that echoes, it is what we sent.
    if course.late and not again and reason and "\N{REPLACEMENT CHARACTER}" not in reason:
        why = told(why, Message("It printed: {text}", text=reason))
    return Ending(why, Message(hint, host=course.host) if hint else NOTHING, again)


def _last(said: str) -> str:
    """The last lines as a reason, to be told in the middle of a sentence."""
    lines = [each.strip() for each in said.splitlines() if each.strip()]
    return " / ".join(lines[-3:])[-300:].rstrip(".")


LONGEST_LINE = 4 << 20
PATIENCE = 30.0  # to the mark, once ssh has logged in or was answered
_STOPPING = (0.5, 0.3, 2.0)  # for it to end by itself; when it is asked to; when it must
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
    """`on_line` hears each line after the mark's; `on_look` is called some times a second; one
    at a time, each in a thread of ours, and both may end it.
    """

    def __init__(
        self,
        host: HostName,
        command: Sequence[str],
        sent: Parcel,
        on_line: Callable[[bytes], Ending | None],
        on_look: Callable[[], Ending | None] = lambda: None,
        *,
        questions: AskedQuestions | None = None,
        at_terminal: bool = False,
        patience: float = PATIENCE,
    ) -> None:
        """With `at_terminal` ssh itself asks at our terminal."""
        self._sent, self._on_line, self._on_look = sent, on_line, on_look
        self._questions, self._patience = questions, patience
        self._at_terminal = at_terminal
        self.course = Course(host.text)
        self._outgoing: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._outgoing.put(sent.preamble)
        self._ending: Ending | None = None
        self._one_at_a_time = threading.Lock()
        self._over, self._ended = threading.Event(), threading.Event()
        self._process = self._started(command)
        self._since, self._logged_in = time.monotonic(), False

    @property
    def asks(self) -> bool:
        """A person is asked something just now."""
        return self._questions is not None and self._questions.being_answered

    def start(self, on_end: Callable[[Ending], object]) -> None:
        """`on_end` is called once at the end, and not after `stop`."""

        def run() -> None:
            if (ending := self.run()) is not None:
                on_end(ending)

        _thread(run)

    def run(self) -> Ending | None:
        """Until it has ended, and why it has; None where it was stopped."""
        _thread(self._write)
        readers = _thread(self._read), _thread(self._read_complaints)
        try:
            while not self._over.wait(_LOOKING):
                self._say(self._on_look)
                self._say(self._given_up)
                # What the process left behind may hold its pipes open.
                if not readers[0].is_alive() or self._process.poll() is not None:
                    self.course.status = self._status_within(_STOPPING[0])
                    for each in readers:
                        each.join(_STOPPING[0])
                    self._say(lambda: ending_of(self.course))
        finally:
            self._end_process()
        return self._ending

    def send(self, line: bytes) -> None:
        """With its newline. Never waits, and is lost where the link is over."""
        self._outgoing.put(line)

    def end(self) -> None:
        """Closes its input, then ends it; returns at once."""
        self._over.set()

    def stop(self) -> None:
        """As `end`, and waits for it: at most a second, unless this system hangs."""
        self._over.set()
        self._ended.wait()

    def _say(self, look: Callable[[], Ending | None]) -> None:
        with self._one_at_a_time:
            if not self._over.is_set() and (ending := look()) is not None:
                self._ending = ending
                self._over.set()

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
        with _pipe(self._process.stdout) as pipe:
            for line in self.course.lines(pipe, self._sent.mark, LONGEST_LINE):
                if self._over.is_set():
                    return
                self._say(partial(self._on_line, line))

    def _read_complaints(self) -> None:
        """A connection that others share holds this pipe for as long as it is open."""
        with _pipe(self._process.stderr) as pipe:
            for _ in self.course.complaints(pipe):
                """The course keeps them."""

    def _given_up(self) -> Ending | None:
        """Before the mark: what a person would not answer, and what takes too long."""
        course, now = self.course, time.monotonic()
        if course.ready:
            return None
        if self._questions is not None and self._questions.refused:
            return Ending(
                Message("The question of ssh was not answered."),
                Message("Connect again to be asked once more."),
                again=False,
            )
        # Nobody tells us whether ssh is asking at a terminal.
        may_ask = self._at_terminal and not course.logged_in
        if self.asks or may_ask or course.logged_in is not self._logged_in:
            self._since, self._logged_in = now, course.logged_in
        if now - self._since <= self._patience:
            return None
        course.late = self._patience
        return ending_of(course)

    def _end_process(self) -> None:
        """And all that it started, but not the connection that others may share."""
        with self._one_at_a_time:
            self._over.set()
        if self._questions is not None:
            self._questions.stop()
        self._outgoing.put(None)
        for patience, number in zip(_STOPPING, (None, signal.SIGTERM, _SIGKILL), strict=True):
            if number is not None:
                self._signal(number)
            if self._status_within(patience) is not None:
                break
        self._signal(_SIGKILL)
        self._ended.set()

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


def _thread(run: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=run, name="link", daemon=True)
    thread.start()
    return thread


def _pipe(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream
