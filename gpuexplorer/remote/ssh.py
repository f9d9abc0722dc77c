"""The system's ssh: the names that it takes, its command, and what it asks a person. Its own
keys, agent, jump hosts and configuration apply.

ssh starts a program that it is told of, with the question as its argument, and takes the answer
from its output. That program is four lines of shell: the question comes to us and the answer
goes back by pipes with names, in a folder of this person's own. So no secret is ever in a file,
in an argument or in the environment.
"""

import atexit
import functools
import os
import re
import shutil
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor, wait
from contextlib import suppress
from dataclasses import dataclass
from glob import glob
from pathlib import Path
from typing import NamedTuple, Protocol
from zlib import crc32

from gpuexplorer.core.harmless import clean
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark

_LONGEST_NAME = 320  # a user of 64, "@", and a name of 255
# A ProxyCommand of a person's own may hand the name to a shell; newer ssh refuse these as well.
# A user of a domain has a backslash.
_NAME = re.compile(r"""([^'`"$;&<>|(){}]+@)?(?!-)[^'`"$;&<>|(){}@\\]+""")
_LINE = re.compile(r"\s*(host|include)(?:\s*=\s*|\s+)(.*)", re.IGNORECASE)
_WORD = re.compile(r'"([^"]*)"|([^\s"]+)')


_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?", re.DOTALL
)


def plain(said: bytes) -> str:
    """What a server says, without what moves a cursor or hides."""
    text = _ESCAPES.sub("", said.decode("utf-8", "replace")).replace("\t", " ")
    return "\n".join(map(clean, text.splitlines()))


class HostName(NamedTuple):
    """user@server, as it was typed; it may be an alias of ~/.ssh/config."""

    text: str

    def __str__(self) -> str:
        return self.text


# How a command line is run over there. The real one is ssh; tests hand in others.
Launch = Callable[[HostName, str], Sequence[str]]


def host_name(text: str) -> HostName:
    """Raises Trouble for what ssh could take for something else than a name."""
    name = text.strip(" ")
    if not name:
        why = mark("The name of a machine is missing.")
    elif name.startswith("-"):  # an option
        why = mark("The name of a machine cannot begin with a hyphen: {name}.")
    elif " " in name or not name.isprintable():
        why = mark("The name of a machine cannot hold spaces or control characters: {name}.")
    elif "," in name:
        why = mark("Machines are named one at a time, and not with commas: {name}.")
    elif len(name) > _LONGEST_NAME or not _NAME.fullmatch(name):
        why = mark("This is no name of a machine: {name}.")
    else:
        return HostName(name)
    hint = "Write it as for ssh: server, user@server, or a name of ~/.ssh/config."
    raise Trouble(why, hint, name=clean(name, 80))


def names_to_choose(config: Path | None = None) -> Sequence[str]:
    """Of the configuration and of what that includes. A file that cannot be read has none."""
    found: dict[str, None] = {}
    first = config or Path("~/.ssh/config").expanduser()
    for word in _named(first, first.parent, set()):
        with suppress(Trouble):  # nobody could connect to it either
            if not {*"*?!"} & {*word}:
                found[host_name(word).text] = None
    return list(found)


def _named(config: Path, folder: Path, seen: set[Path]) -> Iterator[str]:
    if config in seen or not config.is_file():  # a pipe would never end
        return
    seen.add(config)
    with suppress(OSError, ValueError):
        for line in config.read_text("utf-8", "replace").splitlines():
            if (match := _LINE.fullmatch(line)) is None:
                continue
            words = [quoted or bare for quoted, bare in _WORD.findall(match[2])]
            if match[1].lower() == "host":
                yield from words
                continue
            for each in map(os.path.expanduser, words):
                pattern = str(folder / each)  # or an absolute one
                for path in sorted(glob(pattern)):  # noqa: PTH207 - as just said
                    yield from _named(Path(path), folder, seen)


