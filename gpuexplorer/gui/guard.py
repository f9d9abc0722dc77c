"""guarded: what Qt calls of ours is reported where it has a bug, and Qt goes on."""

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

Needs = ParamSpec("Needs")
Result = TypeVar("Result")


def guarded(method: Callable[Needs, Result]) -> Callable[Needs, Result]:
    """Qt calls these within calls of ours, and there PySide on Python 3.11 ends the program on
    an exception that goes back to Qt.
    """

    @wraps(method)
    def guarded(*needs: Needs.args, **named: Needs.kwargs) -> Result:
        try:
            return method(*needs, **named)
        except Exception as error:
            sys.excepthook(type(error), error, error.__traceback__)
            return False  # type: ignore[return-value]  # where Qt asks: it is not taken

    return guarded
