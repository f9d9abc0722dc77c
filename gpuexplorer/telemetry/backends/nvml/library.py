"""Reaching the driver's library, and what its refusals mean."""

import sys

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, INSTALL_IT
from gpuexplorer.telemetry.backends.nvml import loading

# The whole connection is gone, not one card.
DRIVER_GONE = frozenset(
    {
        pynvml.NVML_ERROR_UNINITIALIZED,
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED,
        pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH,
    }
)
CARD_LOST = frozenset(
    {
        pynvml.NVML_ERROR_GPU_IS_LOST,
        pynvml.NVML_ERROR_GPU_NOT_FOUND,
        pynvml.NVML_ERROR_RESET_REQUIRED,
    }
)
# The call is there and will not answer, now or later.
REFUSALS = frozenset(
    {
        pynvml.NVML_ERROR_NOT_SUPPORTED,
        pynvml.NVML_ERROR_NO_PERMISSION,
        pynvml.NVML_ERROR_FUNCTION_NOT_FOUND,
        pynvml.NVML_ERROR_INVALID_ARGUMENT,
        pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH,
    }
)

_ABSENCES = {
    pynvml.NVML_ERROR_NOT_SUPPORTED: Absence.NOT_SUPPORTED,
    pynvml.NVML_ERROR_VGPU_ECC_NOT_SUPPORTED: Absence.NOT_SUPPORTED,
    pynvml.NVML_ERROR_FUNCTION_NOT_FOUND: Absence.NOT_IN_DRIVER,
    pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH: Absence.NOT_IN_DRIVER,
    pynvml.NVML_ERROR_DEPRECATED: Absence.NOT_IN_DRIVER,
    pynvml.NVML_ERROR_NO_PERMISSION: Absence.NO_PERMISSION,
    pynvml.NVML_ERROR_GPU_IS_LOST: Absence.LOST,
    pynvml.NVML_ERROR_GPU_NOT_FOUND: Absence.LOST,
    pynvml.NVML_ERROR_RESET_REQUIRED: Absence.LOST,
    pynvml.NVML_ERROR_UNINITIALIZED: Absence.NO_DRIVER,
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED: Absence.NO_DRIVER,
    pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: Absence.NO_DRIVER,
    pynvml.NVML_ERROR_TIMEOUT: Absence.NO_ANSWER,
}

_TROUBLES = {
    pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: (
        mark("The NVIDIA driver's library (libnvidia-ml) is not installed."),
        INSTALL_IT,
    ),
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED: (
        mark("The NVIDIA driver's library is here, but the driver itself is not running."),
        mark("Restart the computer, or load the kernel module with `sudo modprobe nvidia`."),
    ),
    pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: (
        mark("The NVIDIA driver was updated while it runs: driver and library do not match."),
        mark("Restart the computer."),
    ),
    pynvml.NVML_ERROR_NO_PERMISSION: (
        mark("This user may not talk to the NVIDIA driver."),
        mark("Add the user to the groups `video` and `render`, or ask the administrator."),
    ),
    pynvml.NVML_ERROR_GPU_IS_LOST: (
        mark("The NVIDIA driver says that a card fell off the bus."),
        mark("Restart the computer; if it comes back, look at power and seating of the card."),
    ),
}

_NOT_ON_LINUX = {
    "win32": {
        pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: (
            mark("The NVIDIA driver's library (nvml.dll) is not installed."),
            INSTALL_IT,
        ),
        pynvml.NVML_ERROR_DRIVER_NOT_LOADED: (
            mark("The NVIDIA driver's library is here, but the driver itself is not running."),
            mark("Restart the computer, or reinstall the driver."),
        ),
        pynvml.NVML_ERROR_NO_PERMISSION: (
            mark("This user may not talk to the NVIDIA driver."),
            mark("Ask the administrator."),
        ),
    },
    "darwin": {
        pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: (
            mark("macOS has no driver for NVIDIA cards, so none can answer here."),
            mark("Simulated cards work: `gpuexplorer --simulate 2xH100`."),
        ),
    },
}


def connect(attach: bool = True) -> None:
    """Load the library and greet the driver. Raises Trouble with the reason if that fails."""
    loading.load()
    try:
        if attach:
            pynvml.nvmlInit()
        else:
            pynvml.nvmlInitWithFlags(pynvml.NVML_INIT_FLAG_NO_ATTACH)
    except pynvml.NVMLError as error:
        known = (_TROUBLES | _NOT_ON_LINUX.get(sys.platform, {})).get(error.value)
        if known is not None:
            raise Trouble(*known) from error
        if error.value == pynvml.NVML_ERROR_FUNCTION_NOT_FOUND and not has("nvmlInit_v2"):
            raise Trouble(
                "The library found as NVIDIA's is not the driver's library.",
                "Look at {variable} and LD_LIBRARY_PATH.",
                variable=loading.LIBRARY_VARIABLE,
            ) from error
        raise Trouble(
            "The NVIDIA driver does not answer: {reason}.",
            ASK_THE_DOCTOR,
            reason=message_of(error),
        ) from error


def disconnect() -> None:
    try:
        pynvml.nvmlShutdown()
    except pynvml.NVMLError:
        return  # it is gone already, which is what was asked for


def has(symbol: str) -> bool:
    """Whether this driver's library knows the function at all."""
    return pynvml.nvmlLib is not None and hasattr(pynvml.nvmlLib, symbol)


def absence_of(code: int) -> Absence:
    return _ABSENCES.get(code, Absence.REFUSED)


def message_of(error: pynvml.NVMLError) -> str:
    """The driver's own words, in lower case and without a full stop, to stand in a sentence."""
    try:
        words = text(str(error)).rstrip(".")
    except (UnicodeDecodeError, AttributeError):
        words = ""  # the binding stumbled over the driver's own words
    if words in ("", "None"):  # the driver has no words for a code of its own
        return Message("error number {code}", code=error.value)
    abbreviation = words[:2].isupper()
    return words if abbreviation else words[:1].lower() + words[1:]


def text(raw: bytes | str) -> str:
    """A name as a person can read it, whatever bytes the driver handed over."""
    decoded = raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw
    return "".join(
        letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in decoded
    ).strip()
