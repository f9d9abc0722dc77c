"""The head of the lab: what is there, its switches, and the end of it all."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QCheckBox,
    QMenu,
    QPushButton,
    QWidget,
)
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.lab.head.cap_sheet import CapSheet
from gpuexplorer.gui.lab.head.lab_head import LabHead, StageMark, fill_menu
from gpuexplorer.gui.lab.head.switch_actions import SwitchActions, SwitchesSheet
from gpuexplorer.gui.lab.head.visible_sheet import VisibleSheet
from gpuexplorer.gui.lab.head.words import cap_line
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, Switches
from gpuexplorer.gui.widgets.controls.fields import NumberField
from gpuexplorer.lab.worker_process import WorkerProcess
from tests.gui.frame.steps import called
from tests.gui.hands import click, dialog_called, in_front, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
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


def switch(head: QWidget, name: str) -> QCheckBox:
    return next(each for each in head.findChildren(QCheckBox) if each.accessibleName() == name)


def ask(head: LabHead, words: str) -> None:
    """As from the palette."""
    next(run for said, _, run in head.commands() if said == words)()


def stage_of(head: LabHead) -> str:
    return the(StageMark, head).said.words


def make(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
    run(lab, worker, MAKE, tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things and lab.stage is Stage.READY)


def test_before_anything_was_made_the_head_says_so(head: LabHead) -> None:
    assert any("Nothing made yet. It will run in" in each for each in texts(head))
    assert stage_of(head) == "Resting"
    assert not called(QAbstractButton, head, "Release the cards").isEnabled()


def test_what_was_made_is_summed_up(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    qtbot.waitUntil(lambda: any("1 thing on 1 card" in each for each in texts(head)))
    assert any("taken to hold it" in each for each in texts(head))
    assert stage_of(head) == "Ready"


def test_a_click_on_the_word_turns_its_switch(head: LabHead, lab: Lab) -> None:
    word = switch(head, "Print placement").parentWidget()
    assert word is not None
    QTest.mouseClick(word, Qt.MouseButton.LeftButton, pos=word.rect().center())
    assert lab.switches.placement


def test_placement_is_a_choice_and_no_cell(
    head: LabHead, lab: Lab, worker: ScriptedWorker
) -> None:
    switch(head, "Print placement").click()
    assert lab.switches.placement
    assert worker.sent == []


def test_a_cap_is_one_cell_for_each_card_and_then_the_switch_is_on(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
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
    assert worker.cells[-1] == cap_line(0.25, "cuda:0")
    worker.done()
    qtbot.waitUntil(lambda: switch(head, "Memory cap").isChecked())


def test_a_cap_that_is_not_set_leaves_the_switch_off(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    switch(head, "Memory cap").click()
    press(in_front(CapSheet, head.window()), Qt.Key.Key_Escape)
    assert not switch(head, "Memory cap").isChecked()
    assert worker.cells[-1] == MAKE


def test_releasing_names_what_is_lost_and_can_be_left(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    called(QAbstractButton, head, "Release the cards").click()
    dialog = dialog_called("Release the cards?", head.window())
    assert "This is lost: X." in texts(dialog)
    click(dialog, "Keep them")
    assert lab.stage is Stage.READY
    assert "X" in lab.ledger.things


def test_the_order_of_the_cards_needs_a_new_worker(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    ask(head, "Choose the visible cards and their order")
    sheet = in_front(VisibleSheet, head.window())
    assert "CUDA_VISIBLE_DEVICES=0,1" in texts(sheet)
    called(QAbstractButton, sheet, "Move card 0 down").click()
    assert "CUDA_VISIBLE_DEVICES=1,0" in texts(sheet)
    click(sheet, "Release the cards and use this")
    assert not worker.stopped
    click(dialog_called("Release the cards?", head.window()), "Release the cards and use this")
    assert lab.switches.visible == (1, 0)
    qtbot.waitUntil(lambda: worker.stopped and lab.stage is Stage.RESTING)


def test_without_a_worker_the_cards_are_chosen_at_once(head: LabHead, lab: Lab) -> None:
    ask(head, "Choose the visible cards and their order")
    sheet = in_front(VisibleSheet, head.window())
    switch(sheet, "Card 0 is visible").click()
    assert "CUDA_VISIBLE_DEVICES=1" in texts(sheet)
    click(sheet, "Use this")
    assert lab.switches.visible == (1,)


def test_no_card_at_all_cannot_be_chosen(head: LabHead) -> None:
    ask(head, "Choose the visible cards and their order")
    sheet = in_front(VisibleSheet, head.window())
    for card in ("0", "1"):
        switch(sheet, f"Card {card} is visible").click()
    use = next(each for each in sheet.findChildren(QPushButton) if each.text() == "Use this")
    assert not use.isEnabled()
    assert "At least one card is needed." in texts(sheet)


def test_the_keyboard_stays_on_the_card_that_it_moves(head: LabHead, qtbot: QtBot) -> None:
    head.window().activateWindow()
    qtbot.waitActive(head.window())
    ask(head, "Choose the visible cards and their order")
    down = called(QAbstractButton, in_front(VisibleSheet, head.window()), "Move card 0 down")
    down.setFocus()
    press(down, Qt.Key.Key_Space)
    focused = QApplication.focusWidget()
    assert focused is not None
    assert focused.accessibleName() == "Move card 0 up"


def test_what_hangs_can_be_restarted(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run(MAKE)
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    assert stage_of(head) == "Does not come back"
    restart = called(QAbstractButton, head, "Restart")
    restart.click()
    assert worker.killed
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    assert not restart.isVisible()


def test_in_a_narrow_window_the_switches_are_in_the_menu(head: LabHead) -> None:
    assert switch(head, "Print placement").isVisible()
    head.resize(760, 40)
    assert not switch(head, "Print placement").isVisible()
    assert called(QAbstractButton, head, "Release the cards").isVisible()


def test_the_switches_are_remembered_from_start_to_start(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.choose(replace(lab.switches, placement=True, growing=True, visible=(1, 0)))
    next_time = Lab(lab.machine, lab.pythons, worker.start)
    qtbot.addWidget(LabHead(next_time))
    assert next_time.switches == lab.switches
    next_time.stop()


def test_the_sheet_tells_tensorflows_names_beside_pytorchs_lines(head: LabHead) -> None:
    ask(head, "What the switches are in PyTorch and TensorFlow")
    said = texts(the(SwitchesSheet, head.window()))
    assert "allow_soft_placement=True" in said
    assert "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True" in said
    assert "with tf.device('/cpu:0'):" in said


def test_where_no_worker_can_be_started_a_python_can_be_chosen(lab: Lab, qtbot: QtBot) -> None:
    def refuse(*_: object) -> WorkerProcess:
        raise Trouble("This Python cannot be started.", "Choose another.")

    broken = Lab(lab.machine, lab.pythons, refuse)
    head = LabHead(broken)
    qtbot.addWidget(head)
    head.resize(1360, 40)
    head.show()
    names = [each.accessibleName() for each in head.findChildren(QAbstractButton)]
    choose = head.findChildren(QAbstractButton)[names.index("Choose a Python")]
    assert not choose.isVisible()
    broken.run(MAKE)
    qtbot.waitUntil(choose.isVisible)
    assert stage_of(head) == "Cannot be started"
    qtbot.waitUntil(lambda: any("cannot be started." in each for each in texts(head)))
    broken.stop()


def test_the_menu_holds_what_has_no_room_and_names_the_lines(head: LabHead, lab: Lab) -> None:
    menu = QMenu()
    fill_menu(menu, lab.switches, SwitchActions(lab, head), folded=True)
    actions = {each.text(): each for each in menu.actions()}
    assert "set_per_process_memory_fraction" in actions["Memory cap…"].toolTip()
    growth = actions["Growing segments"]
    assert "expandable_segments:True" in growth.toolTip()
    growth.trigger()
    actions["Print placement"].trigger()
    assert lab.switches == Switches(placement=True, growing=True)


def test_a_class_room_takes_the_editor_away_from_the_menu(head: LabHead, lab: Lab) -> None:
    menu = QMenu()
    fill_menu(menu, lab.switches, SwitchActions(lab, head), folded=False)
    actions = {each.text(): each for each in menu.actions()}
    actions["Forms only, for a classroom"].trigger()
    assert lab.machine.settings.choices.lab_forms_only
