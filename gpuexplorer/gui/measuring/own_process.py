"""What this process has cost so far, as the system counts it."""

import os
import sys
import time
from pathlib import Path

import psutil


def seconds_since_start() -> float:
    """Since the system began this process: before Python, and before any of our own lines."""
    if sys.platform == "linux":
        # psutil's time of the beginning is built on whole seconds.
        fields = Path("/proc/self/stat").read_text("ascii", "replace").rpartition(")")[2]
        began = int(fields.split()[19]) / os.sysconf("SC_CLK_TCK")
        return time.clock_gettime(time.CLOCK_BOOTTIME) - began
    else:  # noqa: RET505 - so the checker of types sees that only one of them is reached
        return time.time() - psutil.Process().create_time()


def cpu_seconds() -> float:
    """All threads together."""
    return time.process_time()


def resident_bytes() -> int:
    return int(psutil.Process().memory_info().rss)
