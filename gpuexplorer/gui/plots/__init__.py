"""Plots; and how pyqtgraph is imported: on PySide6, whatever else is there, and without all of
Qt.
"""

import os
import sys
from collections.abc import MutableMapping
from importlib import import_module
from types import ModuleType
from typing import Any

_WHICH_QT = "PYQTGRAPH_QT_LIB"
_COPIED = ("QtCore", "QtGui", "QtWidgets")


class _Mirror(ModuleType):
    """A module of `pyqtgraph.Qt`, with the names of PySide6's from when they are asked for."""

    def __init__(self, name: str, source: ModuleType) -> None:
        super().__init__(name)
        self._source = source

    def __getattr__(self, name: str) -> object:
        value: object = getattr(self._source, name)
        setattr(self, name, value)
        return value


def import_pyqtgraph() -> None:
    """Before anything else imports it.

    pyqtgraph copies every name of three modules, and PySide6 makes a class when its name is
    first asked for: 700 of them, half the time of the import and 8 MB, of which the program
    uses a tenth. So pyqtgraph finds nothing to copy, and mirrors in the place of the copies.
    """
    before: list[tuple[MutableMapping[str, Any], str, Any]] = []  # Any: of several kinds
    before.append((os.environ, _WHICH_QT, os.environ.get(_WHICH_QT)))
    os.environ[_WHICH_QT] = "PySide6"
    for name in _COPIED:
        source = import_module(f"PySide6.{name}")
        mirror = _Mirror(f"pyqtgraph.Qt.{name}", source)
        sys.modules[mirror.__name__] = mirror
        before.append((vars(source), "__dir__", vars(source).get("__dir__")))
        vars(source)["__dir__"] = list
    try:
        import_module("pyqtgraph")
    finally:
        for where, name, value in before:
            if value is None:
                del where[name]
            else:
                where[name] = value
