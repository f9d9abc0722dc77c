"""The head of the lab: what is there, how the worker is, and its switches."""

from collections.abc import Iterator

import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractButton, QLineEdit, QMenu, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.lab_head import LabHead
from gpuexplorer.gui.lab.switches import VisibleSheet
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.widgets.controls.buttons import MenuButton
from tests.gui.frame.steps import called
from tests.gui.hands import click, dialog_called, in_front, texts, the
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
