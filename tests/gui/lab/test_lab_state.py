"""Between a person and the worker: what is asked, what comes of it, and how it ends."""

from dataclasses import replace

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from tests.gui.lab.conftest import ScriptedWorker, run, tensor

MAKE = 'X = torch.ones(2, 3, device="cuda:0")'


def ready(lab: LabState, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)


def test_nothing_is_started_before_somebody_asks(lab: LabState, worker: ScriptedWorker) -> None:
    assert lab.stage is Stage.RESTING
    assert worker.sent == []


def test_a_line_is_carried_out_and_what_it_made_is_on_the_shelf(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    assert worker.lines == [MAKE]
    assert list(lab.ledger.things) == ["X"]
    assert lab.line_number(lab.ledger.entries[0].id) == 1


def test_a_line_that_is_not_understood_is_refused_and_not_sent(
    lab: LabState, worker: ScriptedWorker
) -> None:
    with pytest.raises(Trouble, match="import"):
        lab.run("import os")
    assert worker.sent == []


def test_the_cards_of_the_lab_are_those_of_the_window(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    before = [(each.name, each.chip) for each in lab.devices()]
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    names = [(each.name, each.chip) for each in lab.devices()]
    assert before == [("cpu", "H"), ("cuda:0", "0"), ("cuda:1", "1")]
    assert names == [*before, ("meta", "")]


def test_a_worker_that_dies_is_replaced_and_its_shelf_can_be_rebuilt(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: len(lab.lost) == 1)
    ready(lab, qtbot)
    assert lab.ledger.things == {}
    assert lab.sentence == "The worker was killed by somebody."
    with pytest.raises(Trouble, match="went with the worker"):
        lab.run("X + 1")
    lab.rebuild()
    assert worker.lines == [MAKE, MAKE]
    worker.done(tensor("X"))
    qtbot.waitUntil(lambda: "X" in lab.ledger.things)
    assert len(lab.ledger.entries) == 1


def test_released_cards_hold_nothing_and_the_lines_stay(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    lab.release()
    qtbot.waitUntil(lambda: worker.stopped)
    assert lab.stage is Stage.RESTING
    assert lab.ledger.things == {}
    assert [each.code for each in lab.ledger.entries] == [MAKE]
    assert lab.ledger.done() == []


def test_creating_is_undone_and_done_again(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    lab.undo()
    assert worker.lines[-1] == "del X"
    worker.done()
    ready(lab, qtbot)
    assert lab.can_redo
    lab.redo()
    assert worker.lines[-1] == MAKE
    assert not lab.can_redo


def test_what_does_not_come_back_when_it_is_cancelled_is_said_to_hang(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run(MAKE)
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    assert worker.cancelled == [number]
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    lab.restart()
    assert worker.killed
    ready(lab, qtbot)
    assert lab.ledger.entries[0].state == "failed"


def test_a_worker_is_told_to_log_placement_before_its_first_line(
    lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.choose(replace(lab.switches, placement=True))
    lab.run(MAKE)
    assert worker.lines == ["log_placement(True)", MAKE]
    lab.run("X")
    assert worker.lines[2:] == ["X"]
