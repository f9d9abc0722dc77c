"""The lab by keyboard: what F1 and docs/keys.md promise is what the parts take."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtWidgets import QApplication, QFileDialog, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.frame_clock import FrameClock
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.state.trail import Trail
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.bench.column import BenchColumn
from gpuexplorer.gui.views.lab.code.entry_field import EntryField
from gpuexplorer.gui.views.lab.code.line_list import LineList
from gpuexplorer.gui.views.lab.forms.name_field import NameField
from gpuexplorer.gui.views.lab.inside.inside import Inside
from gpuexplorer.gui.views.lab.lab_view import LabView
from gpuexplorer.gui.window_commands import WindowCommands
from gpuexplorer.gui.wording.lab.lab_keys import LAB_KEYS
from tests.gui.frame.steps import CONTROL, keys, write
from tests.gui.hands import the
from tests.gui.lab.conftest import ScriptedWorker, tensor

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PAGE = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")
ONES = 'X = torch.ones(2, 3, device="cuda:0")'
Keys = Qt.Key


class Screen:
    """The lab in a window that has the keys of the program."""

    def __init__(self, look: Look, lab: LabState, worker: ScriptedWorker) -> None:
        self.lab, self.worker = lab, worker
        self.window = QWidget()
        self.time_window = TimeWindow(parent=self.window)
        navigation = Navigation(self.window)
        self.commands = WindowCommands(
            self.window,
            self.time_window,
            Trail(navigation, self.window),
            lab.machine.settings,
        )
        clock = FrameClock(self.window, 0.05)
        self.view = LabView(look, lab.machine, self.time_window, clock, lab)
        QVBoxLayout(self.window).addWidget(self.view)
        self.window.resize(1500, 900)

    @property
    def field(self) -> EntryField:
        return the(EntryField, self.window)

    def column(self, name: str) -> BenchColumn:
        found = self.window.findChildren(BenchColumn)
        return next(each for each in found if each.device == name)

    def make(self, qtbot: QtBot, line: str = ONES) -> None:
        self.lab.run(line)
        self.worker.done(tensor("X"), memory=())
        qtbot.waitUntil(lambda: bool(self.column("cuda:0").parts()))

    def offered(self) -> dict[str, QAction]:
        return {each.text().rstrip("…"): each for each in self.view.actions()}


@pytest.fixture
def screen(look: Look, lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[Screen]:
    made = Screen(look, lab, worker)
    qtbot.addWidget(made.window)
    with qtbot.waitActive(made.window):
        made.window.show()
        made.window.activateWindow()
    yield made
    made.view.stop()


def rows(heading: str) -> set[tuple[str, str]]:
    text = re.split(r"^## ", PAGE.split(f"## {heading}\n", 1)[1], flags=re.MULTILINE)[0]
    cells = [line.strip("|").split(" | ") for line in text.splitlines() if line[:3] == "| `"]
    cells += [line.strip("|").split(" | ") for line in text.splitlines() if line[:3] == "| a"]
    return {(keys.replace("`", "").strip().lower(), words.strip()) for keys, words in cells}


def test_the_page_of_keys_tells_what_the_parts_of_the_lab_take(screen: Screen) -> None:
    for heading, taken in LAB_KEYS:
        assert rows(heading) == {(keys.lower(), words) for keys, words in taken}
    mine = {
        (action.shortcut().toString().lower(), action.text().rstrip("…"))
        for action in screen.view.actions()
        if not action.shortcut().isEmpty()
    }
    assert mine - rows("Lab") == {("ctrl+shift+z", "Do again what was undone")}
    assert rows("Lab") <= mine


def test_a_line_that_was_entered_is_taken_back_by_control_z(
    screen: Screen, qtbot: QtBot
) -> None:
    keys(Keys.Key_L, CONTROL)
    write(ONES)
    keys(Keys.Key_Return)
    screen.worker.done(tensor("X"))
    qtbot.waitUntil(lambda: "X" in screen.lab.ledger.things)
    assert screen.field.hasFocus()
    keys(Keys.Key_Z, CONTROL)
    assert screen.worker.lines[-1] == "del X"
    screen.worker.done()


def test_control_enter_is_the_forms_where_nothing_is_typed(screen: Screen) -> None:
    keys(Keys.Key_L, CONTROL)
    keys(Keys.Key_Return, CONTROL)
    assert screen.worker.lines == ["A = torch.ones(2, 3, device=try_gpu(0))"]
    screen.worker.done(tensor("A"))
    write("print(1)")
    keys(Keys.Key_Return, CONTROL)
    assert screen.worker.lines[1:] == ["print(1)"]
    screen.worker.done()


def test_letters_are_taken_back_before_lines_are(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    keys(Keys.Key_L, CONTROL)
    write("Y = X")
    keys(Keys.Key_Z, CONTROL)
    assert screen.field.text() == ""
    assert screen.worker.lines == [ONES]


def test_the_space_bar_selects_a_block_and_does_not_hold_the_picture(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.make(qtbot)
    screen.lab.selection.choose()
    column = screen.column("cuda:0")
    column.setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Space)
    assert screen.lab.selection.thing == "X"
    assert screen.time_window.following


def test_enter_looks_inside_and_escape_comes_back(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Return)
    assert the(Inside, screen.window).isVisible()
    keys(Keys.Key_Escape)
    assert not the(Inside, screen.window).isVisible()
    keys(Keys.Key_I, CONTROL)
    assert the(Inside, screen.window).isVisible()
    keys(Keys.Key_L, CONTROL)
    assert screen.field.hasFocus()


def test_a_block_is_copied_deleted_and_asked_by_keys(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Right, CONTROL)
    assert screen.worker.lines[-1] == "X_1 = X.to(try_gpu(1))"
    screen.worker.done(tensor("X_1", "cuda:1"), memory=())
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "X"
    keys(Keys.Key_Delete)
    assert screen.worker.lines[-1] == "del X"
    screen.worker.done()


def test_a_block_goes_through_the_host_where_that_was_ordered(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.make(qtbot)
    lab = screen.lab
    lab.choose(replace(lab.switches, by_host=frozenset({("cuda:0", "cuda:1")})))
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Right, CONTROL)
    assert screen.worker.lines[-1] == "X_1 = X.cpu().to(try_gpu(1))"
    screen.worker.done(tensor("X_1", "cuda:1"), memory=())


def test_lines_are_walked_and_copied_by_keys(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    lines = the(LineList, screen.window)
    lines.setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Up)
    keys(Keys.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == ONES
    keys(Keys.Key_Space)
    assert screen.time_window.following
    keys(Keys.Key_Escape)
    assert screen.field.hasFocus()


def test_what_cannot_be_done_now_is_not_offered(screen: Screen, qtbot: QtBot) -> None:
    def possible() -> set[str]:
        return {words for words, action in screen.offered().items() if action.isEnabled()}

    # These say themselves where there is no line yet.
    session = {"Save the session as script or notebook", "Copy the session as script"}
    always = session | {"Type a line of code", "Create a tensor", "Create a model"}
    assert always <= possible()
    assert not {"Rebuild the shelf", "Stop the line that runs"} & possible()
    screen.make(qtbot)
    screen.lab.selection.choose(things={"X"})
    assert {"Look inside what is selected", "Restart the worker"} <= possible()
    screen.lab.run("X + 1")
    qtbot.waitUntil(lambda: "Stop the line that runs" in possible())
    keys(Keys.Key_Period, CONTROL)
    assert screen.worker.cancelled
    screen.worker.kill()
    qtbot.waitUntil(lambda: "Rebuild the shelf" in possible())
    screen.offered()["Rebuild the shelf"].trigger()
    assert screen.worker.lines[-1] == ONES


def test_something_new_begins_at_its_name(screen: Screen) -> None:
    for words, name in (("Create a model", "net"), ("Create a tensor", "A")):
        screen.offered()[words].trigger()
        focused = QApplication.focusWidget()
        assert isinstance(focused, NameField)
        assert focused.text().startswith(name)


def test_control_s_saves_the_session(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    keys(Keys.Key_S, CONTROL)
    dialog = the(QFileDialog, screen.window)
    assert any("lab" in each for each in dialog.selectedFiles())
    dialog.reject()
