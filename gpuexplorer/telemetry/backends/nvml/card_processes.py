"""Who uses a card: the driver's process lists, and each process' share of the engines."""

import ctypes
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.telemetry.backend import sorted_out
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import Asking, Pair
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse

_Sample = pynvml.c_nvmlProcessUtilizationSample_t
_NOT_AVAILABLE = 0xFFFFFFFFFFFFFFFF
# Linux counts pids to 2^22 at most; elsewhere all bits set means that there is none.
_PIDS = 1 << 22 if sys.platform == "linux" else 0xFFFFFFFF
# More than any card has of processes or of samples: beyond it the count is garbage.
_MOST_ENTRIES = 1 << 16
# Room for so many at the first call, which then is the only one; two cost twice as much.
_ROOM = 32
# A sample counts for this long, else shares would flicker.
_STALE_AFTER = 3.0
# The driver's clock may go differently, but not by more seconds than these.
_AHEAD = 3600.0
_LISTS = {
    "Compute": ProcessUse.COMPUTE,
    "MPSCompute": ProcessUse.COMPUTE,
    "Graphics": ProcessUse.GRAPHICS,
}
_SHARES = {
    ProcessFigure.SM: "smUtil",
    ProcessFigure.MEMORY_CONTROLLER: "memUtil",
    ProcessFigure.ENCODER: "encUtil",
    ProcessFigure.DECODER: "decUtil",
}


class CardProcesses:
    """Asks for one card's processes. One thread at a time."""

    def __init__(self, card: Card, asking: Asking, instances: Mapping[Pair, CardId]) -> None:
        """`instances`: which MIG instance a list means by its two numbers."""
        self._card, self._asking, self._instances = card, asking, instances

    def read(self) -> list[CardProcess] | None:
        """None when it cannot be had just now. Raises NVMLError where the driver is gone."""
        found: dict[tuple[CardId, int], tuple[ProcessUse, float | Absence]] = {}
        for kind, use in _LISTS.items():
            entries = self._list(kind)
            if entries is None:
                return None
            for entry in entries:
                numbers = entry.gpuInstanceId, entry.computeInstanceId
                key = self._instances.get(numbers, self._card.id), entry.pid
                before, memory = found.get(key, (use, Absence.NOT_TOLD))
                # Two lists tell the same sum for a process that is in both.
                if isinstance(memory, Absence):
                    memory = self._memory(entry.usedGpuMemory)
                found[key] = (use if use is before else ProcessUse.BOTH, memory)
        shares, why = self._shares() if found else ({}, Absence.NO_NEW_SAMPLE)
        unshared = dict.fromkeys(_SHARES, Absence.IN_INSTANCE if self._instances else why)
        rows = []
        for (card, pid), (use, memory) in sorted(found.items()):
            figures = {ProcessFigure.MEMORY: memory, **shares.get(pid, unshared)}
            rows.append(CardProcess(card, pid, use, *sorted_out(figures)))
        return rows

    # Any: a ctypes array knows its entries by name alone.
    def _list(self, kind: str) -> list[Any] | None:
        entries = self._asking.call(_processes, kind)
        if isinstance(entries, Absence):
            # Without the list of what computes nothing is known; the others not every card has.
            lacking = entries.lasting or entries is Absence.NO_PERMISSION
            return [] if lacking and kind != "Compute" else None
        possible = [entry for entry in entries if 0 < entry.pid < _PIDS]
        return possible if possible or not entries else None

    def _memory(self, used: int) -> float | Absence:
        if used == _NOT_AVAILABLE:
            # Windows manages the memory in its subsystem for Linux too.
            windows = sys.platform == "win32" or Path("/dev/dxg").exists()
            return Absence.WINDOWS_KEEPS_IT if windows else Absence.NOT_AVAILABLE
        most = self._card.memory_bytes or 1 << 50
        return float(used) if used <= most else Absence.IMPOSSIBLE

    def _shares(self) -> tuple[dict[int, dict[ProcessFigure, float]], Absence]:
        """By process; and why one that is not among them has none."""
        wall = time.time()
        since = int((wall - _STALE_AFTER) * 1e6)
        samples = self._asking.call(_samples, since)
        if isinstance(samples, Absence):
            return {}, samples
        shares = {}
        # The driver's buffer also holds old and impossible samples, in no order.
        for sample in sorted(samples, key=lambda each: each.timeStamp):
            ratios = {figure: getattr(sample, name) / 100 for figure, name in _SHARES.items()}
            timely = since < sample.timeStamp < (wall + _AHEAD) * 1e6
            if timely and max(ratios.values()) <= 1:
                shares[sample.pid] = ratios
        return shares, Absence.NO_NEW_SAMPLE


# Any: as above, here and below.
def _processes(handle: object, kind: str) -> list[Any]:
    """By the second version of the call. The third, which the binding takes, fills larger
    entries in drivers 535.43 to 535.86 than in all others.
    """
    ask = library.function(f"nvmlDeviceGet{kind}RunningProcesses_v2")
    return _filled(pynvml.c_nvmlProcessInfo_v2_t, _ROOM, partial(ask, handle))


def _samples(handle: object, since: int) -> list[Any]:
    ask, layout = library.function("nvmlDeviceGetProcessUtilization"), _Sample
    return _filled(layout, 4 * _ROOM, lambda n, x: ask(handle, x, n, ctypes.c_ulonglong(since)))


def _filled(
    layout: type[ctypes.Structure], room: int, call: Callable[[Any, Any], int]
) -> list[Any]:
    """The driver's list, by a call that takes its length and its place: offer room, and more of
    it when that was too little.
    """
    count = ctypes.c_uint(room)
    for _ in range(4):
        room = count.value
        entries = (layout * room)()
        code = call(ctypes.byref(count), entries)
        if code == pynvml.NVML_SUCCESS and count.value <= room:
            return list(entries[: count.value])
        if code != pynvml.NVML_ERROR_INSUFFICIENT_SIZE or count.value > _MOST_ENTRIES:
            break
        count.value = count.value * 2 + 5  # processes may start meanwhile
    raise pynvml.NVMLError(code or pynvml.NVML_ERROR_UNKNOWN)
