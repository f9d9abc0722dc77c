"""The lab with real workers, here and on another machine: each misfortune is a sentence, and a
new worker is there; a lost card, a check that fails on a card, and nvidia-smi.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import MEMORY_USED
from gpuexplorer.core.words import Message
from gpuexplorer.gui.lab.code.cell_words import briefly
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.lab.code.error_panel import price_words
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Chosen, Phase
from gpuexplorer.gui.state.lab.starting import lab_of, smi_of, starter_of
from gpuexplorer.gui.state.lab.worker_slot import Stage, Switches
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.cures import Cure, cures
from gpuexplorer.lab.events import Failed, Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.remote.stream import FarStream, load_of
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import IDLE, simulated
from tests.gui.lab.conftest import KnownPython, OnEnd, OnEvent, ThisPython
from tests.gui.leaping_clock import LeapingClock
from tests.lab.processes import needs_torch
from tests.lab.sessions import TWO_CARDS
from tests.remote.waiting import gone_within

pytestmark = needs_torch
posix = pytest.mark.skipif(sys.platform == "win32", reason="a shell of POSIX runs it")
PATIENCE = 60_000
MAKE = "X = torch.rand(2, 3, device='cuda:0')"
SUM = "float(X.sum())"
OVER = ("done", "failed", "cancelled")
Wait = Callable[[Callable[[], bool]], None]


@pytest.fixture
def wait(qtbot: QtBot) -> Wait:
    """As long as a worker takes that imports PyTorch beside others."""
    return partial(qtbot.waitUntil, timeout=PATIENCE)


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

    def _start(self, _: Switches, __: Path, on_event: OnEvent, on_end: OnEnd) -> WorkerProcess:
        def tell_end(why: Message) -> None:
            on_end(why)
            self.gone.set()

        self.workers.append(WorkerProcess(Start(cards=TWO_CARDS), on_event, tell_end))
        return self.workers[-1]


@pytest.fixture
def real(machine: MachineState) -> Iterator[RealLab]:
    real = RealLab(machine)
    yield real
    real.state.stop()
    for each in real.workers:
        each.stop()


def begin(lab: Lab, code: str) -> Cell:
    cell = lab.ledger.cell(lab.run(code))
    assert cell is not None
    return cell


def run(lab: Lab, wait: Wait, code: str) -> Cell:
    cell = begin(lab, code)
    wait(lambda: cell.state in OVER)
    return cell


def printed(cell: Cell) -> str:
    assert cell.failed is None, cell.failed
    return "".join(str(each.text) for each in cell.outputs if isinstance(each, Printed))


def failure(cell: Cell) -> Failed:
    assert cell.failed is not None
    return cell.failed


def is_ready(lab: Lab) -> Callable[[], bool]:
    return lambda: lab.stage is Stage.READY


@pytest.mark.long
def test_after_a_worker_was_killed_the_same_values_come_back(real: RealLab, wait: Wait) -> None:
    run(real.state, wait, "import random, os")
    run(real.state, wait, MAKE)
    run(real.state, wait, "1 / 0")
    drawn = printed(
        run(real.state, wait, "random.random(), torch.rand(1), torch.rand(1).cuda()")
    )
    before = printed(run(real.state, wait, SUM))
    os.kill(real.workers[0].pid, signal.SIGKILL)
    wait(lambda: real.state.can_replay)
    assert "SIGKILL" in real.state.sentence
    wait(is_ready(real.state))
    assert real.state.ledger.things == {}
    real.state.replay()
    wait(lambda: not real.state.ledger.unfinished)
    again = real.state.ledger.cells
    assert [each.state for each in again] == ["done", "done", "done", "failed", "done", "done"]
    assert (printed(again[4]), printed(again[5])) == (drawn, before)
    assert printed(run(real.state, wait, SUM)) == before


@pytest.mark.long
def test_what_hangs_is_cancelled_in_vain_and_then_restarted(
    real: RealLab, wait: Wait, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    real.state.run(
        "import ctypes, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        f"open({str(there)!r}, 'w').close()\nctypes.PyDLL(None).sleep(1000)"
    )
    wait(lambda: real.state.stage is Stage.BUSY)
    wait(there.exists)
    real.state.cancel()
    wait(lambda: real.state.stage is Stage.HANGING)
    real.state.restart()
    wait(is_ready(real.state))
    assert real.state.ledger.cells[1].state == "failed"
    assert run(real.state, wait, MAKE).state == "done"


@pytest.mark.long
def test_a_cell_for_a_worker_that_ended_a_moment_ago_fails_and_the_next_is_carried_out(
    real: RealLab, wait: Wait
) -> None:
    """Its end is told to a window that just sends a cell."""
    run(real.state, wait, MAKE)
    os.kill(real.workers[0].pid, signal.SIGKILL)
    assert real.gone.wait(PATIENCE / 1000)
    assert "SIGKILL" in failure(run(real.state, wait, "Y = 1")).sentence
    assert run(real.state, wait, "Z = 1").state == "done"
    wait(is_ready(real.state))


@pytest.mark.long
def test_a_restart_is_told_as_such_and_helps_while_pytorch_is_still_loaded(
    real: RealLab, wait: Wait
) -> None:
    cell = begin(real.state, MAKE)
    assert real.state.stage is Stage.STARTING
    real.state.restart()
    wait(lambda: cell.state == "failed")
    assert failure(cell).sentence == real.state.sentence == "The worker was restarted."
    wait(is_ready(real.state))
    assert len(real.workers) == 2


class Fall:
    """Makes card 1 fall off the bus, for an hour."""

    def __init__(self, qtbot: QtBot) -> None:
        self.clock, self._qtbot = LeapingClock(), qtbot
        source = simulated("2xTitanRTX", "lost:1@1000s-4600s", clock=self.clock)
        self.session = remembering(session_on(source, interval=0.1, clock=self.clock))

    def until(self, state: CardState, later: float) -> None:
        self.clock.ahead += later
        card = self.session.cards()[1].id
        self._qtbot.waitUntil(
            lambda: [each.state for each in [self.session.reading(card)] if each] == [state],
            timeout=PATIENCE,
        )


@pytest.fixture
def fall(qtbot: QtBot) -> Iterator[Fall]:
    fall = Fall(qtbot)
    want = fall.session.want()
    fall.session.start()
    assert fall.session.wait_for_sweeps(1, PATIENCE / 1000)
    yield fall
    fall.session.release(want)
    fall.session.stop()


@pytest.fixture
def falling(fall: Fall) -> Iterator[RealLab]:
    parent = QObject()
    falling = RealLab(MachineState(fall.session, Settings(), parent))
    yield falling
    falling.state.stop()
    for each in falling.workers:
        each.stop()


def test_what_uses_the_lost_card_fails_and_all_else_comes_back(
    falling: RealLab, fall: Fall, wait: Wait
) -> None:
    run(falling.state, wait, "A = torch.rand(2, 3, device='cuda:0')")
    before = printed(run(falling.state, wait, "float(A.sum())"))
    lost = run(falling.state, wait, "B = torch.ones(3).cuda(1)")
    follows = run(falling.state, wait, "C = B.cpu()")
    run(falling.state, wait, "H = torch.zeros(4)")
    fall.until(CardState.LOST, 1000.0)
    assert [each.reason for each in falling.state.devices() if each.name == "cuda:1"] == [
        "The driver has lost this card: nothing on it answers any more."
    ]
    assert run(falling.state, wait, "D = A + 1").state == "done"
    failed = failure(run(falling.state, wait, "B + 1"))
    assert (failed.cause, failed.error) == ("device broken", "AcceleratorError")
    assert failed.message.startswith("CUDA error: unspecified launch failure")
    assert failed.sentence.startswith("cuda:1 is lost: the card does not answer any more")
    wait(lambda: falling.state.can_replay)
    wait(is_ready(falling.state))
    falling.state.replay()
    there = {"A", "H", "D"}
    wait(lambda: set(falling.state.ledger.things) == there)
    assert printed(run(falling.state, wait, "float(A.sum())")) == before
    said = "cuda:1 is lost, and what this cell made went with it."
    assert [failure(each).sentence for each in (lost, follows)] == [said, said]


@pytest.mark.long
def test_a_process_that_did_not_use_the_lost_card_goes_on(
    falling: RealLab, fall: Fall, wait: Wait
) -> None:
    run(falling.state, wait, "A = torch.ones(2, device='cuda:0')")
    fall.until(CardState.LOST, 1000.0)
    failed = failure(run(falling.state, wait, "B = A.cuda(1)"))
    assert failed.cause == "device lost"
    assert failed.message.startswith("CUDA error: unknown error")
    assert printed(run(falling.state, wait, "float((A + 1).sum())")) == "4.0"
    assert set(falling.state.ledger.things) == {"A"}
    assert len(falling.workers) == 1
    fall.until(CardState.WORKING, 4600.0)
    assert run(falling.state, wait, "B = A.cuda(1)").state == "done"


BEFORE = (
    "device = torch.device('cuda:0')",
    "table = nn.Embedding(3, 2).to(device)\nscale = torch.ones(2, device=device)",
    "def pick(rows):\n    return table(rows) * scale",
)

FAILS = """rows = torch.tensor([0, 7]).to(device)
result = pick(rows).to("cuda:0")
print(result.sum().item())"""


@pytest.fixture
def session(machine: MachineState) -> Iterator[Lab]:
    python, its_session = ThisPython(machine.settings, machine), machine.session
    session = Lab(machine, python, starter_of(its_session), load_of(its_session.backend))
    yield session
    session.stop()


def cured(session: Lab, wait: Wait, cure: Cure, cell: Cell) -> tuple[Cell, Failed]:
    """How the last cell of the cure ended, when all before it ran again."""
    session.run_cure(cure, cell.id)
    wait(lambda: not session.ledger.unfinished)
    last = session.ledger.cells[-1]
    again = session.ledger.cells[: len(BEFORE) + 1]
    assert {(each.state, each.life) for each in again} == {("done", last.life)}
    return last, failure(last)


@pytest.mark.long
def test_each_cure_of_a_check_that_failed_on_a_card_finds_the_culprit(
    session: Lab, wait: Wait
) -> None:
    for each in BEFORE:
        assert run(session, wait, each).state == "done"
    cell = run(session, wait, FAILS)
    failed = failure(cell)
    assert briefly(failed) == "A check on the card failed."
    assert "the line that is shown may be innocent" in failed.sentence
    assert failed.hint == "Everything on the card is lost: it takes a new process."
    assert [each.line for each in failed.frames] == [3]  # an innocent one
    waits, on_host = cures(failed, cell, session.ledger)
    assert waits.shown == ("CUDA_LAUNCH_BLOCKING=1",)
    assert price_words(waits, lambda _: None) == (
        "In a worker that waits for each kernel: the error then names its own line, and all "
        "takes longer. The cells before run again first"
    )
    assert on_host.shown == (
        "device = torch.device('cpu')",
        "table.cpu()",
        "scale = scale.cpu()",
        "result = pick(rows).to('cpu')",
    )
    price = price_words(on_host, lambda _: None)
    assert price.startswith("24 B + 8 B; then it runs on the processor")
    assert "table and scale are on cpu from then on" in price
    last, told = cured(session, wait, waits, cell)
    assert session.switches.waits
    assert told.waited
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]
    assert "it is the line that is shown" in told.sentence
    (on_host,) = cures(told, last, session.ledger)
    _, told = cured(session, wait, on_host, last)
    assert (told.error, told.message) == ("IndexError", "index out of range in self")
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]


SERVER = HostName("kim@server")
Far = Callable[..., Lab]


def runs_here(_: HostName, command: str) -> Sequence[str]:
    return ["sh", "-c", command]


@pytest.fixture
def far(qtbot: QtBot) -> Iterator[Far]:
    """The lab of a machine that is connected. This computer's Python is another one."""
    made: list[tuple[FarMachine, Session, Lab]] = []

    def connect(simulate: str | None = None) -> Lab:
        far = FarMachine(SERVER, python=sys.executable, simulate=simulate, launch=runs_here)
        far.connect()
        far.wait_until_up(PATIENCE / 1000)
        session = remembering(Session(far.stream, 0.5))
        session.start()
        settings = Settings()
        machine = MachineState(session, settings)
        made.append((far, session, lab_of(machine, KnownPython(settings, machine))))
        return made[-1][2]

    yield connect
    for machine, session, lab in made:
        pid = lab.worker_pid
        lab.stop()
        session.stop()
        machine.stop()
        assert not pid or gone_within(pid, PATIENCE / 1000)
        lab.machine.deleteLater()


