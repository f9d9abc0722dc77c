"""The head of the lab: what is there, how the worker is, and its switches."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.lab.lab_head import LabHead
from gpuexplorer.gui.lab.switches import CapSheet, VisibleSheet, caps_in, usual_order
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage, stage_words
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from gpuexplorer.gui.widgets.controls.fields import NumberField
from tests.gui.fakes import card
from tests.gui.frame.steps import called
from tests.gui.hands import click, dialog_called, in_front, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")
MAKE = 'X = torch.ones(2, 3, device="cuda:0")'
CARD = BenchDevice("cuda:0", "TITAN RTX", "0", 0, card(0).id)
CAP = "torch.cuda.set_per_process_memory_fraction"


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


def says(head: LabHead, qtbot: QtBot, *words: str) -> None:
    qtbot.waitUntil(lambda: all(any(each in one for one in texts(head)) for each in words))


def make(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
    run(lab, worker, MAKE, tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things and lab.stage is Stage.READY)


def test_the_head_says_which_python_runs_and_how_the_worker_is(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    says(head, qtbot, "Cells run in", "○ Not started")
    assert not called(QAbstractButton, head, "Release the cards").isEnabled()
    make(lab, worker, qtbot)
    says(head, qtbot, "● Ready")


def test_a_line_that_takes_its_time_is_timed() -> None:
    busy = [stage_words(Stage.BUSY, running=each).words for each in (0.1, 3.24, 75)]
    assert busy == ["Busy", "Busy, 3.24 s", "Busy, 75.0 s"]


def test_the_menu_turns_switches_and_names_their_lines(
    head: LabHead, lab: Lab, worker: ScriptedWorker
) -> None:
    assert "expandable_segments:True" in menu(head)["Growing segments"].toolTip()
    assert "allow_growth=True" in menu(head)["Growing segments"].toolTip()
    for words in ("Growing segments", "Print placement", "Forms only, for a classroom"):
        menu(head)[words].trigger()
        assert menu(head)[words].isChecked()
    assert lab.switches.growing
    assert lab.switches.placement
    assert lab.machine.settings.choices.lab_forms_only
    assert the(MenuButton, head).text() == "More, 2 on"
    assert worker.sent == []


def test_a_cap_is_a_cell_for_each_card(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    make(lab, worker, qtbot)
    menu(head)["Memory cap…"].trigger()
    sheet = in_front(CapSheet, head.window())
    assert "9.60 GiB of 24.0 GiB" in texts(sheet)
    first, second = sheet.findChildren(NumberField)
    first.lineEdit().setText("25")
    second.setFocus()
    assert "6.00 GiB of 24.0 GiB" in texts(sheet)
    second.lineEdit().setText("100")
    press(second, Qt.Key.Key_Return)  # without a click on "Cap"
    assert worker.cells[-1] == f"{CAP}(0.25, 0)"
    worker.done()
    qtbot.waitUntil(lambda: the(MenuButton, head).text() == "More, 1 on")
    assert menu(head)["Memory cap…"].isChecked()


def test_caps_are_read_from_the_cells_the_last_one_holds() -> None:
    lines = [f"{CAP}(0.5, 0)", f"{CAP}(.4)", f"{CAP}(0.3, 'cuda:1')", f"{CAP}(1.0, device=1)"]
    assert caps_in(lines[:3]) == {"cuda:0": 0.4, "cuda:1": 0.3}
    assert caps_in(lines) == {"cuda:0": 0.4}


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


def test_cards_stand_in_cudas_order_and_those_without_a_number_last() -> None:
    numbers = {0: 1, 1: None, 2: 0}
    cards = [replace(card(at), cuda_index=number) for at, number in numbers.items()]
    assert list(usual_order(arrange(cards))) == [2, 0, 1]


def test_what_hangs_can_be_restarted(
    head: LabHead, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run(MAKE)
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    says(head, qtbot, "● Does not come back")
    restart = called(QAbstractButton, head, "Restart")
    restart.click()
    assert worker.killed
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    assert not restart.isVisible()


def test_nothing_of_a_recording_can_be_turned(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    recorded = Lab(lab.machine, lab.pythons, worker.start, recorded=True)
    head = LabHead(recorded)
    qtbot.addWidget(head)
    head.show()
    says(head, qtbot, "○ Recorded")
    assert not any(each.isVisible() for each in head.findChildren(QAbstractButton))
    recorded.stop()
