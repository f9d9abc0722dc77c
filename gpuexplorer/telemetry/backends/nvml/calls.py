"""Prepared driver calls: buffers made once, for what is asked at every beat.

The binding makes a buffer, looks its function up and wraps the answer anew at each call, which
costs more than the call itself. Each object here is for one thread at a time.
"""

import ctypes
import struct
from collections.abc import Callable, Sequence

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.telemetry.backends.nvml.library import absence_of

# How the binding's structs lie in memory: reading their attributes one by one runs Python code.
unpack_utilization = struct.Struct("=II").unpack_from
unpack_memory = struct.Struct("=QQQ").unpack_from  # total, free, used
unpack_memory_v2 = struct.Struct("=I4xQQQQ").unpack_from  # version, total, reserved, free, used

# Field, scope, microseconds, latency, type of the value, status, the value's eight bytes.
_FIELD = struct.Struct("=IIqqII8s")
_READERS = tuple(
    struct.Struct(form).unpack_from
    for form in ("=d", "=I", "@L", "=Q", "=q", "=i", "=H")  # by the driver's number of the type
)


def number_call(symbol: str, handle: object, *arguments: int) -> Callable[[], int]:
    """A call that hands back one unsigned number; raises NVMLError when refused."""
    function = getattr(pynvml.nvmlLib, symbol, None)
    if function is None:
        return _not_in_driver
    answer = ctypes.c_uint()
    passed = (handle, *(ctypes.c_int(argument) for argument in arguments), ctypes.byref(answer))

    def call() -> int:
        code = function(*passed)
        if code:
            raise pynvml.NVMLError(code)
        return answer.value

    return call


def _not_in_driver() -> int:
    raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)


class FieldBatch:
    """Many figures of one card in one driver call, each with the driver's own clock."""

    def __init__(self, handle: object, fields: Sequence[tuple[int, int]]) -> None:
        self._handle = handle
        self._count = ctypes.c_int32(len(fields))
        self._buffer = ctypes.create_string_buffer(_FIELD.size * len(fields))
        for position, (field, scope) in enumerate(fields):
            _FIELD.pack_into(
                self._buffer, position * _FIELD.size, field, scope, 0, 0, 0, 0, bytes(8)
            )
        self._call = getattr(pynvml.nvmlLib, "nvmlDeviceGetFieldValues", None)
        self.micros: list[int] = [0] * len(fields)  # when each was taken; 0: not told

    def read(self) -> list[float | Absence]:
        """One figure or reason per field. Raises NVMLError when the whole call is refused."""
        if self._call is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
        code = self._call(self._handle, self._count, self._buffer)
        if code:
            raise pynvml.NVMLError(code)
        figures: list[float | Absence] = []
        micros = []
        for _, _, taken, _, kind, status, raw in _FIELD.iter_unpack(self._buffer):
            micros.append(taken)
            if status:
                figures.append(_absence(status))
            elif kind < len(_READERS):
                figures.append(_READERS[kind](raw)[0])
            else:
                figures.append(Absence.IMPOSSIBLE)
        self.micros = micros
        return figures


def _absence(code: int) -> Absence:
    # A driver that is older than a field calls its number an invalid argument.
    if code == pynvml.NVML_ERROR_INVALID_ARGUMENT:
        return Absence.NOT_IN_DRIVER
    return absence_of(code)
