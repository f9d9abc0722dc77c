"""A check on a card fails: the error card says so, and each of its cures finds the culprit."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.code.cell_words import briefly
from gpuexplorer.gui.lab.code.error_panel import price_words
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.starting import starter_of
from gpuexplorer.gui.state.machine import MachineState
from gpuexplorer.lab.cures import Cure, cures
from gpuexplorer.lab.events import Failed
from gpuexplorer.lab.ledger import Cell
from gpuexplorer.remote.stream import load_of
from tests.gui.lab.conftest import ThisPython
from tests.lab.processes import needs_torch

pytestmark = needs_torch

PATIENCE = 60_000

BEFORE = (
    "device = torch.device('cuda:0')",
    "table = nn.Embedding(3, 2).to(device)\nscale = torch.ones(2, device=device)",
    "def pick(rows):\n    return table(rows) * scale",
)
FAILS = """rows = torch.tensor([0, 7]).to(device)
result = pick(rows).to("cuda:0")
print(result.sum().item())"""


@pytest.fixture
def lab(machine: MachineState) -> Iterator[Lab]:
    python, session = ThisPython(machine.settings, machine), machine.session
    lab = Lab(machine, python, starter_of(session), load_of(session.backend))
    yield lab
    lab.stop()


def run(lab: Lab, qtbot: QtBot, code: str) -> Cell:
    command = lab.run(code)
    qtbot.waitUntil(lambda: command not in lab.ledger.unfinished, timeout=PATIENCE)
    cell = lab.ledger.cell(command)
    assert cell is not None
    return cell


def cured(lab: Lab, qtbot: QtBot, cure: Cure, cell: Cell) -> tuple[Cell, Failed]:
    """How the last cell of the cure ended, when all before it ran again."""
    lab.run_cure(cure, cell.id)
    qtbot.waitUntil(lambda: not lab.ledger.unfinished, timeout=PATIENCE)
    last = lab.ledger.cells[-1]
    again = lab.ledger.cells[: len(BEFORE) + 1]
    assert {(each.state, each.life) for each in again} == {("done", last.life)}
    assert last.failed is not None
    return last, last.failed


def test_each_cure_of_a_check_that_failed_on_a_card_finds_the_culprit(
    lab: Lab, qtbot: QtBot
) -> None:
    for each in BEFORE:
        assert run(lab, qtbot, each).state == "done"
    cell = run(lab, qtbot, FAILS)
    failed = cell.failed
    assert failed is not None
    assert briefly(failed) == "A check on the card failed."
    assert "the line that is shown may be innocent" in failed.sentence
    assert failed.hint == "Everything on the card is lost: it takes a new process."
    assert [each.line for each in failed.frames] == [3]  # an innocent one
    waits, on_host = cures(failed, cell, lab.ledger)
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
    last, told = cured(lab, qtbot, waits, cell)
    assert lab.switches.waits
    assert told.waited
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]
    assert "it is the line that is shown" in told.sentence
    (on_host,) = cures(told, last, lab.ledger)
    _, told = cured(lab, qtbot, on_host, last)
    assert (told.error, told.message) == ("IndexError", "index out of range in self")
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]
