"""The lines of the session as a person sees them, what can be typed, and ways on."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.code.code_pane import CodePane
from gpuexplorer.gui.views.lab.code.error_panel import CureButton, ErrorPanel
from gpuexplorer.gui.views.lab.code.line_list import LineList
from gpuexplorer.gui.views.lab.code.notice_bar import NoticeBar
from gpuexplorer.gui.views.lab.code.program import Program
from gpuexplorer.lab.events import Began
from tests.gui.hands import press, texts, the
from tests.gui.lab.code_panes import (
    APART,
    MAKE_X,
    MAKE_Y,
    fail_apart,
    field,
    press_button,
    said,
    settled,
    shown_pane,
    type_line,
)
from tests.gui.lab.conftest import ScriptedWorker, memory, run, tensor

# Menus and the list of completions are windows of their own.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")


@pytest.fixture
def pane(qtbot: QtBot, look: Look, lab: LabState) -> CodePane:
    return shown_pane(qtbot, look, lab)


def test_a_typed_line_runs_and_the_field_is_empty_again(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    type_line(pane, MAKE_X)
    assert worker.lines == [MAKE_X]
    assert field(pane).text() == ""


def test_a_refused_line_stays_with_the_reason_under_it(
    pane: CodePane, worker: ScriptedWorker
) -> None:
    type_line(pane, "import os")
    assert field(pane).text() == "import os"
    assert "Nothing needs to be imported here." in texts(pane)
    assert "torch, nn and F are already there." in texts(pane)
    assert worker.sent == []
    QTest.keyClicks(field(pane), "x")
    assert "Nothing needs to be imported here." not in texts(pane)


def test_earlier_lines_come_back_with_the_arrow_keys_and_what_was_begun_too(
    pane: CodePane, lab: LabState, worker: ScriptedWorker
) -> None:
    for line in ("X = torch.ones(2)", "X + 1", "X + 1", "X + 2"):
        lab.run(line)
    field(pane).setText("X +")
    shown = []
    for key in (Qt.Key.Key_Up,) * 4 + (Qt.Key.Key_Down,) * 3:
        press(field(pane), key)
        shown.append(field(pane).text())
    assert shown == [
        *("X + 2", "X + 1", "X = torch.ones(2)", "X = torch.ones(2)"),
        *("X + 1", "X + 2", "X +"),
    ]


def test_a_begun_word_is_completed_by_the_tab_key(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "Weight = torch.ones(2)", tensor("Weight", "cpu", (2,)))
    settled(qtbot, lab)
    field(pane).setFocus()
    QTest.keyClicks(field(pane), "We")
    press(field(pane), Qt.Key.Key_Tab)
    assert field(pane).text() == "Weight"
    QTest.keyClicks(field(pane), ".backw")
    press(field(pane), Qt.Key.Key_Tab)
    assert field(pane).text() == "Weight.backward"


def paste(pane: CodePane, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    press(field(pane), Qt.Key.Key_V, control=True)


def test_pasted_lines_run_one_after_another(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    paste(pane, ">>> X = torch.ones(2)\n>>> X + 1\n")
    assert worker.lines == ["X = torch.ones(2)"]
    worker.done(tensor("X", "cpu", (2,)))
    qtbot.waitUntil(lambda: worker.lines == ["X = torch.ones(2)", "X + 1"])


def test_a_paste_stops_at_the_first_refused_line_and_says_which(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    paste(pane, "X = torch.ones(2)\nimport os\nX + 1\nX + 2")
    worker.done(tensor("X", "cpu", (2,)))
    wanted = "Line 2 of what was pasted: Nothing needs to be imported here."
    qtbot.waitUntil(lambda: wanted in texts(pane))
    assert any("The 2 lines after it were not run." in each for each in texts(pane))
    assert field(pane).text() == "import os"
    assert worker.lines == ["X = torch.ones(2)"]


def test_a_single_pasted_line_is_only_put_into_the_field(
    pane: CodePane, worker: ScriptedWorker
) -> None:
    paste(pane, "X = torch.ones(2)")
    assert field(pane).text() == "X = torch.ones(2)"
    assert worker.sent == []


def test_a_failed_line_is_explained_and_the_first_way_on_has_the_keyboard(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    field(pane).setFocus()
    fail_apart(lab, worker, qtbot)
    shown = texts(the(ErrorPanel, pane))
    assert f"RuntimeError: {APART}" in shown
    assert any(each.startswith("X lies on cuda:0. Y lies on cuda:1.") for each in shown)
    cures = pane.findChildren(CureButton)
    assert [each.text() for each in cures] == [
        "X + Y.cuda(0)",
        "X.cuda(1) + Y",
        "X.cpu() + Y.cpu()",
    ]
    assert cures[0].hasFocus()
    assert "24 B over NVLink, about 8" in cures[0].accessibleName()


def test_a_cure_runs_and_the_failed_line_says_what_cured_it(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    failed = fail_apart(lab, worker, qtbot)
    press(pane.findChildren(CureButton)[0], Qt.Key.Key_Return)
    assert worker.lines[-1] == "X + Y.cuda(0)"
    worker.done()
    settled(qtbot, lab)
    qtbot.waitUntil(lambda: not the(ErrorPanel, pane).isVisible())
    lab.selection.choose(failed)
    assert "Cured by line 4. Not in the script" in said(pane)
    assert the(ErrorPanel, pane).isVisible()
    assert not [each for each in pane.findChildren(CureButton) if each.isVisible()]


def test_who_writes_while_a_way_on_has_the_keyboard_writes_into_the_field(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fail_apart(lab, worker, qtbot)
    QTest.keyClicks(pane.findChildren(CureButton)[0], "Z")
    assert field(pane).text() == "Z"


def test_nobody_is_torn_away_from_what_is_being_written(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    field(pane).setFocus()
    field(pane).setText("Z = ")
    fail_apart(lab, worker, qtbot)
    assert field(pane).hasFocus()


def test_a_line_and_what_it_placed_are_selected_together(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    first = lab.run(MAKE_X)
    worker.done(tensor("X"), memory=(memory("cuda:0"),))
    run(lab, worker, MAKE_Y, tensor("Y", "cuda:1", number=2))
    settled(qtbot, lab)
    lines = the(LineList, pane)
    QTest.mouseClick(lines.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(60, 12))
    assert (lab.selection.line, lab.selection.things) == (first, frozenset({"X"}))
    assert said(pane).startswith(f"Line 1: {MAKE_X}. done. 24 B allocated. The context")
    press(lines, Qt.Key.Key_Down)
    assert lab.selection.things == {"Y"}
    press(lines, Qt.Key.Key_C, control=True)
    assert QGuiApplication.clipboard().text() == MAKE_Y


def test_the_menu_of_a_line_puts_it_into_the_field(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    lines = the(LineList, pane)
    press(lines, Qt.Key.Key_Down)
    lines.menu_asked.emit(lab.ledger.entries[0].id, pane.mapToGlobal(QPoint(40, 120)))
    menu = the(QMenu, pane)
    words = {each.text(): each for each in menu.actions()}
    assert list(words) == ["Copy line", "Run again", "Put into the field"]
    words["Put into the field"].trigger()
    assert field(pane).text() == MAKE_X
    words["Run again"].trigger()
    assert worker.lines == [MAKE_X, MAKE_X]
    menu.close()


def test_the_session_is_copied_as_a_program_that_says_simulated(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    the(Program, pane).copy()
    qtbot.waitUntil(lambda: "Copied as a program: 1 line." in texts(pane))
    program = QGuiApplication.clipboard().text()
    assert "The cards of that session were simulated." in program
    assert "X = torch.ones(2, 3, device=try_gpu(0))" in program


def test_the_session_is_saved_as_a_notebook(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    path = tmp_path / "lab.ipynb"
    the(Program, pane).save(path)
    qtbot.waitUntil(lambda: f"Saved to {path}." in texts(pane))
    assert json.loads(path.read_text("utf-8"))["nbformat"] == 4


def test_a_place_that_cannot_be_written_is_a_sentence(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    the(Program, pane).save(tmp_path / "gone" / "lab.py")
    wanted = "lab.py was not saved. That folder does not exist. Choose another place."
    qtbot.waitUntil(lambda: wanted in texts(pane))


def test_a_line_that_runs_on_can_be_stopped_and_one_that_hangs_restarted(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run(MAKE_X)
    worker.say(Began(number))
    qtbot.waitUntil(lambda: lab.began_at(number) is not None)

    def long_enough() -> bool:
        pane.pull()
        return any(each.startswith("Line 1 runs, ") for each in texts(pane))

    qtbot.waitUntil(long_enough)
    press_button(pane, "Stop")
    assert worker.cancelled == [number]
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    assert texts(the(NoticeBar, pane))[0].startswith("It does not come back")
    press_button(pane, "Restart the worker")
    assert worker.killed


def test_after_the_worker_died_the_shelf_can_be_rebuilt(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    worker.end("The worker was killed by somebody.")
    wanted = "The worker was killed by somebody. A new worker is ready."
    qtbot.waitUntil(lambda: wanted in texts(pane))
    press_button(pane, "Rebuild the shelf (1 line)")
    assert worker.lines == [MAKE_X, MAKE_X]
    qtbot.waitUntil(lambda: wanted not in texts(pane))


def test_a_lost_shelf_can_be_given_up(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: len(lab.lost) == 1)
    pane.pull()
    press_button(pane, "Start with an empty shelf")
    assert lab.ledger.first == 1
    press(the(LineList, pane), Qt.Key.Key_Up)
    qtbot.waitUntil(lambda: said(pane).endswith("released"))
