"""The lab with a real worker that meets each misfortune: a sentence, and a new one is there."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.starting import smi_of
from gpuexplorer.gui.state.lab.worker_slot import Stage, Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Event, Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.stream import load_of
from tests.gui.lab.conftest import ThisPython
from tests.lab.processes import needs_torch
from tests.lab.sessions import TWO_CARDS

pytestmark = [needs_torch, pytest.mark.long]

PATIENCE = 60_000
MAKE = "X = torch.rand(2, 3, device='cuda:0')"
SUM = "float(X.sum())"
OVER = ("done", "failed", "cancelled")


class RealLab:
    """A lab and the processes behind it. `gone` is set when the end of one was told, which a
    test can wait for without the window's event loop.
    """

    def __init__(self, machine: MachineState) -> None:
        self.workers: list[WorkerProcess] = []
        self.gone = threading.Event()
        python, session = ThisPython(machine.settings, machine), machine.session
        self.state = Lab(
            machine, python, self._start, load_of(session.backend), smi_of(session)
        )

    def _start(
        self,
        switches: Switches,
        program: Path,
        on_event: Callable[[Event], None],
        on_end: Callable[[Message], None],
    ) -> WorkerProcess:
        def tell_end(why: Message) -> None:
            on_end(why)
            self.gone.set()

        self.workers.append(WorkerProcess(Start(cards=TWO_CARDS), on_event, tell_end))
        return self.workers[-1]


@pytest.fixture
def lab(machine: MachineState) -> Iterator[RealLab]:
    lab = RealLab(machine)
    yield lab
    lab.state.stop()
    for each in lab.workers:
        each.stop()


def begin(lab: RealLab, code: str) -> Cell:
    cell = lab.state.ledger.cell(lab.state.run(code))
    assert cell is not None
    return cell


def run(lab: RealLab, qtbot: QtBot, code: str) -> Cell:
    cell = begin(lab, code)
    qtbot.waitUntil(lambda: cell.state in OVER, timeout=PATIENCE)
    return cell


def shown(cell: Cell, stream: str = "value") -> str:
    texts = [each for each in cell.outputs if isinstance(each, Printed)]
    return "".join(each.text for each in texts if each.stream == stream)


def failure(cell: Cell) -> str:
    assert cell.failed is not None
    return cell.failed.sentence


def ready(lab: RealLab, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: lab.state.stage is Stage.READY, timeout=PATIENCE)


def test_after_a_worker_was_killed_the_same_values_come_back(
    lab: RealLab, qtbot: QtBot
) -> None:
    run(lab, qtbot, "import random, os")
    run(lab, qtbot, MAKE)
    run(lab, qtbot, "1 / 0")
    drawn = shown(run(lab, qtbot, "random.random(), torch.rand(1), torch.rand(1).cuda()"))
    before = shown(run(lab, qtbot, SUM))
    os.kill(lab.workers[0].pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: lab.state.can_replay, timeout=PATIENCE)
    assert "SIGKILL" in lab.state.sentence
    ready(lab, qtbot)
    assert lab.state.ledger.things == {}
    lab.state.replay()
    qtbot.waitUntil(lambda: not lab.state.ledger.unfinished, timeout=PATIENCE)
    again = lab.state.ledger.cells
    assert [each.state for each in again] == ["done", "done", "done", "failed", "done", "done"]
    assert (shown(again[4]), shown(again[5])) == (drawn, before)
    assert shown(run(lab, qtbot, SUM)) == before


def test_a_cell_that_asks_goes_on_with_what_the_person_types(
    lab: RealLab, qtbot: QtBot
) -> None:
    cell = begin(lab, "name = input('Who? ')\nname * 2")
    qtbot.waitUntil(lambda: cell.asked is not None, timeout=PATIENCE)
    lab.state.answer(cell.id, "me")
    qtbot.waitUntil(lambda: cell.state in OVER, timeout=PATIENCE)
    assert shown(cell) == "'meme'"
    assert "TITAN RTX" in shown(run(lab, qtbot, "!nvidia-smi"), "out")


def test_what_hangs_is_cancelled_in_vain_and_then_restarted(
    lab: RealLab, qtbot: QtBot, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    lab.state.run(
        "import ctypes, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        f"open({str(there)!r}, 'w').close()\nctypes.PyDLL(None).sleep(1000)"
    )
    qtbot.waitUntil(lambda: lab.state.stage is Stage.BUSY, timeout=PATIENCE)
    qtbot.waitUntil(there.exists, timeout=PATIENCE)
    lab.state.cancel()
    qtbot.waitUntil(lambda: lab.state.stage is Stage.HANGING, timeout=PATIENCE)
    lab.state.restart()
    ready(lab, qtbot)
    assert lab.state.ledger.cells[1].state == "failed"
    assert run(lab, qtbot, MAKE).state == "done"


def test_a_loop_that_does_not_end_can_be_stopped(lab: RealLab, qtbot: QtBot) -> None:
    run(lab, qtbot, MAKE)
    cell = begin(lab, "while True:\n    Y = X + 1")
    qtbot.waitUntil(lambda: lab.state.ledger.running is not None, timeout=PATIENCE)
    lab.state.cancel()
    ready(lab, qtbot)
    assert (cell.state, len(lab.workers)) == ("cancelled", 1)


def test_a_cell_for_a_worker_that_ended_a_moment_ago_fails_and_the_next_is_carried_out(
    lab: RealLab, qtbot: QtBot
) -> None:
    """Its end is told to a window that just sends a cell."""
    run(lab, qtbot, MAKE)
    os.kill(lab.workers[0].pid, signal.SIGKILL)
    assert lab.gone.wait(PATIENCE / 1000)
    assert "SIGKILL" in failure(run(lab, qtbot, "Y = 1"))
    assert run(lab, qtbot, "Z = 1").state == "done"
    ready(lab, qtbot)


def test_a_restart_is_told_as_such_and_helps_while_pytorch_is_still_loaded(
    lab: RealLab, qtbot: QtBot
) -> None:
    cell = begin(lab, MAKE)
    assert lab.state.stage is Stage.STARTING
    lab.state.restart()
    qtbot.waitUntil(lambda: cell.state == "failed", timeout=PATIENCE)
    assert failure(cell) == lab.state.sentence == "The worker was restarted."
    ready(lab, qtbot)
    assert len(lab.workers) == 2
