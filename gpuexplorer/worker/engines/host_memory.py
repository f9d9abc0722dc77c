"""The host's own limit: simulated cards keep their values in its memory."""

import ctypes
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from gpuexplorer.core.trouble import Trouble

_LEFT_TO_OTHERS = 0.25  # of what is free
_LEAST_LEFT = 512 * 1024 * 1024
_PAGE = 4096


def refuse_what_the_host_cannot_hold(size: int, given_out: int = 0) -> None:
    """Raises Trouble that tells the host's limit from the card's. `given_out`: bytes on the
    cards so far, of which the system counts only those that were written.
    """
    free = free_bytes()
    if free is None:
        return
    free = max(0, free - max(0, given_out - _written_bytes()))
    if size > free * (1 - _LEFT_TO_OTHERS) - _LEAST_LEFT:
        raise Trouble(
            "The simulated card would have room for {wanted:.1f} GiB, the computer has not: "
            "the values lie in the computer's own memory, of which {free:.1f} GiB are free.",
            "Take a smaller shape. On a real card only the card's memory would count.",
            wanted=size / 2**30,
            free=free / 2**30,
        )


def _written_bytes() -> int:
    """Of this program's memory, what takes room; no less than all where that is not told."""
    told = _read(Path("/proc/self/statm"))
    return sys.maxsize if told is None else int(told.split()[1]) * _PAGE


def free_bytes() -> "int | None":
    """What this program can still take; None where it cannot be told."""
    if sys.platform == "win32":
        return free_bytes_of_windows(ctypes.windll.kernel32)
    told = (_free_of_computer(), left_of_group())
    return min((each for each in told if each is not None), default=None)


def _free_of_computer() -> "int | None":
    try:
        with open("/proc/meminfo", encoding="ascii") as lines:  # noqa: PTH123 - read anew each time
            for line in lines:
                if line.startswith("MemAvailable:"):
                    return int(line.split()[1]) * 1024
    except (OSError, ValueError):
        pass  # not Linux
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


# Any: the functions of a library of Windows.
def free_bytes_of_windows(kernel: Any) -> "int | None":
    status = MemoryStatus()
    status.length = ctypes.sizeof(status)
    told = kernel.GlobalMemoryStatusEx(ctypes.byref(status))
    return int(status.free) if told else None


class MemoryStatus(ctypes.Structure):
    """What Windows calls MEMORYSTATUSEX."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("free", ctypes.c_uint64),
        *((f"other_{number}", ctypes.c_uint64) for number in range(5)),
    )


# Where a group tells its limit, its use, and which pages of that are given up first, of
# files that were read: they count as free. There are two generations of groups.
_Names = tuple[str, str, str]
_FIRST = "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"
_SECOND = "memory.max", "memory.current", "inactive_file"


def left_of_group(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> "int | None":
    """The least of this process's group and those around it. None: no limit."""
    found = [_left(folder, names) for folder, names in _groups(root, own)]
    return min((each for each in found if each is not None), default=None)


def _groups(root: Path, own: Path) -> "Iterator[tuple[Path, _Names]]":
    for line in (_read(own) or "").splitlines():
        _, _, rest = line.partition(":")
        kinds, _, path = rest.partition(":")
        if kinds and "memory" not in kinds.split(","):
            continue
        base, names = (root / "memory", _FIRST) if kinds else (root, _SECOND)
        folder = base / path.strip("/")
        # In a container the path may be the one outside, and then only the base is there.
        for each in (folder, *folder.parents):
            yield each, names
            if each == base:
                break


def _left(folder: Path, names: _Names) -> "int | None":
    limit, used = _read(folder / names[0]), _read(folder / names[1])
    if limit is None or used is None or not limit.isdigit() or not used.isdigit():
        return None
    pages = 0
    for line in (_read(folder / "memory.stat") or "").splitlines():
        name, _, size = line.partition(" ")
        if name == names[2] and size.isdigit():
            pages = int(size)
    return max(0, int(limit) - int(used) + pages)


def _read(path: Path) -> "str | None":
    try:
        return path.read_text(encoding="ascii", errors="replace").strip()
    except OSError:
        return None
