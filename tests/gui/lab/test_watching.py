""" "Watch…" in the lab: what is asked before a program runs, and the way there and back."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import (
    QApplication,
    QFileDialog,
    QLineEdit,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.program_panel import ProgramPanel, WatchSheet
from gpuexplorer.gui.lab.view import LabView
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Phase
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Began
from gpuexplorer.lab.start import Program
from tests.gui.desks import desk_of
from tests.gui.frame.steps import CONTROL, keys
from tests.gui.hands import click, in_front, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker
from tests.gui.lab.watched_programs import Told, program_lab, seen

# Dialogs of the offscreen screen.
pytestmark = [
    pytest.mark.qt_log_ignore("This plugin does not support"),
    pytest.mark.qt_log_ignore("propagateSizeHints"),
]


class Screen:
    """The lab in a window, and a program on disk."""

    def __init__(self, lab: Lab, worker: ScriptedWorker, path: Path, qtbot: QtBot) -> None:
        self.lab, self.worker, self.path, self._qtbot = lab, worker, path, qtbot
        self.told = Told(lab.program, worker)
        self.window = QWidget()
        self.view = LabView(desk_of(lab.machine.session, self.window, lab=lab))
        QVBoxLayout(self.window).addWidget(self.view)
        self.window.resize(1300, 800)

    def button(self, words: str) -> QToolButton:
        self._qtbot.waitUntil(lambda: len(self.buttons(words)) == 1)
        return self.buttons(words)[0]

    def buttons(self, words: str) -> list[QToolButton]:
        return [
            each
            for each in self.window.findChildren(QToolButton)
            if words in (each.text(), each.accessibleName()) and each.isVisible()
        ]

    def command(self, words: str) -> QAction:
        [found] = [each for each in self.view.actions() if each.text() == words]
        return found

    def chooses(self, path: Path) -> None:
        """In the system's question, which is open."""
        self._qtbot.waitUntil(lambda: any(map(_shown, self.window.findChildren(QFileDialog))))
        [dialog] = filter(_shown, self.window.findChildren(QFileDialog))
        field = dialog.findChild(QLineEdit)
        assert isinstance(field, QLineEdit)
        field.setText(str(path))
        press(field, Qt.Key.Key_Return)

    def sheet(self) -> WatchSheet:
        self._qtbot.waitUntil(lambda: any(map(_shown, self.window.findChildren(WatchSheet))))
        return in_front(WatchSheet, self.window)

    def watches(self, arguments: str = "") -> None:
        """From "Watch…" to a program that runs."""
        self.command("Watch a program…").trigger()
        self.chooses(self.path)
        sheet = self.sheet()
        the(QLineEdit, sheet).setText(arguments)
        click(sheet, "Watch")
        self.worker.say(Began(1))
        self._qtbot.waitUntil(lambda: self.lab.program.phase is Phase.RUNNING)

    def shows_program(self) -> bool:
        return any(map(_shown, self.window.findChildren(ProgramPanel)))


def _shown(widget: QWidget) -> bool:
    return widget.isVisible()


@pytest.fixture
def screen(
    qtbot: QtBot, machine: MachineState, worker: ScriptedWorker, tmp_path: Path
) -> Iterator[Screen]:
    lab = program_lab(machine, worker)
    path = tmp_path / "train.py"
    path.write_text("import torch\nprint(1)\n", "utf-8")
    screen = Screen(lab, worker, path, qtbot)
    qtbot.addWidget(screen.window)
    with qtbot.waitActive(screen.window):
        screen.window.show()
        screen.window.activateWindow()
    yield screen
    screen.view.stop()
    lab.stop()


