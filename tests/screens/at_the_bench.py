"""What a person does in the lab: types lines, carries things, and loses the worker."""

import os
import signal
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from tests.screens.conftest import OpenProgram
from tests.screens.person import Person
from tests.screens.things import things, under

# Milliseconds: a worker imports PyTorch, perhaps beside others that do.
PATIENCE = 60_000
LINES = "Lines of the session"
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
    person.types(line)
    person.press("Return")


def runs(person: Person, line: str) -> None:
    """Enters it, and waits until it is done."""
    enters(person, line)
    sees_line(person, line, "done")


def sees_line(person: Person, *words: str) -> None:
    """In what is said of the last line: its code, how it went, its cost, what it printed."""
    lines = person.find(LINES).widget
    lines.setFocus()

    def there() -> None:
        person.press("End")
        # Nothing but this is looked at: PyTorch is being imported on the same cores.
        said = "\n".join(each.said for each in things(lines))
        assert all(each in said for each in words), said

    person.waits(there)


def drags(person: Person, what: str, onto: str) -> None:
    """With the mouse, from the middle of one thing to that of another."""
    thing, target = person.find(what), person.find(onto)
    begin, end = thing.place.center(), target.place.center()
    hit = under(begin, thing.widget)
    assert hit is not None
    start, there = hit.mapFromGlobal(begin), hit.mapFromGlobal(end)
    QTest.mousePress(hit, Qt.MouseButton.LeftButton, pos=start)
    QTest.mouseMove(hit, start + QPoint(15, 15))
    QTest.mouseMove(hit, there)
    QTest.mouseRelease(hit, Qt.MouseButton.LeftButton, pos=there)


def asks_for_menu(person: Person, what: str) -> None:
    """With the right mouse button."""
    thing = person.find(what)
    window = thing.widget.window().windowHandle()
    place = window.mapFromGlobal(thing.place.center())
    right, nothing = Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier
    QTest.mouseClick(window, right, nothing, place)


def kill_worker() -> None:
    """As the system does where memory runs out."""
    [worker] = _own_processes("gpuexplorer")
    os.kill(worker, signal.SIGKILL)


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


def _own_processes(words: str) -> list[int]:
    """That this one started, and that have these words in their command."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        try:
            parent = (entry / "stat").read_text("utf-8").rpartition(")")[2].split()[1]
            command = (entry / "cmdline").read_text("utf-8", "replace")
        except OSError:  # it has ended meanwhile
            continue
        if int(parent) == os.getpid() and words in command:
            found.append(int(entry.name))
    return found
