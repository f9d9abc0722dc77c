"""Prepared driver calls: buffers made once, for what is asked at every beat.

The binding makes a buffer, looks its function up and wraps the answer anew at each call, which
costs more than the call itself. Each object here is for one thread at a time.
"""

import ctypes
import math
import struct
from collections.abc import Callable, Sequence
from typing import NoReturn

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.clock import Clock
from gpuexplorer.telemetry.backends.nvml.library import CARD_LOST, DRIVER_GONE, absence_of
from gpuexplorer.telemetry.backends.nvml.questions import Pause

# Field, scope, microseconds, latency, type of the value, status, the value's eight bytes.
_FIELD = struct.Struct("=IIqqII8s")
_VERSION = struct.Struct("=I")
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


def struct_call(
    symbol: str, handle: object, layout: str, version: int | None = None
) -> Callable[[], tuple[int, ...]]:
    """A call that fills a struct of numbers, after its version where it has one."""
    function = getattr(pynvml.nvmlLib, symbol, None)
    if function is None:
        return _not_in_driver
    form = struct.Struct(layout)
    buffer = ctypes.create_string_buffer(form.size)
    passed = (handle, ctypes.byref(buffer))
    unpack = form.unpack_from

    def call() -> tuple[int, ...]:
        if version is not None:
            _VERSION.pack_into(buffer, 0, version)
        code = function(*passed)
        if code:
            raise pynvml.NVMLError(code)
        return unpack(buffer)

    return call


def _not_in_driver() -> NoReturn:
    raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)


def field_call(field: int, handle: object) -> Callable[[], float]:
    """A call that hands back one field; raises NVMLError when refused."""
    function = getattr(pynvml.nvmlLib, "nvmlDeviceGetFieldValues", None)
    if function is None:
        return _not_in_driver
    buffer = ctypes.create_string_buffer(_field(field), _FIELD.size)
    count = ctypes.c_int32(1)
    unpack = _FIELD.unpack_from

    def call() -> float:
        code = function(handle, count, buffer)
        _, _, _, _, kind, status, raw = unpack(buffer)
        if code or status:
            raise pynvml.NVMLError(code or _code_of_field(status))
        return float(_READERS[kind](raw)[0]) if kind < len(_READERS) else math.nan

    return call


def _field(field: int, scope: int = 0) -> bytes:
    return _FIELD.pack(field, scope, 0, 0, 0, 0, bytes(8))


def _code_of_field(status: int) -> int:
    # A driver that is older than a field calls its number an invalid argument.
    if status == pynvml.NVML_ERROR_INVALID_ARGUMENT:
        return int(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
    return status


class FieldBatch:
    """Many figures of one card in one driver call, each with the driver's own clock."""

    def __init__(self, handle: object, fields: Sequence[tuple[int, int]]) -> None:
        self._handle = handle
        self._count = ctypes.c_int32(len(fields))
        packed = b"".join(_field(field, scope) for field, scope in fields)
        self._buffer = ctypes.create_string_buffer(packed, len(packed))
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
                figures.append(absence_of(_code_of_field(status)))
            elif kind < len(_READERS):
                figures.append(_READERS[kind](raw)[0])
            else:
                figures.append(Absence.IMPOSSIBLE)
        self.micros = micros
        return figures


class PatientBatch:
    """A batch that leaves refused fields alone for a while and goes on with the others."""

    def __init__(self, handle: object, fields: Sequence[tuple[int, int]], clock: Clock) -> None:
        self._handle = handle
        self._fields = fields
        self._clock = clock
        self._batch = FieldBatch(handle, fields)
        self._asked = list(range(len(fields)))
        self.pauses = [Pause() for _ in fields]
        self.micros: list[int] = [0] * len(fields)  # when each was taken; 0: not told

    def read(self) -> list[float | Absence]:
        """One figure or reason per field. Raises NVMLError when the whole call is refused."""
        now = self._clock.now()
        resting = [pause.reason(now) for pause in self.pauses]
        self._choose([place for place, reason in enumerate(resting) if reason is None])
        answers = self._batch.read() if self._asked else []
        self.micros = [0] * len(resting)
        for place, figure, taken in zip(self._asked, answers, self._batch.micros, strict=False):
            self.micros[place] = taken
            if isinstance(figure, Absence):
                self.pauses[place].note_refusal(figure, now)
            else:
                self.pauses[place].note_answer()
        told = iter(answers)
        return [next(told) if reason is None else reason for reason in resting]

    def _choose(self, places: list[int]) -> None:
        if places != self._asked:
            self._asked = places
            self._batch = FieldBatch(self._handle, [self._fields[place] for place in places])


class PatientCall:
    """One figure that a call of its own gives where a field does not; rests when refused."""

    def __init__(self, call: Callable[[], float], clock: Clock) -> None:
        self._call = call
        self._clock = clock
        self.pause = Pause()

    def ask(self) -> float | Absence:
        """Raises NVMLError only where the card or the driver is gone."""
        now = self._clock.now()
        resting = self.pause.reason(now)
        if resting is not None:
            return resting
        try:
            figure = self._call()
        except pynvml.NVMLError as error:
            if error.value in CARD_LOST | DRIVER_GONE:
                raise
            reason = absence_of(error.value)
            self.pause.note_refusal(reason, now)
            return reason
        self.pause.note_answer()
        return figure
