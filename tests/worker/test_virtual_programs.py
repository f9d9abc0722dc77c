"""What is seen of a program on simulated cards: modelled, with what the host does itself."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from gpuexplorer.lab.events import Idle, Watched
from gpuexplorer.worker.engines.virtual.cards import Cards, Clock
from gpuexplorer.worker.engines.virtual.engine import VirtualEngine
from gpuexplorer.worker.places import take_files
from tests.lab.processes import CARD
from tests.worker.benches import LINKS, Bench

CONTEXT = 0.25
FIRST = """
import torch
from torch import nn
W = torch.ones(700, 700, device="cuda")
X = torch.ones(700, 700, device="cuda")
"""
SLOW = {**CARD, "flops": 1e12}  # so that small products keep it long
PRODUCT = 2 * 700**3 / 1e12  # seconds


class Host:
    """Its seconds pass only when a program says that it computes on the host."""

    now = 0.0

    def computes(self, seconds: float) -> None:
        self.now += seconds


class Machine:
    """Two simulated cards, whose host takes as long as it is told."""

    def __init__(self, folder: Path) -> None:
        self.host = Host()
        self.path = folder / "train.py"
        self.names: dict[str, Any] = {}

        def clock(cards: Cards) -> Clock:
            # No Python of ours: what looks at the host must never find it in there, locked.
            return Clock(cards, partial(getattr, self.host, "now"))

        cards = [{**SLOW, "uuid": f"SIM-{number}"} for number in (0, 1)]
        self.engine = VirtualEngine(cards, LINKS, clock)

    def run(self, text: str) -> Watched:
        self.path.write_text(text, encoding="utf-8")
        self.names = {"__name__": "__main__", "host": self.host}
        with self.engine.running(program=True):
            exec(compile(text, str(self.path), "exec"), self.names)
            return self.engine.watched(1)

    def line(self, words: str) -> int:
        lines = self.path.read_text(encoding="utf-8").splitlines()
        return next(at for at, each in enumerate(lines, 1) if words in each)


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Machine]:
    monkeypatch.setattr(Clock, "_waited", lambda _: 0.0)  # its host waits for no core of ours
    take_files(taken=True)
    yield Machine(tmp_path)
    take_files(taken=False)


def only(seen: Watched, why: str) -> Idle:
    (row,) = (each for each in seen.idle if each.why == why)
    return row


def test_what_the_host_does_itself_counts_in_a_program(machine: Machine) -> None:
    before = machine.run(FIRST).seconds
    more = "host.computes(3.0)\n"
    assert machine.run(FIRST + more).seconds == pytest.approx(3.0, abs=0.1)
    assert before == pytest.approx(CONTEXT, abs=0.1)


def test_it_does_not_count_in_a_cell(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000, device='cuda')")
    virtual.run("Y = X @ X")
    alone = virtual.engine.times().device_seconds
    virtual.run("sum(range(100_000))", "Y = X @ X")
    assert virtual.engine.times().device_seconds == alone
    assert not virtual.engine.watched(1).idle


def test_a_read_leaves_its_card_idle_until_the_next_work(machine: Machine) -> None:
    seen = machine.run(
        FIRST
        + """
for i in range(10):
    Y = X @ W
    total = Y.sum().item()
    host.computes(0.004)
"""
    )
    row = only(seen, "read")
    assert (row.device, row.file, row.line) == (
        "cuda:0",
        str(machine.path),
        machine.line(".item()"),
    )
    assert row.times == 9
    assert row.seconds == pytest.approx(9 * 0.004, rel=0.05)
    assert row.longest == pytest.approx(0.004, rel=0.05)


LOADER = """
from torch.utils.data import DataLoader, Dataset

class Slow(Dataset):
    def __len__(self):
        return 80
    def __getitem__(self, at):
        host.computes(0.001)
        return torch.ones(100), at % 10
"""


def test_what_a_card_waits_for_the_next_batch_is_its_loaders(machine: Machine) -> None:
    seen = machine.run(
        FIRST
        + LOADER
        + """
for a, b in DataLoader(Slow(), batch_size=8):
    a, b = a.to("cuda"), b.to("cuda")
    Y = X @ W
"""
    )
    row, line = only(seen, "loader"), machine.line("for a, b")
    assert (row.line, row.times) == (line, 9)  # before the first it had not begun to work
    assert row.seconds == pytest.approx(9 * (0.008 - PRODUCT), rel=0.05)
    (loader,) = seen.loaders
    assert (loader.line, loader.batches, loader.workers) == (line, 10, 0)
    assert loader.seconds == pytest.approx(0.08, rel=0.05)
    assert (seen.steps, seen.step) == (10, "batch")


def test_a_clean_loop_shows_no_waits(machine: Machine) -> None:
    seen = machine.run(
        FIRST
        + LOADER
        + """
batches = [(torch.ones(8, 2000).pin_memory(), i) for i in range(10)]
total = torch.zeros((), device="cuda")
torch.cuda.synchronize()
for a, b in batches:
    a = a.to("cuda", non_blocking=True)
    Y = X @ W
    total += Y.sum()
    host.computes(1e-4)
"""
    )
    assert sum(each.seconds for each in seen.idle) < 1e-4  # the first of them after the wait
    (copied,) = (each for each in seen.copies if each.line == machine.line("non_blocking"))
    assert (copied.copies, copied.pinned, copied.blocking) == (10, True, False)
    assert copied.host_seconds == pytest.approx(0, abs=1e-3)


def test_a_tensor_that_goes_to_the_host_and_back_is_a_trip(machine: Machine) -> None:
    seen = machine.run(
        FIRST + "for i in range(3):\n    Y = X.cpu()\n    Y = Y * 2\n    X = Y.to('cuda')\n"
    )
    rows = {each.row: each.line for each in seen.copies}
    (trip,) = seen.trips
    assert rows[trip.out] == machine.line("X.cpu()")
    assert rows[trip.row] == machine.line("Y.to")
    assert (trip.device, trip.times, trip.bytes) == ("cuda:0", 3, 3 * 4 * 700 * 700)
    assert trip.changed
