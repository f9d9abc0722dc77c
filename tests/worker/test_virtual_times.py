"""A simulated card's time: modelled from its figures and its links, and said to be."""

import logging

import pytest

pytest.importorskip("torch")

from gpuexplorer.worker.engines.virtual.cards import Cards
from gpuexplorer.worker.engines.virtual.machine import Clock
from tests.worker.benches import Bench

MIB = 1 << 20


def test_on_the_host_too_time_is_modelled(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000)", "Y = X @ X")
    times = virtual.engine.times()
    assert times.modelled
    assert times.device_seconds is None
    assert times.host_seconds == pytest.approx(2 * 2000**3 / 1e12, rel=0.02)


def test_what_plain_python_takes_is_not_modelled(virtual: Bench) -> None:
    virtual.run("sum(range(1000))")
    assert not virtual.engine.times().modelled
    assert virtual.engine.times(own=0.5).host_seconds == 0.5


CLOCK = """
import {module}
X = torch.ones(400, 400, device="{device}")
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
    words = {"clock": clock, "module": clock.partition(".")[0]}
    virtual.run(CLOCK.format(device="cuda:0", **words))
    assert virtual.things["took"] >= 100 * 2 * 400**3 / 16.31e12
    virtual.run(CLOCK.format(device="cpu", **words))
    assert virtual.things["took"] >= 100 * 2 * 400**3 / 1e12


def test_what_waits_for_this_computer_does_not_read_that_clock(virtual: Bench) -> None:
    def now_in_pythons_own_library() -> float:
        return logging.LogRecord("", 0, "", 0, "", None, None).created

    before = now_in_pythons_own_library()
    virtual.run("X = torch.ones(2, device='cuda:0')")  # which waits a quarter of a second
    virtual.run("import time", "now = time.time()")
    assert virtual.things["now"] - before >= 0.25
    assert now_in_pythons_own_library() < virtual.things["now"]


def test_what_the_computer_takes_to_give_memory_back_is_no_time_of_a_card() -> None:
    seconds = iter([9.0, 10.0, 10.5])  # it begins; a tensor of 2 GB goes; it is read
    clock = Clock(Cards(()), lambda: next(seconds))
    clock.gives_back(2 * 10**9)
    assert clock.ahead() == -0.5


def test_our_way_to_an_operation_is_no_time_of_a_cell_and_what_is_longer_is() -> None:
    seconds = iter([0.0, 0.001, 0.002, 0.002])
    clock = Clock(Cards(()), lambda: next(seconds))
    with clock:  # after a millisecond of Python, for another
        pass
    assert clock.ahead() == pytest.approx(-0.00102)


@pytest.mark.parametrize(
    "line",
    [
        "X = torch.ones(2, 3, device='cuda:0')",
        "X = torch.ones(2, 3).cuda(0)",
        "net = nn.Linear(3, 1).cuda()",
        "torch.cuda.mem_get_info(0)",
    ],
)
def test_the_host_waits_for_the_context_of_a_card_that_is_first_used(
    virtual: Bench, line: str
) -> None:
    virtual.run(line)
    first = virtual.engine.times()
    assert first.host_seconds == pytest.approx(0.25, rel=0.01)
    assert first.device_seconds is not None
    assert first.device_seconds < 1e-3  # the card has nothing to do meanwhile
    waits = [each for each in virtual.engine.spans() if each.why == "context"]
    assert [(each.device, each.waits_for) for each in waits] == [("cpu", "cuda:0")]
    virtual.run(line)
    again = virtual.engine.times().host_seconds
    assert again < 1e-3
    virtual.run("Y = torch.ones(2, device='cuda:1')")
    other = virtual.engine.times().host_seconds
    assert other == pytest.approx(0.25, rel=0.01)


def test_a_product_takes_as_long_as_its_arithmetic(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000, device='cuda:0')", "Y = X @ X")
    times = virtual.engine.times()
    assert times.modelled
    assert times.device_seconds == pytest.approx(2 * 2000**3 / 16.31e12, rel=0.02)


def test_a_sum_takes_as_long_as_reading_it(virtual: Bench) -> None:
    virtual.run("X = torch.ones(4096, 4096, device='cuda:0')", "Y = X.sum()")
    assert virtual.engine.times().device_seconds == pytest.approx(64 * MIB / 672e9, rel=0.1)


def test_the_host_is_back_long_before_the_card_is_done(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000, device='cuda:0')", "Y = X @ X")
    times = virtual.engine.times()
    assert times.host_seconds is not None
    assert times.device_seconds is not None
    assert times.host_seconds < times.device_seconds / 50


def test_reading_a_value_waits_for_the_card(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000, device='cuda:0')", "Y = (X @ X)[0, 0].item()")
    times = virtual.engine.times()
    assert times.host_seconds is not None
    assert times.device_seconds is not None
    assert times.host_seconds >= times.device_seconds


def test_a_copy_takes_its_latency_and_what_its_link_carries(virtual: Bench) -> None:
    virtual.run("X = torch.ones(16, 1024, 1024, device='cuda:0')")
    virtual.run("Y = X.cuda(1)")
    (between,) = virtual.engine.transfers(4)
    assert (between.id, between.source, between.target) == (4, "cuda:0", "cuda:1")
    assert between.bytes == 64 * MIB
    assert between.seconds == pytest.approx(8e-6 + 64 * MIB / 50e9)
    assert between.modelled


def test_pinned_memory_is_copied_faster(virtual: Bench) -> None:
    virtual.run("X = torch.ones(16, 1024, 1024)", "P = X.pin_memory()", "Y = X.cuda()")
    (pageable,) = virtual.engine.transfers(0)
    virtual.run("Z = P.cuda()")
    (pinned,) = virtual.engine.transfers(0)
    assert pageable.seconds == pytest.approx(1e-5 + 64 * MIB / 6e9)
    assert pinned.seconds == pytest.approx(1e-5 + 64 * MIB / 12e9)


def test_two_cards_work_side_by_side(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2000, 2000).cuda(0)", "Y = X.cuda(1)", "Z = X @ X")
    alone = virtual.engine.times().device_seconds
    assert alone is not None
    virtual.run("A = [X @ X, Y @ Y]")
    assert virtual.engine.times().device_seconds == pytest.approx(alone, rel=0.05)
    virtual.run("A = [X @ X, X @ X]")
    assert virtual.engine.times().device_seconds == pytest.approx(2 * alone, rel=0.05)


def test_events_measure_over_several_lines(virtual: Bench) -> None:
    virtual.run(
        "X = torch.ones(2000, 2000, device='cuda:0')",
        "begin = torch.cuda.Event(enable_timing=True)",
        "end = torch.cuda.Event(enable_timing=True)",
        "begin.record()",
        "Y = X @ X",
        "Z = Y @ X",
        "end.record()",
        "torch.cuda.synchronize()",
    )
    milliseconds = virtual.run("begin.elapsed_time(end)")
    assert milliseconds == pytest.approx(2 * 2 * 2000**3 / 16.31e12 * 1000, rel=0.05)


def test_events_refuse_as_torchs_do(virtual: Bench) -> None:
    virtual.run("a = torch.cuda.Event()", "b = torch.cuda.Event(enable_timing=True)")
    with pytest.raises(ValueError, match="enable_timing=True"):
        virtual.run("a.elapsed_time(b)")
    virtual.run("c = torch.cuda.Event(enable_timing=True)")
    with pytest.raises(ValueError, match="Both events must be recorded"):
        virtual.run("b.elapsed_time(c)")
    virtual.run("b.record()", "torch.cuda.set_device(1)", "c.record()")
    with pytest.raises(ValueError, match="Events are not on the same device"):
        virtual.run("b.elapsed_time(c)")


def test_a_look_at_the_values_is_a_copy_that_is_told(virtual: Bench) -> None:
    virtual.run("X = torch.ones(2, 3, device='cuda:1')", "print(X)")
    (look,) = virtual.engine.transfers(0)
    assert (look.source, look.target, look.bytes) == ("cuda:1", "cpu", 24)


def test_programs_with_streams_run(virtual: Bench) -> None:
    virtual.run("s = torch.cuda.Stream()", "X = torch.ones(3, device='cuda:0')")
    virtual.run("with torch.cuda.stream(s): Y = X * 2", "s.synchronize()")
    assert virtual.run("Y.tolist()") == [2, 2, 2]
    assert virtual.run("s.query()")


def test_a_copy_into_pinned_memory_goes_beside_what_the_card_computes(virtual: Bench) -> None:
    virtual.run(
        "X = torch.ones(2000, 2000, device='cuda:0')",
        "P = torch.empty(2000, 2000, pin_memory=True)",
    )
    virtual.run("P.copy_(X, non_blocking=True)")
    (copied,) = virtual.engine.transfers(0)
    assert (copied.pinned, copied.blocking) == (True, False)
