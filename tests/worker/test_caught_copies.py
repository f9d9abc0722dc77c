"""Every copy of a line is told, asked for or not, with its word and how long it took."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch")


from gpuexplorer.lab.events import Transferred
from tests.worker.benches import LINKS, Bench, cpu_bench, real_bench, start_anew, virtual_bench

ON_A_CARD = "X = torch.ones(2, 3, device='{0}')"


def told(bench: Bench) -> Sequence[Transferred]:
    return bench.engine.transfers(7)


def only(bench: Bench) -> Transferred:
    (copy,) = told(bench)
    return copy


CAUGHT = [
    # the cell, how, the expression where it is not all of it, asked, bytes, to the host
    ("X.to('cpu')", "to", "", True, 24, True),
    ("Z = X.cpu() * 2", "cpu", "X.cpu()", True, 24, True),
    ("H.to('{0}')", "to", "", True, 24, False),
    ("X.copy_(H)", "copy_", "", True, 24, False),
    ("H.copy_(X)", "copy_", "", True, 24, True),
    ("X[0, 0].item()", "item", "", False, 4, True),
    ("float(s)", "float", "", False, 4, True),
    ("if s: pass", "if", "s", False, 4, True),
    ("y = [i for i in range(1) if s > i]", "if", "s > i", False, 1, True),
    ("f'{s:.1f}'", "format", "", False, 4, True),
    ("print('X is', X)", "print", "", False, 24, True),
    ("X.tolist()", "tolist", "", False, 24, True),
    ("torch.equal(X, X)", "equal", "", False, 1, True),
    ("max(s, s)", "max", "", False, 1, True),
    ("X[X > 0]", "index", "", False, 4, True),
    ("X[torch.tensor([1])]", "index", "", False, 8, False),
    ("X[0] = H[1]", "assignment", "", False, 12, False),
    ("torch.tensor([1.0, 2.0], device='{0}')", "tensor", "", False, 8, False),
]


@pytest.mark.parametrize("case", CAUGHT, ids=lambda each: each[0])
def test_each_way_of_copying_is_told_with_its_word(
    virtual: Bench, case: tuple[str, str, str, bool, int, bool]
) -> None:
    virtual.run(ON_A_CARD, "H = torch.zeros(2, 3)", "s = X.sum()")
    cell, how, what, asked, size, to_host = case
    virtual.run(f"# Hidden at its end, since showing a value copies too.\n{cell};")
    copy, card = only(virtual), "cuda:0"
    assert (copy.how, copy.asked, copy.bytes) == (how, asked, size)
    # Python may point at the whole of what is decided.
    assert (what or cell).replace("{0}", card) in copy.what
    assert (copy.source, copy.target) == ((card, "cpu") if to_host else ("cpu", card))
    assert (copy.line, copy.thread, copy.modelled) == (2, "", True)
    assert (copy.blocking, copy.pinned, copy.direct) == (True, False, None)
    assert None not in (copy.begin, copy.end, copy.seconds, copy.host_seconds)


@pytest.mark.parametrize(
    ("first", "then", "how", "target"),
    [
        (ON_A_CARD, "torch.save(X, '{path}')", "save", "cpu"),
        ("torch.save(torch.ones(3).cuda(), '{path}')",
         "Y = torch.load('{path}', map_location='cuda:1')", "load", "cuda:1"),
        ("loss = torch.ones(3, device='cuda:0').requires_grad_().cuda(1).sum()",
         "loss.backward()", "backward", "cuda:0"),
    ],
)  # fmt: skip
def test_what_pytorch_copies_by_itself_was_not_asked_for(
    virtual: Bench, first: str, then: str, how: str, target: str, tmp_path: Path
) -> None:
    virtual.run(*(each.replace("{path}", str(tmp_path / "x.pt")) for each in (first, then)))
    copy = only(virtual)
    assert (copy.how, copy.asked, copy.target) == (how, False, target)


@pytest.mark.parametrize(
    ("cell", "pinned", "blocking"),
    [
        ("Y = X.cuda()", False, True),
        ("Y = X.cuda(non_blocking=True)", False, True),
        ("Y = P.cuda()", True, True),
        ("Y = P.to('cuda:0', non_blocking=True)", True, False),
        ("P.copy_(C)", True, True),
        ("H = C.to('cpu', non_blocking=True)", True, False),
    ],
)
def test_pinned_and_not_blocking_are_told_as_they_are(
    virtual: Bench, cell: str, pinned: bool, blocking: bool
) -> None:
    virtual.run("X = torch.ones(16, 1024, 1024)", "P = X.pin_memory()", "C = X.cuda()", cell)
    copy = only(virtual)
    assert (copy.pinned, copy.blocking) == (pinned, blocking)
    assert copy.host_seconds is not None
    assert copy.seconds is not None
    assert (copy.host_seconds < copy.seconds / 100) is not blocking


def bench_with(**way: object) -> Bench:
    """`way`: what is otherwise of that between the cards."""
    start_anew()
    return virtual_bench([{**each, **way} if each["one"] == 0 else each for each in LINKS])


@pytest.mark.parametrize("peer", [True, False])
def test_between_cards_it_is_direct_or_not_and_never_blocks(peer: bool) -> None:
    bench = bench_with(peer=peer)
    bench.run(ON_A_CARD, "Z = X.cuda(1)")
    copy = only(bench)
    assert (copy.direct, copy.pinned, copy.blocking) == (peer, None, False)


def test_what_was_asked_for_is_compared_when_the_line_is_over(virtual: Bench) -> None:
    virtual.run("X = torch.randn(1000, 1000)", "X[0, 0] = float('nan')", "Y = X.cuda()")
    assert only(virtual).intact is True
    virtual.run("Z = Y.half().cuda(1)")
    assert only(virtual).intact is True
    virtual.run("Z = X.cuda().mul_(2)")
    assert only(virtual).intact is True  # when it arrived
    virtual.run("Y.sum().item()")
    assert only(virtual).intact is None


def test_what_arrives_wrong_is_found() -> None:
    bench = bench_with(wrong_to=(1,))
    bench.run("X = torch.ones(5, device='cuda:0')", "Y = X.cuda(1)")
    assert only(bench).intact is False
    assert bench.run("Y.tolist()") == [0, 0, 0, 0, 0]
    bench.run("Z = Y.cuda(0)")
    assert only(bench).intact is True


@pytest.mark.gpu
def test_copies_and_products_of_a_real_card_are_compared_and_timed() -> None:
    bench = real_bench()
    bench.run("X = torch.randn(1000, 1000)", "Y = X.to('{0}')")
    copy = only(bench)
    assert copy.intact is True
    assert None not in (copy.seconds, copy.begin, copy.asked_at)
    bench.run("net = nn.Linear(100, 100)", "net.to('{0}')")
    assert (only(bench).copies, only(bench).intact) == (2, True)
    bench.run("X = torch.randn(4000, 4000, device='{0}')", "Y = X @ X")
    spans = [each for each in bench.engine.spans() if not each.waits_for]
    assert [each.device for each in spans] == ["cuda:0"]
    assert spans[0].busy > 1e-4


def test_the_spans_of_a_long_line_stay_few(virtual: Bench) -> None:
    virtual.run("X = torch.ones(300, 300, device='cuda:0')")
    virtual.run("for i in range(200): Y = [(X @ X).sum().item(), X + X]")
    computing = [each for each in virtual.engine.spans() if not each.waits_for]
    assert 10 < len(computing) <= 60
    assert sum(each.count for each in computing) == 600
    ends = [(each.begin, each.end) for each in computing]
    assert all(before[1] < after[0] for before, after in itertools.pairwise(ends))
    busy = sum(each.busy for each in computing)
    assert busy == pytest.approx(200 * (2 * 300**3 / 16.31e12 + 2 * 2e-6), rel=0.1)


def test_on_the_processor_nothing_is_copied() -> None:
    bench = cpu_bench()
    bench.run("X = torch.ones(2, 3)", "print(X, X.sum().item(), X.tolist(), X[X > 0])")
    assert told(bench) == []
    assert bench.engine.spans() == []


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
