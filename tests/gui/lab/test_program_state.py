"""A program that is watched: its worker, its phases, and that nothing of it is left behind."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Phase, ProgramState
from gpuexplorer.gui.state.lab.pythons import LabPythons
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Asked, Failed
from gpuexplorer.lab.start import Program
from gpuexplorer.lab.wire import Answer
from gpuexplorer.lab.worker_process import WorkerProcess
from tests.gui.lab.conftest import KnownPython, ScriptedWorker
from tests.gui.lab.watched_programs import CHOSEN, FILE, Told, program_lab


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
