"""The lab in a window: its keys as docs/keys.md promises them, its head, columns, strips."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAction, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QFileDialog,
    QLabel,
    QLineEdit,
    QMenu,
    QPushButton,
    QSplitter,
    QToolButton,
    QVBoxLayout,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.bench.block_list import BlockList
from gpuexplorer.gui.lab.code.cell_editor import CellEditor
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.transcript import Transcript
from gpuexplorer.gui.lab.inside.inside import Inside
from gpuexplorer.gui.lab.lab_head import LabHead
from gpuexplorer.gui.lab.program_panel import ProgramPanel, WatchSheet
from gpuexplorer.gui.lab.strips import TALL, Strips
from gpuexplorer.gui.lab.switches import VisibleSheet
from gpuexplorer.gui.lab.view import LabView, ThreeColumns
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Phase
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import MINUTE, TimeWindow
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.window_commands import WindowCommands
from gpuexplorer.lab.events import Began
from gpuexplorer.lab.session_files import OpenedCell
from gpuexplorer.lab.start import Program
from tests.gui.desks import desk_of
from tests.gui.frame.steps import CONTROL, called, keys, write
from tests.gui.hands import click, dialog_called, in_front, press, texts, the
from tests.gui.lab.conftest import KnownPython, ScriptedWorker, run, tensor
from tests.gui.lab.watched_programs import Told

ONES = 'X = torch.ones(2, 3, device="cuda:0")'
Keys = Qt.Key


class Screen:
    """The lab in a window with the program's keys; `programs` runs a program on disk."""

    def __init__(
        self, machine: MachineState, worker: ScriptedWorker, path: Path, qtbot: QtBot
    ) -> None:
        self.worker, self.programs = worker, ScriptedWorker()
        python, start = KnownPython(machine.settings, machine), self.programs.starting
        self.lab = Lab(machine, python, worker.start, start_program=start)
        self.path, self._qtbot = path, qtbot
        self.told = Told(self.lab.program, self.programs)
        self.window = QWidget()
        self.time_window = TimeWindow(parent=self.window)
        self.navigation = Navigation(self.window)
        settings = machine.settings
        self.commands = WindowCommands(self.window, self.time_window, self.navigation, settings)
        self.view = LabView(
            desk_of(machine.session, self.window, time_window=self.time_window, lab=self.lab)
        )
        QVBoxLayout(self.window).addWidget(self.view)
        self.window.resize(1500, 900)

    def column(self, name: str) -> BlockList:
        found = self.window.findChildren(BlockList)
        return next(each for each in found if each.accessibleName().startswith(f"{name}, "))

    def make(self) -> None:
        """X on card 0, which then has the keyboard."""
        self.lab.run(ONES)
        self.worker.done(tensor("X"), memory=())
        self._qtbot.waitUntil(lambda: self.column("cuda:0").model().rowCount() > 0)
        self.lab.selection.choose()
        self.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)

    def command(self, words: str) -> QAction:
        [found] = [each for each in self.view.actions() if each.text().rstrip("…") == words]
        return found

    def possible(self, *words: str) -> list[bool]:
        return [self.command(each).isEnabled() for each in words]

    def chooses(self) -> WatchSheet:
        """The program, in the system's question; then its arguments are asked for."""
        self.command("Watch a program").trigger()
        self._qtbot.waitUntil(lambda: bool(_shown(QFileDialog, self.window)))
        field = _shown(QFileDialog, self.window)[0].findChild(QLineEdit)
        assert isinstance(field, QLineEdit)
        field.setText(str(self.path))
        press(field, Keys.Key_Return)
        self._qtbot.waitUntil(lambda: bool(_shown(WatchSheet, self.window)))
        return in_front(WatchSheet, self.window)

    def watches(self, arguments: str = "") -> None:
        sheet = self.chooses()
        the(QLineEdit, sheet).setText(arguments)
        click(sheet, "Watch")
        self.programs.say(Began(1))
        self._qtbot.waitUntil(lambda: self.lab.program.phase is Phase.RUNNING)

    def shows_program(self) -> bool:
        return the(ProgramPanel, self.window).isVisible()


def _shown(kind: type[QWidget], within: QWidget) -> list[QWidget]:
    return [each for each in within.findChildren(kind) if each.isVisible()]


@pytest.fixture
def screen(
    qtbot: QtBot, machine: MachineState, worker: ScriptedWorker, tmp_path: Path
) -> Iterator[Screen]:
    path = tmp_path / "train.py"
    path.write_text("import torch\nprint(1)\n", "utf-8")
    made = Screen(machine, worker, path, qtbot)
    qtbot.addWidget(made.window)
    with qtbot.waitActive(made.window):
        made.window.show()
        made.window.activateWindow()
    yield made
    made.view.stop()
    made.lab.stop()


