"""What is seen on real cards: tried with stand-ins for them, and a clock of ours."""

import time
from collections.abc import Iterator, Sequence

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Span, Transferred, Watched  # noqa: E402 - only where there is torch
from gpuexplorer.worker.engines import watch as watching  # noqa: E402
from gpuexplorer.worker.engines.sight import compared_later  # noqa: E402
from gpuexplorer.worker.engines.watch import Watch  # noqa: E402
from tests.worker import stand_ins  # noqa: E402
from tests.worker.written import run_cell  # noqa: E402


class Seen:
    """Cells on two cards, seen by the watch of real ones."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.watch.install()
        self.names = {
            "torch": torch,
            "X": stand_ins.OnCard(torch.ones(2, 3), 0),
            "H": torch.zeros(2, 3),
        }

    def see(self, text: str, number: int = 1) -> Sequence[Transferred]:
        """`X` is on the first card and `H` on the host."""
        with self.watch.watching():
            run_cell(text, self.names, number)
        self.watch.end()
        return self.watch.transfers(3)

    @property
    def spans(self) -> Sequence[Span]:
        return self.watch.spans()


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Iterator[Seen]:
    monkeypatch.setattr(watching, "compared_later", lambda sent, arrived: None)
    with stand_ins.two_cards(monkeypatch):
        yield Seen()


class Hours:
    """The computer's clock, which goes on a little whenever it is read."""

    def __init__(self) -> None:
        self.at = 100.0

    def __call__(self) -> float:
        self.at += 1e-6
        return self.at

    def pass_(self, seconds: float) -> None:
        self.at += seconds


@pytest.fixture
def hours(monkeypatch: pytest.MonkeyPatch, seen: Seen) -> Hours:
    hours = Hours()
    monkeypatch.setattr(time, "perf_counter", hours)
    seen.names["pass_"] = hours.pass_
    return hours


def told(seen: Seen) -> Watched:
    seen.watch.read_moments(all_of_them=False)
    return seen.watch.seen.changed(1, busy=seen.watch.busy())


def test_after_a_value_was_read_the_card_waits_for_the_host(seen: Seen, hours: Hours) -> None:
    seen.see("for i in range(4):\n    X.sum().item()\n    pass_(0.5)")
    (row,) = told(seen).idle
    assert (row.device, row.why, row.line, row.times) == ("cuda:0", "read", 2, 3)
    assert row.what == "X.sum().item()"
    assert row.seconds == pytest.approx(1.5, rel=1e-3)


def test_a_card_that_ran_dry_waits_for_the_host(seen: Seen, hours: Hours) -> None:
    seen.see("X.sum()\npass_(0.5)\nX.sum()\npass_(0.0001)\nX.sum()")
    (row,) = told(seen).idle
    assert (row.why, row.line, row.times) == ("host", 3, 1)
    assert row.seconds == pytest.approx(0.5, rel=1e-3)


def test_a_card_that_waits_for_a_loader_is_said_to(seen: Seen, hours: Hours) -> None:
    seen.see(
        "class Slow(torch.utils.data.Dataset):\n"
        "    def __len__(self): return 4\n"
        "    def __getitem__(self, i): pass_(0.5); return i\n"
        "loader = torch.utils.data.DataLoader(Slow())\n"
        "for each in loader:\n"
        "    X.sum()"
    )
    found = told(seen)
    (loader,) = found.loaders
    assert (loader.batches, loader.workers, loader.line) == (4, 0, 5)
    assert loader.what == "for each in loader:"
    assert loader.seconds == pytest.approx(2.0, rel=1e-2)
    (row,) = (each for each in found.idle if each.why == "loader")
    assert (row.line, row.times) == (5, 3)
    assert row.seconds == pytest.approx(1.5, rel=1e-2)
    assert (found.steps, found.step) == (4, "batch")


