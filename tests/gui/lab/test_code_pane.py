"""The lines of the session as a person sees them, what can be typed, and ways on."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.paint.look import Look
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.views.lab.code.code_pane import CodePane
from gpuexplorer.gui.views.lab.code.cure_button import CureButton
from gpuexplorer.gui.views.lab.code.entry_field import EntryField
from gpuexplorer.gui.views.lab.code.error_panel import ErrorPanel
from gpuexplorer.gui.views.lab.code.line_list import LineList
from gpuexplorer.gui.views.lab.code.notice_bar import NoticeBar
from gpuexplorer.gui.views.lab.code.program import Program
from gpuexplorer.lab.events import Began, Printed, Progressed
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, memory, run, tensor

# Menus and the list of completions are windows of their own.
pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")
MAKE_X = 'X = torch.ones(2, 3, device="cuda:0")'
MAKE_Y = 'Y = torch.ones(2, 3, device="cuda:1")'
APART = (
    "Expected all tensors to be on the same device, but found at least two devices, cuda:0 "
    "and cuda:1!"
)


@pytest.fixture
def pane(qtbot: QtBot, look: Look, lab: LabState) -> CodePane:
    pane = CodePane(look, lab)
    qtbot.addWidget(pane)
    pane.resize(448, 640)
    pane.show()
    return pane


def field(pane: CodePane) -> EntryField:
    return the(EntryField, pane)


def type_line(pane: CodePane, line: str) -> None:
    field(pane).setText(line)
    press(field(pane), Qt.Key.Key_Return)


def settled(qtbot: QtBot, lab: LabState) -> None:
    """All lines are done, and whoever listens has heard of it."""

    def over() -> bool:
        return all(each.state in ("done", "failed") for each in lab.ledger.entries)

    with qtbot.waitSignal(lab.changed, check_params_cb=over):
        pass


def fail_apart(lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> int:
    run(lab, worker, MAKE_X, tensor("X"))
    run(lab, worker, MAKE_Y, tensor("Y", "cuda:1"))
    number = lab.run("X + Y")
    worker.fail("devices differ", "RuntimeError", APART)
    settled(qtbot, lab)
    return number


def said(pane: CodePane) -> str:
    """The line that is selected, as a reader of screens hears it."""
    return the(LineList, pane).accessibleDescription()


def press_button(pane: QWidget, words: str) -> None:
    found = [
        each
        for each in pane.findChildren(QPushButton)
        if each.text() == words and each.isVisible()
    ]
    assert len(found) == 1, f"{len(found)} buttons {words!r}"
    found[0].click()


def test_a_typed_line_runs_and_the_field_is_empty_again(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    type_line(pane, MAKE_X)
    assert worker.lines == [MAKE_X]
    assert field(pane).text() == ""


def test_the_field_has_the_keyboard_when_the_pane_gets_it(pane: CodePane) -> None:
    assert pane.focusProxy() is field(pane)


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
    assert any(each.startswith("X lies on cuda:0, Y on cuda:1.") for each in shown)
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
    assert "cured by line 4. Not in the script" in said(pane)
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
    assert said(pane).startswith(f"Line 1: {MAKE_X}. done. 24 B; with it came the context")
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


def test_a_training_run_draws_its_losses_while_it_runs(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.train("net", "X", "T", "opt", "mse_loss", 100, 4)
    worker.say(Began(number), Progressed(number, 0, (1.0, 0.5, 0.25), 100, 0.1))
    qtbot.waitUntil(lambda: len(lab.ledger.entries[0].losses) == 3)
    before = the(LineList, pane).viewport().grab().toImage()
    worker.say(Progressed(number, 3, tuple(0.2 for _ in range(60)), 100, 0.2))
    with qtbot.waitSignal(lab.changed):
        pass
    assert the(LineList, pane).viewport().grab().toImage() != before


def test_what_was_printed_is_clipped_and_opened_on_asking(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run("print(X)")
    worker.say(Began(number), Printed(number, "\n".join(f"row {at}" for at in range(40))))
    worker.done()
    settled(qtbot, lab)
    lines = the(LineList, pane)
    assert lines.has_more(number) == "Show all 40 lines"
    press(lines, Qt.Key.Key_Down)
    press(lines, Qt.Key.Key_Right)
    assert lines.has_more(number) == "Show less"
    assert lines.verticalScrollBar().maximum() > 0


def fill(lab: LabState, worker: ScriptedWorker, qtbot: QtBot, count: int) -> None:
    for number in range(count):
        line = lab.run(f"A{number} = torch.ones(2)")
        worker.done(tensor(f"A{number}", "cpu", (2,), number=line))
    settled(qtbot, lab)


def test_the_list_stays_at_its_end_unless_a_person_scrolled_up(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    bar = the(LineList, pane).verticalScrollBar()
    assert bar.maximum() > 0
    assert bar.value() == bar.maximum()
    bar.setValue(100)
    fill(lab, worker, qtbot, 3)
    assert bar.value() == 100


def test_a_selection_made_elsewhere_scrolls_its_line_into_view(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    lab.selection.choose(lab.ledger.entries[2].id, ["A2"])
    assert the(LineList, pane).verticalScrollBar().value() < 200
    assert said(pane).startswith("Line 3: A2")


def test_what_is_done_after_a_selection_is_shown_at_the_end_again(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 60)
    lab.selection.choose(lab.ledger.entries[2].id, ["A2"])
    fill(lab, worker, qtbot, 1)
    bar = the(LineList, pane).verticalScrollBar()
    assert bar.value() == bar.maximum()


def test_a_block_that_is_selected_lights_up_the_line_that_placed_it(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 5)
    lab.selection.choose(things=["A3"])
    assert said(pane).startswith("Line 4: A3")


def test_the_device_is_drawn_in_its_cards_colour(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot, look: Look
) -> None:
    run(lab, worker, MAKE_X, tensor("X"))
    settled(qtbot, lab)
    picture = the(LineList, pane).viewport().grab().toImage()
    colours = {
        picture.pixelColor(x, y).name()
        for x in range(picture.width() // 2, picture.width())
        for y in range(min(60, picture.height()))
    }
    assert QColor(look.theme.card(0)).name() in colours


def test_nothing_is_cut_off_in_a_narrow_pane(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    pane.resize(320, 640)
    fail_apart(lab, worker, qtbot)
    panel = the(ErrorPanel, pane)
    for each in panel.findChildren(QWidget):
        if each.isVisible():
            assert panel.rect().contains(each.geometry()), each.accessibleName()


def test_who_leaves_the_list_has_nothing_selected_and_types_again(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    fill(lab, worker, qtbot, 2)
    press(the(LineList, pane), Qt.Key.Key_Up)
    assert said(pane) != ""
    press(the(LineList, pane), Qt.Key.Key_Escape)
    assert lab.selection.line is None
    assert said(pane) == ""
    assert field(pane).hasFocus()


def test_a_page_of_error_is_shortened_and_shown_whole_on_asking(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    message = "It went wrong. " * 60
    lab.run("X = torch.ones(2)")
    worker.fail("refused by PyTorch", "RuntimeError", message)
    settled(qtbot, lab)
    panel = the(ErrorPanel, pane)
    before = panel.height()
    assert any(each.endswith(" …") for each in texts(panel))
    press_button(pane, "All of it")
    assert f"RuntimeError: {message}" in texts(panel)
    assert panel.height() > before


def test_a_million_letters_and_a_hundred_thousand_lines_are_only_begun(
    pane: CodePane, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run("X.tolist()")
    worker.say(Began(number), Printed(number, "0.125, " * 150_000))
    worker.done()
    settled(qtbot, lab)
    lines = the(LineList, pane)
    assert lines.has_more(number) == "Show all that was printed"
    other = lab.run("print(X)")
    worker.say(Began(other), Printed(other, "row\n" * 100_000))
    worker.done()
    settled(qtbot, lab)
    assert lines.has_more(other) == "Show all 100000 lines"
    lines.toggle_printed(other)
    assert 20_000 < lines.verticalScrollBar().maximum() < 100_000
