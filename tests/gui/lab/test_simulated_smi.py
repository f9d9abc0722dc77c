"""`!nvidia-smi` in the lab on simulated cards: what a cell took so far is seen in it."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.starting import lab_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.lab.events import Printed
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import IDLE, simulated
from tests.gui.lab.conftest import ThisPython
from tests.lab.processes import needs_torch

pytestmark = [needs_torch, pytest.mark.long]

PATIENCE = 60_000


@pytest.fixture
def lab(qtbot: QtBot) -> Iterator[Lab]:
    session = remembering(session_on(simulated(IDLE), interval=0.1))
    parent = QObject()
    machine = MachineState(session, Settings(), parent)
    lab = lab_of(machine, ThisPython(machine.settings, machine))
    yield lab
    lab.stop()
    session.stop()


def said(lab: Lab, qtbot: QtBot, code: str) -> str:
    cell = lab.ledger.cell(lab.run(code))
    assert cell is not None
    qtbot.waitUntil(lambda: cell.state in ("done", "failed"), timeout=PATIENCE)
    assert cell.failed is None, cell.failed
    return "".join(each.text for each in cell.outputs if isinstance(each, Printed))


def test_the_first_tensor_takes_a_card_from_6_to_925_mib(lab: Lab, qtbot: QtBot) -> None:
    assert said(lab, qtbot, "!nvidia-smi").count("6MiB /  24576MiB") == 2
    made = "X = torch.ones(2, 3, device='cuda:0')\n!nvidia-smi"
    printed = said(lab, qtbot, made)
    assert "|     925MiB /  24576MiB |" in printed
    assert "gpuexplorer worker                      919MiB |" in printed
    assert printed.rstrip().endswith("These cards are simulated: every figure is made up.")
    again = said(lab, qtbot, "!nvidia-smi --query-gpu=memory.used --format=csv,noheader")
    assert again.splitlines()[:2] == ["925 MiB", "6 MiB"]


def test_what_nvidia_smi_would_never_end_is_refused(lab: Lab, qtbot: QtBot) -> None:
    assert said(lab, qtbot, "!nvidia-smi -l 1").startswith("Asked for again and again")
