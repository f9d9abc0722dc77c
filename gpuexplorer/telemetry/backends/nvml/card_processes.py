"""Who uses a card: the driver's process lists, and each process' share of the engines."""

import ctypes
import sys
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId
from gpuexplorer.telemetry.backends.nvml import library
from gpuexplorer.telemetry.backends.nvml.identity import Found
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse

_NO_INSTANCE = 0xFFFFFFFF
_NOT_AVAILABLE = 0xFFFFFFFFFFFFFFFF
# Linux counts pids to 2^22 at most; elsewhere all bits set means that there is none.
_PIDS = 1 << 22 if sys.platform == "linux" else 0xFFFFFFFF
# More than any card has of processes or of samples: beyond it the count is garbage.
_MOST_ENTRIES = 1 << 16
# A process without a new sample keeps its last shares this long, else they would flicker.
_STALE_AFTER = 3.0
# The driver's clock may go differently, but not by more seconds than these.
_AHEAD = 3600.0

_SHARES = (
    (ProcessFigure.SM, "smUtil"),
    (ProcessFigure.MEMORY_CONTROLLER, "memUtil"),
    (ProcessFigure.ENCODER, "encUtil"),
    (ProcessFigure.DECODER, "decUtil"),
)


class _OldProcessInfo(ctypes.Structure):
    """The layout before MIG, which the binding no longer carries."""

    _fields_ = (("pid", ctypes.c_uint), ("usedGpuMemory", ctypes.c_ulonglong))


def _windows_manages_memory() -> bool:
    """On Windows, and in its subsystem for Linux."""
    return sys.platform == "win32" or Path("/dev/dxg").exists()


class _Share(NamedTuple):
    stamp: int
    seen_at: float
    ratios: dict[ProcessFigure, float]


class CardProcesses:
    """Asks for one card's processes. One thread at a time."""

    def __init__(
        self,
        found: Found,
        instances: Mapping[tuple[int, int], CardId] | None = None,
        windows: bool | None = None,
    ) -> None:
        self._found = found
        self._instances = instances or {}
        self._windows = _windows_manages_memory() if windows is None else windows
        self._shares: dict[int, _Share] = {}
        self._newest = int((time.time() - _STALE_AFTER) * 1e6)
        self._refusal: Absence | None = None

    def read(self) -> list[CardProcess]:
        """Raises NVMLError when the list cannot be had just now."""
        rows: dict[tuple[CardId, int], tuple[set[ProcessUse], float | Absence]] = {}
        handle = self._found.handle
        for kind, use in (
            ("Compute", ProcessUse.COMPUTE),
            ("MPSCompute", ProcessUse.COMPUTE),
            ("Graphics", ProcessUse.GRAPHICS),
        ):
            for pid, memory, card in self._list(handle, kind):
                uses, known = rows.setdefault((card, pid), (set(), memory))
                uses.add(use)
                # The two lists tell the same sum for a process that is in both.
                if isinstance(known, Absence) and not isinstance(memory, Absence):
                    rows[card, pid] = (uses, memory)
        if rows:
            self._read_shares()
        return [self._row(card, pid, *rest) for (card, pid), rest in sorted(rows.items())]

    def _list(self, handle: object, kind: str) -> list[tuple[int, float | Absence, CardId]]:
        refusal: pynvml.NVMLError | None = None
        for name, layout in _calls(kind):
            try:
                entries = _ask(handle, name, layout)
            except pynvml.NVMLError as error:
                if error.value not in library.REFUSALS:
                    raise
                refusal = error  # where a newer call refuses, an older one may answer
                continue
            possible = [entry for entry in entries if 0 < entry.pid < _PIDS]
            if entries and not possible:
                raise pynvml.NVMLError(pynvml.NVML_ERROR_UNKNOWN)
            return [self._one(entry) for entry in possible]
        # Without the list of what computes nothing is known; the others not every card has.
        if refusal is not None and kind == "Compute":
            raise refusal
        return []

    def _one(self, entry: ctypes.Structure) -> tuple[int, float | Absence, CardId]:
        used = int(entry.usedGpuMemory)
        memory: float | Absence = float(used)
        if used == _NOT_AVAILABLE:
            memory = Absence.WINDOWS_KEEPS_IT if self._windows else Absence.NOT_AVAILABLE
        elif used > (self._found.card.memory_bytes or 1 << 50):
            memory = Absence.IMPOSSIBLE
        slices = (
            getattr(entry, "gpuInstanceId", _NO_INSTANCE),
            getattr(entry, "computeInstanceId", _NO_INSTANCE),
        )
        return int(entry.pid), memory, self._instances.get(slices, self._found.card.id)

    def _read_shares(self) -> None:
        now = time.monotonic()
        self._newest = min(self._newest, int(time.time() * 1e6))  # a clock may be set back
        self._refusal = None
        if not library.has("nvmlDeviceGetProcessUtilization"):
            self._refusal = Absence.NOT_IN_DRIVER
            return
        try:
            samples = _ask_shares(self._found.handle, self._newest)
        except pynvml.NVMLError as error:
            if error.value in library.CARD_LOST | library.DRIVER_GONE:
                raise
            # No new sample is no refusal: the old shares stand for a moment.
            if error.value not in (pynvml.NVML_ERROR_NOT_FOUND, pynvml.NVML_ERROR_NO_DATA):
                self._refusal = library.absence_of(error.value)
            samples = []
        newest = self._newest
        for sample in samples:
            stamp = int(sample.timeStamp)
            ratios = {figure: getattr(sample, name) / 100 for figure, name in _SHARES}
            timely = self._newest < stamp < (time.time() + _AHEAD) * 1e6
            if not timely or any(not 0 <= ratio <= 1 for ratio in ratios.values()):
                continue  # the driver's buffer also holds old and impossible samples
            newest = max(newest, stamp)
            known = self._shares.get(sample.pid)
            if known is None or stamp >= known.stamp:
                self._shares[sample.pid] = _Share(stamp, now, ratios)
        self._newest = newest
        for pid, share in list(self._shares.items()):
            if now - share.seen_at > 60.0:
                del self._shares[pid]

    def _row(
        self, card: CardId, pid: int, uses: set[ProcessUse], memory: float | Absence
    ) -> CardProcess:
        values: dict[ProcessFigure, float] = {}
        missing: dict[ProcessFigure, Absence] = {}
        if isinstance(memory, Absence):
            missing[ProcessFigure.MEMORY] = memory
        else:
            values[ProcessFigure.MEMORY] = memory
        share = self._shares.get(pid)
        fresh = share is not None and time.monotonic() - share.seen_at <= _STALE_AFTER
        for figure, _ in _SHARES:
            if share is not None and fresh:
                values[figure] = share.ratios[figure]
            elif self._instances:
                missing[figure] = Absence.IN_INSTANCE
            elif self._refusal is not None:
                missing[figure] = self._refusal
            else:
                missing[figure] = Absence.NO_NEW_SAMPLE
        both = len(uses) > 1
        use = ProcessUse.BOTH if both else next(iter(uses))
        return CardProcess(card, pid, use, values, missing)


