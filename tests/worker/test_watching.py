"""What is seen beside copies, as either engine says it: idle cards, loaders, trips, steps."""

import linecache
import os
import signal
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch")

from gpuexplorer.lab.events import Frame, Idle, Printed, Traced, Watched
from gpuexplorer.worker.engines.virtual.cards import Cards, Clock
from gpuexplorer.worker.engines.virtual.engine import VirtualEngine
from gpuexplorer.worker.places import Copies, Spot, take_files
from gpuexplorer.worker.program import Saying
from gpuexplorer.worker.watching.idling import Idling
from gpuexplorer.worker.watching.seen import EVERY, WHOLE, Seen, Ticking
from gpuexplorer.worker.watching.tracing import Tracing
from tests.lab.processes import CARD as TITAN
from tests.worker.benches import LINKS

CARD = "cuda:0"


def spot(line: int, what: str = "") -> Spot:
    return Spot(Frame(0, line, file="/home/me/train.py"), what)


@pytest.fixture
def idling() -> Idling:
    return Idling(Copies())


def idle(idling: Idling) -> list[tuple[str, float, int, str]]:
    return [(each.why, each.seconds, each.line, each.what) for each in idling.rows()]


def test_what_the_host_waited_for_a_loader_meanwhile_is_the_loaders(idling: Idling) -> None:
    idling.waited(CARD, 2.0, spot(84))
    idling.loaded(2.25, 2.75, spot(70, "loader"))
    idling.gap(CARD, 3.0)(None)
    assert idle(idling) == [("loader", 0.5, 70, "loader"), ("read", 0.5, 84, "")]


def test_a_pause_is_divided_among_the_lines_where_the_host_was(idling: Idling) -> None:
    for line, seconds in ((71, 0.003), (72, 0.004), (72, 0.008), (73, 0.001)):
        idling.was_at(spot(line), seconds)
    idling.gap(CARD, 3.0)(1.0)
    rows = {each.line: each.seconds for each in idling.rows()}
    assert rows == pytest.approx({71: 0.375, 72: 1.5, 73: 0.125})


def test_where_the_host_was_after_a_read_is_told_as_a_part_of_it(idling: Idling) -> None:
    idling.waited(CARD, 1.0, spot(84))
    idling.was_at(spot(90), 0.003)
    idling.gap(CARD, 1.5)(None)
    idling.waited(CARD, 2.0, spot(84))
    idling.was_at(spot(90), 0.003)
    idling.gap(CARD, 2.0005)(None)  # no more than the way to the next operation
    read, part = idling.rows()
    assert (read.why, read.times, read.part_of) == ("read", 2, 0)
    assert read.seconds == pytest.approx(0.5005)
    assert (part.why, part.line, part.seconds, part.part_of) == ("host", 90, 0.5, read.row)


def test_rows_are_sums_and_are_said_when_they_changed() -> None:
    seen, here, there = Seen(Copies(), lambda: 0.0), spot(1), spot(2)
    for at, which in ((1.0, here), (2.0, there), (3.0, here)):
        seen.idling.waited(CARD, at, which)
        seen.idling.gap(CARD, at + 0.5)(None)
    first, second = seen.changed(1).idle
    assert (first.row, first.seconds, first.times) == (1, 1.0, 2)
    assert (second.row, second.seconds, second.times) == (2, 0.5, 1)
    assert seen.changed(1).idle == ()
    seen.idling.waited(CARD, 5.0, there)
    seen.idling.gap(CARD, 6.0)(None)
    (again,) = seen.changed(1).idle
    assert (again.row, again.seconds, again.longest) == (2, 1.5, 1.0)


def test_what_idled_before_the_first_step_belongs_to_the_start(idling: Idling) -> None:
    idling.was_at(spot(9), 0.003)
    idling.gap(CARD, 2.0)(1.0)
    (before,) = idling.rows()
    idling.start_ends(5.0)
    idling.was_at(spot(71), 0.003)
    idling.gap(CARD, 5.5)(4.5)  # it had begun before
    idling.waited(CARD, 6.0, spot(84))
    idling.gap(CARD, 6.25)(None)
    rows = idling.rows()
    assert [(each.why, each.seconds, each.line) for each in rows] == [
        ("start", 1.0, 9),
        ("start", 1.0, 71),
        ("read", 0.25, 84),
    ]
    assert rows[0].row == before.row
    assert len({each.row for each in rows}) == 3


def test_a_look_at_the_host_while_it_waits_for_a_loader_is_none(idling: Idling) -> None:
    idling.was_at(spot(72), 0.003)
    idling.loading = True
    idling.was_at(spot(70), 0.003)
    idling.loaded(1.0, 3.0, spot(70))
    idling.gap(CARD, 3.5)(1.0)
    assert idle(idling) == [("loader", 2.0, 70, ""), ("host", 0.5, 72, "")]


