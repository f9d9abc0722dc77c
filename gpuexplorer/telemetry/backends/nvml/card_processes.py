"""Who uses a card: the driver's process lists, and each process' share of the engines."""

import ctypes
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse

_NO_INSTANCE = 0xFFFFFFFF
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
_LISTS = (
    ("Compute", ProcessUse.COMPUTE),
    ("MPSCompute", ProcessUse.COMPUTE),
    ("Graphics", ProcessUse.GRAPHICS),
)
_SHARES = {
    ProcessFigure.SM: "smUtil",
    ProcessFigure.MEMORY_CONTROLLER: "memUtil",
    ProcessFigure.ENCODER: "encUtil",
    ProcessFigure.DECODER: "decUtil",
}


class _OldProcessInfo(ctypes.Structure):
    """The layout before MIG, which the binding no longer carries."""

    _fields_ = (("pid", ctypes.c_uint), ("usedGpuMemory", ctypes.c_ulonglong))


class _Share(NamedTuple):
    stamp: int
    seen_at: float
    ratios: dict[ProcessFigure, float]


class CardProcesses:
    """Asks for one card's processes. One thread at a time."""

    def __init__(
        self,
        found: Found,
        instances: Mapping[tuple[int | None, int | None], CardId] | None = None,
        windows: bool | None = None,
    ) -> None:
        """`instances`: which MIG instance a list means by its two numbers. `windows`: whether
        Windows manages the memory, as it does in its subsystem for Linux too.
        """
        self._found, self._instances = found, instances or {}
        self._windows = windows
        if windows is None:
            self._windows = sys.platform == "win32" or Path("/dev/dxg").exists()
        self._shares: dict[int, _Share] = {}
        self._newest = int((time.time() - _STALE_AFTER) * 1e6)
        self.heard = 0.0  # when the card last answered

    def read(self) -> list[CardProcess]:
        """Raises NVMLError when the list cannot be had just now."""
        rows: dict[tuple[CardId, int], tuple[set[ProcessUse], float | Absence]] = {}
        for kind, use in _LISTS:
            entries, self.heard = self._list(kind), time.monotonic()
            for entry in entries:
                memory = self._memory(int(entry.usedGpuMemory))
                slices = (
                    getattr(entry, "gpuInstanceId", _NO_INSTANCE),
                    getattr(entry, "computeInstanceId", _NO_INSTANCE),
                )
                key = self._instances.get(slices, self._found.card.id), int(entry.pid)
                uses, known = rows.setdefault(key, (set(), memory))
                uses.add(use)
                # The two lists tell the same sum for a process that is in both.
                if isinstance(known, Absence) and not isinstance(memory, Absence):
                    rows[key] = (uses, memory)
        why = self._read_shares() if rows else None
        if self._instances:
            why = Absence.IN_INSTANCE
        return [
            self._row(*key, *row, why or Absence.NO_NEW_SAMPLE)
            for key, row in sorted(rows.items())
        ]

    def _list(self, kind: str) -> list[Any]:
        """By the newest call that this driver has and that can be relied on."""
        name = f"nvmlDeviceGet{kind}RunningProcesses"
        # The third version fills larger entries in drivers 535.43 to 535.86 than in all others.
        newer = next(filter(library.has, (f"{name}_v2", f"{name}_v3")), None)
        calls: list[tuple[str, type[ctypes.Structure]]] = []
        if newer is not None:
            calls.append((newer, pynvml.c_nvmlProcessInfo_v2_t))
        if library.has(name):
            calls.append((name, _OldProcessInfo))
        refusal: pynvml.NVMLError | None = None
        for call, layout in calls:
            ask = partial(getattr(pynvml.nvmlLib, call), self._found.handle)
            try:
                entries = _filled(layout, _ROOM, ask)
            except pynvml.NVMLError as error:
                if error.value not in library.REFUSALS:
                    raise
                refusal = error  # where a newer call refuses, an older one may answer
                continue
            possible = [entry for entry in entries if 0 < entry.pid < _PIDS]
            if entries and not possible:
                raise pynvml.NVMLError(pynvml.NVML_ERROR_UNKNOWN)
            return possible
        # Without the list of what computes nothing is known; the others not every card has.
        if refusal is not None and kind == "Compute":
            raise refusal
        return []

    def _memory(self, used: int) -> float | Absence:
        if used == _NOT_AVAILABLE:
            return Absence.WINDOWS_KEEPS_IT if self._windows else Absence.NOT_AVAILABLE
        most = self._found.card.memory_bytes or 1 << 50
        return float(used) if used <= most else Absence.IMPOSSIBLE

    def _read_shares(self) -> Absence | None:
        """Why there are none, where they are refused."""
        if not library.has("nvmlDeviceGetProcessUtilization"):
            return Absence.NOT_IN_DRIVER
        now, wall = time.monotonic(), time.time()
        self._newest = newest = min(self._newest, int(wall * 1e6))  # a clock may be set back
        self._shares = {p: x for p, x in self._shares.items() if now - x.seen_at < 60.0}
        function, handle = pynvml.nvmlLib.nvmlDeviceGetProcessUtilization, self._found.handle
        since = ctypes.c_ulonglong(newest)
        layout = pynvml.c_nvmlProcessUtilizationSample_t
        try:
            samples = _filled(layout, 4 * _ROOM, lambda n, x: function(handle, x, n, since))
        except pynvml.NVMLError as error:
            if error.value in library.CARD_LOST | library.DRIVER_GONE:
                raise
            # No new sample is no refusal: the old shares stand for a moment.
            none_new = (pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_NO_DATA)
            return None if error.value in none_new else library.absence_of(error.value)
        for sample in samples:
            stamp = int(sample.timeStamp)
            ratios = {figure: getattr(sample, name) / 100 for figure, name in _SHARES.items()}
            # The driver's buffer also holds old and impossible samples, in no order.
            timely = newest < stamp < (wall + _AHEAD) * 1e6
            if timely and all(0 <= ratio <= 1 for ratio in ratios.values()):
                self._newest = max(self._newest, stamp)
                known = self._shares.get(sample.pid)
                if known is None or stamp >= known.stamp:
                    self._shares[sample.pid] = _Share(stamp, now, ratios)
        return None

    def _row(
        self,
        card: CardId,
        pid: int,
        uses: set[ProcessUse],
        memory: float | Absence,
        why: Absence,
    ) -> CardProcess:
        """`why` there are no shares, where there are none."""
        values: dict[ProcessFigure, float] = {}
        missing: dict[ProcessFigure, Absence] = {}
        if isinstance(memory, Absence):
            missing[ProcessFigure.MEMORY] = memory
        else:
            values[ProcessFigure.MEMORY] = memory
        share = self._shares.get(pid)
        if share is not None and time.monotonic() - share.seen_at <= _STALE_AFTER:
            values |= share.ratios
        else:
            missing |= dict.fromkeys(_SHARES, why)
        use = ProcessUse.BOTH if len(uses) > 1 else next(iter(uses))
        return CardProcess(card, pid, use, values, missing)


# Any: a ctypes array knows its entries by name alone.
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
        if code == pynvml.NVML_SUCCESS or count.value > _MOST_ENTRIES:
            code = pynvml.NVML_ERROR_UNKNOWN
        if code != pynvml.NVML_ERROR_INSUFFICIENT_SIZE:
            break
        count.value = count.value * 2 + 5  # processes may start meanwhile
    raise pynvml.NVMLError(code)
