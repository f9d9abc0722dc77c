"""The system's ssh as a command: its own keys, agent, jump hosts and configuration apply."""

import contextlib
import functools
import os
import re
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.host_name import HostName

# A dead link is noticed after EVERY x COUNT seconds.
ALIVE_EVERY, ALIVE_COUNT = 5, 3
CONNECTING = 20  # seconds
# With a person who types a jump host's password meanwhile. Link has a deadline of its own.
CONNECTING_AND_ASKING = 180
_KEPT_OPEN = 10  # seconds after the last connection, for one that follows soon


def ssh_command(
    host: HostName, remote_command: str, *, somebody_answers: bool = False
) -> Sequence[str]:
    """Where nobody answers, a question of ssh's is a refusal. Raises Trouble without ssh."""
    program = shutil.which("ssh")
    if program is None:
        raise Trouble(
            "There is no ssh on this computer.",
            "Install OpenSSH: its package is openssh-client or openssh; on Windows it is one "
            "of the optional features.",
        )
    connecting = CONNECTING_AND_ASKING if somebody_answers else CONNECTING
    options = [
        f"ServerAliveInterval={ALIVE_EVERY}",
        f"ServerAliveCountMax={ALIVE_COUNT}",
        f"ConnectTimeout={connecting}",
        "ClearAllForwardings=yes",
        "RequestTTY=no",
        "RemoteCommand=none",
        "LogLevel=VERBOSE",  # says when it has logged in
        f"BatchMode={'no' if somebody_answers else 'yes'}",
        *_shared(host),
    ]
    words = [program, "-T"]
    for each in options:
        words += ["-o", each]
    return [*words, "--", host.text, remote_command]


def _shared(host: HostName) -> "Sequence[str]":
    """Further connections to the same host take the first one's way, and ask nothing.

    By the name as well: two may be one address to ssh, and lead over different jump hosts.
    Without a folder each logs in by itself.
    """
    folder = None if sys.platform == "win32" else folder_of_sockets()
    if folder is None:
        return ()
    name = sha256(host.text.encode()).hexdigest()[:8]
    return (
        "ControlMaster=auto",
        f"ControlPath={folder}/{name}-%C",
        f"ControlPersist={_KEPT_OPEN}",
    )


# With the folder's own name, 49 letters of a socket's, and 17 that ssh adds, it has to fit.
_LONGEST = 16
_PREFIX = "gpuexp-ssh-"
_NOT_HELD_YET = 60.0  # seconds after one was made or used, in which it is left alone
# ssh cuts its options at blanks, and looks for quotes, % and $ in them.
_PLAIN = re.compile(r"[A-Za-z0-9_/.+-]+")


def private_folder() -> Path:
    """One for this process, gone with it. Short, since a socket's path has at most 104 bytes,
    and where programs may be started. Any thread, several at once too. Raises OSError.
    """
    with _one_at_a_time:
        return _made()


def folder_of_sockets() -> "Path | None":
    """None where there is no room for any, or its path is nothing for ssh."""
    try:
        folder = private_folder()
    except OSError:
        return None
    return folder if _suits(str(folder.parent)) else None


_one_at_a_time = threading.Lock()  # a cache alone lets two threads that ask first make two


@functools.cache
def _made() -> Path:
    places = [os.environ.get("XDG_RUNTIME_DIR", ""), "/tmp", tempfile.gettempdir()]
    usable = [each for each in places if _suits(each) and _may_start(each)]
    place = Path(next(iter(usable), tempfile.gettempdir()))
    _clear_up(place)
    folder = tempfile.TemporaryDirectory(prefix=_PREFIX, dir=place, ignore_cleanup_errors=True)
    _kept.append((folder, _held(folder.name)))
    return Path(folder.name)


# It goes when Python ends, and not before.
_kept: "list[tuple[tempfile.TemporaryDirectory[str], int | None]]" = []


def _clear_up(place: Path) -> None:
    """What one of ours left that was killed: its hold is gone with it."""
    for each in place.glob(f"{_PREFIX}*"):
        with contextlib.suppress(OSError):
            known = each.lstat()
            left_alone = time.time() - known.st_mtime <= _NOT_HELD_YET
            if left_alone or known.st_uid != os.geteuid() or (hold := _held(each)) is None:
                continue
            shutil.rmtree(each, ignore_errors=True)
            os.close(hold)


def _held(folder: "str | Path") -> "int | None":
    """Until this process ends, however it does; None where another one holds it."""
    if sys.platform == "win32":
        return None
    import fcntl  # noqa: PLC0415 - Windows has none

    hold = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(hold, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(hold)
        return None
    return hold


def _suits(folder: str) -> bool:
    return len(folder) <= _LONGEST and _PLAIN.fullmatch(folder) is not None


def _may_start(folder: str) -> bool:
    if sys.platform == "win32" or not os.access(folder, os.W_OK):
        return False
    forbidden: int = getattr(os, "ST_NOEXEC", 0)
    return not os.statvfs(folder).f_flag & forbidden
