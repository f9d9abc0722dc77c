"""The lab with real workers, here and on another machine: each misfortune is a sentence, and a
new worker is there; a lost card, a check that fails on a card, and nvidia-smi.
"""

import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
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
from gpuexplorer.lab.events import Event, Failed, Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.start import Start
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.lab.worker_process import WorkerProcess
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.remote.stream import FarStream, load_of
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import IDLE, simulated
from tests.gui.lab.conftest import KnownPython, ThisPython
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
def real(machine: MachineState) -> Iterator[RealLab]:
    real = RealLab(machine)
    yield real
    real.state.stop()
    for each in real.workers:
        each.stop()


def begin(real: RealLab, code: str) -> Cell:
    cell = real.state.ledger.cell(real.state.run(code))
    assert cell is not None
    return cell


def run(real: RealLab, qtbot: QtBot, code: str) -> Cell:
    cell = begin(real, code)
    qtbot.waitUntil(lambda: cell.state in OVER, timeout=PATIENCE)
    return cell


def shown(cell: Cell, stream: str = "value") -> str:
    texts = [each for each in cell.outputs if isinstance(each, Printed)]
    return "".join(each.text for each in texts if each.stream == stream)


def failure(cell: Cell) -> str:
    assert cell.failed is not None
    return cell.failed.sentence


def ready(real: RealLab, qtbot: QtBot) -> None:
    qtbot.waitUntil(lambda: real.state.stage is Stage.READY, timeout=PATIENCE)


@pytest.mark.long
def test_after_a_worker_was_killed_the_same_values_come_back(
    real: RealLab, qtbot: QtBot
) -> None:
    run(real, qtbot, "import random, os")
    run(real, qtbot, MAKE)
    run(real, qtbot, "1 / 0")
    drawn = shown(run(real, qtbot, "random.random(), torch.rand(1), torch.rand(1).cuda()"))
    before = shown(run(real, qtbot, SUM))
    os.kill(real.workers[0].pid, signal.SIGKILL)
    qtbot.waitUntil(lambda: real.state.can_replay, timeout=PATIENCE)
    assert "SIGKILL" in real.state.sentence
    ready(real, qtbot)
    assert real.state.ledger.things == {}
    real.state.replay()
    qtbot.waitUntil(lambda: not real.state.ledger.unfinished, timeout=PATIENCE)
    again = real.state.ledger.cells
    assert [each.state for each in again] == ["done", "done", "done", "failed", "done", "done"]
    assert (shown(again[4]), shown(again[5])) == (drawn, before)
    assert shown(run(real, qtbot, SUM)) == before


@pytest.mark.long
def test_what_hangs_is_cancelled_in_vain_and_then_restarted(
    real: RealLab, qtbot: QtBot, tmp_path: Path
) -> None:
    there = tmp_path / "there"
    real.state.run(
        "import ctypes, signal\nsignal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])\n"
        f"open({str(there)!r}, 'w').close()\nctypes.PyDLL(None).sleep(1000)"
    )
    qtbot.waitUntil(lambda: real.state.stage is Stage.BUSY, timeout=PATIENCE)
    qtbot.waitUntil(there.exists, timeout=PATIENCE)
    real.state.cancel()
    qtbot.waitUntil(lambda: real.state.stage is Stage.HANGING, timeout=PATIENCE)
    real.state.restart()
    ready(real, qtbot)
    assert real.state.ledger.cells[1].state == "failed"
    assert run(real, qtbot, MAKE).state == "done"


@pytest.mark.long
def test_a_cell_for_a_worker_that_ended_a_moment_ago_fails_and_the_next_is_carried_out(
    real: RealLab, qtbot: QtBot
) -> None:
    """Its end is told to a window that just sends a cell."""
    run(real, qtbot, MAKE)
    os.kill(real.workers[0].pid, signal.SIGKILL)
    assert real.gone.wait(PATIENCE / 1000)
    assert "SIGKILL" in failure(run(real, qtbot, "Y = 1"))
    assert run(real, qtbot, "Z = 1").state == "done"
    ready(real, qtbot)