# A dead link is noticed after 15 seconds. VERBOSE says when it has logged in.
_USUAL = (
    *("ServerAliveInterval=5", "ServerAliveCountMax=3", "ClearAllForwardings=yes"),
    *("RequestTTY=no", "RemoteCommand=none", "LogLevel=VERBOSE"),
)
# There is more time where a person types a jump host's password meanwhile.
_ALONE = ("BatchMode=yes", "ConnectTimeout=20")
_ANSWERED = ("BatchMode=no", "ConnectTimeout=180")
_SHARED = ("ControlMaster=auto", "ControlPersist=10")  # kept open for one that follows soon


def ssh_command(
    host: HostName, remote_command: str, *, somebody_answers: bool = False
) -> Sequence[str]:
    """Where nobody answers, a question of ssh's is a refusal. Further connections to the same
    host take the first one's way, and ask nothing. Raises Trouble without ssh.
    """
    program = shutil.which("ssh")
    if program is None:
        raise Trouble(
            "There is no ssh on this computer.",
            "Install OpenSSH: its package is openssh-client or openssh; on Windows it is one "
            "of the optional features.",
        )
    options = [*_USUAL, *(_ANSWERED if somebody_answers else _ALONE)]
    with suppress(OSError):  # without such a folder each connection logs in by itself
        if sys.platform != "win32" and _suits(str((folder := private_folder()).parent)):
            # By the name as well: two may be one address to ssh, over different jump hosts.
            name = f"{crc32(host.text.encode()) & 0xFFFF:04x}"
            options += [*_SHARED, f"ControlPath={folder}/{name}-%C"]
    words = [word for each in options for word in ("-o", each)]
    return [program, "-T", *words, "--", host.text, remote_command]


# With the folder's own name, 46 letters of a socket's, and 17 that ssh adds, it has to fit.
_LONGEST_PLACE = 16
# ssh cuts its options at blanks, and looks for quotes, % and $ in them.
_PLAIN = re.compile(r"[A-Za-z0-9_/.+-]+")
_one_at_a_time = threading.Lock()  # a cache alone lets two threads that ask first make two


def private_folder() -> Path:
    """One for this process, gone with it. Short, since a socket's path has at most 104 bytes,
    and where programs may be started. Any thread, several at once too. Raises OSError.
    """
    with _one_at_a_time:
        return _made()


@functools.cache
def _made() -> Path:
    places = os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", tempfile.gettempdir()
    place = next(filter(_suits, places), places[-1])
    folder = Path(tempfile.mkdtemp(prefix=f"gpuexp-{os.getpid()}-", dir=place))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _suits(place: str) -> bool:
    if len(place) > _LONGEST_PLACE or not _PLAIN.fullmatch(place):
        return False
    forbids_programs: int = getattr(os, "ST_NOEXEC", 0)
    return os.access(place, os.W_OK) and not os.statvfs(place).f_flag & forbids_programs


_ASKING = """\
#!/bin/sh
cd "${0%/*}" && mkfifo -m 600 "$$" || exit 1
printf '%s %s %.900s\\0' "$$" "${SSH_ASKPASS_PROMPT:-}" "$1" > questions
exec head -n 1 "$$"
"""
_LONGEST = 65_536  # bytes that wait in the pipe; a question, of four bytes a letter, is whole
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


@dataclass(eq=False)
class Question(Future[str | None]):
    """What ssh wants to know of the person. `text` is what ssh or the other side wrote: never
    taken for markup. It is done when it is answered, or nobody wants to know any more.
    """

    machine: str
    text: str
    secret: bool
    yes_no: bool
    again: bool

    def __post_init__(self) -> None:
        super().__init__()

    def answer(self, text: str | None) -> None:
        """The first one counts. None: no answer, and so no connection."""
        with suppress(InvalidStateError):
            self.set_result(text)


