"""Importing the window brings pyqtgraph along, and changes nothing that is not pyqtgraph's."""

import os
import subprocess
import sys

import pytest

_AS_IT_WAS = """
import locale, os, signal, sys, threading
def hooks():
    return (
        sys.excepthook, threading.excepthook, sys.unraisablehook, sys.getrecursionlimit(),
        sys.stdout, sys.stderr, sys.getswitchinterval(), signal.getsignal(signal.SIGINT),
        locale.setlocale(locale.LC_ALL), dict(os.environ),
    )
before = hooks()
import gpuexplorer.gui
assert hooks() == before
"""
_ON_PYSIDE = """
import gpuexplorer.gui, os, pyqtgraph
assert pyqtgraph.Qt.QT_LIB == "PySide6"
print(os.environ.get("PYQTGRAPH_QT_LIB"))
"""
_LITTLE = """
import gpuexplorer.gui, pyqtgraph
from PySide6 import QtCore, QtGui, QtWidgets
for of_qt, mirror in (
    (QtCore, pyqtgraph.QtCore), (QtGui, pyqtgraph.QtGui), (QtWidgets, pyqtgraph.QtWidgets)
):
    names = [name for name in dir(of_qt) if name.startswith("Q")]
    assert len(names) > 100
    assert sum(name in vars(mirror) for name in names) < len(names) / 3
    assert all(getattr(mirror, name) is getattr(of_qt, name) for name in names)
"""


def python(code: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """Any warning is an error there."""
    return subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env=os.environ | more,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize("code", [_AS_IT_WAS, _LITTLE])
def test_nothing_else_is_changed_and_nothing_is_said(code: str) -> None:
    done = python(code)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("chosen", ["PyQt5", "PyQt6", "nonsense"])
def test_whatever_a_person_chose_for_other_programs_it_is_pyside_here(chosen: str) -> None:
    done = python(_ON_PYSIDE, PYQTGRAPH_QT_LIB=chosen)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{chosen}\n", "")
