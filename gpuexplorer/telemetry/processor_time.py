"""How long the processors have worked since the computer's start. Imports next to nothing, so
that a command can look at it first thing, and again when it has the rest.
"""

import os
import sys
from typing import NamedTuple


class ProcessorTime(NamedTuple):
    """Seconds of all processors together. A share of work takes two of these."""

    total: float
    idle: float


def processor_time() -> ProcessorTime | None:
    """None where the system keeps it from us."""
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
    idle, waiting = ticks[3:5]
    return ProcessorTime(sum(ticks) / second, (idle + waiting) / second)
