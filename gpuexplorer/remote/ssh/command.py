"""The system's ssh as a command: its own keys, agent, jump hosts and configuration apply."""

import shutil
import sys
from collections.abc import Sequence
from hashlib import sha256

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.remote.host_name import HostName
from gpuexplorer.remote.ssh.private_folder import folder_of_sockets

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
