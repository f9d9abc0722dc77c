"""The driver's library as another has it, with what it refuses noted: calls, and fields."""

import struct
from collections import Counter
from collections.abc import Callable
from typing import Any

import pynvml

# The call is there and will not answer, now or later.
REFUSALS = (
    pynvml.NVML_ERROR_NOT_SUPPORTED,
    pynvml.NVML_ERROR_NO_PERMISSION,
    pynvml.NVML_ERROR_FUNCTION_NOT_FOUND,
    pynvml.NVML_ERROR_INVALID_ARGUMENT,
    pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
)
_FIELDS = "nvmlDeviceGetFieldValues"
_FIELD = struct.Struct("=IIqqII8x")  # number, scope, microseconds, latency, type, status


# Any: ctypes knows the driver's functions by name alone.
class Overheard:
    """Stands in the place of `pynvml.nvmlLib`, once NVML was initialised."""

    def __init__(self, library: Any) -> None:
        self._library = library
        self.refused: Counter[str] = Counter()
        self.calls = 0

    def __getattr__(self, name: str) -> Callable[..., int]:
        function = getattr(self._library, name)

        def call(*arguments: Any) -> int:
            self.calls += 1
            code = int(function(*arguments))
            if code in REFUSALS and not _only_of_this_moment(name, code):
                self.refused[name] += 1
            if name == _FIELDS and code == pynvml.NVML_SUCCESS:
                for number, _, _, _, _, status in _FIELD.iter_unpack(bytes(arguments[2])):
                    self.refused[f"field {number}"] += status in REFUSALS
            return code

        return call

    def begin(self) -> None:
        self.refused.clear()
        self.calls = 0


def _only_of_this_moment(name: str, code: int) -> bool:
    """Asked with what is not there just now, such as a process that has ended."""
    return "Process" in name and code == pynvml.NVML_ERROR_INVALID_ARGUMENT
