"""The lab with a real worker that meets each misfortune: a sentence, and a new one is there."""

import os
import signal
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.state.lab.stage import Stage
from gpuexplorer.gui.state.lab.starting import load_of
from gpuexplorer.gui.state.lab.switches import Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.events import Event
from gpuexplorer.lab.ledger import Entry
from gpuexplorer.lab.worker_process import Start, WorkerProcess
from tests.gui.lab.conftest import ThisPython
from tests.lab.processes import needs_torch, on_len
from tests.lab.sessions import TWO_CARDS

pytestmark = [needs_torch, pytest.mark.long]

PATIENCE = 60_000
MAKE = "X = torch.rand(2, 3, device=try_gpu())"
SUM = "float(X.sum())"
# From then on all it says is no message.
GARBAGE = "import gpuexplorer.worker.pipe as p; p.line_of = lambda _: 'garbage\\n'"


class Ending(WorkerProcess):
    """Lets a test wait, without the window's event loop, until its end was told."""

    def __init__(
        self, start: Start, on_event: Callable[[Event], None], on_end: Callable[[Message], None]
    ) -> None:
        self.gone = threading.Event()

        def tell_end(why: Message) -> None:
            on_end(why)
            self.gone.set()

        super().__init__(start, on_event, tell_end)


class Lab:
    """A lab and the processes behind it, in which `len([])` does what a test wants."""

    def __init__(self, machine: MachineState) -> None:
        self.misfortune = "pass"
        self.workers: list[Ending] = []
        python = ThisPython(machine.settings, machine)
        self.state = LabState(machine, python, self._start, load_of(machine.session))

    def _start(
        self,
        switches: Switches,
        program: Path,
        on_event: Callable[[Event], None],
        on_end: Callable[[Message], None],
    ) -> WorkerProcess:
        start = replace(on_len(self.misfortune), cards=TWO_CARDS)
        self.workers.append(Ending(start, on_event, on_end))
        return self.workers[-1]


@pytest.fixture
def lab(machine: MachineState) -> Iterator[Lab]:
    lab = Lab(machine)
    yield lab
    lab.state.stop()
    for each in lab.workers:
        each.stop()


def run(lab: Lab, qtbot: QtBot, line: str) -> Entry:
    entry = lab.state.ledger.entry(lab.state.run(line))
    assert entry is not None
    qtbot.waitUntil(lambda: entry.state in ("done", "failed"), timeout=PATIENCE)
    return entry


def failure(entry: Entry) -> str:
    assert entry.failed is not None
    return entry.failed.sentence


def ready(lab: Lab, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: lab.state.stage is Stage.READY, timeout=PATIENCE)


def test_a_killed_worker_is_replaced_and_the_same_values_come_back(
    lab: Lab, qtbot: QtBot
) -> None:
    run(lab, qtbot, MAKE)
    before = run(lab, qtbot, SUM).printed
    os.kill(lab.workers[0].pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: len(lab.state.lost) > 0, timeout=PATIENCE)
    assert "SIGKILL" in lab.state.sentence
    ready(lab, qtbot)
    assert lab.state.ledger.things == {}
    lab.state.rebuild()
    assert run(lab, qtbot, SUM).printed == before


@pytest.mark.parametrize(
    ("misfortune", "said"),
    [
        ("ctypes.string_at(0)", "SIGSEGV"),
        (GARBAGE, "said something that is no message"),
        ("os.close(1); os._exit(7)", "status 7"),
        (
            "raise RuntimeError('CUDA error: device-side assert triggered')",
            "The card broke off.",
        ),
    ],
)
def test_what_ends_a_worker_is_told_and_the_next_line_is_carried_out(
    lab: Lab, qtbot: QtBot, misfortune: str, said: str
) -> None:
    lab.misfortune = misfortune
    failed = run(lab, qtbot, "len([])")
    assert failed.state == "failed"
    qtbot.waitUntil(lambda: said in lab.state.sentence, timeout=PATIENCE)
    lab.misfortune = "pass"
    assert run(lab, qtbot, MAKE).state == "done"


def test_what_hangs_is_cancelled_in_vain_and_then_restarted(lab: Lab, qtbot: QtBot) -> None:
    lab.misfortune = "ctypes.PyDLL(None).sleep(1000)"
    lab.state.run("len([])")
    qtbot.waitUntil(lambda: lab.state.stage is Stage.BUSY, timeout=PATIENCE)
    qtbot.waitUntil(lambda: lab.state.ledger.running is not None, timeout=PATIENCE)
    lab.state.cancel()
    qtbot.waitUntil(lambda: lab.state.stage is Stage.HANGING, timeout=PATIENCE)
    lab.state.restart()
    ready(lab, qtbot)
    assert lab.state.ledger.entries[0].state == "failed"
    assert run(lab, qtbot, MAKE).state == "done"


def test_a_loop_that_does_not_end_can_be_stopped(lab: Lab, qtbot: QtBot) -> None:
    run(lab, qtbot, MAKE)
    lab.state.run("for i in range(1000000): Y = X + 1")
    qtbot.waitUntil(lambda: lab.state.ledger.running is not None, timeout=PATIENCE)
    lab.state.cancel()
    ready(lab, qtbot)
    failed = lab.state.ledger.entries[-1].failed
    assert failed is not None
    assert failed.cause == "cancelled"
    assert len(lab.workers) == 1


def test_a_cap_on_memory_is_met_and_the_shelf_stays(lab: Lab, qtbot: QtBot) -> None:
    run(lab, qtbot, MAKE)
    run(lab, qtbot, "torch.cuda.set_per_process_memory_fraction(0.01, 0)")
    failed = run(lab, qtbot, "B = torch.zeros(20000, 20000, device=try_gpu())").failed
    assert failed is not None
    assert failed.cause == "out of memory"
    assert list(lab.state.ledger.things) == ["X"]


def test_the_plots_see_what_the_lab_holds_and_that_it_was_released(
    lab: Lab, machine: MachineState, qtbot: QtBot
) -> None:
    run(lab, qtbot, MAKE)
    held = [
        each.pid for each in machine.session.backend.processes(machine.cards()[0].card.id) or ()
    ]
    lab.state.release()
    after = [
        each.pid for each in machine.session.backend.processes(machine.cards()[0].card.id) or ()
    ]
    assert len(held) == len(after) + 1
    qtbot.waitUntil(lambda: not lab.workers[0].running, timeout=PATIENCE)


def test_a_line_for_a_worker_that_ended_a_moment_ago_fails_and_the_next_is_carried_out(
    lab: Lab, qtbot: QtBot
) -> None:
    """Its end is told to a window that just sends a line."""
    run(lab, qtbot, MAKE)
    os.kill(lab.workers[0].pid, signal.SIGKILL)
    assert lab.workers[0].gone.wait(PATIENCE / 1000)
    assert "SIGKILL" in failure(run(lab, qtbot, "Y = 1"))
    assert run(lab, qtbot, "Z = 1").state == "done"
    ready(lab, qtbot)


def test_a_restart_is_told_as_such_and_helps_while_pytorch_is_still_loaded(
    lab: Lab, qtbot: QtBot
) -> None:
    entry = lab.state.ledger.entry(lab.state.run(MAKE))
    assert entry is not None
    assert lab.state.stage is Stage.STARTING
    lab.state.restart()
    qtbot.waitUntil(lambda: entry.state == "failed", timeout=PATIENCE)
    assert failure(entry) == lab.state.sentence == "The worker was restarted."
    ready(lab, qtbot)
    assert len(lab.workers) == 2