def test_what_comes_back_to_its_card_is_seen(seen: Seen) -> None:
    first, second = seen.see("for i in range(3):\n    Y = X.cpu()\n    Y.view(-1).to('cuda:0')")
    (trip,) = told(seen).trips
    assert (trip.out, trip.row, trip.device) == (first.row, second.row, "cuda:0")
    assert (trip.times, trip.bytes, trip.changed) == (3, 72, False)
    # So is what the host computed from it.
    seen.see("Y = X.cpu()\nZ = torch.sqrt(Y.clone() + 1)[0]\nZ.to('cuda:0'); H.to('cuda:0')")
    (trip,) = told(seen).trips
    assert (trip.times, trip.bytes, trip.changed) == (1, 12, True)


def test_copies_with_nothing_computed_between_them_are_one_burst(seen: Seen) -> None:
    first, second = seen.see(
        "for i in range(3):\n"
        "    for j in range(5): H.to('cuda:0'); H[0].to('cuda:0')\n"
        "    X.sum()"
    )
    assert (first.copies, first.bursts) == (15, 3)
    assert (second.copies, second.bursts) == (15, 3)


def test_a_program_is_told_as_it_goes_and_holds_nothing_to_compare(seen: Seen) -> None:
    with seen.watch.watching(program=True):
        run_cell("X.to('cuda:1')", seen.names)
        (copy,) = told(seen).copies
        assert (copy.copies, copy.intact) == (1, None)
        assert told(seen).copies == ()
        run_cell("X.to('cuda:1')", seen.names, 2)
        (copy,) = told(seen).copies
        assert (copy.row, copy.copies, copy.cell) == (2, 1, 2)


def test_what_a_cell_copied_that_failed_is_told_and_not_compared(seen: Seen) -> None:
    seen.see("X.to('cuda:1')")
    with seen.watch.watching():
        run_cell("X.to('cuda:1')\nX.sum().item()", seen.names)
        seen.watch.copies.leave_unchecked()
        assert [each.intact for each in seen.watch.transfers(3)] == [None, None]


@pytest.mark.parametrize(
    ("line", "how", "source", "target"),
    [
        ("H.to('cuda:1')", "to", "cpu", "cuda:1"),
        ("X.copy_(H)", "copy_", "cpu", "cuda:0"),
        ("H.copy_(X)", "copy_", "cuda:0", "cpu"),
        ("X.to('cuda:1')", "to", "cuda:0", "cuda:1"),
    ],
)
def test_a_copy_is_seen_and_timed(
    seen: Seen, line: str, how: str, source: str, target: str
) -> None:
    (copy,) = seen.see(f"\n{line}", 4)
    assert (copy.source, copy.target, copy.bytes, copy.id) == (source, target, 24, 3)
    assert (copy.cell, copy.line, copy.what, copy.how, copy.asked) == (4, 2, line, how, True)
    assert None not in (copy.begin, copy.end, copy.seconds, copy.host_seconds, copy.asked_at)
    assert copy.direct is (True if "cpu" not in (source, target) else None)
    assert copy.blocking is ("cpu" in (source, target))


@pytest.mark.parametrize(
    ("line", "how", "size"),
    [
        ("torch.equal(X, X)", "equal", 1),
        ("X[X > 0]", "index", 4),
        ("X.sum().item()", "item", 4),
        ("if X.sum() > 0: pass", "if", 1),
    ],
)
def test_what_comes_back_unasked_is_seen(seen: Seen, line: str, how: str, size: int) -> None:
    (copy,) = seen.see(line)
    assert (copy.how, copy.bytes, copy.source, copy.target) == (how, size, "cuda:0", "cpu")
    assert (copy.asked, copy.seconds) == (False, None)  # the card times the whole operation
    assert copy.host_seconds is not None