def looked_at_while_it_computes() -> list[str]:
    """The line, once the host was seen at it."""
    seen, found = Seen(Copies(), time.perf_counter), []
    take_files(taken=True)
    try:
        with Ticking(seen, sampled=False):
            for _ in range(100_000):
                sum(each * each for each in range(5_000))
                seen.idling.gap(CARD, 1.0)(0.0)
                lines = [linecache.getline(at.file, at.line) for at in seen.idling.rows()]
                found = [each for each in lines if "each * each" in each]
                if found:
                    break
    finally:
        take_files(taken=False)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
@pytest.mark.parametrize("handler", [signal.SIG_DFL, signal.SIG_IGN])
def test_the_host_is_seen_where_it_computes_and_a_program_keeps_its_signal(
    handler: signal.Handlers,
) -> None:
    before = signal.signal(signal.SIGURG, handler)
    try:
        assert looked_at_while_it_computes()
        assert signal.getsignal(signal.SIGURG) is handler
    finally:
        signal.signal(signal.SIGURG, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_signal_that_is_taken_meanwhile_stays_with_who_took_it() -> None:
    before = signal.getsignal(signal.SIGURG)
    try:
        with Ticking(Seen(Copies(), time.perf_counter), sampled=False):
            signal.signal(signal.SIGURG, signal.SIG_IGN)
        assert signal.getsignal(signal.SIGURG) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGURG, before)


class Program:
    """Steps of a second each, to which watching adds half of one."""

    def __init__(self, *, sampled: bool = True, may_turn: bool = True) -> None:
        self.at = self.cost = 0.0
        self.may_turn = may_turn
        self.seen = Seen(
            Copies(), lambda: self.at, sampled=sampled, switch=self.turn, cost=lambda: self.cost
        )

    def turn(self, on: bool) -> bool:
        return on if self.may_turn else self.seen.on

    def runs(self, steps: int) -> None:
        for _ in range(steps):
            self.at += 1.0
            if self.seen.on:
                self.at += 0.5
                self.cost += 0.5
            self.seen.stepped(1)

    @property
    def steps(self) -> tuple[int, int, str]:
        seen = self.seen.changed(1)
        return seen.steps, seen.seen_steps, seen.step


def test_an_optimizers_step_is_a_step_and_batches_count_only_without_one() -> None:
    program = Program()
    for _ in range(3):
        program.seen.took_batch(0.0, 0.0, 0, pins=False)
    assert program.steps == (3, 3, "batch")
    for _ in range(5):
        for optimizer in (1, 2):  # which take turns
            program.seen.stepped(optimizer)
    assert program.steps == (5, 5, "optimizer")


def test_a_long_program_is_watched_now_and_then() -> None:
    program = Program()
    program.runs(WHOLE)
    assert program.steps == (WHOLE, WHOLE, "optimizer")
    program.runs(EVERY - 1)
    assert program.steps[1] == WHOLE
    program.runs(20_000)
    watched = program.seen.changed(1)
    assert WHOLE < watched.seen_steps < WHOLE + 20_000 / EVERY
    assert watched.seen_seconds == watched.seen_steps * 1.5
    assert watched.cost_seconds == watched.seen_steps * 0.5 <= 0.02 * watched.seconds


def test_stretches_are_said_once_by_their_ends_and_there_is_an_end_to_them() -> None:
    tracing = Tracing(most=3)
    tracing.add("step", "cpu", 0.0, 1.0)
    tracing.add("copy", CARD, 0.1, 0.3, 7, 4096)
    copy, step = ("copy", CARD, 0.1, 0.3, 7, 4096), ("step", "cpu", 0.0, 1.0, 0, 0)
    assert tracing.taken(1) == Traced(1, (copy, step))
    assert tracing.taken(1) is None
    for at in range(3):
        tracing.add("step", "cpu", at, at + 1)
    assert tracing.taken(1) == Traced(1, (step,), 2)


def test_a_card_that_computes_without_a_pause_is_one_stretch() -> None:
    tracing = Tracing()
    for at in range(100):
        tracing.add("compute", CARD, at * 1e-3, at * 1e-3 + 0.99e-3)
        tracing.add("compute", "cuda:1", at * 1e-3, at * 1e-3 + 0.1e-3)
    said = tracing.taken(1)
    assert said is not None
    first = [each for each in said.stretches if each[1] == CARD]
    assert first == [("compute", CARD, 0.0, 0.099 + 0.99e-3, 0, 0)]
    assert len(said.stretches) == 101


MUCH = Printed(1, "x" * 100_000)  # more than a pipe takes


@pytest.mark.long
@pytest.mark.parametrize("gone", [True, False])
def test_a_reader_that_is_gone_or_does_not_read_keeps_nobody_for_long(gone: bool) -> None:
    out, into = os.pipe()
    if gone:
        os.close(out)
    saying = Saying(into, lambda: Watched(1, 0.0, 0.0))
    saying.begin()
    saying.say(MUCH)
    saying.finish()
    if not gone:
        os.close(out)


CONTEXT = 0.25
FIRST = """
import torch
from torch import nn
W = torch.ones(700, 700, device="cuda")
X = torch.ones(700, 700, device="cuda")
"""
SLOW = {**TITAN, "flops": 1e12}  # so that small products keep it long
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
