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


def failing(lab: Lab, qtbot: QtBot) -> tuple[Cell, Failed, list[Cure]]:
    for each in BEFORE:
        assert run(lab, qtbot, each).state == "done"
    cell = run(lab, qtbot, FAILS)
    assert cell.failed is not None
    return cell, cell.failed, cures(cell.failed, cell, lab.ledger)


def cured(lab: Lab, qtbot: QtBot, cure: Cure, cell: Cell) -> Failed:
    """How the last cell of the cure ended, when all before it ran again."""
    lab.run_cure(cure, cell.id)
    qtbot.waitUntil(lambda: not lab.ledger.unfinished, timeout=PATIENCE)
    last = lab.ledger.cells[-1]
    assert last is not cell
    again = lab.ledger.cells[: len(BEFORE) + 1]
    assert {(each.state, each.life) for each in again} == {("done", last.life)}
    assert last.failed is not None
    return last.failed


def test_it_has_an_error_card_of_its_own(lab: Lab, qtbot: QtBot) -> None:
    cell, failed, found = failing(lab, qtbot)
    assert briefly(failed) == "A check on the card failed."
    assert "the line that is shown may be innocent" in failed.sentence
    assert failed.hint == "Everything on the card is lost: it takes a new process."
    waits, on_host = found
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
    assert lab.ledger.cells[-1] is cell


def test_on_the_processor_the_error_names_the_value(lab: Lab, qtbot: QtBot) -> None:
    cell, _, (_, on_host) = failing(lab, qtbot)
    told = cured(lab, qtbot, on_host, cell)
    assert told.error == "IndexError"
    assert told.message == "index out of range in self"
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]


def test_a_worker_that_waits_for_each_kernel_says_that_the_line_is_the_one(
    lab: Lab, qtbot: QtBot
) -> None:
    cell, failed, (waits, _) = failing(lab, qtbot)
    assert not failed.waited
    told = cured(lab, qtbot, waits, cell)
    assert lab.switches.waits
    assert told.waited
    assert [(each.name, each.line) for each in told.frames] == [("", 2), ("pick", 2)]
    assert "it is the line that is shown" in told.sentence
    last = lab.ledger.cells[-1]
    (on_host,) = cures(told, last, lab.ledger)
    assert cured(lab, qtbot, on_host, last).error == "IndexError"