def _calls(kind: str) -> Iterable[tuple[str, type[ctypes.Structure]]]:
    """The calls this driver has, the newest that can be relied on first."""
    name = f"nvmlDeviceGet{kind}RunningProcesses"
    # The third version fills larger entries in drivers 535.43 to 535.86 than in all others.
    newer = next(filter(library.has, (f"{name}_v2", f"{name}_v3")), None)
    if newer is not None:
        yield newer, pynvml.c_nvmlProcessInfo_v2_t
    if library.has(name):
        yield name, _OldProcessInfo


# Room for so many at the first call, which then is the only one; two cost twice as much.
_ROOM = 32


def _ask(handle: object, name: str, layout: type[ctypes.Structure]) -> list[ctypes.Structure]:
    """The driver's lists: offer room, and more of it when that was too little."""
    call = getattr(pynvml.nvmlLib, name)
    count = ctypes.c_uint(_ROOM)
    code = pynvml.NVML_ERROR_INSUFFICIENT_SIZE
    for _ in range(4):
        room = count.value
        entries = (layout * room)()
        code = call(handle, ctypes.byref(count), entries)
        if code == pynvml.NVML_SUCCESS and count.value <= room:
            return list(entries[: count.value])
        if code == pynvml.NVML_SUCCESS or count.value > _MOST_ENTRIES:
            code = pynvml.NVML_ERROR_UNKNOWN
        if code != pynvml.NVML_ERROR_INSUFFICIENT_SIZE:
            break
        count.value = count.value * 2 + 5  # processes may start meanwhile
    raise pynvml.NVMLError(code)


def _ask_shares(handle: object, since: int) -> list[ctypes.Structure]:
    """Samples newer than the moment, in no order; raises NVMLError when there are none."""
    call = pynvml.nvmlLib.nvmlDeviceGetProcessUtilization
    count = ctypes.c_uint(4 * _ROOM)
    code = pynvml.NVML_ERROR_INSUFFICIENT_SIZE
    for _ in range(4):
        room = count.value
        samples = (pynvml.c_nvmlProcessUtilizationSample_t * room)()
        code = call(handle, samples, ctypes.byref(count), ctypes.c_ulonglong(since))
        if code == pynvml.NVML_SUCCESS and count.value <= room:
            return list(samples[: count.value])
        if code == pynvml.NVML_SUCCESS or count.value > _MOST_ENTRIES:
            code = pynvml.NVML_ERROR_UNKNOWN
        if code != pynvml.NVML_ERROR_INSUFFICIENT_SIZE:
            break
        count.value = count.value * 2
    raise pynvml.NVMLError(code)


def instances_by_slice(card: Card, found: Iterable[Found]) -> dict[tuple[int, int], CardId]:
    """Which MIG instance a process list means by its two numbers."""
    return {
        (each.gpu_instance, each.compute_instance): each.card.id
        for each in found
        if each.card.parent == card.id
        and each.gpu_instance is not None
        and each.compute_instance is not None
    }
