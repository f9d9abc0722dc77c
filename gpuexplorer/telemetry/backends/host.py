"""The processor and its memory: the device that is always there."""

import os
import platform
import sys
from collections.abc import Collection
from pathlib import Path

import psutil

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind, Sample
from gpuexplorer.core.catalogue import memory as m
from gpuexplorer.core.catalogue.utilization import CPU_UTILIZATION
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.words import Message


class HostReader:
    """Reads the host like a card, and never hangs. One thread at a time."""

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock or SystemClock()
        self._times: tuple[float, float] | None = None
        self._last_busy: float | None = None
        memory = psutil.virtual_memory()
        self.card = Card(
            id=HOST_ID,
            index=0,
            name=_processor_name(),
            memory_bytes=int(memory.total),
            kind=CardKind.HOST,
        )
        self.cores = os.cpu_count() or 1

    def read(self, metrics: Collection[MetricId]) -> Sample:
        at = self._clock.now()
        values: dict[MetricId, float] = {}
        missing: dict[MetricId, Absence] = {}
        busy = self._busy()
        if busy is None:
            missing[CPU_UTILIZATION] = Absence.NEEDS_TWO
        else:
            values[CPU_UTILIZATION] = busy
        memory = psutil.virtual_memory()
        values[m.MEMORY_TOTAL] = memory.total
        values[m.MEMORY_FREE] = memory.available
        values[m.MEMORY_USED] = memory.total - memory.available
        if m.SWAP_TOTAL in metrics or m.SWAP_USED in metrics:
            try:
                swap = psutil.swap_memory()
                values[m.SWAP_TOTAL] = swap.total
                values[m.SWAP_USED] = swap.used
            except (OSError, RuntimeError):
                missing |= dict.fromkeys((m.SWAP_TOTAL, m.SWAP_USED), Absence.NO_PERMISSION)
        for metric in metrics:
            if metric not in values and metric not in missing:
                missing[metric] = Absence.NOT_SUPPORTED
        return Sample(
            HOST_ID,
            at,
            {k: v for k, v in values.items() if k in metrics and METRICS[k].plausible(v)},
            {k: v for k, v in missing.items() if k in metrics},
        )

    def notes(self) -> list[Message]:
        if sys.platform != "linux":
            return []  # macOS has none until it needs it; Windows refuses instead of ending
        try:
            swap = psutil.swap_memory().total
        except (OSError, RuntimeError):
            return []
        if swap:
            return []
        return [
            Message(
                "This computer has no swap space: "
                "a program that asks for too much memory is ended."
            )
        ]

    def _busy(self) -> float | None:
        times = psutil.cpu_times()
        total = sum(times) - getattr(times, "guest", 0.0) - getattr(times, "guest_nice", 0.0)
        idle = times.idle + getattr(times, "iowait", 0.0)
        before = self._times
        if before is None:
            self._times = (total, idle)
            return None
        # The system counts in hundredths of a second: over less than this it is noise.
        if total - before[0] < 0.1 * self.cores:
            return self._last_busy
        self._times = (total, idle)
        self._last_busy = min(1.0, max(0.0, 1 - (idle - before[1]) / (total - before[0])))
        return self._last_busy


def _processor_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text("utf-8", "replace").splitlines():
            if line.lower().startswith("model name"):
                return " ".join(line.split(":", 1)[1].split()) or Message("Processor")
    except OSError:
        return platform.processor() or Message("Processor")
    return platform.processor() or platform.machine() or Message("Processor")
