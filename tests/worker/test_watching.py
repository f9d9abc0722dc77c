"""What is seen beside copies, as either engine says it: idle cards, loaders, trips, steps."""

import faulthandler
import os
import signal
import sys
import threading
import time
from pathlib import Path
from types import FrameType

import pytest

from gpuexplorer.lab.events import Frame, Printed, Traced, Watched
from gpuexplorer.worker.places import Copies, Spot, take_files
from gpuexplorer.worker.program import Saying
from gpuexplorer.worker.watching.idling import Idling
from gpuexplorer.worker.watching.seen import (
    BARE,
    BATCH,
    EVERY,
    WHOLE,
    Sampling,
    Seen,
    Steps,
    Ticking,
    Trips,
)
from gpuexplorer.worker.watching.tracing import Tracing

CARD = "cuda:0"


def spot(line: int, what: str = "") -> Spot:
    return Spot(Frame(0, line, file="/home/me/train.py"), what)


@pytest.fixture
def idling() -> Idling:
    return Idling(Copies())


def idle(idling: Idling) -> list[tuple[str, float, int, str]]:
    return [(each.why, each.seconds, each.line, each.what) for each in idling.changed()]


def test_what_the_host_waited_for_a_loader_meanwhile_is_the_loaders(idling: Idling) -> None:
    idling.waited(CARD, 2.0, spot(84))
    idling.loaded(2.25, 2.75, spot(70, "loader"))
    idling.worked(CARD, None, 3.0)
    assert idle(idling) == [("loader", 0.5, 70, "loader"), ("read", 0.5, 84, "")]


def test_a_pause_is_divided_among_the_lines_where_the_host_was(idling: Idling) -> None:
    for line, seconds in ((71, 0.003), (72, 0.004), (72, 0.008), (73, 0.001)):
        idling.was_at(spot(line), seconds)
    idling.worked(CARD, 1.0, 3.0)
    rows = {each.line: each.seconds for each in idling.changed()}
    assert rows == pytest.approx({71: 0.375, 72: 1.5, 73: 0.125})


def test_where_the_host_was_after_a_read_is_told_as_a_part_of_it(idling: Idling) -> None:
    idling.waited(CARD, 1.0, spot(84))
    idling.was_at(spot(90), 0.003)
    idling.worked(CARD, None, 1.5)
    idling.waited(CARD, 2.0, spot(84))
    idling.was_at(spot(90), 0.003)
    idling.worked(CARD, None, 2.0005)  # no more than the way to the next operation
    read, part = idling.changed()
    assert (read.why, read.times, read.part_of) == ("read", 2, 0)
    assert read.seconds == pytest.approx(0.5005)
    assert (part.why, part.line, part.seconds, part.part_of) == ("host", 90, 0.5, read.row)


def test_a_pause_too_short_to_be_looked_at_is_told_where_such_pauses_were_seen(
    idling: Idling,
) -> None:
    idling.was_at(spot(72), 0.003)
    for at in (1.0, 2.0, 3.0):
        idling.worked(CARD, at, at + 0.5)
    (row,) = idling.changed()
    assert (row.line, row.times, row.seconds, row.longest) == (72, 3, 1.5, 0.5)


def test_where_the_host_was_before_it_asked_for_work_does_not_count(idling: Idling) -> None:
    idling.was_at(spot(10), 0.003)
    idling.asked_at = 1.0
    idling.was_at(spot(20), 0.003)
    idling.worked(CARD, 1.0, 2.0)
    assert idle(idling) == [("host", 1.0, 20, "")]


def test_rows_are_sums_and_are_said_when_they_changed(idling: Idling) -> None:
    here, there = spot(1), spot(2)
    for at, which in ((1.0, here), (2.0, there), (3.0, here)):
        idling.waited(CARD, at, which)
        idling.worked(CARD, None, at + 0.5)
    first, second = idling.changed()
    assert (first.row, first.seconds, first.times) == (1, 1.0, 2)
    assert (second.row, second.seconds, second.times) == (2, 0.5, 1)
    assert idling.changed() == ()
    idling.waited(CARD, 5.0, there)
    idling.worked(CARD, None, 6.0)
    (again,) = idling.changed()
    assert (again.row, again.seconds, again.longest) == (2, 1.5, 1.0)


def test_what_idled_before_the_first_step_belongs_to_the_start(idling: Idling) -> None:
    idling.was_at(spot(9, "torch.optim.SGD(...)"), 0.003)
    idling.worked(CARD, 1.0, 2.0)
    idling.start_ends(5.0)
    idling.was_at(spot(71), 0.003)
    idling.worked(CARD, 3.0, 5.5)
    idling.waited(CARD, 6.0, spot(84))
    idling.worked(CARD, None, 6.25)
    rows = [(each.why, each.seconds, each.line) for each in idling.changed()]
    assert rows == [
        ("start", 1.0, 9),
        ("start", 2.0, 71),
        ("read", 0.25, 84),
        ("host", 0.5, 71),
    ]