def test_watch_asks_for_a_file_and_its_arguments_and_shows_the_program(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.button("Watch…").click()
    screen.chooses(screen.path)
    sheet, field = screen.sheet(), the(QLineEdit, screen.sheet())
    said = " ".join(texts(sheet))
    assert f"as “python train.py” would in {screen.path.parent}" in said
    assert "with your rights" in said
    assert field.hasFocus()
    field.setText("--name 'a b")
    press(field, Qt.Key.Key_Return)
    assert "A quotation mark or a backslash stands alone" in " ".join(texts(sheet))
    assert screen.worker.program is None
    press(field, Qt.Key.Key_Apostrophe)
    assert "stands alone" not in " ".join(texts(sheet))
    press(field, Qt.Key.Key_Return)
    qtbot.waitUntil(screen.shows_program)
    assert screen.worker.program == Program(screen.path, ("--name", "a b"))


def test_one_that_runs_is_named_and_whether_it_may_run_is_asked_once(screen: Screen) -> None:
    screen.watches("--epochs 3")
    screen.command("Watch a program…").trigger()
    screen.chooses(screen.path)
    said = texts(screen.sheet())
    assert "train.py still runs, and is ended first." in said
    assert "with your rights" not in " ".join(said)
    assert the(QLineEdit, screen.sheet()).text() == "--epochs 3"
    click(screen.sheet(), "Cancel")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("cells.ipynb", "cells.ipynb is a notebook: each of its cells is watched"),
        ("gone.py", "gone.py cannot be read: No such file or directory."),
    ],
)
def test_what_is_no_program_is_refused_with_a_sentence(
    screen: Screen, qtbot: QtBot, name: str, why: str
) -> None:
    the(CodePane, screen.window).watch_file_asked.emit(screen.path.parent / name)
    qtbot.waitUntil(lambda: any(each.startswith(why) for each in texts(screen.window)))
    assert screen.worker.program is None


def test_an_opened_programs_cells_can_be_watched_as_a_whole(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.lab.open_cells(["import torch"], str(screen.path))
    qtbot.waitUntil(lambda: "1 cell of train.py has not run." in texts(screen.window))
    click(screen.window, "Watch it")
    click(screen.sheet(), "Watch")
    assert screen.worker.program == Program(screen.path)


def test_there_and_back_the_keys_of_the_session_are_the_programs(
    screen: Screen, qtbot: QtBot
) -> None:
    def possible(*words: str) -> list[bool]:
        return [screen.command(each).isEnabled() for each in words]

    of_program = ("Stop the program", "Save what was watched…", "Copy what was watched")
    of_session = ("Save the session as script or notebook…", "Copy the session as script")
    screen.watches()
    screen.told.say(seen())
    qtbot.waitUntil(lambda: all(possible(*of_program)))
    assert not any(possible(*of_session))
    press(the(ProgramPanel, screen.window), Qt.Key.Key_Escape)
    assert not screen.shows_program()
    assert all(possible(*of_session))
    assert not any(possible(*of_program))
    screen.button("train.py").click()
    assert screen.shows_program()
    screen.command("Type a cell").trigger()
    screen.command("Show the program that is watched").trigger()
    assert screen.shows_program()
    keys(Qt.Key.Key_Period, CONTROL)
    assert screen.lab.program.phase is Phase.STOPPING


def test_run_again_takes_the_file_as_it_is_now_and_closed_it_leads_back(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.watches("--fast")
    screen.told.end()
    screen.path.write_text("print(2)\n", "utf-8")
    screen.button("Run again").click()
    qtbot.waitUntil(lambda: screen.lab.program.phase.runs)
    chosen = screen.lab.program.chosen
    assert chosen is not None
    assert (chosen.text, chosen.arguments) == ("print(2)\n", ("--fast",))
    screen.worker.say(Began(1))
    screen.told.end()
    screen.path.unlink()
    screen.button("Run again").click()
    why = "train.py cannot be read: No such file or directory."
    qtbot.waitUntil(lambda: any(each.startswith(why) for each in texts(screen.window)))
    screen.button("Close the program").click()
    assert not screen.shows_program()
    settings = screen.lab.machine.settings
    settings.choose(replace(settings.choices, lab_forms_only=True))
    assert not screen.command("Watch a program…").isVisible()


def test_the_tab_key_goes_round_the_panel(screen: Screen, qtbot: QtBot) -> None:
    screen.watches()
    screen.told.say(seen())
    qtbot.waitUntil(lambda: any("9.40 of 41.0 s" in each for each in texts(screen.window)))
    came_to = set()
    for _ in range(20):
        keys(Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        came_to.add("" if focus is None else focus.accessibleName())
    assert {"Cells", "Stop", "Close the program", "Output of the program"} <= came_to
    assert "Copy resnet/train.py:2" in came_to
