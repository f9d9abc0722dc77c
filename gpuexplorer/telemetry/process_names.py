"""Whose process that is: user, command and cost on the host, or why it cannot be told."""

import os
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from gpuexplorer.telemetry.processes import CardProcess

# The number Linux gives the first pid namespace; containers have others.
_FIRST_PID_NAMESPACE = 0xEFFFFFFC

ELSEWHERE = "pid of the host; its name is not visible in this container"
GONE = "has ended, or may not be looked at"
SIMULATED = "simulated"

_CONTAINER = re.compile(
    r"(?:docker|libpod|crio|cri-containerd|containerd)[-/:]([0-9a-f]{12,64})"
    r"|/(?:lxc|lxc\.payload)[./]([^/\n]+)"
    r"|/machine\.slice/(?:systemd-nspawn@)?([^/\n]+?)\.(?:service|scope)"
)


@dataclass(frozen=True, slots=True)
class NamedProcess:
    """A card's process and what this computer knows of it. `reason` where it knows nothing."""

    process: CardProcess
    resolved: bool
    reason: str = ""
    user: str | None = None
    command: str | None = None
    cpu: float | None = None  # cores' worth of time since the look before
    memory_bytes: int | None = None
    started_at: float | None = None  # seconds since 1970
    container: str | None = None
    ours: bool = False


class ProcessNames:
    """Looks pids up, and keeps what it needs for the processor share. One thread at a time."""

    def __init__(
        self, proc: Path = Path("/proc"), own_pids: frozenset[int] | None = None
    ) -> None:
        self._proc = proc
        self._own = own_pids if own_pids is not None else frozenset({os.getpid()})
        self._foreign = _in_other_namespace(proc)
        self._known: dict[int, psutil.Process] = {}

    def name(self, processes: Sequence[CardProcess]) -> list[NamedProcess]:
        named = [self._one(process) for process in processes]
        pids = {process.pid for process in processes}
        self._known = {pid: known for pid, known in self._known.items() if pid in pids}
        return named

    def _one(self, process: CardProcess) -> NamedProcess:
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
            return NamedProcess(process, resolved=False, reason=ELSEWHERE)
        try:
            return self._look_up(process)
        except (psutil.NoSuchProcess, psutil.AccessDenied, OSError):
            return NamedProcess(process, resolved=False, reason=GONE)

    def _look_up(self, process: CardProcess) -> NamedProcess:
        known = self._known.get(process.pid)
        if known is None or not known.is_running():
            known = psutil.Process(process.pid)
            self._known[process.pid] = known
            cpu = None
            known.cpu_percent(None)
        else:
            cpu = known.cpu_percent(None) / 100
        with known.oneshot():
            return NamedProcess(
                process,
                resolved=True,
                user=_or_none(known.username),
                command=_command(known),
                cpu=cpu,
                memory_bytes=int(known.memory_info().rss),
                started_at=known.create_time(),
                container=self._container(process.pid),
                ours=process.pid in self._own,
            )

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
    text = " ".join(words) if words else process.name()
    return "".join(letter if letter.isprintable() else " " for letter in text).strip() or None


def _or_none(ask: Callable[[], str]) -> str | None:
    try:
        return str(ask())
    except (psutil.AccessDenied, KeyError):
        return None
