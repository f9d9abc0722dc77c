"""The console of Windows: it has to be told to draw in place, and a program that was opened by
a click has none. Elsewhere there is nothing to do, and nothing is imported for it.
"""

import sys
from typing import Any, TextIO

_UNDERSTANDS_ESCAPES = 0x0004  # ENABLE_VIRTUAL_TERMINAL_PROCESSING
_WITH_A_CROSS = 0x10  # MB_ICONERROR


def nobody_reads() -> bool:
    """Whether this program was started without a place for what it says."""
    return sys.platform == "win32" and sys.__stderr__ is None


def say_in_a_box(title: str, text: str) -> None:
    """Without Qt, which may be what is missing. Waits until a person has read it."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        ctypes.windll.user32.MessageBoxW(None, text, title, _WITH_A_CROSS)


def draws_in_place(stream: TextIO) -> bool:
    """Whether a person looks at it, and escapes move its cursor instead of being shown."""
    if not stream.isatty():
        return False
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415
        import msvcrt  # noqa: PLC0415 - only Windows has it

        try:
            handle = msvcrt.get_osfhandle(stream.fileno())
        except OSError:
            return False
        return teach_escapes(ctypes.windll.kernel32, handle)
    else:  # noqa: RET505 - so the checker of types sees that only one of them is reached
        return True


# Any: the functions of a library of Windows.
def teach_escapes(kernel: Any, handle: int) -> bool:
    """False where it is no console, such as NUL, or one that is too old."""
    import ctypes  # noqa: PLC0415

    console, mode = ctypes.c_void_p(handle), ctypes.c_uint32()
    if not kernel.GetConsoleMode(console, ctypes.byref(mode)):
        return False
    if mode.value & _UNDERSTANDS_ESCAPES:
        return True
    return bool(kernel.SetConsoleMode(console, mode.value | _UNDERSTANDS_ESCAPES))
