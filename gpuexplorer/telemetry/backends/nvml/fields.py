"""Many figures in one driver call: NVML's field values, with their own clock."""

import ctypes
from collections.abc import Sequence

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.telemetry.backends.nvml.library import absence_of

# How the value is stored, by the number the driver gives its type.
_SLOTS = ("dVal", "uiVal", "ulVal", "ullVal", "sllVal", "siVal", "usVal")


class FieldBatch:
    """A list of fields of one card, asked again and again through one prepared buffer.

    The binding's own nvmlDeviceGetFieldValues builds the buffer anew at every call, which costs
    more than the call; its structs and its library handle are used here directly. One thread at
    a time.
    """

    def __init__(self, handle: object, fields: Sequence[tuple[int, int]]) -> None:
        self._handle = handle
        self._count = ctypes.c_int32(len(fields))
        self._buffer = (pynvml.c_nvmlFieldValue_t * len(fields))()
        for slot, (field, scope) in zip(self._buffer, fields, strict=True):
            slot.fieldId, slot.scopeId = field, scope
        self._slots = list(self._buffer)
        self._call = pynvml.nvmlLib.nvmlDeviceGetFieldValues if pynvml.nvmlLib else None

    def read(self) -> list[float | Absence]:
        """One figure or reason per field. Raises NVMLError when the whole call is refused."""
        if self._call is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_UNINITIALIZED)
        code = self._call(self._handle, self._count, self._buffer)
        if code:
            raise pynvml.NVMLError(code)
        return [
            _absence(slot.nvmlReturn)
            if slot.nvmlReturn
            else getattr(slot.value, _SLOTS[slot.valueType])
            if slot.valueType < len(_SLOTS)
            else Absence.IMPOSSIBLE
            for slot in self._slots
        ]

    def micros(self, position: int) -> int:
        """When the driver took the figure, on its own clock; 0 where it does not say."""
        return int(self._slots[position].timestamp)


def _absence(code: int) -> Absence:
    # A driver that is older than a field calls its number an invalid argument.
    if code == pynvml.NVML_ERROR_INVALID_ARGUMENT:
        return Absence.NOT_IN_DRIVER
    return absence_of(code)
