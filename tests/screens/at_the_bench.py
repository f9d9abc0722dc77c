"""What a person does in the lab: types lines, carries things, and loses the worker."""

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QTextEdit

from gpuexplorer.gui.state.lab.lab import Lab
from tests.gui.hands import drag
from tests.screens.conftest import OpenProgram
from tests.screens.person import Person
from tests.screens.things import bring_into_view

# Milliseconds: a worker imports PyTorch, perhaps beside others that do.
PATIENCE = 60_000
CELLS = "Cells of the session"
X_ON_0 = 'X = torch.ones(2, 3, device="cuda:0")'
Y_ON_1 = 'Y = torch.ones(2, 3, device="cuda:1")'
# Programs that answer as a Python does, or do not.
WITH_TORCH = f'exec "{sys.executable}" "$@"'
WITHOUT_TORCH = f'exec "{sys.executable}" -S "$@"'
NO_PYTHON = "echo something else"


def open_lab(open_program: OpenProgram, *lines: str, fault: str = "") -> Person:
    """On two simulated cards, after these lines were run; each ends when it is done."""
    person = open_program(fault=fault, past=None, size=(1440, 900))
    person.patience = PATIENCE
    person.go_to("Lab")
    for line in lines:
        runs(person, line)
    return person


def enters(person: Person, line: str) -> None:
    """Types it where lines are typed."""
    # Nothing but this gives the keyboard back here after a dialog.
    person.window.activateWindow()
    person.waits(person.window.isActiveWindow)
    person.press("Ctrl+L")
    first, *more = line.split("\n")
    person.types(first)
    for each in more:
        person.press("Shift+Return")
        person.types(each)
    person.press("Return")


def runs(person: Person, line: str) -> None:
    """Enters it, and waits until it is done."""
    enters(person, line)
    sees_line(person, line, state="done")


def sees_line(person: Person, *words: str, state: str = "") -> None:
    """In the last of the session's cells: its code, what it printed and what it cost; and, as
    the mark beside it has it, how it went.
    """
    cells = person.find(CELLS).widget
    assert isinstance(cells, QTextEdit)
    [lab] = person.window.findChildren(Lab)

    def there() -> None:
        # Nothing but this is looked at: PyTorch is being imported on the same cores.
        said = " ".join(cells.toPlainText().split())
        assert all(" ".join(each.split()) in said for each in words), said
        assert state in ("", lab.ledger.cells[-1].state)

    person.waits(there)


def drags(person: Person, what: str, onto: str) -> None:
    """With the mouse, from the middle of one thing to that of another."""
    thing, target = person.find(what), person.find(onto)
    held = thing.widget.mapFromGlobal(bring_into_view(thing))
    drag(thing.widget, held, bring_into_view(target))


def asks_for_menu(person: Person, what: str) -> None:
    """With the right mouse button."""
    thing = person.find(what)
    window = thing.widget.window().windowHandle()
    place = window.mapFromGlobal(thing.place.center())
    right, nothing = Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier
    # From beside it: Qt goes by what the pointer came over last.
    QTest.mouseMove(window, place + QPoint(1, 1))
    QTest.mouseClick(window, right, nothing, place)


def kill_worker(person: Person) -> None:
    """As the system does where memory runs out."""
    pids = [each.worker_pid for each in person.window.findChildren(Lab) if each.worker_pid]
    for each in pids:
        os.kill(each, signal.SIGKILL)


def only_pythons(
    monkeypatch: pytest.MonkeyPatch, folder: Path, programs: Mapping[str, str]
) -> None:
    """From now on this computer has these, by name and script, and the first runs us."""
    made = [folder / name / "bin" / "python3" for name in programs]
    for path, script in zip(made, programs.values(), strict=True):
        path.parent.mkdir(parents=True)
        path.write_text(f"#!/bin/sh\n{script}\n", "utf-8")
        path.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(made[0]))
    monkeypatch.setenv("PATH", os.pathsep.join(str(each.parent) for each in made))
    for name in ("HOME", "PWD"):
        monkeypatch.setenv(name, str(folder))
    for name in ("VIRTUAL_ENV", "CONDA_PREFIX"):
        monkeypatch.delenv(name, raising=False)
