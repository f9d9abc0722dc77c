"""The lab and the copies of another machine: cells run there, copies are measured there."""

import sys
from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.core.metrics import MEMORY_USED
from gpuexplorer.gui.lab.code.code_pane import CodePane
from gpuexplorer.gui.state.copies.copies_state import copies_of
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.program_state import Chosen, Phase
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Printed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.remote.machine import FarMachine
from gpuexplorer.remote.ssh import HostName
from gpuexplorer.remote.stream import FarStream
from gpuexplorer.telemetry.session import Session, remembering
from tests.gui.lab.conftest import KnownPython
from tests.lab.processes import needs_torch
from tests.remote.waiting import gone_within

pytestmark = [needs_torch, pytest.mark.skipif(sys.platform == "win32", reason="POSIX there")]
PATIENCE = 60_000
SERVER = HostName("kim@server")
OVER = ("done", "failed", "cancelled")
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
