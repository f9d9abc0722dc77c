"""Plots; and how pyqtgraph is imported: on PySide6, whatever else is there, and without all of
Qt.
"""

import os
import sys
from functools import partial
from importlib import import_module
from types import ModuleType

_WHICH_QT = "PYQTGRAPH_QT_LIB"
_COPIED = ("QtCore", "QtGui", "QtWidgets")


def import_pyqtgraph() -> None:
    """Before anything else imports it.

    pyqtgraph copies every name of three modules, and PySide6 makes a class when its name is
    first asked for: 700 of them, half the time of the import and 8 MB, of which the program
    uses a tenth. So pyqtgraph finds nothing to copy, and mirrors in the place of the copies.
    """
    which = os.environ.get(_WHICH_QT)
    os.environ[_WHICH_QT] = "PySide6"
    sources = [import_module(f"PySide6.{name}") for name in _COPIED]
    listed = [vars(source)["__dir__"] for source in sources]
    for name, source in zip(_COPIED, sources, strict=True):
        mirror = ModuleType(f"pyqtgraph.Qt.{name}")
        vars(mirror)["__getattr__"] = partial(getattr, source)
        sys.modules[mirror.__name__] = mirror
        vars(source)["__dir__"] = list
    try:
        import_module("pyqtgraph")
    finally:
        for source, names in zip(sources, listed, strict=True):
            vars(source)["__dir__"] = names
        del os.environ[_WHICH_QT]
        if which is not None:
            os.environ[_WHICH_QT] = which
