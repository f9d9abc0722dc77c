"""Probe: all that the doctor touches of this computer, handed in so that it can be replaced."""

import importlib.metadata
import os
import socket
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from gpuexplorer.commands.checkup.x_server import x_refusal
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.packaged import folder
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.place import Place


@dataclass(frozen=True, slots=True)
class Ran:
    """What became of a program that was started."""

    code: int | None  # None: it did not end by itself, or did not start
    output: str
    trouble: Message = NOTHING  # why there is no answer

    @property
    def well(self) -> bool:
        return self.code == 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Probe(Place):
    """A place, and what goes beyond reading files."""

    open_backend: Callable[[], Backend]
    run_program: Callable[[Sequence[str], float], Ran]
    installed: Callable[[str], str | None]  # the version of a distribution of this Python
    may_use: Callable[[Path], bool]  # whether this user may read and write the file
    reachable: Callable[[str | tuple[str, int]], bool]  # a socket's path, or host and port
    x_refusal: Callable[[str], str | None]  # why the X server of this name lets nobody in
    groups: Sequence[int] = ()  # the groups of this user
    prefix: str | None = None  # of the Python that runs this; None in a packaged program
    parts: str | None = None  # where the packaged program's own parts are; None under a Python
    home: str = ""
    user: str = ""
    host: str = ""
    patience: float = 10.0  # seconds that the driver has to answer


def this_computer(open_backend: Callable[[], Backend]) -> Probe:
    parts = folder()
    return Probe(
        open_backend=open_backend,
        run_program=run_program,
        installed=_installed,
        may_use=lambda path: os.access(path, os.R_OK | os.W_OK),
        reachable=_reachable,
        x_refusal=lambda name: x_refusal(name, None if parts is None else str(parts)),
        groups=_groups(),
        prefix=None if parts is not None else sys.prefix,
        parts=None if parts is None else str(parts),
        home=os.path.expanduser("~"),  # noqa: PTH111 - where there is no home, it stays "~"
        user=_user(),
        host=socket.gethostname(),
    )


def run_program(argv: Sequence[str], timeout: float) -> Ran:
    """Run a program to its end, or to the end of patience; whatever happens is an answer."""
    try:
        ended = subprocess.run(
            argv,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=timeout,
            check=False,
            creationflags=getattr(subprocess, "CREATE_NO_WINDOW", 0),
        )
    except subprocess.TimeoutExpired:
        trouble = Message("It did not answer within {seconds:g} s.", seconds=timeout)
        return Ran(None, "", trouble)
    except OSError as refusal:
        trouble = Message(
            "It could not be started: {reason}.", reason=refusal.strerror or refusal
        )
        return Ran(None, "", trouble)
    output = ended.stdout.decode("utf-8", "replace")
    if ended.returncode == 0:
        return Ran(0, output)
    trouble = Message("It ended with code {code}.", code=ended.returncode)
    return Ran(ended.returncode, output, trouble)


def _installed(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _reachable(address: str | tuple[str, int]) -> bool:
    try:
        if not isinstance(address, str):
            with socket.create_connection(address, timeout=1.0):
                return True
        if sys.platform == "win32":
            return False
        with socket.socket(socket.AF_UNIX) as unix:
            unix.settimeout(1.0)
            unix.connect(address)
    except (OSError, ValueError):
        return False
    return True


def _groups() -> Sequence[int]:
    if sys.platform == "win32":
        return ()
    return sorted({os.getegid(), *os.getgroups()})


def _user() -> str:
    """The name the system knows this user by, before what the environment claims."""
    if sys.platform != "win32":
        import pwd  # noqa: PLC0415 - Windows has no such module

        try:
            return pwd.getpwuid(os.getuid()).pw_name
        except KeyError:
            pass
    return os.environ.get("USER") or os.environ.get("USERNAME") or ""