@pytest.mark.long
@posix
def test_a_cell_runs_there_in_a_python_that_was_found_there_and_no_program_is_watched(
    far: Far, wait: Wait, qtbot: QtBot, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lab = far()
    cell = run(lab, wait, "import os; print(os.getpid())")
    assert cell.state == "done", cell.failed
    assert printed(cell).strip() == str(lab.worker_pid)
    assert lab.pythons.computer == "kim@server"
    assert lab.pythons.python is not None
    assert lab.pythons.python.usable
    file = tmp_path_factory.mktemp("programs") / "train.py"
    lab.program.start(Chosen(file, "print(1)"))
    wait(lambda: lab.program.phase is Phase.REFUSED)
    why = "A program is watched on the computer"
    assert (lab.program.sentence[: len(why)], lab.program.why_not[: len(why)]) == (why, why)
    pane = CodePane(lab)
    qtbot.addWidget(pane)
    button = pane.findChild(QWidget, "lab.watch")
    assert isinstance(button, QWidget)
    assert (button.isEnabled(), button.toolTip()) == (False, lab.program.why_not)


@pytest.mark.long
@posix
def test_simulated_cards_of_another_machine_are_used_and_feel_what_a_cell_does(
    far: Far, wait: Wait
) -> None:
    lab = far("2xH100+idle")

    def used() -> float:
        sample: Sample = lab.machine.session.backend.read(CardId("SIM-1"), [MEMORY_USED])
        return sample.values[MEMORY_USED]

    before = used()
    code = "x = torch.ones(1 << 28, device='cuda:1'); print(torch.cuda.device_count())"
    assert printed(run(lab, wait, code)).strip() == "2"
    assert lab.ledger.hello is not None
    assert lab.ledger.hello.simulated
    assert "H100" in printed(run(lab, wait, "!nvidia-smi"))
    wait(lambda: used() >= before + (1 << 30))
    lab.stop()
    wait(lambda: used() == before)


@pytest.mark.long
@posix
def test_a_connection_that_is_gone_says_so_and_the_next_one_has_a_worker(
    far: Far, wait: Wait
) -> None:
    lab = far()
    run(lab, wait, "1")
    backend = lab.machine.session.backend
    assert isinstance(backend, FarStream)
    backend.machine.stop()
    lab.restart()
    wait(lambda: lab.stage is Stage.FAILED)
    assert not lab.reached
    assert "There is no connection to kim@server." in failure(run(lab, wait, "2")).sentence


@pytest.mark.parametrize(
    ("machine", "job"),
    [(None, CopyJob("cpu", "cpu", 1 << 20)), ("2xH100", CopyJob("cuda:0", "cuda:1", 1 << 28))],
)
@pytest.mark.long
@posix
def test_copies_are_measured_there_and_between_simulated_cards_modelled(
    far: Far, wait: Wait, machine: str | None, job: CopyJob
) -> None:
    copies = copies_of(far(machine))
    copies.ways.look()
    copies.measure([job])
    wait(lambda: not copies.running)
    result = copies.results.get(job)
    assert result is not None, copies.sentence
    assert result.measured
    assert not result.wrong
    copies.stop()


@pytest.fixture
def idle_lab(qtbot: QtBot) -> Iterator[Lab]:
    session = remembering(session_on(simulated(IDLE), interval=0.1))
    parent = QObject()
    machine = MachineState(session, Settings(), parent)
    idle_lab = lab_of(machine, ThisPython(machine.settings, machine))
    yield idle_lab
    idle_lab.stop()
    session.stop()


@pytest.mark.long
def test_the_first_tensor_takes_a_card_from_6_to_925_mib(idle_lab: Lab, wait: Wait) -> None:
    assert printed(run(idle_lab, wait, "!nvidia-smi")).count("6MiB /  24576MiB") == 2
    made = "X = torch.ones(2, 3, device='cuda:0')\n!nvidia-smi"
    shown = printed(run(idle_lab, wait, made))
    assert "|     925MiB /  24576MiB |" in shown
    assert "gpuexplorer worker                      919MiB |" in shown
    assert shown.rstrip().endswith("These cards are simulated: every figure is made up.")
    again = printed(
        run(idle_lab, wait, "!nvidia-smi --query-gpu=memory.used --format=csv,noheader")
    )
    assert again.splitlines()[:2] == ["925 MiB", "6 MiB"]


@pytest.mark.long
def test_what_nvidia_smi_would_never_end_is_refused(idle_lab: Lab, wait: Wait) -> None:
    said = printed(run(idle_lab, wait, "!nvidia-smi -l 1"))
    assert said.startswith("Asked for again and again")
