"""A simulated card's time: modelled from its figures and its links, and said to be."""

import logging

import pytest

pytest.importorskip("torch")

from tests.worker.benches import Bench

MIB = 1 << 20


def test_the_hosts_own_time_is_as_it_was(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2, 2)", "Y = X @ X")
    times = virtual.engine.times(own=0.5)
    assert (times.host_seconds, times.device_seconds, times.modelled) == (0.5, None, False)


CLOCK = """
import {module}
X = torch.ones(400, 400, device="cuda:0")
torch.cuda.synchronize()
began = {clock}()
for i in range(100):
    Y = X @ X
torch.cuda.synchronize()
took = {clock}() - began
"""


@pytest.mark.parametrize("clock", ["time.time", "time.perf_counter", "timeit.default_timer"])
def test_a_clock_in_a_cell_tells_the_time_of_the_simulated_machine(
    virtual: Bench, clock: str
) -> None:
    virtual.run(CLOCK.format(clock=clock, module=clock.partition(".")[0]))
    assert virtual.things["took"] >= 100 * 2 * 400**3 / 16.31e12


def test_what_waits_for_this_computer_does_not_read_that_clock(virtual: Bench) -> None:
    def now_in_pythons_own_library() -> float:
        return logging.LogRecord("", 0, "", 0, "", None, None).created

    before = now_in_pythons_own_library()
    virtual.run("X = torch.ones(2, device='cuda:0')")  # which waits a quarter of a second
    virtual.run("import time", "now = time.time()")
    assert virtual.things["now"] - before >= 0.25
    assert now_in_pythons_own_library() < virtual.things["now"]


@pytest.mark.parametrize("line", ["net = nn.Linear(3, 1).cuda()", "torch.cuda.mem_get_info(0)"])
def test_the_host_waits_for_the_context_of_a_card_that_is_first_used(
    virtual: Bench, line: str
) -> None:
    virtual.run(line)
    waits = [each for each in virtual.engine.spans() if each.why == "context"]
    assert [(each.device, each.waits_for) for each in waits] == [("cpu", "cuda:0")]
    times = virtual.engine.times()
    assert times.host_seconds >= 0.25
    assert times.device_seconds is not None
    assert times.device_seconds < 1e-3  # the card has nothing to do meanwhile
    virtual.run(line, "Y = torch.ones(2, device='cuda:0')")
    assert not [each for each in virtual.engine.spans() if each.why == "context"]


def test_a_copy_takes_its_latency_and_what_its_link_carries(virtual: Bench) -> None:
    virtual.run("X = torch.ones(16, 1024, 1024, device='cuda:0')")
    virtual.run("Y = X.cuda(1)")
    (between,) = virtual.engine.transfers(4)
    assert (between.source, between.target, between.bytes) == ("cuda:0", "cuda:1", 64 * MIB)
    assert between.seconds == pytest.approx(8e-6 + 64 * MIB / 50e9)


def test_two_cards_work_side_by_side(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000).cuda(0)", "Y = X.cuda(1)", "Z = X @ X")
    alone = virtual.engine.times().device_seconds
    assert alone is not None
    virtual.run("A = [X @ X, Y @ Y]")
    assert virtual.engine.times().device_seconds == pytest.approx(alone, rel=0.05)
    virtual.run("A = [X @ X, X @ X]")
    assert virtual.engine.times().device_seconds == pytest.approx(2 * alone, rel=0.05)