@pytest.mark.filterwarnings("ignore")
def test_numbers_that_pytorch_hands_on_as_tensors_do_no_harm(seen: Seen) -> None:
    seen.see("Y = torch.func.vmap(lambda a: a * 2)(H + 1)")
    seen.names["more"] = torch.jit.trace(lambda a: a + 1, torch.zeros(2, 3), check_trace=False)
    seen.see("Z = more(H)")
    assert torch.equal(seen.names["Y"], torch.full((2, 3), 2.0))
    assert torch.equal(seen.names["Z"], torch.ones(2, 3))


def test_what_is_there_already_is_told_where_the_person_asked_for_it(seen: Seen) -> None:
    (copy,) = seen.see("for i in range(3): Y = H.to('cpu')")
    assert copy.already_there
    assert (copy.bytes, copy.copies, copy.what, copy.asked) == (0, 3, "H.to('cpu')", True)
    assert seen.see("H.to(torch.float32)") == []
    (copy,) = seen.see("net = torch.nn.Linear(2, 2)\nnet.cpu()")
    assert (copy.already_there, copy.what) == (True, "net.cpu()")
    assert seen.see("net = torch.nn.LazyLinear(2).to('cpu')") == []


def test_no_memory_is_taken_and_no_way_is_opened_while_a_copy_is_timed(seen: Seen) -> None:
    stand_ins.done.clear()
    seen.see("X.to('cuda:1')")
    at = stand_ins.done.index("_to_copy")
    assert stand_ins.done[at - 1 : at + 2] == ["moment", "_to_copy", "moment"]
    # Room for the copy, and a number that is the first to take this way.
    assert stand_ins.done[: at - 1].count("empty") == 2
    assert "to" in stand_ins.done[: at - 1]
    stand_ins.done.clear()
    seen.see("X.to('cuda:1')")
    assert "to" not in stand_ins.done  # the way is open


def test_copies_in_a_loop_are_one_row(seen: Seen) -> None:
    first, second = seen.see("for i in range(1500):\n    X.to('cuda:1')\n    X.sum().item()")
    assert (first.copies, first.line, first.bytes) == (1500, 2, 1500 * 24)
    assert (second.copies, second.line, second.bytes) == (1500, 3, 1500 * 4)
    assert len(seen.spans) <= 60


def test_copies_in_threads_that_a_cell_starts_are_all_told(seen: Seen) -> None:
    (copy,) = seen.see(
        "import threading\n"
        "def work():\n"
        "    for i in range(200): X.to('cuda:1')\n"
        "them = [threading.Thread(target=work, name='work') for i in range(8)]\n"
        "for each in them: each.start()\n"
        "for each in them: each.join()"
    )
    assert (copy.copies, copy.line, copy.thread, copy.asked) == (1600, 3, "work", True)


def test_between_copies_a_card_computes(seen: Seen) -> None:
    (copy,) = seen.see("Y = (X @ X.T).to('cuda:1'); Z = X + X; W = X * X")
    assert copy.begin is not None
    assert copy.end is not None
    before, after = sorted(seen.spans, key=lambda each: each.begin)
    assert before.device == after.device == "cuda:0"
    assert before.end <= copy.begin + 1e-9
    assert copy.end <= after.begin + 1e-9
    assert {name for name, _ in seen.watch.spanned()} == {"cuda:0", "cuda:1"}


def test_waiting_for_a_card_is_seen(seen: Seen) -> None:
    seen.see("torch.cuda.synchronize()")
    (span,) = seen.spans
    assert (span.device, span.waits_for, span.why) == ("cpu", "cuda:0", "synchronize")


def test_values_are_compared_unless_they_were_changed(monkeypatch: pytest.MonkeyPatch) -> None:
    sent = torch.randn(3, 4)
    arrived = sent.clone()
    assert compared_later(sent, arrived)() is True
    assert compared_later(sent.half(), sent.half().float())() is True
    pair = compared_later(sent, arrived)
    arrived.mul_(2)
    assert pair() is None  # copied again it arrives
    monkeypatch.setattr(torch.Tensor, "to", lambda tensor, *_, **__: torch.zeros(3, 4))
    assert pair() is False  # the way changes bytes each time