class Questions:
    """An `Asking` of which the questions wait for whoever shows `next`, and who may be gone
    before those who ask.
    """

    def __init__(self, on_news: Callable[[], None]) -> None:
        """`on_news`: one more waits, or one is over."""
        self._on_news, self._closed = on_news, False
        self._open: list[Question] = []

    def next(self) -> Question | None:
        """The one that has waited longest."""
        return next((each for each in tuple(self._open) if not each.done()), None)

    def ask(
        self, host: HostName, text: str, *, secret: bool, yes_no: bool, again: bool
    ) -> str | None:
        question = Question(host.text, text, secret, yes_no, again)
        self._open.append(question)
        if self._closed:
            question.answer(None)
        self._on_news()
        answer = question.result()
        self._open.remove(question)
        return answer

    def withdraw(self, host: HostName | None) -> None:
        """None: all of them."""
        for each in tuple(self._open):
            if host is None or each.machine == host.text:
                each.answer(None)
        self._on_news()

    def close(self) -> None:
        """Nobody answers any more."""
        self._closed = True
        self.withdraw(None)


class AskedQuestions:
    """For one connection, and only where ssh `CAN_ASK`: `variables` tell ssh of it.
    `being_answered`: a person is asked just now, and may take their time; `refused`: they would
    not answer.
    """

    def __init__(self, host: HostName, asking: Asking) -> None:
        """Raises Trouble without room for them."""
        self._host, self._asking = host, asking
        self.being_answered = self.refused = False
        self._stopped = threading.Event()
        self._asked: set[str] = set()
        try:
            self._folder = Path(tempfile.mkdtemp(prefix="asks-", dir=private_folder()))
            program = self._folder / "ask"
            program.write_text(_ASKING, "utf-8")
            program.chmod(0o700)
            os.mkfifo(self._folder / "questions", 0o600)
            self._pipes = [os.open(self._folder / "questions", os.O_RDWR)]
        except OSError as error:
            raise Trouble(
                "The questions of ssh cannot be shown: {why}.",
                "Look whether there is room in the folder for temporary files.",
                why=error.strerror,
            ) from None
        self.variables = {
            "SSH_ASKPASS": str(program),
            "SSH_ASKPASS_REQUIRE": "force",
            "DISPLAY": os.environ.get("DISPLAY") or ":",  # older ones look whether there is one
        }
        self._reader = threading.Thread(target=self._read, name="ssh questions", daemon=True)
        self._reader.start()

    def stop(self) -> None:
        """From any thread but that in which a person is asked. Harmless when called twice."""
        if self._stopped.is_set():
            return
        self._stopped.set()
        self._asking.withdraw(self._host)
        os.write(self._pipes[0], b"\0")  # wakes the reader
        self._reader.join()
        for each in self._pipes:
            os.close(each)
        shutil.rmtree(self._folder, ignore_errors=True)

    def _read(self) -> None:
        while not self._stopped.is_set():
            for each in os.read(self._pipes[0], _LONGEST).split(b"\0"):
                number, _, rest = each.partition(b" ")
                if number and not (self._stopped.is_set() or self.refused):
                    hint, _, question = rest.partition(b" ")
                    self._ask(int(number), hint, plain(question).strip())

    def _ask(self, number: int, hint: bytes, text: str) -> None:
        yes_no = hint == b"confirm" or _YES_NO.search(text) is not None
        # Of all else only a name is shown: a password may be asked for in any language.
        secret = hint != b"none" and not yes_no and _SHOWN.search(text) is None
        again = text in self._asked
        self._asked.add(text)
        told = {"secret": secret, "yes_no": yes_no, "again": again}
        self.being_answered = True
        with ThreadPoolExecutor(1) as person:
            asked = person.submit(self._asking.ask, self._host, text, **told)
            while not wait([asked], _LOOKING).done:
                try:
                    os.kill(number, 0)
                except ProcessLookupError:  # ssh does not want to know any more
                    self._asking.withdraw(self._host)
        answer = asked.result()
        self.refused = answer is None and hint != b"none" and not self._stopped.is_set()
        if answer is not None:
            with suppress(OSError):  # it may be gone by now
                pipe = os.open(self._folder / str(number), os.O_RDWR)
                self._pipes.append(pipe)  # closed now, it would forget what was not read yet
                os.write(pipe, answer.replace("\n", "").encode()[:_LONGEST_ANSWER] + b"\n")
        self.being_answered = False