@pytest.mark.long
def test_a_restart_is_told_as_such_and_helps_while_pytorch_is_still_loaded(
    real: RealLab, qtbot: QtBot
) -> None:
    cell = begin(real, MAKE)
    assert real.state.stage is Stage.STARTING
    real.state.restart()
    qtbot.waitUntil(lambda: cell.state == "failed", timeout=PATIENCE)
    assert failure(cell) == real.state.sentence == "The worker was restarted."
    ready(real, qtbot)
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
    falling: RealLab, fall: Fall, qtbot: QtBot
) -> None:
    run(falling, qtbot, "A = torch.rand(2, 3, device='cuda:0')")
    before = shown(run(falling, qtbot, "float(A.sum())"))
    lost = run(falling, qtbot, "B = torch.ones(3).cuda(1)")
    follows = run(falling, qtbot, "C = B.cpu()")
    run(falling, qtbot, "H = torch.zeros(4)")
    fall.until(CardState.LOST, 1000.0)
    assert [each.reason for each in falling.state.devices() if each.name == "cuda:1"] == [
        "The driver has lost this card: nothing on it answers any more."
    ]
    assert run(falling, qtbot, "D = A + 1").state == "done"
    failed = run(falling, qtbot, "B + 1").failed
    assert failed is not None
    assert (failed.cause, failed.error) == ("device broken", "AcceleratorError")
    assert failed.message.startswith("CUDA error: unspecified launch failure")
    assert failed.sentence.startswith("cuda:1 is lost: the card does not answer any more")
    qtbot.waitUntil(lambda: falling.state.can_replay, timeout=PATIENCE)
    ready(falling, qtbot)
    falling.state.replay()
    there = {"A", "H", "D"}
    qtbot.waitUntil(lambda: set(falling.state.ledger.things) == there, timeout=PATIENCE)
    assert shown(run(falling, qtbot, "float(A.sum())")) == before
    for each in (lost, follows):
        assert each.failed is not None
        said = "cuda:1 is lost, and what this cell made went with it."
        assert each.failed.sentence == said


@pytest.mark.long
def test_a_process_that_did_not_use_the_lost_card_goes_on(
    falling: RealLab, fall: Fall, qtbot: QtBot
) -> None:
    run(falling, qtbot, "A = torch.ones(2, device='cuda:0')")
    fall.until(CardState.LOST, 1000.0)
    failed = run(falling, qtbot, "B = A.cuda(1)").failed
    assert failed is not None
    assert failed.cause == "device lost"
    assert failed.message.startswith("CUDA error: unknown error")
    assert shown(run(falling, qtbot, "float((A + 1).sum())")) == "4.0"
    assert set(falling.state.ledger.things) == {"A"}
    assert len(falling.workers) == 1
    fall.until(CardState.WORKING, 4600.0)
    assert run(falling, qtbot, "B = A.cuda(1)").state == "done"


@pytest.mark.long
def test_a_look_into_what_lies_there_is_a_use_of_it(
    falling: RealLab, fall: Fall, qtbot: QtBot
) -> None:
    run(falling, qtbot, "B = torch.ones(3).cuda(1)")
    fall.until(CardState.LOST, 1000.0)
    falling.state.look_into("B")
    qtbot.waitUntil(lambda: "cuda:1 is lost" in falling.state.sentence, timeout=PATIENCE)
    ready(falling, qtbot)
    assert falling.state.ledger.things == {}


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


def ran_there(session: Lab, qtbot: QtBot, code: str) -> Cell:
    command = session.run(code)
    qtbot.waitUntil(lambda: command not in session.ledger.unfinished, timeout=PATIENCE)
    cell = session.ledger.cell(command)
    assert cell is not None
    return cell


def cured(session: Lab, qtbot: QtBot, cure: Cure, cell: Cell) -> tuple[Cell, Failed]:
    """How the last cell of the cure ended, when all before it ran again."""
    session.run_cure(cure, cell.id)
    qtbot.waitUntil(lambda: not session.ledger.unfinished, timeout=PATIENCE)
    last = session.ledger.cells[-1]
    again = session.ledger.cells[: len(BEFORE) + 1]
    assert {(each.state, each.life) for each in again} == {("done", last.life)}
    assert last.failed is not None
    return last, last.failed


@pytest.mark.long
def test_each_cure_of_a_check_that_failed_on_a_card_finds_the_culprit(
    session: Lab, qtbot: QtBot
) -> None:
    for each in BEFORE:
        assert ran_there(session, qtbot, each).state == "done"
    cell = ran_there(session, qtbot, FAILS)
    failed = cell.failed
    assert failed is not None
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
    last, told = cured(session, qtbot, waits, cell)
    assert session.switches.waits
    assert told.waited
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]
    assert "it is the line that is shown" in told.sentence
    (on_host,) = cures(told, last, session.ledger)
    _, told = cured(session, qtbot, on_host, last)
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


def ran(qtbot: QtBot, lab: Lab, code: str) -> Cell:
    cell = lab.ledger.cell(lab.run(code))
    assert cell is not None
    qtbot.waitUntil(lambda: cell.state in OVER, timeout=PATIENCE)
    return cell


