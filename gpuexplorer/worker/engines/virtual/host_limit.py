"""The host's own limit: simulated cards keep their values in its memory."""

import ctypes
import os
import sys
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.virtual.group_memory import left_of_group

_LEFT_TO_OTHERS = 0.25  # of what is free


def refuse_what_the_host_cannot_hold(size: int) -> None:
    """Raises Trouble that tells the host's limit from the card's."""
    if size < 64 * 1024 * 1024:
        return
    free = free_bytes()
    if free is not None and size > free * (1 - _LEFT_TO_OTHERS):
        raise Trouble(
            "The simulated card would have room for {wanted:.1f} GiB, this computer has not: "
            "the values lie in the computer's own memory, of which {free:.1f} GiB are free.",
            "Take a smaller shape. On a real card only the card's memory would count.",
            wanted=size / 2**30,
            free=free / 2**30,
        )


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
