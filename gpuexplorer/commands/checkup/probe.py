"""Probe: all that the doctor touches of this computer, handed in so that it can be replaced."""

import os
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from gpuexplorer.commands.checkup.x_server import x_refusal
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.packaged import folder
from gpuexplorer.lab.pythons import LabPython, ask, asked, candidates
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.patience import Asked
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
    pythons: Callable[[], Sequence[Asked[LabPython]]]  # from then on, the likeliest first
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
    home = os.path.expanduser("~")  # noqa: PTH111 - where there is no home, it stays "~"
    return Probe(
        open_backend=open_backend,
        pythons=lambda: _pythons(home),
        run_program=run_program,
        installed=_installed,
        may_use=lambda path: os.access(path, os.R_OK | os.W_OK),
        reachable=_reachable,
        x_refusal=lambda name: x_refusal(name, None if parts is None else str(parts)),
        groups=_groups(),
        prefix=None if parts is not None else sys.prefix,
        parts=None if parts is None else str(parts),
        home=home,
        user=_user(),
        host=socket.gethostname(),
    )


def run_program(argv: Sequence[str], timeout: float) -> Ran:
    """Run a program to its end, or to the end of patience; whatever happens is an answer."""
    try:
        code, text = asked(argv, timeout)
    except OSError as refusal:
        trouble = Message(
            "It could not be started: {reason}.", reason=refusal.strerror or refusal
        )
        return Ran(None, "", trouble)
    if code is None:
        late = Message("It did not answer within {seconds:g} s.", seconds=timeout)
        return Ran(None, "", late)
    trouble = Message("It ended with code {code}.", code=code) if code else NOTHING
    return Ran(code, text, trouble)


def _pythons(home: str) -> list[Asked[LabPython]]:
    """All that may be one, asked at the same time."""
    return [Asked(partial(ask, path)) for path in candidates(dict(os.environ), Path(home))]


def _installed(name: str) -> str | None:
    import importlib.metadata  # noqa: PLC0415 - slow, and a window that opens asks for none

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
