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
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.asking import Asking
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse

_NOT_AVAILABLE = 0xFFFFFFFFFFFFFFFF
# Linux counts pids to 2^22 at most; elsewhere all bits set means that there is none.
_PIDS = 1 << 22 if sys.platform == "linux" else 0xFFFFFFFF
# More than any card has of processes or of samples: beyond it the count is garbage.
_MOST_ENTRIES = 1 << 16
# Room for so many at the first call, which then is the only one; two cost twice as much.
_ROOM = 32
# A process without a new sample keeps its last shares this long, else they would flicker.
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


class _OldProcessInfo(ctypes.Structure):
    """What drivers before 450 tell, and the binding has no layout for any more."""

    _fields_ = (("pid", ctypes.c_uint), ("usedGpuMemory", ctypes.c_ulonglong))


class CardProcesses:
    """Asks for one card's processes. One thread at a time."""

    def __init__(
        self,
        card: Card,
        asking: Asking,
        instances: Mapping[tuple[int | None, int | None], CardId] | None = None,
    ) -> None:
        """`instances`: which MIG instance a list means by its two numbers."""
        self._card, self._asking, self._instances = card, asking, instances or {}
        # By process: when the driver took its shares, when they came, and what they are.
        self._shares: dict[int, tuple[int, float, dict[ProcessFigure, float]]] = {}
        self._newest = int((time.time() - _STALE_AFTER) * 1e6)

    def read(self) -> list[CardProcess]:
        """Raises NVMLError when the list cannot be had just now."""
        uses: dict[tuple[CardId, int], set[ProcessUse]] = {}
        memory: dict[tuple[CardId, int], float | Absence] = {}
        for kind, use in _LISTS.items():
            for entry in self._list(kind):
                slices = [
                    getattr(entry, f"{each}InstanceId", None) for each in ("gpu", "compute")
                ]
                key = self._instances.get((slices[0], slices[1]), self._card.id), entry.pid
                uses.setdefault(key, set()).add(use)
                # Two lists tell the same sum for a process that is in both.
                if isinstance(memory.get(key, Absence.NOT_TOLD), Absence):
                    memory[key] = self._memory(entry.usedGpuMemory)
        why = self._read_shares() if uses else Absence.NO_NEW_SAMPLE
        if self._instances:
            why = Absence.IN_INSTANCE
        rows = []
        for (card, pid), use_of_it in sorted(uses.items()):
            shares = (
                self._shares[pid][2] if pid in self._shares else dict.fromkeys(_SHARES, why)
            )
            figures = {ProcessFigure.MEMORY: memory[card, pid], **shares}
            values = {x: told for x, told in figures.items() if not isinstance(told, Absence)}
            missing = {x: told for x, told in figures.items() if isinstance(told, Absence)}
            use = ProcessUse.BOTH if len(use_of_it) > 1 else next(iter(use_of_it))
            rows.append(CardProcess(card, pid, use, values, missing))
        return rows

    # Any: a ctypes array knows its entries by name alone.
    def _list(self, kind: str) -> list[Any]:
        """By the second version of the call. The third, which the binding takes, fills larger
        entries in drivers 535.43 to 535.86 than in all others.
        """
        name, layout = f"nvmlDeviceGet{kind}RunningProcesses", _OldProcessInfo
        if library.has(f"{name}_v2"):
            name, layout = f"{name}_v2", pynvml.c_nvmlProcessInfo_v2_t
        try:
            if not library.has(name):
                raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
            ask = partial(getattr(pynvml.nvmlLib, name), self._asking.handle)
            entries = _filled(layout, _ROOM, ask)
        except pynvml.NVMLError as error:
            # Without the list of what computes nothing is known; the others not every card has.
            if kind == "Compute" or error.value not in library.REFUSALS:
                raise
            return []
        finally:
            self._asking.heard = self._asking.clock.now()
        possible = [entry for entry in entries if 0 < entry.pid < _PIDS]
        if entries and not possible:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_UNKNOWN)
        return possible

    def _memory(self, used: int) -> float | Absence:
        if used == _NOT_AVAILABLE:
            # Windows manages the memory in its subsystem for Linux too.
            windows = sys.platform == "win32" or Path("/dev/dxg").exists()
            return Absence.WINDOWS_KEEPS_IT if windows else Absence.NOT_AVAILABLE
        most = self._card.memory_bytes or 1 << 50
        return float(used) if used <= most else Absence.IMPOSSIBLE

    def _read_shares(self) -> Absence:
        """Why a process of which there is none has none."""
        now, wall = time.monotonic(), time.time()
        self._shares = {
            pid: share for pid, share in self._shares.items() if now - share[1] <= _STALE_AFTER
        }
        if not library.has("nvmlDeviceGetProcessUtilization"):
            return Absence.NOT_IN_DRIVER
        self._newest = newest = min(self._newest, int(wall * 1e6))  # a clock may be set back
        function, handle = pynvml.nvmlLib.nvmlDeviceGetProcessUtilization, self._asking.handle
        since, layout = ctypes.c_ulonglong(newest), pynvml.c_nvmlProcessUtilizationSample_t
        try:
            samples = _filled(layout, 4 * _ROOM, lambda n, x: function(handle, x, n, since))
        except pynvml.NVMLError as error:
            if error.value in library.GONE:
                raise
            # No new sample is no refusal: the old shares stand for a moment.
            none_new = error.value in (pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_NO_DATA)
            return Absence.NO_NEW_SAMPLE if none_new else library.absence_of(error.value)
        for sample in samples:
            ratios = {figure: getattr(sample, name) / 100 for figure, name in _SHARES.items()}
            # The driver's buffer also holds old and impossible samples, in no order.
            timely = newest < sample.timeStamp < (wall + _AHEAD) * 1e6
            latest = self._shares.get(sample.pid, (0,))[0]
            if timely and max(ratios.values()) <= 1 and sample.timeStamp >= latest:
                self._newest = max(self._newest, sample.timeStamp)
                self._shares[sample.pid] = (sample.timeStamp, now, ratios)
        return Absence.NO_NEW_SAMPLE


# Any: as above.
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
