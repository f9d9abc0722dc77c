"""Whose process that is: user, command and cost on the host, or why that is not known."""

import os
import re
import sys
import time
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.telemetry.processes import Ancestor, CardProcess, NamedProcess
from gpuexplorer.telemetry.system import psutil

# The number Linux gives the first pid namespace; containers have others.
_FIRST_PID_NAMESPACE = 0xEFFFFFFC

ELSEWHERE = Message("pid of the host; its name is not visible in this container")
GONE = Message("has ended, or may not be looked at")
SIMULATED = Message("simulated")
UNCOLLECTED = Message("has ended, and what started it has not collected it yet")

_CONTAINER = re.compile(
    r"(?:docker|libpod|crio|cri-containerd|containerd)[-/:]([0-9a-f]{12,64})"
    r"|/(?:lxc|lxc\.payload)[./]([^/\n]+)"
    r"|/machine\.slice/(?:systemd-nspawn@)?([^/\n]+?)\.(?:service|scope)"
)


# Where a chain of parents says nothing any more.
_OF_THE_SYSTEM = re.compile(r"^(?:\S*/)?(?:systemd|init|launchd)\b")
_FIRST = 1  # takes in whatever outlived the process that started it, whoever that was
_MOST_ANCESTORS = 8


class _Known:
    """What rarely changes about a process is not asked at every look."""

    def __init__(self, process: psutil.Process) -> None:
        self.process = process
        self.looks = 0
        self.user: str | None = None
        self.command: str | None = None
        self.container: str | None = None
        self.of_this_user = False
        self.ancestors: tuple[Ancestor, ...] = ()
        self.worked: float | None = None  # seconds of processor time, when last asked
        self.asked_at = 0.0

    def share_of_processor(self) -> float | None:
        """Cores' worth since the look before. By hand: psutil takes twice as long for it."""
        times, now = self.process.cpu_times(), time.monotonic()
        worked = times.user + times.system
        before, self.worked = self.worked, worked
        passed, self.asked_at = now - self.asked_at, now
        return None if before is None or passed <= 0 else max(0.0, worked - before) / passed


# Some are given whole files as arguments.
_LONGEST_COMMAND = 8192
# Programs rename themselves, but not at every look.
_ASKED_AGAIN_AFTER = 5


class ProcessNames:
    """Looks pids up, and keeps what it needs for the processor share. One thread at a time."""

    def __init__(
        self, proc: Path = Path("/proc"), own_pids: frozenset[int] | None = None
    ) -> None:
        self._proc = proc
        self._own = own_pids if own_pids is not None else frozenset({os.getpid()})
        self._foreign = _in_other_namespace(proc)
        self._known: dict[int, _Known] = {}

    @property
    def elsewhere(self) -> bool:
        """Whether pids are the host's and mean nothing in here."""
        return self._foreign

    def name(self, processes: Sequence[CardProcess]) -> list[NamedProcess]:
        """All there are: what is not among them is forgotten."""
        named = [self.one(process) for process in processes]
        self.forget_all_but({process.pid for process in processes})
        return named

    def one(self, process: CardProcess) -> NamedProcess:
        """The share of the processor is since the look before, so ask once in a round."""
        if process.simulated_command is not None:
            return NamedProcess(
                process,
                resolved=False,
                reason=SIMULATED,
                user=process.simulated_user,
                command=process.simulated_command,
            )
        if self._foreign:
            # The driver tells the host's pid; the same number here is somebody else.
            return NamedProcess(process, resolved=False, reason=ELSEWHERE, elsewhere=True)
        try:
            return self._look_up(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            return NamedProcess(process, resolved=False, reason=GONE)

    def forget_all_but(self, pids: Collection[int]) -> None:
        self._known = {pid: known for pid, known in self._known.items() if pid in pids}

    def _look_up(self, process: CardProcess) -> NamedProcess:
        known = self._known.get(process.pid)
        if known is None or not known.process.is_running():
            known = self._known[process.pid] = _Known(psutil.Process(process.pid))
        held = int(known.process.memory_info().rss)
        # Its figures are zeros, which nobody measured, and its command is gone.
        ended = not held and known.process.status() == psutil.STATUS_ZOMBIE
        if known.looks == 0 or (known.looks % _ASKED_AGAIN_AFTER == 0 and not ended):
            self._ask_again(known)
        known.looks += 1
        return NamedProcess(
            process,
            resolved=True,
            reason=UNCOLLECTED if ended else NOTHING,
            user=known.user,
            command=known.command,
            cpu=None if ended else known.share_of_processor(),
            memory_bytes=None if ended else held,
            started_at=known.process.create_time(),
            container=known.container,
            ours=process.pid in self._own,
            of_this_user=known.of_this_user,
            ancestors=known.ancestors,
            identity=known.process,
            ended=ended,
        )

    def _ask_again(self, known: _Known) -> None:
        with known.process.oneshot():
            known.user = _or_none(known.process.username)
            known.command = _command(known.process)
            known.container = self._container(known.process.pid)
            known.of_this_user = _of_this_user(known.process, known.user)
        known.ancestors = _ancestors(known.process)

    def _container(self, pid: int) -> str | None:
        try:
            text = (self._proc / str(pid) / "cgroup").read_text("utf-8", "replace")
        except OSError:
            return None
        found = _CONTAINER.search(text)
        if found is None:
            return None
        name = next(group for group in found.groups() if group)
        return name[:12] if re.fullmatch(r"[0-9a-f]{64}", name) else name


def _in_other_namespace(proc: Path) -> bool:
    if sys.platform != "linux":
        return False
    try:
        return (proc / "self" / "ns" / "pid").stat().st_ino != _FIRST_PID_NAMESPACE
    except OSError:
        return False


def _command(process: psutil.Process) -> str | None:
    try:
        words = process.cmdline()
    except (psutil.AccessDenied, psutil.ZombieProcess):
        words = []
    text = (" ".join(words) if words else process.name())[:_LONGEST_COMMAND]
    if not text.isprintable():
        text = "".join(letter if letter.isprintable() else " " for letter in text)
    return text.strip() or None


def _ancestors(process: psutil.Process) -> tuple[Ancestor, ...]:
    found: list[Ancestor] = []
    try:
        for each in process.parents()[:_MOST_ANCESTORS]:
            command = _command(each)
            if each.pid == _FIRST or command is None or _OF_THE_SYSTEM.match(command):
                break
            found.append(Ancestor(each.pid, command))
    except psutil.Error:
        pass  # one that ended or may not be looked at: the chain ends there
    return tuple(found)


def _or_none(ask: Callable[[], str]) -> str | None:
    try:
        return str(ask())
    except (psutil.AccessDenied, KeyError):
        return None


def _of_this_user(process: psutil.Process, user: str | None) -> bool:
    """Whether the system would let us end it."""
    if sys.platform == "win32":
        return user is not None and user == _or_none(psutil.Process().username)
    own = os.geteuid()
    try:
        return own in {0, process.uids().real}
    except psutil.AccessDenied:
        return False
