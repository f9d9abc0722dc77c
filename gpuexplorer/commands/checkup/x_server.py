"""Asks an X server, by the library that Qt asks it by, whether it lets this program in."""

import ctypes
import os
import sys
import threading
from collections.abc import Callable

from gpuexplorer.core.words import Message

_LIBRARY = "libxcb.so.1"
_MOST = 500  # bytes of what it says


def x_refusal(display: str, parts: str | None = None, within: float = 5.0) -> str | None:
    """Why it shows no window of ours, in its own words. None where it would, and where it
    cannot be asked. `parts` is where a packaged program has its own libraries.
    """
    library = _load(parts)
    if library is None:
        return None
    refused: list[bool] = []
    asking = threading.Thread(
        target=lambda: refused.append(_refuses(library, display)),
        name="asks the display",
        daemon=True,
    )

    def ask() -> None:
        asking.start()
        asking.join(within)

    words = _written_by(ask)
    if not refused:
        return Message("no answer within {seconds:g} s", seconds=within)
    return " ".join(words.split()).rstrip(".") if refused[0] else None


def _load(parts: str | None) -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    for name in ([f"{parts}/{_LIBRARY}"] if parts else []) + [_LIBRARY]:
        try:
            library = ctypes.CDLL(name)
        except OSError:
            continue
        library.xcb_connect.restype = ctypes.c_void_p
        library.xcb_connect.argtypes = [ctypes.c_char_p, ctypes.c_void_p]
        library.xcb_connection_has_error.argtypes = [ctypes.c_void_p]
        library.xcb_disconnect.argtypes = [ctypes.c_void_p]
        return library
    return None


def _refuses(library: ctypes.CDLL, display: str) -> bool:
    connection = library.xcb_connect(display.encode(), None)
    refused = bool(library.xcb_connection_has_error(connection))
    library.xcb_disconnect(connection)
    return refused


def _written_by(work: Callable[[], object]) -> str:
    """What it writes to the error output, past Python, as the library does with answers."""
    try:
        errors = os.dup(2)
    except OSError:  # there is no error output
        work()
        return ""
    reading, writing = os.pipe()
    os.dup2(writing, 2)
    os.close(writing)
    try:
        work()
    finally:
        os.dup2(errors, 2)
        os.close(errors)
    with os.fdopen(reading, "rb") as answer:
        return answer.read(_MOST).decode("utf-8", "replace")
