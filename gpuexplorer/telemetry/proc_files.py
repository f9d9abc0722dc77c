"""What we need of psutil, read from /proc by ourselves; with psutil's own names."""

import os
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple, TypeVar

T = TypeVar("T")
_PROC = "/proc"
STATUS_ZOMBIE = "zombie"
# Linux keeps no more letters of a name.
_NAME_IS_CUT_AT = 15


class Error(Exception):
    """Nothing could be learned of a process."""


class NoSuchProcess(Error):  # noqa: N818 - psutil's name
    pass


class ZombieProcess(NoSuchProcess):
    pass


class AccessDenied(Error):  # noqa: N818 - psutil's name
    pass


class _Memory(NamedTuple):
    total: int
    available: int


class _Swap(NamedTuple):
    total: int
    used: int


class _Times(NamedTuple):
    user: float
    system: float


class _Held(NamedTuple):
    rss: int


class _Users(NamedTuple):
    real: int
    effective: int
    saved: int


class _Stat(NamedTuple):
    """Of /proc/PID/stat, what is used here."""

    name: str
    state: str
    parent: int
    user_ticks: int
    system_ticks: int
    started_ticks: int  # since the computer's start: no clock that is set changes it


class Process:
    """One process, from its number and when it began: never another that got its number."""

    def __init__(self, pid: "int | None" = None) -> None:
        self.pid = os.getpid() if pid is None else pid
        self._began = self._stat().started_ticks

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Process):
            return NotImplemented
        return (self.pid, self._began) == (other.pid, other._began)

    def __hash__(self) -> int:
        return hash((self.pid, self._began))

    @contextmanager
    def oneshot(self) -> "Iterator[None]":
        """There is nothing to keep for a while: each file is short."""
        yield

    def is_running(self) -> bool:
        """Also where only its entry is left."""
        try:
            return self._stat().started_ticks == self._began
        except NoSuchProcess:
            return False

    def status(self) -> str:
        """Nobody asks for another than this one; the rest are Linux's letters."""
        state = self._stat().state
        return STATUS_ZOMBIE if state == "Z" else state

    def name(self) -> str:
        name = self._stat().name
        if len(name) >= _NAME_IS_CUT_AT:
            try:
                words = self.cmdline()
            except (AccessDenied, ZombieProcess):
                return name
            whole = os.path.basename(words[0]) if words else ""  # noqa: PTH119 - a word of a person's
            return whole if whole.startswith(name) else name
        return name

    def cmdline(self) -> "list[str]":
        text = self._read("cmdline").decode("utf-8", "surrogateescape")
        if not text:
            if self._stat().state == "Z":
                raise ZombieProcess(self.pid)
            return []
        # A program that renamed itself may have put blanks between the words.
        separator = "\0" if text.endswith("\0") else " "
        text = text.removesuffix(separator)
        words = text.split(separator)
        return text.split(" ") if len(words) == 1 else words

    def username(self) -> str:
        import pwd  # noqa: PLC0415 - Windows has none, and imports this file all the same

        real = self.uids().real
        try:
            return pwd.getpwuid(real).pw_name
        except KeyError:
            return str(real)

    def uids(self) -> _Users:
        found = re.search(rb"^Uid:\s+(\d+)\s+(\d+)\s+(\d+)", self._read("status"), re.MULTILINE)
        if found is None:
            raise NoSuchProcess(self.pid)
        return _Users(*map(int, found.groups()))

    def memory_info(self) -> _Held:
        return _Held(int(self._read("statm").split()[1]) * _page_bytes())

    def cpu_times(self) -> _Times:
        stat = self._stat()
        return _Times(stat.user_ticks / _ticks(), stat.system_ticks / _ticks())

    def create_time(self) -> float:
        """Seconds since 1970; always the same of one process."""
        return self._created

    def parents(self) -> "list[Process]":
        """Its parent first; whoever began after its child only has the parent's number."""
        found: list[Process] = []
        child: Process = self
        while parent := child._parent():
            found.append(parent)
            child = parent
        return found

    def terminate(self) -> None:
        self._send(signal.SIGTERM)

    def kill(self) -> None:
        self._send(signal.SIGKILL)

    @cached_property
    def _created(self) -> float:
        return self._began / _ticks() + _started_at()

    def _parent(self) -> "Process | None":
        number = self._stat().parent
        if number <= 0:
            return None
        try:
            parent = Process(number)
        except NoSuchProcess:
            return None
        return parent if parent._began <= self._began else None

    def _send(self, number: int) -> None:
        if not self.is_running():
            raise NoSuchProcess(self.pid)
        _understood(self.pid, lambda: os.kill(self.pid, number))

    def _stat(self) -> _Stat:
        # A name may hold blanks and brackets of its own.
        text = self._read("stat").decode("utf-8", "surrogateescape")
        name, _, rest = text.partition("(")[2].rpartition(")")
        words = rest.split()
        return _Stat(name, words[0], int(words[1]), *(int(words[at]) for at in (11, 12, 19)))

    def _read(self, file: str) -> bytes:
        def read() -> bytes:
            with open(f"{_PROC}/{self.pid}/{file}", "rb") as content:  # noqa: PTH123 - read often
                return content.read()

        return _understood(self.pid, read)


def virtual_memory() -> _Memory:
    sizes = _sizes()
    total = sizes["MemTotal"]
    available = sizes.get("MemAvailable") or sizes["MemFree"] + sizes.get("Cached", 0)
    return _Memory(total, min(available, total))


def swap_memory() -> _Swap:
    """Raises OSError where the system keeps it from us."""
    sizes = _sizes()
    if "SwapTotal" not in sizes:
        raise OSError("no SwapTotal")
    return _Swap(sizes["SwapTotal"], sizes["SwapTotal"] - sizes["SwapFree"])


def _sizes() -> "dict[str, int]":
    text = Path(_PROC, "meminfo").read_text("ascii", "replace")
    return {name: int(kib) * 1024 for name, kib in re.findall(r"(?m)^(\w+):\s+(\d+) kB", text)}


@cache
def _ticks() -> int:
    return os.sysconf("SC_CLK_TCK")


@cache
def _page_bytes() -> int:
    return os.sysconf("SC_PAGE_SIZE")


@cache
def _started_at() -> float:
    """Asked once: whoever sets the clock must not make another process of each."""
    found = re.search(r"(?m)^btime (\d+)", Path(_PROC, "stat").read_text("ascii", "replace"))
    if found is None:
        raise OSError("no btime")
    return float(found.group(1))


def _understood(pid: int, ask: "Callable[[], T]") -> T:
    """What the system refuses, in psutil's words."""
    try:
        return ask()
    except (FileNotFoundError, ProcessLookupError) as error:
        raise NoSuchProcess(pid) from error
    except PermissionError as error:
        raise AccessDenied(pid) from error
