"""What ssh asks (a password, a host key, a code) comes to a person, and the answer back to ssh.

ssh starts a program that it is told of, with the question as its argument, and takes the answer
from its output. That program is four lines of shell: the question comes to us and the answer
goes back by pipes with names, in a folder of this person's own. So no secret is ever in a file,
in an argument or in the environment.
"""

import contextlib
import os
import re
import shutil
import sys
import tempfile
import threading
from pathlib import Path
from typing import Protocol

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.refusals import plain
from gpuexplorer.remote.ssh_command import private_folder

_ASKING = """\
#!/bin/sh
cd "${0%/*}" && mkfifo -m 600 "$$" || exit 1
printf '%s %s %.3000s\\0' "$$" "${SSH_ASKPASS_PROMPT:-}" "$1" > questions
exec head -n 1 "$$"
"""
_LONGEST = 65_536  # bytes that wait in the pipe
_SHOWN_AT_MOST = 3_000  # letters of a question
_LONGEST_ANSWER = 1_000  # ssh reads no more
_LOOKING = 0.3  # seconds between two looks whether ssh still wants to know
_YES_NO = re.compile(r"\(yes/no|type 'yes'|\[y/n\]", re.IGNORECASE)
_SHOWN = re.compile(r"(user ?name|login|user) *(for .*)?: *$", re.IGNORECASE)


# ssh of Windows asks no program of ours; keys and the agent work there as well.
CAN_ASK = sys.platform != "win32"


class Asking(Protocol):
    """Whoever can ask a person; called from threads of connections."""

    def ask(
        self, host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        """Waits for the person. None: they do not want to answer, and the connection ends.

        The text is the server's: plain, without escapes, bounded, and not to be believed.
        A `secret` is not shown while it is typed. With `yes_no` the answer is yes, no, or the
        fingerprint. `again`: this connection has asked the same, and did not take the answer.
        """

    def withdraw(self, host: HostName) -> None:
        """ssh does not want to know any more: `ask` returns, with whatever."""


class AskedQuestions:
    """For one connection: `variables` tell ssh of it. `being_answered`: a person is asked just
    now, and may take their time; `refused`: they would not answer.
    """

    def __init__(self, host: HostName, asking: Asking) -> None:
        self._host, self._asking = host, asking
        self.being_answered = self.refused = False
        self._stopped, self._stopping = threading.Event(), threading.Lock()
        self._asked: set[str] = set()
        self._folder = Path(tempfile.mkdtemp(prefix="asks-", dir=private_folder()))
        self._program = self._folder / "ask"
        self._program.write_text(_ASKING, "utf-8")
        self._program.chmod(0o700)
        os.mkfifo(self._folder / "questions", 0o600)
        self._pipes = [_both_ways(self._folder / "questions")]
        self._reader = threading.Thread(target=self._read, name="ssh questions", daemon=True)
        self._reader.start()

    @property
    def variables(self) -> "dict[str, str]":
        return {
            "SSH_ASKPASS": str(self._program),
            "SSH_ASKPASS_REQUIRE": "force",
            "DISPLAY": os.environ.get("DISPLAY") or ":",  # older ones look whether there is one
        }

    def stop(self) -> None:
        """From any thread but that in which a person is asked."""
        with self._stopping:
            if self._stopped.is_set():
                return
            self._stopped.set()
            self._asking.withdraw(self._host)
            with contextlib.suppress(OSError):
                os.write(self._pipes[0], b"\0")  # wakes the reader
            self._reader.join()
            for each in self._pipes:
                os.close(each)
            shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self) -> None:
        import select  # noqa: PLC0415 - Windows has no poll, and never comes here

        poll = select.poll()
        poll.register(self._pipes[0], select.POLLIN)
        waiting = b""
        while not self._stopped.is_set():
            poll.poll()
            waiting = (waiting + os.read(self._pipes[0], _LONGEST))[-_LONGEST:]
            *asked, waiting = waiting.split(b"\0")
            for each in asked:
                if not self._stopped.is_set() and not self.refused:
                    self._ask(each)

    def _ask(self, asked: bytes) -> None:
        number, _, rest = asked.partition(b" ")
        hint, _, question = rest.partition(b" ")
        if not number.isdigit():
            return
        text = plain(question, _SHOWN_AT_MOST).strip()
        yes_no = hint == b"confirm" or _YES_NO.search(text) is not None
        # Of all else only a name is shown: a password may be asked for in any language.
        secret = hint != b"none" and not yes_no and _SHOWN.search(text) is None
        over = threading.Event()
        watch = threading.Thread(
            target=self._withdraw_when_gone, args=(int(number), over), name="ssh asks"
        )
        self.being_answered = True
        watch.start()
        again = text in self._asked
        self._asked.add(text)
        answer = self._asking.ask(self._host, text, secret=secret, yes_no=yes_no, again=again)
        over.set()
        watch.join()
        self.refused = answer is None and hint != b"none" and not self._stopped.is_set()
        if answer is not None:
            self._answer(number.decode(), answer)
        self.being_answered = False

    def _withdraw_when_gone(self, number: int, over: threading.Event) -> None:
        while not over.wait(_LOOKING):
            try:
                os.kill(number, 0)
            except OSError:
                self._asking.withdraw(self._host)
                return

    def _answer(self, number: str, answer: str) -> None:
        with contextlib.suppress(OSError):  # it may be gone by now
            pipe = _both_ways(self._folder / number)
            self._pipes.append(pipe)  # closed now, it would forget what was not read yet
            os.write(pipe, answer.replace("\n", "").encode()[:_LONGEST_ANSWER] + b"\n")


def _both_ways(path: Path) -> int:
    """A pipe that never ends and never waits for somebody at the other end."""
    return os.open(path, os.O_RDWR | os.O_NONBLOCK)


def questions_of(host: HostName, asking: Asking) -> AskedQuestions:
    """Only where ssh `CAN_ASK`. Raises Trouble without room for them."""
    try:
        return AskedQuestions(host, asking)
    except OSError as error:
        raise Trouble(
            "The questions of ssh cannot be shown: {why}.",
            "Look whether there is room in the folder for temporary files.",
            why=error.strerror,
        ) from None
