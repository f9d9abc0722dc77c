"""Why a connection ended or never began: what ssh and the other machine said, as a sentence.

ssh's own status is 255 for everything; only its words tell one reason from another.
"""

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message, mark, told

_KEPT = 8_192  # bytes of what was said last


class Ending(NamedTuple):
    why: Message
    hint: Message = NOTHING
    again: bool = True  # whether it makes sense to try again without a person


@dataclass
class Course:
    """All that is known of a connection, as it goes on."""

    host: str
    status: int | None = None  # of ssh when it has ended; None: we ended it
    ready: bool = False  # the mark came
    logged_in: bool = False  # ssh said so
    late: float | None = None  # seconds after which we gave up
    heard: bytes = b""  # the last of what came before the mark
    complained: bytes = b""  # the last of standard error

    def hear(self, data: bytes) -> None:
        self.heard = (self.heard + data)[-_KEPT:]

    def complain(self, data: bytes) -> None:
        self.complained = (self.complained + data)[-_KEPT:]
        self.logged_in = self.logged_in or b"Authenticated to " in self.complained


_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]PX^_].*?(?:\x07|\x1b\\|$)|\x1b[ -/]*[0-~]?", re.DOTALL
)


def plain(said: "bytes | str", longest: int = 2_000) -> str:
    """Its end, where it is longer: that is where the reason stands."""
    text = said.decode("utf-8", "replace") if isinstance(said, bytes) else said
    text = text[-8 * longest :].replace("\r\n", "\n").replace("\r", "\n").replace("\t", " ")
    text = "".join(each for each in _ESCAPES.sub("", text) if each == "\n" or _shows(each))
    return text if len(text) <= longest else f"…{text[-longest:]}"


def last_lines(said: "bytes | str", many: int = 3, longest: int = 300) -> str:
    """As one line; empty where nothing was said."""
    lines = [each.strip() for each in plain(said).splitlines() if each.strip()]
    return plain(" / ".join(lines[-many:]), longest)


def _shows(letter: str) -> bool:
    return unicodedata.category(letter) not in {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}


_NEWER = mark(
    "Install Python 3.10 or newer there, or name one where the machine is added, or with "
    "--host-python."
)
_SSHS = 255
_KILLED = (137, 143, -9, -15)
_TRY = mark("Type `ssh {host}` in a terminal: it shows the same, and asks what it has to ask.")
_SWITCHED_ON = mark("Is it switched on, and does a firewall let ssh through?")
_TRY_PYTHON = mark("`ssh {host} python3 --version` in a terminal has to answer.")
_Known = tuple[str, str, str, bool]

