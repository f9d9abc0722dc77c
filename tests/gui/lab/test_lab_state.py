"""Between a person and the worker: what is asked, what comes of it, and how it ends."""

import os
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.metrics import MEMORY_FREE, MEMORY_USED
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Asked, Began, Failed
from gpuexplorer.lab.pythons import LabPython
from gpuexplorer.lab.wire import Answer, Complete, Run
from gpuexplorer.remote.stream import load_of
from tests.gui.lab.conftest import PYTHON, KnownPython, ScriptedWorker, finished, run, tensor
from tests.lab.processes import ended

MIB, GIB = 1 << 20, 1 << 30
MAKE = 'X = torch.ones(2, 3, device="cuda:0")'


def ready(lab: Lab, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)


def replayed(worker: ScriptedWorker) -> list[tuple[int, str]]:
    return [(each.number, each.code) for each in worker.sent if type(each) is Run]


def answer_from(worker: ScriptedWorker, first: int) -> None:
    for each in worker.sent[first:]:
        worker.say(Began(each.id), finished(each.id))


def test_nothing_is_started_before_somebody_asks(lab: Lab, worker: ScriptedWorker) -> None:
    assert lab.stage is Stage.RESTING
    assert worker.sent == []


def test_a_cell_is_carried_out_and_what_it_made_is_on_the_shelf(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    assert worker.cells == [MAKE]
    assert list(lab.ledger.things) == ["X"]
    assert [each.number for each in lab.ledger.cells] == [0, 1]


def test_each_worker_is_sent_the_imports_as_cell_0_before_anything_else(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run("X = 1")
    first = lab.ledger.cells[0]
    assert (first.number, first.code.splitlines()[0]) == (0, "import torch")
    qtbot.waitUntil(lambda: first.state == "done")
    assert [each.code for each in lab.ledger.cells[1:]] == worker.cells == ["X = 1"]
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: worker.begun == 2)
    assert [each.number for each in lab.ledger.cells] == [0, 1]


def test_the_cards_of_the_lab_are_those_of_the_window(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    before = [(each.name, each.chip) for each in lab.devices()]
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    names = [(each.name, each.chip) for each in lab.devices()]
    assert before == [("cpu", "H"), ("cuda:0", "0"), ("cuda:1", "1")]
    assert names == [*before, ("meta", "")]


def test_what_is_free_follows_the_cards_own_readings(
    machine: MachineState, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
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
    lab = Lab(
        machine, KnownPython(machine.settings, machine), worker.start, load_of(session.backend)
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


def test_a_worker_that_dies_is_replaced_and_the_session_can_be_run_again(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    run(lab, worker, "Y = X + 1", tensor("Y"))
    ready(lab, qtbot)
    assert not lab.can_replay
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: lab.can_replay)
    assert lab.ledger.things == {}
    assert lab.sentence == "The worker was killed by somebody."
    lab.replay()
    assert replayed(worker)[2:] == [
        (1, MAKE),
        (2, "Y = X + 1"),
    ]
    answer_from(worker, 2)
    qtbot.waitUntil(lambda: not lab.ledger.unfinished)
    assert len(lab.ledger.cells) == 3  # they are the same cells
    assert not lab.can_replay
    assert lab.sentence == ""


def test_the_session_is_run_again_up_to_a_picked_cell(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    for code in ("a = 1", "b = 2", "c = 3"):
        run(lab, worker, code)
    ready(lab, qtbot)
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: lab.can_replay)
    lab.replay(upto=2)
    assert worker.cells[3:] == ["a = 1", "b = 2"]
    answer_from(worker, 3)
    ready(lab, qtbot)
    assert lab.can_replay  # the third is not there yet


def seconds(lab: Lab) -> tuple[float, ...]:
    """For which a cell has been running; none where none does."""
    return () if lab.running_seconds is None else (lab.running_seconds,)


def test_a_cell_that_runs_again_has_been_running_since_then(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "a = 1")
    ready(lab, qtbot)
    assert seconds(lab) == ()
    lab.release()
    asked = lab.machine.session.clock.now()
    lab.replay()
    worker.say(Began(worker.last().id))
    qtbot.waitUntil(lambda: bool(seconds(lab)))
    assert max(seconds(lab)) <= lab.machine.session.clock.now() - asked


def test_failed_and_stopped_cells_are_run_again_only_where_that_is_asked_for(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "a = 1")
    lab.run("a + b")
    worker.fail("", "NameError", "name 'b' is not defined")
    lab.run("while True: pass")
    worker.fail("cancelled", "KeyboardInterrupt", "")
    ready(lab, qtbot)
    assert [each.state for each in lab.ledger.cells[1:]] == ["done", "failed", "cancelled"]
    lab.release()
    lab.replay()
    assert worker.cells[3:] == ["a = 1"]
    worker.done()
    ready(lab, qtbot)
    lab.release()
    lab.replay(with_failed=True)
    assert worker.cells[4:] == ["a = 1", "a + b", "while True: pass"]


def test_what_fails_when_the_session_is_run_again_is_said(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    for code in ("a = open('a')", "b = a.read()", "c = 3"):
        run(lab, worker, code)
    ready(lab, qtbot)
    lab.release()
    lab.replay()
    first, second, third = worker.sent[3:]
    worker.say(Began(first.id), Failed(first.id, "", "OSError", "No such file"))
    worker.say(Began(second.id), Failed(second.id, "", "NameError", "name 'a'…"))
    worker.say(Began(third.id), finished(third.id))
    ready(lab, qtbot)
    assert lab.sentence == "Cells 1, 2 could not be run again. The first: No such file"
    assert [each.state for each in lab.ledger.cells[1:]] == ["failed", "failed", "done"]


def test_a_replay_that_a_worker_did_not_live_through_can_be_begun_again(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    for code in ("a = 1", "b = 2"):
        run(lab, worker, code)
    ready(lab, qtbot)
    lab.release()
    lab.replay()
    worker.say(Began(worker.sent[2].id), finished(worker.sent[2].id))
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: lab.can_replay)
    assert [each.state for each in lab.ledger.cells[1:]] == ["done", "done"]


def test_what_ran_meanwhile_does_not_disturb_a_replay(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, "a = 1")
    ready(lab, qtbot)
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: lab.can_replay)
    run(lab, worker, "a = 5")
    ready(lab, qtbot)
    assert lab.sentence == ""
    lab.replay()
    assert worker.cells[2:] == ["a = 1", "a = 5"]
    assert worker.begun == 3  # all in a fresh one
    answer_from(worker, 2)
    ready(lab, qtbot)


def test_whoever_does_not_want_it_back_is_not_asked_again(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    worker.end("The worker was killed by somebody.")
    qtbot.waitUntil(lambda: lab.can_replay)
    lab.start_over()
    assert not lab.can_replay
    assert [each.code for each in lab.ledger.cells[1:]] == [MAKE]
    assert lab.ledger.done() == []


def test_released_cards_hold_nothing_and_the_cells_stay(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE, tensor("X"))
    ready(lab, qtbot)
    lab.release()
    qtbot.waitUntil(lambda: worker.stopped)
    assert lab.stage is Stage.RESTING
    assert lab.ledger.things == {}
    assert [each.code for each in lab.ledger.cells[1:]] == [MAKE]
    assert lab.can_replay


def test_cells_run_one_after_another_up_to_the_first_that_fails(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.run_all(["a = 1", "a + b", "c = 3"])
    assert worker.cells == ["a = 1"]
    worker.done()
    qtbot.waitUntil(lambda: worker.cells[1:] == ["a + b"])
    worker.fail("", "NameError", "name 'b' is not defined")
    ready(lab, qtbot)
    assert worker.cells == ["a = 1", "a + b"]
    last = lab.ledger.cells[-1]
    assert last.state == "cancelled"
    assert last.failed is not None
    assert last.failed.sentence == "It was not run, since the cell before it failed."


def test_what_waits_behind_a_stopped_cell_is_stopped_too(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    (first, *_) = lab.run_all(["while True: pass", "b = 2"])
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    assert worker.cancelled[-1:] == [first]
    assert lab.ledger.cells[2].state == "cancelled"


def test_what_is_being_worked_out_for_a_lesson_is_stopped_too(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    run(lab, worker, MAKE)
    ready(lab, qtbot)
    number = lab.evaluate(["X.sum()"], {})
    lab.cancel()
    assert worker.cancelled == [number]


def test_nothing_of_a_file_runs_before_somebody_said_that_it_may(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.open_cells(["a = 1", "b = 2", "c = 3"], "/tmp/course.ipynb")
    assert lab.ledger.cells == []
    assert lab.must_ask == "/tmp/course.ipynb"
    with pytest.raises(Trouble, match="comes from outside"):
        lab.run_opened()
    lab.allow("/tmp/course.ipynb")
    assert lab.must_ask == ""
    lab.run_opened(1)
    assert [each.code for each in lab.opened] == ["b = 2", "c = 3"]
    worker.done()
    ready(lab, qtbot)
    assert worker.cells == ["a = 1"]
    assert lab.ledger.cells[1].outside == "/tmp/course.ipynb"


def test_all_cells_of_a_file_run_up_to_one_that_fails_and_the_rest_go_on_standing_there(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.open_cells(["a = 1", "a + b", "c = 3"], "course.py")
    lab.allow("course.py")
    lab.run_opened()
    worker.done()
    qtbot.waitUntil(lambda: len(worker.cells) == 2)
    worker.fail("", "NameError", "name 'b' is not defined")
    ready(lab, qtbot)
    assert [each.code for each in lab.opened] == ["c = 3"]
    assert [each.number for each in lab.ledger.cells] == [0, 1, 2]
    lab.drop_opened()
    assert not lab.opened


def test_what_a_cell_asks_is_answered_by_the_person(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run("name = input('Who? ')")
    worker.say(Began(number), Asked(number, "input", "Who? "))
    cell = lab.ledger.cells[-1]
    qtbot.waitUntil(lambda: cell.asked is not None)
    lab.answer(number, "me")
    assert worker.last() == Answer(number, "me")
    assert cell.asked is None
    lab.answer(number, "twice")
    assert worker.last() == Answer(number, "me")


def test_a_question_about_the_machine_is_answered_by_the_window(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab = Lab(
        machine,
        KnownPython(machine.settings, machine),
        worker.start,
        nvidia_smi=lambda arguments: f"as a driver prints {arguments}",
    )
    number = lab.run("!nvidia-smi -L")
    worker.say(Began(number), Asked(number, "nvidia-smi", "-L"))
    qtbot.waitUntil(lambda: worker.last() == Answer(number, "as a driver prints -L"))
    assert lab.ledger.cells[-1].asked is None
    lab.stop()


def test_typing_asks_no_worker_before_there_is_one(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.complete("torch.on", 8)
    assert not lab.stage.runs
    run(lab, worker, "a = 1")
    ready(lab, qtbot)
    number = lab.complete("torch.on", 8)
    assert worker.last() == Complete(number, "torch.on", 8)
    assert lab.stage is Stage.READY


def test_what_does_not_come_back_when_it_is_cancelled_is_said_to_hang(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    number = lab.run(MAKE)
    qtbot.waitUntil(lambda: lab.stage is Stage.BUSY)
    lab.cancel()
    assert worker.cancelled == [number]
    qtbot.waitUntil(lambda: lab.stage is Stage.HANGING)
    lab.restart()
    assert worker.killed
    ready(lab, qtbot)
    assert lab.ledger.cells[1].state == "failed"


def test_each_cell_says_whether_operations_tell_where_they_run(
    lab: Lab, worker: ScriptedWorker
) -> None:
    lab.run("X")
    lab.choose(replace(lab.switches, placement=True))
    lab.run("X")
    told = [each.placement for each in worker.sent if isinstance(each, Run)]
    assert told == [False, True]


@pytest.mark.skipif(not hasattr(os, "pidfd_open"), reason="needs Linux")
def test_a_python_that_is_asked_and_does_not_answer_ends_with_the_lab(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot, tmp_path: Path
) -> None:
    told, program = tmp_path / "pid", tmp_path / "python"
    program.write_text(f"#!/bin/sh\nsleep 1000 &\necho $! > {told}\nwait\n")
    program.chmod(0o755)
    lab = Lab(machine, LabPythons(machine.settings, machine), worker.start)
    lab.pythons.choose(program)
    qtbot.waitUntil(lambda: told.exists() and told.read_text().endswith("\n"))
    with qtbot.waitSignal(lab.pythons.changed):
        lab.stop()
    assert not lab.pythons.working
    assert lab.pythons.trouble == ""
    assert ended(int(told.read_text()))


class SlowPythons(LabPythons):
    """The search is over when the test says so."""

    def __init__(self, machine: MachineState) -> None:
        super().__init__(machine.settings, machine)
        self.searches = 0

    def find(self) -> None:
        self.searches += 1

    def be_over(self, known: LabPython | None = None) -> None:
        self.python = known
        self.changed.emit()


def test_a_search_that_was_given_up_elsewhere_begins_again(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    pythons = SlowPythons(machine)
    lab = Lab(machine, pythons, worker.start)
    lab.run("X = 1")
    pythons.be_over()  # another session's lab went, and gave up what it had begun
    assert (lab.stage, pythons.searches) == (Stage.SEARCHING, 2)
    pythons.be_over(PYTHON)
    assert worker.cells == ["X = 1"]
    lab.stop()
