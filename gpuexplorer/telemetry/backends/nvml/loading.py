"""Finding NVIDIA's library and handing it to the binding."""

import ctypes
import os
import sys
from pathlib import Path

import pynvml

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.looked_for import Place, driver_library, find_library, is_there

LIBRARY_VARIABLE = "GPUEXPLORER_NVML"
_NAME = "libnvidia-ml.so.1"


def where() -> Path | None:
    """The file that will be loaded, found without loading it; None where there is none."""
    named = os.environ.get(LIBRARY_VARIABLE)
    if named and "/" in named:
        return Path(named) if is_there(Path(named)) else None
    # The loader looks for a bare name as for any other library.
    return find_library(Place(), named) if named else driver_library(Place())


def load() -> None:
    """The binding would look for the library by its name alone: it would miss one that lies
    elsewhere, even when that is in memory already, if it does not bear that name within.
    """
    if sys.platform != "linux":
        return  # the binding knows where Windows keeps it
    with pynvml.libLoadLock:
        if pynvml.nvmlLib is None:
            pynvml.nvmlLib = _loaded()


def _loaded() -> ctypes.CDLL | None:
    """None where there is no library, which the binding has an error for."""
    named = os.environ.get(LIBRARY_VARIABLE)
    try:
        return ctypes.CDLL(named or _NAME)
    except OSError as error:
        if named:
            raise Trouble(
                "The library that {variable} names cannot be loaded: {reason}.",
                "Unset the variable, or let it name the driver's libnvidia-ml.so.1.",
                variable=LIBRARY_VARIABLE,
                reason=_reason(where() or Path(named), error),
            ) from error
    path = where()
    if path is None:
        return None
    try:
        return ctypes.CDLL(str(path))
    except OSError as error:
        raise Trouble(
            "The NVIDIA driver's library cannot be loaded: {reason}.",
            "Install the NVIDIA driver again.",
            reason=_reason(path, error),
        ) from error


def _reason(path: Path, error: OSError) -> str:
    """In our words where the file itself shows what is wrong, else in the loader's."""
    if not is_there(path):
        return Message("{file} is not there", file=path)
    head, ours = _head(path), _head(Path("/proc/self/exe"))
    if head is None or ours is None:
        return str(error)
    if head[0] != ours[0]:
        return Message("{file} is no library", file=path)
    if head != ours:
        return Message("{file} is made for another kind of processor", file=path)
    return str(error)


def _head(path: Path) -> tuple[bytes, bytes, bytes] | None:
    """What makes it a program for this processor: magic number, word size, machine."""
    try:
        with path.open("rb") as file:
            start = file.read(20)
    except OSError:
        return None
    return start[:4], start[4:6], start[18:20]
