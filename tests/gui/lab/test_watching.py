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
from gpuexplorer.gui.lab.program.program_panel import ProgramPanel
from gpuexplorer.gui.lab.program.watching import WatchSheet
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
    sheet = screen.sheet()
    said = " ".join(texts(sheet))
    assert f"as “python train.py” would in {screen.path.parent}" in said
    assert "with your rights" in said
    field = the(QLineEdit, sheet)
    assert field.hasFocus()
    field.setText("--epochs 3 --name 'a b'")
    press(field, Qt.Key.Key_Return)
    qtbot.waitUntil(screen.shows_program)
    wanted = ("--epochs", "3", "--name", "a b")
    assert screen.worker.program == Program(screen.path, wanted)


def test_a_line_that_cannot_be_split_is_said_and_the_question_stays(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.command("Watch a program…").trigger()
    screen.chooses(screen.path)
    sheet = screen.sheet()
    field = the(QLineEdit, sheet)
    field.setText("--name 'a b")
    press(field, Qt.Key.Key_Return)
    assert "A quotation mark or a backslash stands alone" in " ".join(texts(sheet))
    assert screen.worker.program is None
    press(field, Qt.Key.Key_Apostrophe)
    assert "stands alone" not in " ".join(texts(sheet))
    click(sheet, "Watch")
    assert screen.worker.program == Program(screen.path, ("--name", "a b"))


def test_whether_it_may_run_is_asked_once_and_its_arguments_are_remembered(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.watches("--epochs 3")
    screen.told.end()
    qtbot.waitUntil(lambda: not screen.lab.program.phase.runs)
    screen.command("Watch a program…").trigger()
    screen.chooses(screen.path)
    sheet = screen.sheet()
    assert "with your rights" not in " ".join(texts(sheet))
    assert the(QLineEdit, sheet).text() == "--epochs 3"
    click(sheet, "Cancel")


def test_one_that_runs_is_named_before_another_takes_its_place(screen: Screen) -> None:
    screen.watches()
    screen.command("Watch a program…").trigger()
    screen.chooses(screen.path)
    sheet = screen.sheet()
    assert "train.py still runs, and is ended first." in texts(sheet)
    click(sheet, "Cancel")


@pytest.mark.parametrize(
    ("name", "content", "why"),
    [
        ("cells.ipynb", b"{}", "cells.ipynb is a notebook: each of its cells is watched"),
        ("data.csv", b"1,2", "data.csv is neither a Python program nor a notebook."),
        ("odd.py", b"x = '\xff'", "odd.py cannot be read: it is not text"),
        ("gone.py", None, "gone.py cannot be read: No such file or directory."),
    ],
)
def test_what_is_no_program_is_refused_with_a_sentence(
    screen: Screen, qtbot: QtBot, name: str, content: bytes | None, why: str
) -> None:
    path = screen.path.parent / name
    if content is not None:
        path.write_bytes(content)
    the(CodePane, screen.window).watch_file_asked.emit(path)
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
    screen.lab.drop_opened()
    screen.lab.open_cells(["import torch"], "/home/me/cells.ipynb")
    the(ProgramPanel, screen.window).back_asked.emit()
    qtbot.waitUntil(lambda: "1 cell of cells.ipynb has not run." in texts(screen.window))
    with pytest.raises(AssertionError):
        click(screen.window, "Watch it")


def test_esc_leads_back_to_the_cells_and_the_files_name_to_the_program(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.watches()
    press(the(ProgramPanel, screen.window), Qt.Key.Key_Escape)
    assert not screen.shows_program()
    assert the(CodePane, screen.window).isVisible()
    assert screen.lab.program.phase.runs
    screen.button("train.py").click()
    assert screen.shows_program()
    screen.command("Type a cell").trigger()
    assert not screen.shows_program()
    screen.command("Show the program that is watched").trigger()
    assert screen.shows_program()


def test_keys_of_the_session_are_the_programs_while_it_is_shown(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.watches()
    screen.told.say(seen())
    qtbot.waitUntil(screen.command("Copy what was watched").isEnabled)
    for words in ("Stop the program", "Save what was watched…", "Copy what was watched"):
        assert screen.command(words).isEnabled(), words
    for words in (
        "Stop the cell that runs",
        "Save the session as script or notebook…",
        "Copy the session as script",
    ):
        assert not screen.command(words).isEnabled(), words
    keys(Qt.Key.Key_Period, CONTROL)
    assert screen.lab.program.phase == Phase.STOPPING.value
    screen.command("Type a cell").trigger()
    assert screen.command("Copy the session as script").isEnabled()
    assert not screen.command("Stop the program").isEnabled()


def test_run_again_takes_the_file_as_it_is_now(screen: Screen, qtbot: QtBot) -> None:
    screen.watches("--fast")
    screen.told.end()
    qtbot.waitUntil(lambda: not screen.lab.program.phase.runs)
    screen.path.write_text("print(2)\n", "utf-8")
    screen.button("Run again").click()
    qtbot.waitUntil(lambda: screen.lab.program.phase.runs)
    chosen = screen.lab.program.chosen
    assert chosen is not None
    assert (chosen.text, chosen.arguments) == ("print(2)\n", ("--fast",))


def test_run_again_without_its_file_says_so(screen: Screen, qtbot: QtBot) -> None:
    screen.watches()
    screen.told.end()
    qtbot.waitUntil(lambda: not screen.lab.program.phase.runs)
    screen.path.unlink()
    screen.button("Run again").click()
    why = "train.py cannot be read: No such file or directory."
    qtbot.waitUntil(lambda: any(each.startswith(why) for each in texts(screen.window)))


def test_where_only_forms_are_wanted_nothing_is_watched(screen: Screen) -> None:
    settings = screen.lab.machine.settings
    settings.choose(replace(settings.choices, lab_forms_only=True))
    assert not screen.command("Watch a program…").isVisible()
    assert not screen.buttons("Watch…")


def test_closed_it_leads_back_to_the_cells(screen: Screen, qtbot: QtBot) -> None:
    screen.watches()
    screen.told.end()
    qtbot.waitUntil(lambda: not screen.lab.program.phase.runs)
    screen.button("Close the program").click()
    assert not screen.shows_program()
    assert screen.button("Watch…").isVisible()
    assert not screen.command("Show the program that is watched").isEnabled()


def test_the_tab_key_goes_round_the_panel(screen: Screen, qtbot: QtBot) -> None:
    screen.watches()
    screen.told.say(seen())
    qtbot.waitUntil(lambda: screen.command("Copy what was watched").isEnabled())
    qtbot.waitUntil(lambda: any("9.40 of 41.0 s" in each for each in texts(screen.window)))
    panel = the(ProgramPanel, screen.window)
    came_to = []
    for _ in range(20):
        keys(Qt.Key.Key_Tab)
        focus = QApplication.focusWidget()
        if focus is not None and panel.isAncestorOf(focus):
            came_to.append(focus.accessibleName())
    for name in ("Cells", "Stop", "Close the program", "Copy resnet/train.py:2"):
        assert name in came_to, came_to
    assert "Output of the program" in came_to
