"""The head of the lab: what is there, switches that are lines, undo, and the end of it all."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.lab.head.cap_sheet import CapSheet
from gpuexplorer.gui.views.lab.head.lab_head import LabHead, StageMark
from gpuexplorer.gui.views.lab.head.switch_actions import SwitchActions, SwitchesSheet
from gpuexplorer.gui.views.lab.head.switch_menu import fill_menu
from gpuexplorer.gui.views.lab.head.visible_sheet import VisibleSheet
from gpuexplorer.gui.widgets.controls.number_field import NumberField
from gpuexplorer.gui.widgets.controls.switch import Switch
from gpuexplorer.gui.widgets.sheets.release_dialog import ReleaseDialog
from gpuexplorer.gui.wording.lab.head.switch_words import cap_line
from gpuexplorer.lab.worker_process import WorkerProcess
from tests.gui.hands import click, in_front, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
MAKE = 'X = torch.ones(2, 3, device="cuda:0")'


@pytest.fixture
def head(qtbot: QtBot, look: Look, lab: LabState) -> Iterator[LabHead]:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1360, 800)
    head = LabHead(look, lab, window)
    head.setGeometry(0, 0, 1360, 40)
    window.show()
    yield head
    window.close()


def switch(head: QWidget, name: str) -> Switch:
    return next(each for each in head.findChildren(Switch) if each.accessibleName() == name)


def named(head: QWidget, name: str) -> QAbstractButton:
    found = head.findChildren(QAbstractButton)
    return next(each for each in found if each.accessibleName() == name)


def stage_of(head: LabHead) -> str:
    return the(StageMark, head).said.words


def make(lab: LabState, worker: ScriptedWorker, qtbot: QtBot) -> None:
    run(lab, worker, MAKE, tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things and lab.stage is Stage.READY)


def test_before_anything_was_made_the_head_says_so(head: LabHead) -> None:
    assert "Nothing made yet" in texts(head)
    assert stage_of(head) == "Resting"
    assert not named(head, "Release the cards").isEnabled()


def test_what_was_made_is_summed_up(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    qtbot.waitUntil(lambda: any("1 thing on 1 card" in each for each in texts(head)))
    assert any("taken to hold it" in each for each in texts(head))
    assert stage_of(head) == "Ready"


def test_falling_back_is_a_choice_and_no_line(
    head: LabHead, lab: LabState, worker: ScriptedWorker
) -> None:
    switch(head, "Fall back to cpu").click()
    assert lab.switches.fall_back is False
    assert worker.sent == []


def test_a_click_on_the_word_turns_its_switch(head: LabHead, lab: LabState) -> None:
    word = switch(head, "Fall back to cpu").parentWidget()
    assert word is not None
    QTest.mouseClick(word, Qt.MouseButton.LeftButton, pos=word.rect().center())
    assert lab.switches.fall_back is False


def test_placement_is_a_line_while_a_worker_runs(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    switch(head, "Print placement").click()
    assert worker.lines[-1] == "log_placement(True)"
    assert lab.switches.placement
    worker.done()
    switch(head, "Print placement").click()
    assert worker.lines[-1] == "log_placement(False)"


def test_a_cap_is_one_line_for_each_card_and_then_the_switch_is_on(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    switch(head, "Memory cap").click()
    sheet = in_front(CapSheet, head.window())
    assert "9.60 GiB of 24.0 GiB" in texts(sheet)
    first, second = sheet.findChildren(NumberField)
    first.lineEdit().setText("25")
    second.setFocus()
    assert "6.00 GiB of 24.0 GiB" in texts(sheet)
    second.lineEdit().setText("100")
    press(second, Qt.Key.Key_Return)  # without a click on "Cap"
    assert worker.lines[1:] == [cap_line(0.25, "cuda:0")]
    worker.done()
    qtbot.waitUntil(lambda: switch(head, "Memory cap").isChecked())


def test_a_cap_that_is_not_set_leaves_the_switch_off(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    switch(head, "Memory cap").click()
    press(in_front(CapSheet, head.window()), Qt.Key.Key_Escape)
    assert not switch(head, "Memory cap").isChecked()
    assert len(worker.lines) == 1


def test_nothing_made_is_undone_in_a_sentence(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "torch.cuda.device_count()")
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    head.undo()
    assert any("nothing to undo" in each for each in texts(head))


def test_undo_and_redo_are_lines(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    assert not named(head, "Do again what was undone").isEnabled()
    named(head, "Undo the last creating or deleting").click()
    assert worker.lines[-1] == "del X"
    worker.done()
    again = named(head, "Do again what was undone")
    qtbot.waitUntil(again.isEnabled)
    again.click()
    assert worker.lines[-1] == MAKE


def test_releasing_names_what_is_lost_and_can_be_left(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    named(head, "Release the cards").click()
    dialog = the(ReleaseDialog, head.window())
    assert "This is lost: X." in texts(dialog)
    click(dialog, "Keep them")
    assert lab.stage is Stage.READY
    assert "X" in lab.ledger.things


def test_released_cards_hold_nothing(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    named(head, "Release the cards").click()
    click(the(ReleaseDialog, head.window()), "Release the cards")
    qtbot.waitUntil(lambda: worker.stopped)
    assert stage_of(head) == "Resting"
    assert not named(head, "Release the cards").isEnabled()


def test_the_order_of_the_cards_needs_a_new_worker(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    head.open_visible()
    sheet = in_front(VisibleSheet, head.window())
    assert "CUDA_VISIBLE_DEVICES=0,1" in texts(sheet)
    named(sheet, "Move card 0 down").click()
    assert "CUDA_VISIBLE_DEVICES=1,0" in texts(sheet)
    click(sheet, "Release the cards and use this")
    assert not worker.stopped
    click(the(ReleaseDialog, head.window()), "Release the cards and use this")
    assert lab.switches.visible == (1, 0)
    qtbot.waitUntil(lambda: worker.stopped and lab.stage is Stage.RESTING)


def test_without_a_worker_the_cards_are_chosen_at_once(head: LabHead, lab: LabState) -> None:
    head.open_visible()
    sheet = in_front(VisibleSheet, head.window())
    switch(sheet, "Card 0 is visible").click()
    assert "CUDA_VISIBLE_DEVICES=1" in texts(sheet)
    click(sheet, "Use this")
    assert lab.switches.visible == (1,)


def test_no_card_at_all_cannot_be_chosen(head: LabHead) -> None:
    head.open_visible()
    sheet = in_front(VisibleSheet, head.window())
    for card in ("0", "1"):
        switch(sheet, f"Card {card} is visible").click()
    use = next(each for each in sheet.findChildren(QPushButton) if each.text() == "Use this")
    assert not use.isEnabled()
    assert "At least one card is needed." in texts(sheet)


def test_the_keyboard_stays_on_the_card_that_it_moves(head: LabHead, qtbot: QtBot) -> None:
    head.window().activateWindow()
    qtbot.waitActive(head.window())
    head.open_visible()
    down = named(in_front(VisibleSheet, head.window()), "Move card 0 down")
    down.setFocus()
    press(down, Qt.Key.Key_Space)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Move card 0 up"


def test_what_hangs_can_be_restarted(
    head: LabHead, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run(MAKE)
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    assert stage_of(head) == "Does not come back"
    named(head, "Restart").click()
    assert worker.killed
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    assert not named(head, "Restart").isVisible()


def test_in_a_narrow_window_the_switches_are_in_the_menu(head: LabHead) -> None:
    assert switch(head, "Fall back to cpu").isVisible()
    head.resize(760, 40)
    assert not switch(head, "Fall back to cpu").isVisible()
    assert named(head, "Release the cards").isVisible()


def test_the_switches_are_remembered_from_start_to_start(
    head: LabHead, lab: LabState, worker: ScriptedWorker, look: Look, qtbot: QtBot
) -> None:
    lab.choose(replace(lab.switches, fall_back=False, growing=True, visible=(1, 0)))
    next_time = LabState(lab.machine, lab.pythons, worker.start)
    qtbot.addWidget(LabHead(look, next_time))
    assert next_time.switches == lab.switches
    next_time.stop()


def test_the_sheet_tells_tensorflows_names_beside_pytorchs_lines(head: LabHead) -> None:
    head.explain()
    said = texts(the(SwitchesSheet, head.window()))
    assert "allow_soft_placement=True" in said
    assert "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" in said
    assert "with tf.device('/cpu:0'):" in said


def test_where_no_worker_can_be_started_a_python_can_be_chosen(
    lab: LabState, look: Look, qtbot: QtBot
) -> None:
    def refuse(*_: object) -> WorkerProcess:
        raise Trouble("This Python cannot be started.", "Choose another.")

    broken = LabState(lab.machine, lab.pythons, refuse)
    head = LabHead(look, broken)
    qtbot.addWidget(head)
    head.resize(1360, 40)
    head.show()
    choose = named(head, "Choose a Python")
    assert not choose.isVisible()
    broken.run(MAKE)
    qtbot.waitUntil(choose.isVisible)
    assert stage_of(head) == "Cannot be started"
    assert any("This Python cannot be started." in each for each in texts(head))
    broken.stop()


def test_the_menu_holds_what_has_no_room_and_names_the_lines(
    head: LabHead, lab: LabState, look: Look
) -> None:
    menu = QMenu()
    fill_menu(menu, lab.switches, SwitchActions(look, lab, head), head, folded=True)
    actions = {each.text(): each for each in menu.actions()}
    assert "set_per_process_memory_fraction" in actions["Memory cap…"].toolTip()
    growth = actions["Growing segments"]
    assert "expandable_segments:True" in growth.toolTip()
    growth.trigger()
    actions["Fall back to cpu"].trigger()
    assert lab.switches == Switches(fall_back=False, growing=True)