def test_a_look_at_the_host_while_it_waits_for_a_loader_is_no_work_of_its_own(
    idling: Idling,
) -> None:
    idling.was_at(spot(72), 0.003)
    idling.loading = True
    for line in (70, 70, 70):
        idling.was_at(spot(line), 0.003)
    idling.loaded(1.0, 3.0, spot(70))
    idling.worked(CARD, 1.0, 3.5)
    assert idle(idling) == [("loader", 2.0, 70, ""), ("host", 0.5, 72, "")]


def looked_at_while_it_computes() -> list[str]:
    """The expressions at which the host was seen, until one was."""
    seen, found = Seen(Copies(), time.perf_counter), []
    take_files(taken=True)
    try:
        with Ticking(seen, sampled=False):
            for _ in range(100_000):
                sum(each * each for each in range(5_000))
                seen.idling.worked(CARD, 0.0, 1.0)
                found = [
                    each.what for each in seen.idling.changed() if "each * each" in each.what
                ]
                if found:
                    break
    finally:
        take_files(taken=False)
    return found


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_the_host_is_seen_where_it_computes_without_any_operation() -> None:
    before = signal.getsignal(signal.SIGURG)
    assert looked_at_while_it_computes()
    assert signal.getsignal(signal.SIGURG) == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_program_keeps_its_signal_and_the_host_is_seen_all_the_same() -> None:
    def own(number: int, frame: FrameType | None) -> None:
        raise AssertionError("nobody sent it")

    before = signal.signal(signal.SIGURG, own)
    try:
        assert looked_at_while_it_computes()
        assert signal.getsignal(signal.SIGURG) is own
    finally:
        signal.signal(signal.SIGURG, before)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signal")
def test_a_signal_that_is_taken_meanwhile_stays_with_who_took_it() -> None:
    taken: list[int] = []

    def own(number: int, frame: FrameType | None) -> None:
        taken.append(number)

    before = signal.getsignal(signal.SIGURG)
    try:
        with Ticking(Seen(Copies(), time.perf_counter), sampled=False):
            signal.signal(signal.SIGURG, own)
        assert signal.getsignal(signal.SIGURG) is own
    finally:
        signal.signal(signal.SIGURG, before)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere a thread looks")
def test_a_signal_that_a_library_in_c_handles_is_left_to_it(tmp_path: Path) -> None:
    with (tmp_path / "faults.txt").open("w") as file:
        faulthandler.register(signal.SIGURG, file=file, all_threads=False)
        try:
            with Ticking(Seen(Copies(), time.perf_counter), sampled=False):
                signal.raise_signal(signal.SIGURG)
            signal.raise_signal(signal.SIGURG)
        finally:
            faulthandler.unregister(signal.SIGURG)
    assert (tmp_path / "faults.txt").read_text().count("most recent call first") == 2


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
@pytest.mark.filterwarnings("ignore:.*multi-threaded:DeprecationWarning")
def test_a_child_that_is_forked_handles_no_signal_of_ours() -> None:
    with Ticking(Seen(Copies(), time.perf_counter), sampled=False):
        child = os.fork()
        if child == 0:
            os._exit(signal.getsignal(signal.SIGURG) != signal.SIG_DFL)
        assert os.waitpid(child, 0)[1] == 0


@pytest.fixture
def trips() -> Trips:
    return Trips(threading.RLock())


def test_an_optimizers_step_is_a_step_and_batches_count_only_without_one() -> None:
    steps = Steps()
    for _ in range(3):
        steps.ended(BATCH, whole=True)
    assert (steps.kind, steps.count) == ("batch", 3)
    steps.optimized(1, whole=True)
    steps.optimized(1, whole=False)
    assert (steps.kind, steps.count, steps.seen) == ("optimizer", 2, 1)


def test_after_the_first_steps_watching_stays_within_its_share() -> None:
    sampling = Sampling(sampled=True)
    assert sampling.wants(WHOLE - 1, 1.0, 100.0)
    assert not sampling.wants(WHOLE, 1000.0, 0.0)  # to see what a bare step takes
    after = WHOLE + BARE
    assert sampling.wants(after, 1000.0, 1.0)
    assert not sampling.wants(after, 10.0, 1.0)


def test_a_machine_that_drifts_is_not_taken_for_what_watching_costs() -> None:
    sampling = Sampling(sampled=True)
    for _ in range(WHOLE):
        sampling.took(3.0, watched=True)
    for turn in range(50):  # ever faster, by far more than watching takes
        bare = 2.0 - turn * 0.03
        for _ in range(EVERY):
            sampling.took(bare, watched=False)
        sampling.took(bare + 0.5, watched=True)
    assert sampling.cost(0.0) == pytest.approx(WHOLE * 1.0 + 50 * 0.5)


