"""What the worker holds on a real card beside its tensors, by the driver's own figure."""

import os

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.lab.devices import find_contexts
from gpuexplorer.lab.events import Finished, Memory
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.telemetry.process_book import ProcessBook
from gpuexplorer.telemetry.processes import CardProcess, NamedProcess, ProcessFigure, ProcessUse
from tests.clocks import ManualClock

MIB = 1 << 20
CARD = CardId("GPU-1")
WORKER = os.getpid()
DONE_AT = 10.0


@pytest.fixture
def ledger() -> Ledger:
    """A cell has left 20 MiB on the card, and said nothing of the context."""
    found = Ledger()
    found.apply(Finished(1, 0.1, memory=(used(20),)))
    return found


def used(reserved: int) -> Memory:
    return Memory("cuda:0", 4 * MIB, reserved * MIB, 1000 * MIB, 2000 * MIB)


def book(held: int, at: float, pid: int = WORKER) -> ProcessBook:
    """The driver told then that the process holds so much."""
    found = ProcessBook(ManualClock(at))
    values = {ProcessFigure.MEMORY: float(held * MIB)}
    found.take(
        CARD, [NamedProcess(CardProcess(CARD, pid, ProcessUse.COMPUTE, values), resolved=True)]
    )
    return found


def find(ledger: Ledger, book: ProcessBook) -> int | None:
    find_contexts(ledger, {"cuda:0": CARD}, book, WORKER, DONE_AT)
    return ledger.memory["cuda:0"].context_bytes


def test_the_context_is_what_the_process_holds_beside_pytorchs_memory(ledger: Ledger) -> None:
    assert find(ledger, book(354, DONE_AT + 1)) == 334 * MIB


def test_another_worker_has_another_context(ledger: Ledger) -> None:
    find(ledger, book(354, DONE_AT + 1))
    ledger.lost()
    ledger.apply(Finished(3, 0.1, memory=(used(20),)))
    assert ledger.memory["cuda:0"].context_bytes is None
