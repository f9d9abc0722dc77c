"""How much work something is, counted and not timed: the same on every machine, busy or not."""

import gc
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any


def steps(do: Callable[[], object]) -> int:
    """How many lines of Python are gone through."""
    count = 0

    # Any: as sys.settrace has it.
    def trace(frame: FrameType, event: str, arg: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before, tidying = sys.gettrace(), gc.isenabled()
    # What Python tidies up meanwhile is no part of it.
    gc.disable()
    sys.settrace(trace)
    try:
        do()
    finally:
        sys.settrace(before)
        if tidying:
            gc.enable()
    return count