class Program:
    """Steps of a second each, to which watching adds half of one, or what is named."""

    def __init__(self, *, may_turn: bool = True, cost: float = 0.5) -> None:
        self.at = self.cost = 0.0
        self.may_turn, self.each = may_turn, cost
        self.seen = Seen(
            Copies(), lambda: self.at, sampled=True, switch=self.turn, cost=lambda: self.cost
        )

    def turn(self, on: bool) -> bool:
        return on if self.may_turn else self.seen.on

    def runs(self, steps: int) -> None:
        for _ in range(steps):
            self.at += 1.0
            if self.seen.on:
                self.at += self.each
                self.cost += self.each
            self.seen.stepped(1)


def test_a_long_program_is_watched_now_and_then() -> None:
    program = Program()
    program.runs(10_000)
    watched = program.seen.changed(1)
    assert (watched.steps, watched.step) == (10_000, "optimizer")
    assert 200 < watched.seen_steps < 1000
    assert watched.seen_seconds == watched.seen_steps * 1.5
    assert watched.seconds == program.at
    assert watched.cost_seconds == watched.seen_steps * 0.5
    assert watched.cost_seconds <= 0.04 * watched.seconds


def test_each_stretch_is_said_once_in_the_order_of_their_ends() -> None:
    tracing = Tracing()
    tracing.add("step", "cpu", 0.0, 1.0)
    tracing.add("copy", "cuda:0", 0.1, 0.3, 7, 4096)
    said = tracing.taken(1)
    assert said == Traced(
        1, (("copy", "cuda:0", 0.1, 0.3, 7, 4096), ("step", "cpu", 0.0, 1.0, 0, 0))
    )
    assert tracing.taken(1) is None


def test_a_card_that_computes_without_a_pause_is_one_stretch() -> None:
    tracing = Tracing()
    for at in range(1000):
        tracing.add("compute", "cuda:0", at * 1e-3, at * 1e-3 + 0.99e-3)
        tracing.add("compute", "cuda:1", at * 1e-3, at * 1e-3 + 0.1e-3)
    said = tracing.taken(1)
    assert said is not None
    first = [each for each in said.stretches if each[1] == "cuda:0"]
    assert first == [("compute", "cuda:0", 0.0, 0.999 + 0.99e-3, 0, 0)]
    assert sum(each[1] == "cuda:1" for each in said.stretches) == 1000


def test_there_is_an_end_to_what_is_kept_and_the_rest_is_counted() -> None:
    tracing = Tracing(most=3)
    for at in range(5):
        tracing.add("step", "cpu", at, at + 1)
    said = tracing.taken(1)
    assert said is not None
    assert (len(said.stretches), said.left_out) == (3, 2)
    tracing.add("step", "cpu", 9, 10)
    assert tracing.taken(1) == Traced(1, (), 1)


MUCH = Printed(1, "x" * 100_000)  # more than a pipe takes


def test_a_reader_that_does_not_read_keeps_the_program_for_a_moment_only() -> None:
    out, into = os.pipe()
    saying = Saying(into, lambda: Watched(1, 0.0, 0.0))
    saying.begin()
    saying.say(MUCH)
    saying.finish()
    os.close(out)


def test_a_reader_that_is_gone_keeps_nobody() -> None:
    out, into = os.pipe()
    os.close(out)
    saying = Saying(into, lambda: Watched(1, 0.0, 0.0))
    saying.say(MUCH)
    saying.begin()
    saying.say(MUCH)
    saying.finish()


def test_a_queue_that_ran_dry_while_the_host_waited_for_a_loader(idling: Idling) -> None:
    idling.loaded(1.0, 3.0, spot(70))
    idling.worked(CARD, 2.0, 3.0)
    assert idle(idling) == [("loader", 1.0, 70, "")]


def test_of_optimizers_that_take_turns_one_counts() -> None:
    steps = Steps()
    for _ in range(5):
        for optimizer in (1, 2):
            steps.optimized(optimizer, whole=True)
    assert steps.count == 5


def test_without_being_asked_to_no_step_is_left_out() -> None:
    sampling = Sampling(sampled=False)
    assert sampling.wants(WHOLE * 10, 1.0, 100.0)


def test_what_watching_costs_is_told_by_steps_that_were_not_watched() -> None:
    sampling = Sampling(sampled=True)
    for _ in range(100):
        sampling.took(3.0, watched=True)
    assert sampling.cost(20.0) == 20.0  # as was estimated, until there is a bare one
    for _ in range(50):
        sampling.took(2.0, watched=False)
    assert sampling.cost(20.0) == 100.0


def test_where_it_cannot_look_away_everything_is_watched_and_said_to_be() -> None:
    program = Program(may_turn=False)
    program.runs(300)
    watched = program.seen.changed(1)
    assert (watched.steps, watched.seen_steps) == (300, 300)
    assert watched.seen_seconds == watched.seconds


def test_a_step_in_which_it_looked_back_was_not_seen_whole() -> None:
    program = Program()
    program.runs(WHOLE + BARE)
    seen = program.seen.steps.seen
    program.at += 1e6  # a step that takes long
    program.seen.sliced()
    program.runs(1)
    assert program.seen.steps.seen == seen
    program.runs(1)
    assert program.seen.steps.seen == seen + 1
