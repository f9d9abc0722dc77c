"""Leaving a session with something in its lab: it is asked for before it goes."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.leaving import Leaving, LeavingDialog
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from tests.gui.hands import click, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


class Left:
    """A window that can be left, and how often it was."""

    def __init__(self, look: Look) -> None:
        self.window = QWidget()
        self.times = 0
        self._leaving = Leaving(look, self.window)

    def leave(self, lab: LabState | None) -> None:
        self._leaving.leave(lab, "Stop simulating", self._go)

    def _go(self) -> None:
        self.times += 1


@pytest.fixture
def left(qtbot: QtBot, look: Look) -> Iterator[Left]:
    one = Left(look)
    qtbot.addWidget(one.window)
    one.window.show()
    yield one
    for dialog in one.window.findChildren(LeavingDialog):
        dialog.close()


def test_an_empty_lab_is_left_at_once(left: Left, lab: LabState) -> None:
    left.leave(None)
    left.leave(lab)
    assert left.times == 2
    assert not left.window.findChildren(LeavingDialog)


def test_what_would_be_lost_is_named_and_one_can_stay(
    left: Left, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "X = torch.ones(2, 3)", tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things)
    left.leave(lab)
    dialog = the(LeavingDialog, left.window)
    assert "This is lost: X." in texts(dialog)
    assert any("Save as" in text for text in texts(dialog))
    click(dialog, "Stay")
    assert left.times == 0
    assert "X" in lab.ledger.things


def test_who_wants_to_leave_does(left: Left, lab: LabState, worker: ScriptedWorker) -> None:
    run(lab, worker, "X = torch.ones(2, 3)", tensor("X"))
    left.leave(lab)
    click(the(LeavingDialog, left.window), "Stop simulating")
    assert left.times == 1
