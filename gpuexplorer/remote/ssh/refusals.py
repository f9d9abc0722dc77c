"""Why a connection ended or never began: what ssh and the other machine said, as a sentence.

ssh's own status is 255 for everything; only its words tell one reason from another.
"""

import re
from collections.abc import Sequence

from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.remote.ending import Course, Ending
from gpuexplorer.remote.plain_text import last_lines, plain

_NEWER = mark("Install Python 3.10 or newer there, or name one with --host-python.")
_SSHS = 255
_CANNOT_START = (126, 127)  # as shells say it: it may not be run; there is none
_TRY = mark("Type `ssh {host}` in a terminal: it shows the same, and asks what it has to ask.")

# What ssh says (its words are English everywhere), the sentence, the way out, and whether that
# may be otherwise in a while. The first that fits.
_BEFORE: "Sequence[tuple[str, str, str, bool]]" = (
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
)

# What is said over there, by whatever shell, once the login was done.
_NO_PYTHON = re.compile(
    r"not found|[Uu]nknown command|No such file or directory|not recognized|nicht gefunden"
)
_TOO_OLD = re.compile(r"too old: (\d[\d.]*)")
_NO_SHELL = re.compile(
    r"account is (currently )?not available|does not provide shell access|sftp connections only"
    r"|shell access|restricted",
    re.IGNORECASE,
)
_NO_ROOM = re.compile(r"Read-only file system|No space left on device|Disk quota exceeded")
_NO_MEMORY = re.compile(r"Cannot allocate memory|MemoryError|fork: (retry|Resource)")
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
        return _late(course, course.late, said)
    if course.status == _SSHS and not course.logged_in:
        return _not_reached(course.host, said)
    return _not_started(course, said)


def _not_reached(host: str, said: str) -> Ending:
    for pattern, sentence, hint, again in _BEFORE:
        if found := re.search(f".*({pattern}).*", said):
            line = last_lines(found.group(), 1).rstrip(".")
            return Ending(
                Message(sentence, host=host, said=line), Message(hint, host=host), again
            )
    if denied := re.search(r"Permission denied \(([\w,.@-]+)\)", said):
        return Ending(
            Message(
                "{host} refuses this login; it would take: {ways}.",
                host=host,
                ways=denied.group(1).replace(",", ", "),
            ),
            Message(
                "Is it the right user, with the right password, or a key that is there and "
                "unlocked (`ssh-add -l`)? `ssh {host}` in a terminal has to work first.",
                host=host,
            ),
            again=False,
        )
    if reason := last_lines(said).rstrip("."):
        return Ending(
            Message("ssh cannot connect to {host}: {said}.", host=host, said=reason),
            Message(_TRY, host=host),
        )
    return Ending(
        Message("ssh cannot connect to {host}, and does not say why.", host=host),
        Message(_TRY, host=host),
    )


def _late(course: Course, seconds: float, said: str) -> Ending:
    if not course.heard and not course.logged_in:
        return Ending(
            Message(
                "{host} did not answer within {seconds:.0f} s.",
                host=course.host,
                seconds=seconds,
            ),
            Message("Is it switched on, and does a firewall let ssh through?"),
        )
    printed = last_lines(course.heard or said)
    if "\N{REPLACEMENT CHARACTER}" in printed:
        printed = ""  # such as what we sent
    return Ending(
        told(
            Message(
                "{host} took the login, but its login shell started nothing within "
                "{seconds:.0f} s.",
                host=course.host,
                seconds=seconds,
            ),
            Message("It printed: {text}", text=printed) if printed else NOTHING,
        ),
        Message(
            "What the shell runs at a login (.bashrc, .profile, a forced command) must not "
            "wait or read. `ssh {host} true` in a terminal has to come back.",
            host=course.host,
        ),
        again=False,
    )


def _not_started(course: Course, said: str) -> Ending:
    """It was logged in, or another than ssh was started, and it ended before the mark."""
    host, words = course.host, said + plain(course.heard)
    reason = (last_lines(said) or last_lines(course.heard)).rstrip(".")
    if old := _TOO_OLD.search(words):
        return Ending(
            Message(
                "The Python of {host} is too old: {version}.", host=host, version=old.group(1)
            ),
            Message(_NEWER),
            again=False,
        )
    if course.status in _CANNOT_START or _NO_PYTHON.search(words):
        return Ending(
            Message("{host} cannot start Python: {said}.", host=host, said=reason),
            Message(_NEWER),
            again=False,
        )
    if _NO_SHELL.search(words):
        return Ending(
            Message("{host} runs no commands for this login: {said}.", host=host, said=reason),
            Message("Ask whoever looks after it for a login with a shell."),
            again=False,
        )
    if _NO_ROOM.search(words):
        return Ending(
            Message("A disk of {host} cannot be written: {said}.", host=host, said=reason),
            Message("GPU Explorer writes nothing there, but the login does."),
            again=False,
        )
    if _NO_MEMORY.search(words):
        return Ending(
            Message("{host} has no memory left for a program: {said}.", host=host, said=reason)
        )
    if course.status is None or (course.status == _SSHS and not reason):
        return Ending(Message("The connection to {host} broke while it began.", host=host))
    if not reason:
        return Ending(
            Message(
                "The login shell of {host} ended without a word (status {status}).",
                host=host,
                status=course.status,
            ),
            Message("`ssh {host} python3 --version` in a terminal has to answer.", host=host),
            again=False,
        )
    return Ending(
        Message(
            "Python did not start on {host} (status {status}): {said}.",
            host=host,
            status=course.status,
            said=reason,
        ),
        Message("`ssh {host} python3 --version` in a terminal has to answer.", host=host),
        again=False,
    )


def _broken(course: Course, said: str) -> Ending:
    host = course.host
    if "Timeout, server" in said:
        return Ending(Message("{host} does not answer any more.", host=host))
    if course.status in (_SSHS, None):
        return Ending(Message("The connection to {host} broke.", host=host))
    reason = last_lines(said).rstrip(".")
    if not reason and course.status == 0:
        return Ending(Message("Our part on {host} ended.", host=host))
    if course.status in (137, 128 + 15, -9, -15):
        return Ending(Message("Our part on {host} was killed over there.", host=host))
    if not reason:
        return Ending(
            Message(
                "Our part on {host} ended with status {status}.",
                host=host,
                status=course.status,
            )
        )
    return Ending(
        Message(
            "Our part on {host} ended with status {status}: {said}.",
            host=host,
            status=course.status,
            said=reason,
        )
    )