def test_digits_are_typed_and_open_screens_with_control(screen: Screen, qtbot: QtBot) -> None:
    keys(Keys.Key_L, CONTROL)
    write("12")
    assert the(CellEditor, screen.window).code == "12"
    with qtbot.waitSignal(screen.navigation.screen_changed):
        keys(Keys.Key_2, CONTROL)
    keys(Keys.Key_Z, CONTROL)
    assert the(CellEditor, screen.window).code == ""
    keys(Keys.Key_Return, CONTROL)  # of the form, where nothing is typed
    assert screen.worker.cells == ['A = torch.ones(2, 3, device="cuda:0")']
    screen.worker.done()


def test_a_block_is_chosen_looked_into_copied_and_deleted_by_keys(screen: Screen) -> None:
    screen.make()
    keys(Keys.Key_Space)  # which else holds the picture
    assert screen.lab.selection.thing == "X"
    assert screen.time_window.following
    keys(Keys.Key_I, CONTROL)
    assert the(Inside, screen.window).isVisible()
    keys(Keys.Key_Escape)
    assert not the(Inside, screen.window).isVisible()
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == "X"
    keys(Keys.Key_Right, CONTROL)
    assert screen.worker.cells[-1] == "X_1 = X.cuda(1)"
    screen.worker.done(tensor("X_1", "cuda:1"), memory=())
    screen.column("cuda:0").setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Delete)
    assert screen.worker.cells[-1] == "del X"
    screen.worker.done()


