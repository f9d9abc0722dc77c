"""Leaving a session with something in its lab: it is asked for before it goes."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.gui.leaving import LeavingDialog, leave
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.theme.look import look
from gpuexplorer.telemetry.session import Session
from tests.clocks import ManualClock
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import button, click, press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, run, tensor
from tests.gui.lab.watched_programs import Told, program_lab

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


class Left:
    """A window that can be left, and how often it was."""

    def __init__(self) -> None:
        self.window = QWidget()
        self.times = 0
        self._look = look()

    def leave(self, lab: Lab | None, simulated: Session | None = None) -> None:
        leave(self.window, "Stop simulating", self._go, lab=lab, simulated=simulated)

    def _go(self) -> None:
        self.times += 1


@pytest.fixture
def left(qtbot: QtBot) -> Iterator[Left]:
    one = Left()
    qtbot.addWidget(one.window)
    one.window.show()
    yield one
    for dialog in one.window.findChildren(LeavingDialog):
        dialog.close()


def test_an_empty_lab_is_left_at_once(left: Left, lab: Lab) -> None:
    left.leave(None)
    left.leave(lab)
    assert left.times == 2
    assert not left.window.findChildren(LeavingDialog)


def test_a_lab_in_which_only_the_imports_ran_is_left_at_once(
    left: Left, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.look_into("torch")
    qtbot.waitUntil(lambda: worker.begun == 1)
    left.leave(lab)
    assert left.times == 1


def test_what_would_be_lost_is_named_and_one_can_stay(
    left: Left, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
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


def test_who_wants_to_leave_does(left: Left, lab: Lab, worker: ScriptedWorker) -> None:
    run(lab, worker, "X = torch.ones(2, 3)", tensor("X"))
    left.leave(lab)
    click(the(LeavingDialog, left.window), "Stop simulating")
    assert left.times == 1


def test_a_past_of_two_minutes_is_named_and_a_shorter_one_is_not_missed(left: Left) -> None:
    clock = ManualClock()
    session = session_of({card(0): working()}, SIMULATED, clock=clock)
    session.history.append(Sample(CardId("GPU-0"), clock.now(), {}))
    clock.advance(100.0)
    left.leave(None, session)
    assert left.times == 1
    clock.advance(100.0)
    left.leave(None, session)
    dialog = the(LeavingDialog, left.window)
    assert dialog.windowTitle() == "Leave the simulated cards?"
    assert "Their past is lost: 3 min 20 s of readings, and their events." in texts(dialog)
    press(button(dialog, "Stay"), Qt.Key.Key_Return)
    assert left.times == 1


def test_one_question_names_what_is_lost_of_the_lab_and_of_the_past(
    left: Left, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "X = torch.ones(2, 3)", tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things)
    clock = ManualClock()
    session = session_of({card(0): working()}, SIMULATED, clock=clock)
    session.history.append(Sample(CardId("GPU-0"), clock.now(), {}))
    clock.advance(300.0)
    left.leave(lab, session)
    said = texts(the(LeavingDialog, left.window))
    assert "This is lost: X." in said
    assert any(each.startswith("The past of the simulated cards is lost too") for each in said)


def test_a_program_that_runs_is_named_before_it_is_ended(
    left: Left, machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab = program_lab(machine, worker)
    told = Told(lab.program, worker)
    told.begin()
    left.leave(lab)
    dialog = the(LeavingDialog, left.window)
    assert "train.py still runs, and is ended with all that it started." in texts(dialog)
    assert not any("Save as" in text for text in texts(dialog))
    click(dialog, "Stay")
    told.end()
    qtbot.waitUntil(lambda: not lab.program.phase.runs)
    left.leave(lab)
    assert left.times == 1
    lab.stop()
