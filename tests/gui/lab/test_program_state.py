"""A program that is watched: its worker, its phases, and that nothing of it is left behind."""

from collections.abc import Callable, Iterator
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
from tests.gui.lab.conftest import KnownPython, ScriptedWorker, memory
from tests.gui.lab.watched_programs import CHOSEN, FILE, Told, program_lab, seen


class Watched(Told):
    def __init__(self, lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> None:
        super().__init__(lab.program, worker)
        self.lab, self.until = lab, qtbot.waitUntil

    def reaches(self, phase: Phase) -> None:
        self.until(lambda: self.state.phase is phase)

    def runs(self) -> None:
        self.begin()
        self.reaches(Phase.RUNNING)

    def ends(self, failed: Failed, status: int, why: str) -> None:
        self.say(failed)
        self.worker.ended_with = status
        self.worker.end(why)

    def steps(self) -> list[int]:
        run = self.state.run()
        cells = () if run is None else run.cells
        return [each.seen.steps for each in cells if each.seen is not None]


@pytest.fixture
def told(machine: MachineState, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[Watched]:
    lab = program_lab(machine, worker)
    yield Watched(lab, worker, qtbot)
    lab.stop()


def interrupted(told: Watched) -> None:
    told.state.interrupt()
    assert told.worker.cancelled == [1]
    told.reaches(Phase.STOPPING)
    told.ends(Failed(1, "raised", "KeyboardInterrupt", ""), -2, "It was interrupted.")


def hanging(told: Watched) -> None:
    told.state.interrupt()
    told.reaches(Phase.HANGING)
    told.state.kill()


# How it ends, and what is said then.
ENDS: dict[str, tuple[Callable[[Watched], None], Phase, int, str]] = {
    "by itself": (lambda told: told.end(3), Phase.ENDED, 3, ""),
    "by an error": (lambda told: told.fail("ValueError", "no"), Phase.FAILED, 1, ""),
    "by a signal": (
        lambda told: told.ends(Failed(1, "ended", "", ""), -11, "SIGSEGV"),
        Phase.KILLED,
        -11,
        "SIGSEGV",
    ),
    "by Ctrl+C": (interrupted, Phase.STOPPED, -2, ""),
    "not": (hanging, Phase.KILLED, -9, "It was ended, since it did not come back."),
}


@pytest.mark.parametrize("how", ENDS)
def test_how_a_program_ends_is_told(told: Watched, how: str) -> None:
    end, phase, status, sentence = ENDS[how]
    told.runs()
    assert told.worker.program == Program(Path(FILE), ("--epochs", "3"))
    end(told)
    told.reaches(phase)
    assert (told.state.status, told.state.sentence) == (status, sentence)
    assert told.state.seconds is not None


def test_what_was_seen_of_it_stays_while_a_thread_looks_at_it(told: Watched) -> None:
    told.begin()
    told.say(seen(steps=10, seen_steps=10))
    told.until(lambda: told.steps() == [10])
    before = told.state.run()
    told.say(seen(steps=20, seen_steps=20))
    told.until(lambda: told.steps() == [20])
    assert before is not None
    assert before.hello is not None
    assert [each.seen and each.seen.steps for each in before.cells] == [10]


def test_whoever_stops_it_before_it_began_waits_for_nothing(told: Watched) -> None:
    told.state.start(CHOSEN)
    told.reaches(Phase.STARTING)
    told.state.interrupt()
    told.until(lambda: told.worker.stopped)
    told.say(Began(1))
    told.reaches(Phase.STOPPED)


def test_a_python_without_pytorch_says_so(told: Watched) -> None:
    told.state.start(CHOSEN)
    told.worker.end("PyTorch cannot be loaded by this Python: No module named 'torch'.")
    told.reaches(Phase.REFUSED)
    assert "No module named 'torch'" in told.state.sentence


class Without(LabPythons):
    def find(self) -> None:
        pass


def test_what_cannot_be_started_is_refused_with_its_reason(
    machine: MachineState, worker: ScriptedWorker
) -> None:
    def refuse(*_: object) -> WorkerProcess:
        raise Trouble("It cannot be started.", "Choose another.")

    known, none = KnownPython(machine.settings, machine), Without(machine.settings, machine)
    state = ProgramState(machine, known, lambda _: refuse, None, machine)
    searching = ProgramState(machine, none, worker.starting, None, machine)
    state.start(CHOSEN)
    searching.start(CHOSEN)
    assert (state.phase, state.sentence) == (
        Phase.REFUSED,
        "It cannot be started. Choose another.",
    )
    assert searching.phase is Phase.SEARCHING
    none.trouble = Message("None has PyTorch.")
    none.changed.emit()
    assert (searching.phase, searching.sentence) == (Phase.REFUSED, "None has PyTorch.")
    state.stop()
    searching.stop()


def test_what_it_asks_is_answered_once(told: Watched) -> None:
    told.begin()
    told.say(Asked(1, "input", "Which? "))
    told.until(lambda: told.state.cell is not None and bool(told.state.cell.asked))
    told.state.answer("two")
    told.state.answer("three")
    assert told.worker.sent == [Answer(1, "two")]


@pytest.mark.parametrize("end", [lambda told: told.state.close(), lambda told: told.lab.stop()])
def test_closed_or_with_the_end_of_the_lab_it_leaves_nothing(
    told: Watched, end: Callable[[Watched], None]
) -> None:
    told.runs()
    end(told)
    told.until(lambda: told.worker.stopped)


def test_another_takes_its_place_and_asks_again_only_for_another_file(told: Watched) -> None:
    other = Chosen(Path("/home/me/other.py"), "")
    told.begin()
    assert told.state.may_run(CHOSEN.path)
    assert not told.state.may_run(other.path)
    told.begin(other)
    assert told.worker.program == Program(other.path, ())


def test_the_strips_see_what_it_does_and_that_it_is_over(
    machine: MachineState, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    python, backend = KnownPython(machine.settings, machine), machine.session.backend
    load = load_of(backend, live=True)
    state = ProgramState(machine, python, worker.starting, load, machine)
    card = machine.cards()[0].card.id

    def held() -> int:
        return len(backend.processes(card) or ())

    before, told = held(), Told(state, worker)
    told.begin()
    told.say(seen(memory=(memory("cuda:0"),)))
    qtbot.waitUntil(lambda: held() == before + 1)
    told.end()
    qtbot.waitUntil(lambda: state.phase is Phase.ENDED)
    assert held() == before
    state.stop()
