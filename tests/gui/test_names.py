"""Names in the window say which, and importing it changes nothing that is not its own."""

import os
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

GUI = Path(__file__).resolve().parents[2] / "gpuexplorer" / "gui"
SHARED = {"__init__.py", "view.py", "model.py", "words.py"}


def test_no_two_files_and_no_two_classes_of_the_window_have_one_name() -> None:
    files = [path for path in GUI.rglob("*.py") if path.name not in SHARED]
    classes = [
        found
        for path in GUI.rglob("*.py")
        for found in re.findall(r"^class (\w+)", path.read_text("utf-8"), re.MULTILINE)
    ]
    for names in ([path.name for path in files], classes):
        assert names
        assert [name for name, count in Counter(names).items() if count > 1] == []


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


def test_importing_it_changes_nothing_that_is_not_its_own_and_says_nothing() -> None:
    done = python(_AS_IT_WAS + _LITTLE)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_whatever_a_person_chose_for_other_programs_it_is_pyside_here() -> None:
    done = python(_ON_PYSIDE, PYQTGRAPH_QT_LIB="PyQt6")
    assert (done.returncode, done.stdout, done.stderr) == (0, "PyQt6\n", "")