# What is said, the sentence, the way out, and whether that may be otherwise in a while. The
# first that fits. ssh's own words are English everywhere.
_BEFORE: Sequence[_Known] = (
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
        r"UNPROTECTED PRIVATE KEY FILE|bad permissions",
        mark("ssh does not use a private key that others can read."),
        mark("`chmod 600` on the key mends it; `ssh {host}` in a terminal names it."),
        False,
    ),
    (
        r"ssh_askpass: exec",
        mark("ssh had a question and could not ask it here."),
        _TRY,
        False,
    ),
    (
        r"Too many authentication failures",
        mark("{host} gave up: ssh offered it too many keys."),
        mark("Name the right one in ~/.ssh/config, with IdentityFile and IdentitiesOnly."),
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
    (
        r"[Nn]o matching .* found",
        mark("ssh here and the server on {host} have no common way to encrypt."),
        mark("One of the two is too old. `ssh {host}` in a terminal says which they offer."),
        False,
    ),
    (
        r"command-line.*Bad configuration option",
        mark("The ssh of this computer is too old: {said}."),
        mark("OpenSSH 7.6 or newer is needed, and 8.4 or newer where it asks for something."),
        False,
    ),
    (
        r"Bad configuration option|Bad owner or permissions|terminating, \d+ bad",
        mark("ssh does not accept its own configuration: {said}."),
        mark("Mend that line of ~/.ssh/config."),
        False,
    ),
    (
        r"Connection (closed|reset)|kex_exchange|Broken pipe|banner exchange",
        mark("{host} hung up before the login was done."),
        mark("It may be starting, or have too many logins; it is worth another try."),
        True,
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
)

# What is said over there, by whatever shell, once the login was done.
_AFTER: Sequence[_Known] = (
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
    (
        r"Read-only file system|No space left on device|Disk quota exceeded",
        mark("A disk of {host} cannot be written: {said}."),
        mark("GPU Explorer writes nothing there, but the login does."),
        False,
    ),
    (
        r"Cannot allocate memory|MemoryError|fork: (retry|Resource)",
        mark("{host} has no memory left for a program: {said}."),
        "",
        True,
    ),
)
SSHS_LINES = re.compile(
    r"^(Authenticated to|Transferred: sent|Bytes per second|debug\d|Warning: Permanently added"
    r"|\*\* (WARNING|This session|The server)|mux_client).*$",
    re.MULTILINE,
)


def ending_of(course: Course) -> Ending:
    said = SSHS_LINES.sub("", plain(course.complained, 8_000))
    reason = _last(said)
    if course.ready:
        return _ending(course, _broken(course.status, said, reason), said=reason)
    if course.late is not None:
        return _late(course, said)
    if course.status == _SSHS and not course.logged_in:
        unknown = mark("ssh cannot connect to {host}, and does not say why.")
        if reason:
            unknown = mark("ssh cannot connect to {host}: {said}.")
        known = _known(_BEFORE, course, said)
        return known or _ending(course, unknown, _TRY, said=reason)
    # It was logged in, or another than ssh was started, and it ended before the mark.
    reason = reason or _last(course.heard)
    words = f"{said}{plain(course.heard)}\nstatus {course.status}"
    if known := _known(_AFTER, course, words, reason):
        return known
    if course.status is None or (course.status == _SSHS and not reason):
        return _ending(course, mark("The connection to {host} broke while it began."))
    sentence = mark("The login shell of {host} ended without a word (status {status}).")
    if reason:
        sentence = mark("Python did not start on {host} (status {status}): {said}.")
    return _ending(course, sentence, _TRY_PYTHON, again=False, said=reason)


def endless(host: str) -> Ending:
    return Ending(Message("{host} sent a line without an end.", host=host), again=False)


def _late(course: Course, said: str) -> Ending:
    if not course.heard and not course.logged_in:
        return _ending(
            course, mark("{host} did not answer within {seconds:.0f} s."), _SWITCHED_ON
        )
    printed = last_lines(course.heard or said)
    if "\N{REPLACEMENT CHARACTER}" in printed:
        printed = ""  # such as what we sent
    ending = _ending(
        course,
        mark(
            "{host} took the login, but its login shell started nothing within {seconds:.0f} s."
        ),
        mark(
            "What the shell runs at a login (.bashrc, .profile, a forced command) must not "
            "wait or read. `ssh {host} true` in a terminal has to come back."
        ),
        again=False,
    )
    it_said = Message("It printed: {text}", text=printed) if printed else NOTHING
    return ending._replace(why=told(ending.why, it_said))


def _broken(status: int | None, said: str, reason: str) -> str:
    if "Timeout, server" in said:
        return mark("{host} does not answer any more.")
    if status in (_SSHS, None):
        return mark("The connection to {host} broke.")
    if status == 0 and not reason:
        return mark("Our part on {host} ended.")
    if status in _KILLED:
        return mark("Our part on {host} was killed.")
    if reason:
        return mark("Our part on {host} ended with status {status}: {said}.")
    return mark("Our part on {host} ended with status {status}.")


def _known(
    table: Sequence[_Known], course: Course, words: str, reason: str | None = None
) -> Ending | None:
    """Without a `reason` the line that fits is one."""
    for pattern, sentence, hint, again in table:
        if found := re.search(f".*(?:{pattern}).*", words):
            values = {name: text.replace(",", ", ") for name, text in found.groupdict().items()}
            line = _last(found.group()) if reason is None else reason
            return _ending(course, sentence, hint, again=again, said=line, **values)
    return None


def _ending(
    course: Course, sentence: str, hint: str = "", *, again: bool = True, **values: object
) -> Ending:
    values |= {"host": course.host, "status": course.status, "seconds": course.late}
    way_out = Message(hint, host=course.host) if hint else NOTHING
    return Ending(Message(sentence, **values), way_out, again)


def _last(said: bytes | str) -> str:
    """A reason, to be told in the middle of a sentence."""
    return last_lines(said).rstrip(".")
