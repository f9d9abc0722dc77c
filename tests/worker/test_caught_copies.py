"""Every copy of a line is told, asked for or not, with the word that caused it."""

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch")

from gpuexplorer.lab.events import Transferred
from tests.steps import steps
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


@pytest.mark.parametrize("real", [False, pytest.param(True, marks=pytest.mark.gpu)])
@pytest.mark.parametrize("case", CAUGHT, ids=lambda each: each[0])
def test_each_way_of_copying_is_told_with_its_word(
    virtual: Bench, case: tuple[str, str, str, bool, int, bool], real: bool
) -> None:
    bench = real_bench() if real else virtual
    bench.run(ON_A_CARD, "H = torch.zeros(2, 3)", "s = X.sum()")
    cell, how, what, asked, size, to_host = case
    bench.run(f"# Hidden at its end, since showing a value copies too.\n{cell};")
    copy, card = only(bench), bench.devices[0]
    assert (copy.how, copy.asked, copy.bytes) == (how, asked, size)
    # Python may point at the whole of what is decided.
    assert (what or cell).replace("{0}", card) in copy.what
    assert (copy.source, copy.target) == ((card, "cpu") if to_host else ("cpu", card))
    assert (copy.line, copy.thread) == (2, "")
    assert (copy.blocking, copy.pinned, copy.direct) == (True, False, None)
    # What is made of numbers is copied on real cards before anything of it can be seen.
    assert (copy.host_seconds is None) is (real and how == "tensor")
    assert copy.modelled is not real
    assert real or None not in (copy.begin, copy.end, copy.seconds)


def test_what_a_cell_shows_is_told_as_shown(virtual: Bench) -> None:
    virtual.run(ON_A_CARD, "y = 1\nX")
    copy = only(virtual)
    assert (copy.how, copy.what, copy.line, copy.asked) == ("display", "X", 2, False)
    assert copy.bytes == 24


def test_what_a_library_copies_is_told_where_it_was_called(virtual: Bench) -> None:
    virtual.run(ON_A_CARD, "opt = torch.optim.SGD([X.requires_grad_()], 0.1)")
    virtual.run("from torch.nn.utils import clip_grad_norm_\nX.sum().backward()")
    virtual.run("a = clip_grad_norm_([X], 1.0, error_if_nonfinite=True)")
    copy = only(virtual)
    assert copy.what == "clip_grad_norm_([X], 1.0, error_if_nonfinite=True)"
    assert (copy.within, copy.asked) == ("torch.nn.utils.clip_grad", False)
    assert copy.deep >= 2


def test_what_the_threads_of_data_parallel_read_is_told_where_the_model_is_written(
    virtual: Bench,
) -> None:
    virtual.run(
        "class Net(nn.Module):\n"
        "    def forward(self, x):\n"
        "        if x.sum() > 0: return x\n"
        "net = nn.DataParallel(Net())\n"
        "X = torch.ones(8, 4).cuda()"
    )
    virtual.run("Y = net(X)")
    read = [each for each in told(virtual) if each.how == "if"]
    assert {each.source for each in read} == {"cuda:0", "cuda:1"}
    assert {(each.what, each.line, bool(each.thread), each.within) for each in read} == {
        ("x.sum() > 0", 3, True, "")
    }


def test_a_model_that_is_moved_is_one_row_that_was_asked_for(virtual: Bench) -> None:
    virtual.run("net = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))")
    virtual.run("net.to('cuda:1');")
    row = only(virtual)
    assert (row.what, row.how, row.asked, row.copies) == ("net.to('cuda:1')", "to", True, 4)
    assert row.bytes == 4 * (4 * 8 + 8 + 8 * 2 + 2)
    assert row.intact is True


@pytest.mark.parametrize(
    ("first", "then", "what"),
    [
        ("X = torch.ones(3, device='cuda:0')", "Y = X.to('cuda:0')", "X.to('cuda:0')"),
        ("X = torch.ones(3, device='cuda:0')", "Y = X.cuda()", "X.cuda()"),
        ("net = nn.Linear(2, 2).to('cuda:0')", "net.to('cuda:0');", "net.to('cuda:0')"),
        ("X = torch.ones(3, device='cuda:0')", "Y = X.to(torch.float32)", ""),
        ("X = torch.ones(3, device='cuda:0')", "Y = X.to('cuda:0', torch.float64)", ""),
    ],
)
def test_what_is_there_already_is_told_as_no_copy(
    virtual: Bench, first: str, then: str, what: str
) -> None:
    virtual.run(first, then)
    found = [(each.already_there, each.bytes, each.what) for each in told(virtual)]
    assert found == ([(True, 0, what)] if what else [])


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
    virtual.run("for i in range(500): Y = [(X @ X).sum().item(), X + X]")
    computing = [each for each in virtual.engine.spans() if not each.waits_for]
    assert 10 < len(computing) <= 60
    assert sum(each.count for each in computing) == 1500
    ends = [(each.begin, each.end) for each in computing]
    assert all(before[1] < after[0] for before, after in itertools.pairwise(ends))
    busy = sum(each.busy for each in computing)
    assert busy == pytest.approx(500 * (2 * 300**3 / 16.31e12 + 2 * 2e-6), rel=0.1)


def test_on_the_processor_nothing_is_copied() -> None:
    bench = cpu_bench()
    bench.run("X = torch.ones(2, 3)", "print(X, X.sum().item(), X.tolist(), X[X > 0])")
    assert told(bench) == []
    assert bench.engine.spans() == []


def test_noting_a_copy_costs_little(virtual: Bench) -> None:
    """Far below what an operation itself costs on a simulated card."""
    virtual.run(ON_A_CARD, "s = X.sum()")
    added = steps(lambda: virtual.run("for i in range(500): s + s"))
    noted = steps(lambda: virtual.run("for i in range(500): s.item()"))
    assert noted < 1.5 * added
