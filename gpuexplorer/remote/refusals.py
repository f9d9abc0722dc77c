"""Why a connection ended or never began: what ssh and the other machine said, as a sentence.

ssh's own status is 255 for everything; only its words tell one reason from another.
"""

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from gpuexplorer.core.words import NOTHING, Message, mark, told


class Ending(NamedTuple):
    why: Message
    hint: Message = NOTHING
    again: bool = True  # whether it makes sense to try again without a person


class Course(NamedTuple):
    """All that is known of a connection when it is over."""

    host: str
    status: "int | None" = None  # None: we ended it
    ready: bool = False  # the mark came
    logged_in: bool = False  # ssh said so
    late: "float | None" = None  # seconds after which we gave up
    heard: bytes = b""  # the last of what came before the mark
    complained: bytes = b""  # the last of standard error


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
        r"hostname contains invalid characters|remote username contains invalid",
        mark("ssh does not take {host} for the name of a machine."),
        mark("Write it as for ssh: server, user@server, or a name of ~/.ssh/config."),
        False,
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
        mark("Is it switched on, and does a firewall let ssh through?"),
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
    if course.ready:
        return _broken(course, said)
    if course.late is not None:
        return _late(course, said)
    if course.status == _SSHS and not course.logged_in:
        return _not_reached(course.host, said)
    return _not_started(course, said)


def _not_reached(host: str, said: str) -> Ending:
    if known := _known(_BEFORE, said, host):
        return known
    if reason := _last(said):
        return _ending(host, mark("ssh cannot connect to {host}: {said}."), _TRY, said=reason)
    return _ending(host, mark("ssh cannot connect to {host}, and does not say why."), _TRY)


def _late(course: Course, said: str) -> Ending:
    if not course.heard and not course.logged_in:
        return _ending(
            course.host,
            mark("{host} did not answer within {seconds:.0f} s."),
            mark("Is it switched on, and does a firewall let ssh through?"),
            seconds=course.late,
        )
    printed = last_lines(course.heard or said)
    if "\N{REPLACEMENT CHARACTER}" in printed:
        printed = ""  # such as what we sent
    ending = _ending(
        course.host,
        mark(
            "{host} took the login, but its login shell started nothing within {seconds:.0f} s."
        ),
        mark(
            "What the shell runs at a login (.bashrc, .profile, a forced command) must not "
            "wait or read. `ssh {host} true` in a terminal has to come back."
        ),
        again=False,
        seconds=course.late,
    )
    it_said = Message("It printed: {text}", text=printed) if printed else NOTHING
    return ending._replace(why=told(ending.why, it_said))


def _not_started(course: Course, said: str) -> Ending:
    """It was logged in, or another than ssh was started, and it ended before the mark."""
    host, reason = course.host, _last(said) or _last(course.heard)
    words = f"{said}{plain(course.heard)}\nstatus {course.status}"
    if known := _known(_AFTER, words, host, reason):
        return known
    if course.status is None or (course.status == _SSHS and not reason):
        return _ending(host, mark("The connection to {host} broke while it began."))
    sentence = (
        mark("Python did not start on {host} (status {status}): {said}.")
        if reason
        else mark("The login shell of {host} ended without a word (status {status}).")
    )
    return _ending(host, sentence, _TRY_PYTHON, again=False, status=course.status, said=reason)


def _broken(course: Course, said: str) -> Ending:
    reason = _last(said)
    if "Timeout, server" in said:
        sentence = mark("{host} does not answer any more.")
    elif course.status in (_SSHS, None):
        sentence = mark("The connection to {host} broke.")
    elif course.status == 0 and not reason:
        sentence = mark("Our part on {host} ended.")
    elif course.status in _KILLED:
        sentence = mark("Our part on {host} was killed.")
    elif reason:
        sentence = mark("Our part on {host} ended with status {status}: {said}.")
    else:
        sentence = mark("Our part on {host} ended with status {status}.")
    return _ending(course.host, sentence, status=course.status, said=reason)


def _known(
    table: Sequence[_Known], words: str, host: str, reason: str | None = None
) -> Ending | None:
    """Without a `reason` the line that fits is one."""
    for pattern, sentence, hint, again in table:
        if found := re.search(f".*(?:{pattern}).*", words):
            values = {name: text.replace(",", ", ") for name, text in found.groupdict().items()}
            line = _last(found.group()) if reason is None else reason
            return _ending(host, sentence, hint, again=again, said=line, **values)
    return None


def _ending(
    host: str, sentence: str, hint: str = "", *, again: bool = True, **values: object
) -> Ending:
    why = Message(sentence, host=host, **values)
    return Ending(why, Message(hint, host=host) if hint else NOTHING, again)


def _last(said: bytes | str) -> str:
    """A reason, to be told in the middle of a sentence."""
    return last_lines(said).rstrip(".")
