"""Between a person and the worker: what is asked, what comes of it, and how it ends."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.catalogue.memory import MEMORY_FREE, MEMORY_USED
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.lab_pythons import LabPythons
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.state.lab.starting import load_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.wire import Run
from tests.gui.lab.conftest import PYTHON, KnownPython, ScriptedWorker, run, tensor
from tests.lab.processes import ended

MIB, GIB = 1 << 20, 1 << 30
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


def test_what_is_free_follows_the_cards_own_readings(
    machine: MachineState, lab: LabState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    assert lab.devices()[1].free_bytes == 22 * GIB  # as the worker said just now
    (card, _) = machine.session.cards()

    def free() -> float | None:
        reading = machine.session.reading(card.id)
        return None if reading is None else reading.values.get(MEMORY_FREE)

    qtbot.waitUntil(lambda: lab.devices()[1].free_bytes == free() != 22 * GIB)
    told = lab.devices()[1]
    assert told.total_bytes is not None
    assert told.free_bytes is not None
    assert told.others_bytes == told.total_bytes - told.free_bytes - 336 * MIB


def test_the_worker_is_told_what_the_simulated_cards_own_programs_hold(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    session = machine.session
    lab = LabState(
        machine, KnownPython(machine.settings, machine), worker.start, load_of(session), machine
    )
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    run(lab, worker, "X + 1")
    command = worker.last()
    assert isinstance(command, Run)
    told = dict(command.others)
    for number, card in enumerate(session.cards()):
        reading = session.reading(card.id)
        assert reading is not None
        # All that is used but the lab's own 336 MiB, and the part that the driver keeps.
        used = reading.values[MEMORY_USED] + 356 * MIB
        assert abs(told[f"cuda:{number}"] + 336 * MIB - used) < 400 * MIB
    lab.stop()


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


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_a_python_that_is_asked_and_does_not_answer_ends_with_the_lab(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    told, program = tmp_path / "pid", tmp_path / "python"
    program.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {told}\nwait\n")
    program.chmod(0o755)
    lab = LabState(machine, LabPythons(machine.settings, machine), worker.start)
    lab.pythons.choose(program)
    qtbot.waitUntil(lambda: told.exists() and told.read_text().endswith("\n"))
    with qtbot.waitSignal(lab.pythons.changed):
        lab.stop()
    assert not lab.pythons.working
    assert lab.pythons.trouble == ""
    assert ended(int(told.read_text()))


def test_who_types_the_placement_log_turns_its_switch(
    lab: LabState, worker: ScriptedWorker
) -> None:
    lab.run("log_placement(True)")
    turned = [lab.switches.placement]
    lab.run("log_placement(False)")
    lab.run(MAKE)
    assert [*turned, lab.switches.placement] == [True, False]
    assert worker.lines == ["log_placement(True)", "log_placement(False)", MAKE]


class SlowPythons(LabPythons):
    """The search is over when the test says so."""

    def __init__(self, machine: MachineState) -> None:
        super().__init__(machine.settings, machine)
        self.searches = 0
        self.known: LabPython | None = None

    @property
    def python(self) -> LabPython | None:
        return self.known

    def find(self) -> None:
        self.searches += 1

    def be_over(self, known: LabPython | None = None) -> None:
        self.known = known
        self.changed.emit()


def test_a_search_that_was_given_up_elsewhere_begins_again(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    pythons = SlowPythons(machine)
    lab = LabState(machine, pythons, worker.start)
    lab.run("X = 1")
    pythons.be_over()  # another session's lab went, and gave up what it had begun
    assert (lab.stage, pythons.searches) == (Stage.SEARCHING, 2)
    pythons.be_over(PYTHON)
    assert worker.lines == ["X = 1"]
    lab.stop()
