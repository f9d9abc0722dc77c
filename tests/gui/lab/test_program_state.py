"""A program that is watched: its worker, its phases, and that nothing of it is left behind."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Chosen, Phase, ProgramState
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Asked, Began, Failed
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Answer
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.stream import load_of
from tests.gui.lab.conftest import ScriptedWorker, memory
from tests.gui.lab.watched_programs import CHOSEN, FILE, Told, program_lab, seen


@pytest.fixture
def lab(machine: MachineState, worker: ScriptedWorker) -> Iterator[Lab]:
    lab = program_lab(machine, worker)
    yield lab
    lab.stop()


@pytest.fixture
def told(lab: Lab, worker: ScriptedWorker) -> Told:
    return Told(lab.program, worker)


def reaches(qtbot: QtBot, state: ProgramState, phase: Phase) -> None:
    qtbot.waitUntil(lambda: state.phase is phase)


def test_a_program_is_started_with_its_arguments_and_ends_with_its_status(
    told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    assert worker.program == Program(Path(FILE), ("--epochs", "3"))
    reaches(qtbot, told.state, Phase.RUNNING)
    told.end(3)
    reaches(qtbot, told.state, Phase.ENDED)
    assert told.state.status == 3
    assert told.state.seconds is not None


def test_what_was_seen_of_it_is_summed_up_and_stays_while_a_thread_looks_at_it(
    told: Told, qtbot: QtBot
) -> None:
    told.begin()
    told.say(seen(steps=10, seen_steps=10))
    qtbot.waitUntil(lambda: (run := told.state.run()) is not None and bool(run.seen))
    before = told.state.run()
    told.say(seen(steps=20, seen_steps=20))
    qtbot.waitUntil(lambda: told.state.cell is not None and told.state.cell.seen is not None)
    qtbot.waitUntil(lambda: told.state.cell.seen.steps == 20)  # type: ignore[union-attr]
    assert before is not None
    assert before.cells[0].seen is not None
    assert before.cells[0].seen.steps == 10
    assert before.hello is not None


def test_an_error_that_nothing_caught_is_a_failure(told: Told, qtbot: QtBot) -> None:
    told.begin()
    told.fail("ValueError", "no such layer")
    reaches(qtbot, told.state, Phase.FAILED)
    assert not told.state.sentence


def test_ctrl_c_is_sent_and_what_ends_then_was_stopped(
    told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    reaches(qtbot, told.state, Phase.RUNNING)
    told.state.interrupt()
    assert worker.cancelled == [1]
    reaches(qtbot, told.state, Phase.STOPPING)
    told.say(Failed(1, "raised", "KeyboardInterrupt", ""))
    worker.ended_with = -2
    worker.end("The program was interrupted.")
    reaches(qtbot, told.state, Phase.STOPPED)


def test_what_does_not_come_back_can_be_ended(
    told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    reaches(qtbot, told.state, Phase.RUNNING)
    told.state.interrupt()
    reaches(qtbot, told.state, Phase.HANGING)
    told.state.kill()
    reaches(qtbot, told.state, Phase.KILLED)
    assert worker.killed
    assert told.state.sentence == "It was ended, since it did not come back."


def test_whoever_stops_it_before_it_began_waits_for_nothing(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.program.start(CHOSEN)
    reaches(qtbot, lab.program, Phase.STARTING)
    lab.program.interrupt()
    reaches(qtbot, lab.program, Phase.STOPPED)
    qtbot.waitUntil(lambda: worker.stopped)
    worker.say(Began(1))
    reaches(qtbot, lab.program, Phase.STOPPED)


def test_a_signal_that_killed_it_is_named(
    told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    reaches(qtbot, told.state, Phase.RUNNING)
    told.say(Failed(1, "ended", "", ""))
    worker.ended_with = -11
    worker.end("The program was killed by a memory fault of its own (SIGSEGV).")
    reaches(qtbot, told.state, Phase.KILLED)
    assert "SIGSEGV" in told.state.sentence


def test_a_python_without_pytorch_says_so(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    lab.program.start(CHOSEN)
    worker.end("PyTorch cannot be loaded by this Python: No module named 'torch'.")
    reaches(qtbot, lab.program, Phase.REFUSED)
    assert "No module named 'torch'" in lab.program.sentence


def test_a_python_that_cannot_be_started_is_refused_with_a_way_out(
    machine: MachineState, worker: ScriptedWorker
) -> None:
    def refuse(*_: object) -> WorkerProcess:
        raise Trouble("It cannot be started.", "Choose another.")

    pythons = program_lab(machine, worker).pythons
    state = ProgramState(machine, pythons, lambda _: refuse, None, machine)
    state.start(CHOSEN)
    assert state.phase is Phase.REFUSED
    assert state.sentence == "It cannot be started. Choose another."
    state.stop()


def test_while_a_python_is_looked_for_it_waits_and_then_says_why_there_is_none(
    machine: MachineState, worker: ScriptedWorker
) -> None:
    class Without(LabPythons):
        def find(self) -> None:
            pass

    pythons = Without(machine.settings, machine)
    state = ProgramState(machine, pythons, worker.starting, None, machine)
    state.start(CHOSEN)
    assert state.phase is Phase.SEARCHING
    pythons.trouble = Message("None has PyTorch.")
    pythons.changed.emit()
    assert (state.phase, state.sentence) == (Phase.REFUSED, "None has PyTorch.")
    state.stop()


def test_what_it_asks_is_answered_once(
    told: Told, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    told.say(Asked(1, "input", "Which? "))
    qtbot.waitUntil(lambda: told.state.cell is not None and bool(told.state.cell.asked))
    told.state.answer("two")
    told.state.answer("three")
    assert worker.sent == [Answer(1, "two")]


def test_closed_it_leaves_nothing(told: Told, worker: ScriptedWorker, qtbot: QtBot) -> None:
    told.begin()
    reaches(qtbot, told.state, Phase.RUNNING)
    told.state.close()
    assert told.state.chosen is None
    assert told.state.run() is None
    qtbot.waitUntil(lambda: worker.stopped)


def test_the_end_of_the_lab_is_its_end(
    told: Told, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    told.begin()
    lab.stop()
    qtbot.waitUntil(lambda: worker.stopped)


def test_another_takes_its_place_and_asks_again_only_for_another_file(
    told: Told, worker: ScriptedWorker
) -> None:
    other = Chosen(Path("/home/me/other.py"), "")
    told.begin()
    assert told.state.may_run(CHOSEN.path)
    assert not told.state.may_run(other.path)
    told.begin(other)
    assert worker.program == Program(other.path, ())


def test_the_strips_see_what_it_does_and_that_it_is_over(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    load = load_of(machine.session.backend, live=True)
    pythons = program_lab(machine, worker).pythons
    state = ProgramState(machine, pythons, worker.starting, load, machine)
    card = machine.cards()[0].card.id

    def held() -> int:
        return len(machine.session.backend.processes(card) or ())

    before = held()
    told = Told(state, worker)
    told.begin()
    told.say(seen(memory=(memory("cuda:0"),)))
    qtbot.waitUntil(lambda: held() == before + 1)
    told.end()
    reaches(qtbot, state, Phase.ENDED)
    assert held() == before
    state.stop()