def printed(cell: Cell) -> str:
    return "".join(str(each.text) for each in cell.outputs if isinstance(each, Printed))


@posix
def test_a_cell_runs_there_in_a_python_that_was_found_there_and_no_program_is_watched(
    far: Far, qtbot: QtBot, tmp_path_factory: pytest.TempPathFactory
) -> None:
    lab = far()
    cell = ran(qtbot, lab, "import os; print(os.getpid())")
    assert cell.state == "done", cell.failed
    assert printed(cell).strip() == str(lab.worker_pid)
    assert lab.pythons.computer == "kim@server"
    assert lab.pythons.python is not None
    assert lab.pythons.python.usable
    file = tmp_path_factory.mktemp("programs") / "train.py"
    lab.program.start(Chosen(file, "print(1)"))
    qtbot.waitUntil(lambda: lab.program.phase is Phase.REFUSED, timeout=PATIENCE)
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
    far: Far, qtbot: QtBot
) -> None:
    lab = far("2xH100+idle")

    def used() -> float:
        sample: Sample = lab.machine.session.backend.read(CardId("SIM-1"), [MEMORY_USED])
        return sample.values[MEMORY_USED]

    before = used()
    code = "x = torch.ones(1 << 28, device='cuda:1'); print(torch.cuda.device_count())"
    assert printed(ran(qtbot, lab, code)).strip() == "2"
    assert lab.ledger.hello is not None
    assert lab.ledger.hello.simulated
    assert "H100" in printed(ran(qtbot, lab, "!nvidia-smi"))
    qtbot.waitUntil(lambda: used() >= before + (1 << 30), timeout=PATIENCE)
    lab.stop()
    qtbot.waitUntil(lambda: used() == before, timeout=PATIENCE)


@pytest.mark.long
@posix
def test_a_connection_that_is_gone_says_so_and_the_next_one_has_a_worker(
    far: Far, qtbot: QtBot
) -> None:
    lab = far()
    ran(qtbot, lab, "1")
    backend = lab.machine.session.backend
    assert isinstance(backend, FarStream)
    backend.machine.stop()
    lab.restart()
    qtbot.waitUntil(lambda: lab.stage is Stage.FAILED, timeout=PATIENCE)
    assert not lab.reached
    cell = ran(qtbot, lab, "2")
    assert cell.failed is not None
    assert "There is no connection to kim@server." in cell.failed.sentence


@pytest.mark.parametrize(
    ("machine", "job"),
    [(None, CopyJob("cpu", "cpu", 1 << 20)), ("2xH100", CopyJob("cuda:0", "cuda:1", 1 << 28))],
)
@pytest.mark.long
@posix
def test_copies_are_measured_there_and_between_simulated_cards_modelled(
    far: Far, qtbot: QtBot, machine: str | None, job: CopyJob
) -> None:
    copies = copies_of(far(machine))
    copies.ways.look()
    copies.measure([job])
    qtbot.waitUntil(lambda: not copies.running, timeout=PATIENCE)
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


def said(idle_lab: Lab, qtbot: QtBot, code: str) -> str:
    cell = idle_lab.ledger.cell(idle_lab.run(code))
    assert cell is not None
    qtbot.waitUntil(lambda: cell.state in ("done", "failed"), timeout=PATIENCE)
    assert cell.failed is None, cell.failed
    return "".join(each.text for each in cell.outputs if isinstance(each, Printed))


@pytest.mark.long
def test_the_first_tensor_takes_a_card_from_6_to_925_mib(idle_lab: Lab, qtbot: QtBot) -> None:
    assert said(idle_lab, qtbot, "!nvidia-smi").count("6MiB /  24576MiB") == 2
    made = "X = torch.ones(2, 3, device='cuda:0')\n!nvidia-smi"
    printed = said(idle_lab, qtbot, made)
    assert "|     925MiB /  24576MiB |" in printed
    assert "gpuexplorer worker                      919MiB |" in printed
    assert printed.rstrip().endswith("These cards are simulated: every figure is made up.")
    again = said(idle_lab, qtbot, "!nvidia-smi --query-gpu=memory.used --format=csv,noheader")
    assert again.splitlines()[:2] == ["925 MiB", "6 MiB"]


@pytest.mark.long
def test_what_nvidia_smi_would_never_end_is_refused(idle_lab: Lab, qtbot: QtBot) -> None:
    assert said(idle_lab, qtbot, "!nvidia-smi -l 1").startswith("Asked for again and again")
