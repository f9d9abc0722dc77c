"""From an exception to what a person reads: its cause, PyTorch's own words, and a way out."""

import re
from collections.abc import Callable

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Failed, Memory

_DEVICES = re.compile(r"\b(cpu|cuda:\d+|xpu:\d+|mps|meta)\b")
_BROKEN = (
    "device-side assert",
    "illegal memory access",
    "unspecified launch failure",
    "misaligned address",
    "an illegal instruction",
    "uncorrectable ECC",
)


class Cancelled(BaseException):
    """The person gave the command up. Nothing between here and the loop may catch it."""


def failed(
    command: int,
    error: BaseException,
    memory: "Callable[[], tuple[Memory, ...]]" = tuple,
) -> Failed:
    """The sentence says what it means here; `message` keeps PyTorch's own words."""
    kind = type(error).__name__
    message = str(error).strip()
    if isinstance(error, Trouble):
        return Failed(command, "bad request", "Trouble", "", error.sentence, error.hint)
    if isinstance(error, Cancelled):
        return Failed(command, "cancelled", kind, "", "Cancelled.", "")
    if isinstance(error, RecursionError):
        return Failed(command, "bad request", kind, message, "This is nested too deeply.", "")
    if any(text in message for text in _BROKEN):
        return Failed(
            command,
            "device broken",
            kind,
            message,
            "The card broke off. Everything this process holds on it is lost, and every "
            "further call will fail the same way.",
            "Start the worker again; what was made from a recipe can be made anew.",
        )
    if kind == "OutOfMemoryError" or isinstance(error, MemoryError):
        return Failed(
            command,
            "out of memory",
            kind,
            message,
            "It does not fit into the memory that is free.",
            "Delete something, take a smaller shape or a smaller dtype, or another device.",
            memory(),
        )
    if "same device" in message or "expected device" in message:
        return Failed(
            command, "devices differ", kind, message, _differ(message), "Copy one to the other."
        )
    return Failed(command, "refused by PyTorch", kind, message)


def _differ(message: str) -> str:
    found = list(dict.fromkeys(_DEVICES.findall(message)))
    if len(found) >= 2:
        return f"One is on {found[0]}, another on {found[1]}: PyTorch will not choose for you."
    return "The operands are on different devices: PyTorch will not choose for you."
