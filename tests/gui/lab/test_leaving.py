"""Leaving a session with something in its lab: it is asked for before it goes."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.gui.leaving import leave
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.widgets.sheets.sheet import Sheet
from gpuexplorer.telemetry.session import Session
from tests.clocks import ManualClock
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import button, in_front, press, texts
from tests.gui.lab.conftest import ScriptedWorker, run, tensor
from tests.gui.lab.watched_programs import Told, program_lab

# A dialog of its own is no window that the test platform can hint at.
pytestmark = pytest.mark.qt_log_ignore("propagateSizeHints")


def left(window: QWidget, lab: Lab | None, past: Session | None = None) -> str:
    """What was asked before it was left; who is asked first stays, and then goes."""
    gone: list[bool] = []
    said = ""
    for answer in ("Stay", "Stop simulating"):
        leave(window, "Stop simulating", lambda: gone.append(True), lab=lab, simulated=past)
        if not gone:
            dialog = in_front(Sheet, window)
            said = " ".join((dialog.windowTitle(), *texts(dialog)))
            press(button(dialog, answer), Qt.Key.Key_Return)
    assert gone
    return said


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    with qtbot.waitActive(window):
        window.show()
        window.activateWindow()
    return window


def test_a_lab_in_which_only_the_imports_ran_is_left_at_once(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    assert left(window, None) == left(window, lab) == ""
    lab.look_into("torch")
    qtbot.waitUntil(lambda: worker.begun == 1)
    assert left(window, lab) == ""


def test_what_would_be_lost_of_the_lab_and_of_the_past_is_named(
    window: QWidget, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    clock = ManualClock()
    session = session_of({card(0): working()}, SIMULATED, clock=clock)
    session.history.append(Sample(CardId("GPU-0"), clock.now(), {}))
    clock.advance(100.0)
    assert left(window, None, session) == ""
    clock.advance(100.0)
    said = left(window, None, session)
    assert "Leave the simulated cards?" in said
    assert (
        "The past of the simulated cards is lost: 3 min 20 s of readings, and their events."
        in said
    )
    run(lab, worker, "X = torch.ones(2, 3)", tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things)
    said = left(window, lab, session)
    for words in ("This is lost: X.", "Save as", "The past of the simulated cards is lost"):
        assert words in said


def test_a_program_that_runs_is_named_before_it_is_ended(
    window: QWidget, machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab = program_lab(machine, worker)
    told = Told(lab.program, worker)
    told.begin()
    assert "train.py still runs, and is ended with all that it started." in left(window, lab)
    told.end()
    qtbot.waitUntil(lambda: not lab.program.phase.runs)
    assert left(window, lab) == ""
    lab.stop()
