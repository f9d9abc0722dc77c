"""The processor and its memory: the device that is always there."""

import os
import re
import sys
from collections.abc import Collection
from contextlib import suppress

from gpuexplorer.core import metrics as m
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardKind, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import CPU_UTILIZATION, MetricId
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backend import sorted_out
from gpuexplorer.telemetry.system import ProcessorTime, processor_time, psutil

# Seconds of each processor between two looks.
_AT_LEAST = 0.05
# What makers write around the model, until no line has room for it.
_NOISE = re.compile(
    r"\((?:R|TM)\)|^\d+th Gen |\d+-Cores?\b|\bCPU\b|\bProcessor$| with .*| @ .*", re.IGNORECASE
)


NO_SWAP_SPACE = Message(
    "There is no swap space: a program that asks for too much memory is ended."
)


class HostReader:
    """Reads the host like a card, and never hangs. One thread at a time."""

    def __init__(
        self, clock: Clock | None = None, looked_before: ProcessorTime | None = None
    ) -> None:
        self._clock = clock or SystemClock()
        self._before = looked_before
        self._busy: float | Absence = Absence.NEEDS_TWO
        self._no_swap = False
        memory = psutil.virtual_memory()
        self.card = Card(
            id=HOST_ID,
            index=0,
            name=model_alone(_processor_name()) or Message("Processor"),
            memory_bytes=int(memory.total),
            kind=CardKind.HOST,
            cores=os.cpu_count(),
        )

    def read(self, metrics: Collection[MetricId]) -> Sample:
        at, memory = self._clock.now(), psutil.virtual_memory()
        told: dict[MetricId, float | Absence] = {
            CPU_UTILIZATION: self._look(),
            m.MEMORY_TOTAL: memory.total,
            m.MEMORY_FREE: memory.available,
            m.MEMORY_USED: memory.total - memory.available,
        }
        try:
            swap = psutil.swap_memory()
            self._no_swap = not swap.total
            used = swap.used if swap.total else Absence.NO_SWAP
            told |= {m.SWAP_TOTAL: swap.total, m.SWAP_USED: used}
        except (OSError, RuntimeError, KeyError):
            told |= dict.fromkeys((m.SWAP_TOTAL, m.SWAP_USED), Absence.NO_PERMISSION)
        asked = {metric: told.get(metric, Absence.NOT_SUPPORTED) for metric in metrics}
        return Sample(HOST_ID, at, *sorted_out(asked))

    def notes(self) -> list[Message]:
        """By the newest reading."""
        if sys.platform != "linux" or not self._no_swap:
            return []  # macOS has none until it needs it; Windows refuses instead of ending
        return [NO_SWAP_SPACE]

    def _look(self) -> float | Absence:
        """The share of work since the look before, or the last one while it is too early."""
        now, before = processor_time(), self._before
        if now is None:
            return Absence.NO_PERMISSION
        if before is None:
            self._before = now
            return self._busy
        passed = now.total - before.total
        # The system counts in hundredths of a second: over fewer of them it is noise.
        if passed < _AT_LEAST * (self.card.cores or 1):
            return Absence.TOO_SOON if self._busy is Absence.NEEDS_TWO else self._busy
        self._before = now
        self._busy = min(1.0, max(0.0, 1 - (now.idle - before.idle) / passed))
        return self._busy


def model_alone(name: str) -> str:
    """ "12th Gen Intel(R) Core(TM) i7-12800HE @ 2.40GHz" becomes "Intel Core i7-12800HE"."""
    return " ".join(_NOISE.sub(" ", name).split())


def _processor_name() -> str:
    # Line by line: where there are many processors, all of them take long to write down.
    with suppress(OSError), open("/proc/cpuinfo", errors="replace") as lines:  # noqa: PTH123
        for line in lines:
            if line.lower().startswith("model name"):
                return line.split(":", 1)[1].strip()
    import platform  # noqa: PLC0415 - takes a hundredth of a snapshot, and few need it

    return platform.processor() or platform.machine()
