"""The lab by keyboard: what F1 and docs/keys.md promise is what the parts take."""

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from gpuexplorer.gui.lab.lab_keys import LAB_KEYS
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QLineEdit, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.bench.block_list import BlockList
from gpuexplorer.gui.lab.code.cell_editor import CellEditor
from gpuexplorer.gui.lab.code.transcript import Transcript
from gpuexplorer.gui.lab.forms.form_panel import FormPanel
from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.view import LabView
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Choices
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.window_commands import WindowCommands
from tests.gui.desks import desk_of
from tests.gui.frame.steps import CONTROL, keys, write
from tests.gui.hands import the
from tests.gui.lab.conftest import ScriptedWorker, tensor

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
PAGE = (Path(__file__).parents[3] / "docs" / "keys.md").read_text("utf-8")
ONES = 'X = torch.ones(2, 3, device="cuda:0")'
Keys = Qt.Key


class Screen:
    """The lab in a window that has the keys of the program."""

    def __init__(self, lab: Lab, worker: ScriptedWorker) -> None:
        self.lab, self.worker = lab, worker
        self.window = QWidget()
        self.time_window = TimeWindow(parent=self.window)
        navigation = Navigation(self.window)
        self.commands = WindowCommands(
            self.window, self.time_window, navigation, lab.machine.settings
        )
        desk = desk_of(lab.machine.session, self.window, time_window=self.time_window, lab=lab)
        self.view = LabView(desk)
        QVBoxLayout(self.window).addWidget(self.view)
        self.window.resize(1500, 900)

    @property
    def field(self) -> CellEditor:
        return the(CellEditor, self.window)

    def column(self, name: str) -> BlockList:
        found = self.window.findChildren(BlockList)
        return next(each for each in found if each.accessibleName().startswith(f"{name}, "))

    def make(self, qtbot: QtBot, line: str = ONES) -> None:
        self.lab.run(line)
        self.worker.done(tensor("X"), memory=())
        qtbot.waitUntil(lambda: self.column("cuda:0").model().rowCount() > 0)

    def offered(self) -> dict[str, QAction]:
        return {each.text().rstrip("…"): each for each in self.view.actions()}


@pytest.fixture
def screen(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[Screen]:
    made = Screen(lab, worker)
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
    assert rows("Lab") == {(each.replace("return", "enter"), words) for each, words in mine}


def test_control_enter_is_the_forms_where_nothing_is_typed(screen: Screen) -> None:
    keys(Keys.Key_L, CONTROL)
    keys(Keys.Key_Return, CONTROL)
    assert screen.worker.cells == ['A = torch.ones(2, 3, device="cuda:0")']
    screen.worker.done(tensor("A"))
    write("print(1)")
    keys(Keys.Key_Return, CONTROL)
    assert screen.worker.cells[1:] == ["print(1)"]
    screen.worker.done()


def test_letters_are_taken_back(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    keys(Keys.Key_L, CONTROL)
    write("Y = X")
    keys(Keys.Key_Z, CONTROL)
    assert screen.field.code == ""
    assert screen.worker.cells == [ONES]


def test_digits_are_typed_and_are_no_screens(screen: Screen) -> None:
    QTest.mouseClick(screen.field.viewport(), Qt.MouseButton.LeftButton)
    write("1234567")
    assert screen.field.code == "1234567"


def test_what_was_copied_elsewhere_is_pasted_from_the_bench(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.make(qtbot)
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    QGuiApplication.clipboard().setText(">>> X.mean()\ntensor(1.)\n")
    keys(Keys.Key_V, CONTROL)
    assert screen.field.code == "X.mean()"
    assert screen.field.hasFocus()


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
    assert screen.worker.cells[-1] == "X_1 = X.cuda(1)"
    screen.worker.done(tensor("X_1", "cuda:1"), memory=())
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "X"
    keys(Keys.Key_Delete)
    assert screen.worker.cells[-1] == "del X"
    screen.worker.done()


def test_a_block_goes_through_the_host_where_that_was_ordered(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.make(qtbot)
    lab = screen.lab
    lab.choose(replace(lab.switches, by_host=frozenset({("cuda:0", "cuda:1")})))
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Right, CONTROL)
    assert screen.worker.cells[-1] == "X_1 = X.cpu().cuda(1)"
    screen.worker.done(tensor("X_1", "cuda:1"), memory=())


def test_cells_are_walked_and_copied_by_keys(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    cells = the(Transcript, screen.window)
    qtbot.waitUntil(lambda: ONES in cells.toPlainText())
    cells.setFocus(Qt.FocusReason.TabFocusReason)
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

    # These say themselves where there is no cell yet.
    session = {"Save the session as script or notebook", "Copy the session as script"}
    always = session | {
        "Type a cell",
        "Open a program or notebook",
        "Create a tensor",
        "Create a model",
    }
    assert always <= possible()
    assert not {"Run the session again", "Stop the cell that runs"} & possible()
    screen.make(qtbot)
    screen.lab.selection.choose(things={"X"})
    assert {"Look inside what is selected", "Restart the worker"} <= possible()
    screen.lab.run("X + 1")
    qtbot.waitUntil(lambda: "Stop the cell that runs" in possible())
    keys(Keys.Key_Period, CONTROL)
    assert screen.worker.cancelled
    screen.worker.kill()
    qtbot.waitUntil(lambda: "Run the session again" in possible())
    screen.offered()["Run the session again"].trigger()
    assert screen.worker.cells[-1] == ONES


def test_something_new_begins_at_its_name(screen: Screen) -> None:
    for words, name in (("Create a model", "net"), ("Create a tensor", "A")):
        screen.offered()[words].trigger()
        focused = QApplication.focusWidget()
        assert isinstance(focused, QLineEdit)
        assert focused.text().startswith(name)


def test_control_s_saves_the_session(screen: Screen, qtbot: QtBot) -> None:
    screen.make(qtbot)
    keys(Keys.Key_S, CONTROL)
    dialog = the(QFileDialog, screen.window)
    assert any("lab" in each for each in dialog.selectedFiles())
    dialog.reject()


def test_where_nothing_can_be_typed_a_narrow_window_shows_the_forms(screen: Screen) -> None:
    screen.window.resize(1000, 700)
    form = the(FormPanel, screen.window)
    assert not form.isVisible()
    screen.lab.machine.settings.choose(Choices(lab_forms_only=True))
    assert form.isVisible()