def test_cells_are_copied_and_what_was_copied_elsewhere_is_pasted_by_keys(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.make()
    cells, editor = the(Transcript, screen.window), the(CellEditor, screen.window)
    qtbot.waitUntil(lambda: ONES in cells.toPlainText())
    cells.setFocus(Qt.FocusReason.TabFocusReason)
    keys(Keys.Key_Up)
    keys(Keys.Key_C, CONTROL)
    assert QGuiApplication.clipboard().text() == ONES
    QGuiApplication.clipboard().setText(">>> X.mean()\ntensor(1.)\n")
    keys(Keys.Key_V, CONTROL)
    assert editor.code == "X.mean()"
    assert editor.hasFocus()
    keys(Keys.Key_S, CONTROL)
    dialog = the(QFileDialog, screen.window)
    assert any("lab" in each for each in dialog.selectedFiles())
    dialog.reject()


def test_three_columns_two_or_one_as_there_is_room_and_as_they_were_dragged(
    qtbot: QtBot,
) -> None:
    parts = form, bench, code = [QLabel(each) for each in ("form", "bench", "code")]
    columns = ThreeColumns(Settings(), form, bench, code)
    qtbot.addWidget(columns)
    columns.show()

    def seen(width: int) -> list[str]:
        columns.resize(width, 600)
        there = [each for each in parts if each.isVisible()]
        return [each.text() for each in sorted(there, key=QLabel.x)]

    assert seen(1400) == ["form", "bench", "code"]
    assert seen(760) == ["bench", "code"]
    called(QToolButton, columns, "Forms").click()
    assert seen(760) == ["bench", "form"]
    assert seen(1400) == ["form", "bench", "code"]
    handle = the(QSplitter, columns).handle(2)
    QTest.mousePress(handle, Qt.MouseButton.LeftButton)
    QTest.mouseMove(handle, QPoint(-120, 5))
    QTest.mouseRelease(handle, Qt.MouseButton.LeftButton, pos=QPoint(-120, 5))
    assert (dragged := code.width()) > bench.width() + 200
    seen(760)
    seen(1400)
    assert code.width() == dragged


def test_watch_asks_for_a_file_its_arguments_and_whether_it_may_run(
    screen: Screen, qtbot: QtBot
) -> None:
    sheet = screen.chooses()
    field = the(QLineEdit, sheet)
    said = " ".join(texts(sheet))
    assert f"as “python train.py” would in {screen.path.parent}" in said
    assert "with your rights" in said
    field.setText("--name 'a b")
    press(field, Keys.Key_Return)
    assert "A quotation mark or a backslash stands alone" in " ".join(texts(sheet))
    assert sheet.isVisible()
    press(field, Keys.Key_Apostrophe)
    press(field, Keys.Key_Return)
    qtbot.waitUntil(screen.shows_program)
    assert screen.programs.program == Program(screen.path, ("--name", "a b"))
    sheet = screen.chooses()
    assert "train.py still runs, and is ended first." in texts(sheet)
    assert "with your rights" not in " ".join(texts(sheet))
    assert the(QLineEdit, sheet).text() == "--name 'a b'"
    click(sheet, "Cancel")


def test_an_opened_program_can_be_watched_and_a_notebook_is_refused(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.lab.open_cells([OpenedCell("import torch", str(screen.path))])
    qtbot.waitUntil(lambda: "1 cell of train.py has not run." in texts(screen.window))
    click(screen.window, "Watch it")
    qtbot.waitUntil(lambda: bool(_shown(WatchSheet, screen.window)))
    click(in_front(WatchSheet, screen.window), "Watch")
    assert screen.programs.program == Program(screen.path)
    the(CodePane, screen.window).watch_file_asked.emit(screen.path.with_suffix(".ipynb"))
    why = "train.ipynb is a notebook: each of its cells is watched"
    qtbot.waitUntil(lambda: any(each.startswith(why) for each in texts(screen.window)))


def test_run_again_takes_the_file_as_it_is_now_and_closed_it_leads_back(
    screen: Screen, qtbot: QtBot
) -> None:
    screen.watches("--fast")
    screen.told.end()
    again = screen.command("Run the program again")
    qtbot.waitUntil(again.isEnabled)
    screen.path.write_text("print(2)\n", "utf-8")
    again.trigger()
    qtbot.waitUntil(lambda: screen.lab.program.phase.runs)
    chosen = screen.lab.program.chosen
    assert chosen is not None
    assert (chosen.text, chosen.arguments) == ("print(2)\n", ("--fast",))
    screen.programs.say(Began(1))
    screen.told.end()
    qtbot.waitUntil(again.isEnabled)
    screen.path.unlink()
    again.trigger()
    why = "train.py cannot be read: No such file or directory."
    qtbot.waitUntil(lambda: any(each.startswith(why) for each in texts(screen.window)))
    called(QToolButton, screen.window, "Close the program").click()
    assert not screen.shows_program()


MAKE = 'X = torch.ones(2, 3, device="cuda:0")'


@pytest.fixture
def head(qtbot: QtBot, lab: Lab) -> Iterator[LabHead]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1360, 800)
    head = LabHead(lab, window)
    head.setGeometry(0, 0, 1360, 40)
    window.show()
    yield head
    window.close()


def menu(head: LabHead) -> dict[str, QAction]:
    """What "More" holds."""
    opened = QMenu(head)
    the(MenuButton, head).about_to_open.emit(opened)
    return {each.text(): each for each in opened.actions() if each.text()}


def make(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
    run(lab, worker, MAKE, tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things and lab.stage is Stage.READY)


def test_visible_cards_are_chosen_and_ordered_and_need_a_new_worker(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    menu(head)["Visible cards and their order…"].trigger()
    sheet = in_front(VisibleSheet, head.window())
    field = the(QLineEdit, sheet)

    def said() -> str:
        return " ".join(texts(sheet))

    assert "CUDA_VISIBLE_DEVICES=0,1" in said()
    field.setText("1 0")
    assert "CUDA_VISIBLE_DEVICES=1,0" in said()
    assert "cuda:1: card 0, " in said()
    field.setText("7")
    assert "There is no card 7 here." in said()
    use = [each for each in sheet.findChildren(QPushButton) if "use this" in each.text()]
    assert not use[0].isEnabled()
    field.setText("1")
    click(sheet, "Release the cards and use this")
    assert not worker.stopped
    click(dialog_called("Release the cards?", head.window()), "Release the cards and use this")
    assert lab.switches.visible == (1,)
    qtbot.waitUntil(lambda: worker.stopped and lab.stage is Stage.RESTING)


@pytest.fixture
def time_window(qtbot: QtBot, lab: Lab) -> TimeWindow:
    made = TimeWindow(lab.machine.session.clock, lab)
    made.choose_span(MINUTE)
    return made


@pytest.fixture
def strips(lab: Lab, time_window: TimeWindow, qtbot: QtBot) -> Iterator[Strips]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1360, 900)
    strips = Strips(lab, time_window, window)
    strips.resize(1328, TALL)
    window.show()
    strips.pull()
    yield strips
    strips.hide()


@pytest.fixture
def cells(strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> list[int]:
    """Two that ran in the same second, of which the second failed."""
    run(lab, worker, MAKE, tensor("X"))
    lab.run("X + Y")
    worker.fail("devices differ", "RuntimeError", "cuda:0 and cuda:1!")
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    strips.pull()
    return [each.id for each in lab.ledger.cells[-2:]]


def test_a_click_on_a_flag_selects_its_cell(strips: Strips, lab: Lab, cells: list[int]) -> None:
    assert "Cells 1 to 2." in strips.accessibleDescription()
    flag = strips.plots.flag_place(strips.plots.cells[-1]).center().toPoint()
    view = strips.plots.viewport()
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=flag)
    assert lab.selection.cell == cells[1]
    press(strips.plots, Qt.Key.Key_Left)
    assert (lab.selection.cell, lab.selection.thing) == (cells[0], "X")


def test_the_arrow_keys_go_from_cell_to_cell_and_with_shift_move_the_crosshair(
    strips: Strips, lab: Lab, time_window: TimeWindow, cells: list[int]
) -> None:
    press(strips.plots, Qt.Key.Key_Left)
    assert lab.selection.cell == cells[1]
    press(strips.plots, Qt.Key.Key_Left)
    assert lab.selection.cell == cells[0]
    QTest.keyClick(strips.plots, Qt.Key.Key_Left, Qt.KeyboardModifier.ShiftModifier)
    assert time_window.crosshair is not None
