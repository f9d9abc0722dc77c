"""What this computer tells of itself: how long its processors worked, and `psutil`. That is
compiled, so nobody can send it to another computer: where it is not installed this module is
psutil, and reads what we need of it from /proc, under psutil's own names.
"""

import os
import re
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, NamedTuple

__all__ = ["ProcessorTime", "processor_time", "psutil"]

_PROC = "/proc"
STATUS_ZOMBIE = "zombie"
# Linux keeps no more letters of a name.
_NAME_IS_CUT_AT = 15


class ProcessorTime(NamedTuple):
    """Seconds of all processors together. A share of work takes two of these."""

    total: float
    idle: float


def processor_time() -> ProcessorTime | None:
    """Since the computer's start; None where the system keeps it from us."""
    if sys.platform != "linux":
        import psutil  # noqa: PLC0415 - costs a tenth of a snapshot, and Linux needs none of it

        times = psutil.cpu_times()
        return ProcessorTime(sum(times), times.idle)
    try:
        with open("/proc/stat", "rb") as counters:  # noqa: PTH123 - there is nothing to join
            ticks = [int(each) for each in counters.readline().split()[1:9]]
    except OSError:
        return None
    # What guests of this computer use, the last two, is in the first two already.
    second = os.sysconf("SC_CLK_TCK")
    return ProcessorTime(sum(ticks) / second, (ticks[3] + ticks[4]) / second)


class Error(Exception):
    """Nothing could be learned of a process."""


class NoSuchProcess(Error):  # noqa: N818 - psutil's name
    pass


class ZombieProcess(NoSuchProcess):
    pass


class AccessDenied(Error):  # noqa: N818 - psutil's name
    pass


@dataclass(unsafe_hash=True)
class Process:
    """One process, from its number and when it began: never another that got its number."""

    pid: int = field(default_factory=os.getpid)
    _began: int = field(init=False)  # in ticks since the computer's start

    def __post_init__(self) -> None:
        self._began = self._stat().began

    def is_running(self) -> bool:
        """Also where only its entry is left."""
        try:
            return bool(self._stat().began == self._began)
        except NoSuchProcess:
            return False

    def status(self) -> str:
        """Nobody asks for another than this one; the rest are Linux's letters."""
        state: str = self._stat().state
        return STATUS_ZOMBIE if state == "Z" else state

    def name(self) -> str:
        name: str = self._stat().name
        whole = ""
        if len(name) >= _NAME_IS_CUT_AT:
            with suppress(AccessDenied, ZombieProcess):
                whole = next(iter(self.cmdline()), "").rpartition("/")[2]
        return whole if whole.startswith(name) else name

    def cmdline(self) -> "list[str]":
        text = self._read("cmdline").decode("utf-8", "surrogateescape")
        if not text:
            if self.status() == STATUS_ZOMBIE:
                raise ZombieProcess(self.pid)
            return []
        # A program that renamed itself may have put blanks between the words.
        separator = "\0" if text.endswith("\0") else " "
        words = text.removesuffix(separator).split(separator)
        return words[0].split(" ") if len(words) == 1 else words

    def username(self) -> str:
        import pwd  # noqa: PLC0415 - Windows has none, and imports this file all the same

        real = int(re.findall(rb"(?m)^Uid:\s+(\d+)", self._read("status"))[0])
        try:
            return pwd.getpwuid(real).pw_name
        except KeyError:
            return str(real)

    def memory_info(self) -> SimpleNamespace:
        pages = int(self._read("statm").split()[1])
        return SimpleNamespace(rss=pages * os.sysconf("SC_PAGE_SIZE"))

    def cpu_times(self) -> SimpleNamespace:
        stat, ticks = self._stat(), os.sysconf("SC_CLK_TCK")
        return SimpleNamespace(user=stat.user / ticks, system=stat.system / ticks)

    def create_time(self) -> float:
        """Seconds since 1970; always the same of one process."""
        return self._began / os.sysconf("SC_CLK_TCK") + _started_at()

    def parents(self) -> "list[Process]":
        """Its parent first; whoever began after its child only has the parent's number."""
        found: list[Process] = []
        child = self
        with suppress(NoSuchProcess):
            while number := child._stat().parent:
                parent = Process(number)
                if parent._began > child._began:
                    break
                found.append(parent)
                child = parent
        return found

    def terminate(self) -> None:
        self.kill(signal.SIGTERM)

    def kill(self, number: "int | None" = None) -> None:
        if not self.is_running():
            raise NoSuchProcess(self.pid)
        with self._refusals():
            os.kill(self.pid, signal.SIGKILL if number is None else number)

    def _stat(self) -> SimpleNamespace:
        # A name may hold blanks and brackets of its own.
        text = self._read("stat").decode("utf-8", "surrogateescape")
        name, _, rest = text.partition("(")[2].rpartition(")")
        words = rest.split()
        parent, user, system, began = (int(words[at]) for at in (1, 11, 12, 19))
        return SimpleNamespace(
            name=name, state=words[0], parent=parent, user=user, system=system, began=began
        )

    def _read(self, file: str) -> bytes:
        with self._refusals():
            return Path(_PROC, str(self.pid), file).read_bytes()

    @contextmanager
    def _refusals(self) -> "Iterator[None]":
        """What the system refuses, in psutil's words."""
        try:
            yield
        except (FileNotFoundError, ProcessLookupError) as error:
            raise NoSuchProcess(self.pid) from error
        except PermissionError as error:
            raise AccessDenied(self.pid) from error


def virtual_memory() -> SimpleNamespace:
    sizes = _sizes()
    return SimpleNamespace(total=sizes["MemTotal"], available=sizes["MemAvailable"])


def swap_memory() -> SimpleNamespace:
    """Raises KeyError where the system keeps it from us."""
    sizes = _sizes()
    total = sizes["SwapTotal"]
    return SimpleNamespace(total=total, used=total - sizes["SwapFree"])


def _sizes() -> "dict[str, int]":
    text = Path(_PROC, "meminfo").read_text("ascii", "replace")
    return {name: int(kib) * 1024 for name, kib in re.findall(r"(?m)^(\w+):\s+(\d+) kB", text)}


@cache
def _started_at() -> float:
    """Asked once: whoever sets the clock must not make another process of each."""
    text = Path(_PROC, "stat").read_text("ascii", "replace")
    return float(re.findall(r"(?m)^btime (\d+)", text)[0])


if TYPE_CHECKING:
    import psutil
else:

    def __getattr__(name):  # `psutil`, first when it is asked for
        if name != "psutil":
            raise AttributeError(name)
        try:
            import psutil  # noqa: PLC0415
        except ImportError:
            psutil = sys.modules[__name__]
        return psutil
