"""What is seen on real cards, and when the watch looks away: tried with stand-ins."""

import threading
import time
from collections.abc import Iterator, Sequence

import pytest

pytest.importorskip("torch")

import torch
from torch.utils._python_dispatch import _get_current_dispatch_mode_stack

from gpuexplorer.lab.events import Span, Transferred, Watched
from gpuexplorer.worker.engines import watch as watching
from gpuexplorer.worker.engines.sight import Sight, compared_later
from gpuexplorer.worker.engines.watch import Watch
from gpuexplorer.worker.watching import seen as sampling
from tests.worker import stand_ins
from tests.worker.benches import run_cell


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


def test_what_comes_back_to_its_card_is_seen(seen: Seen) -> None:
    first, second = seen.see("for i in range(3):\n    Y = X.cpu()\n    Y.view(-1).to('cuda:0')")
    (trip,) = told(seen).trips
    assert (trip.out, trip.row, trip.device) == (first.row, second.row, "cuda:0")
    assert (trip.times, trip.bytes, trip.changed) == (3, 72, False)
    # So is what the host computed from it.
    seen.see("Y = X.cpu()\nZ = torch.sqrt(Y.clone() + 1)[0]\nZ.to('cuda:0'); H.to('cuda:0')")
    (trip,) = told(seen).trips
    assert (trip.times, trip.bytes, trip.changed) == (1, 12, True)


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


def test_copies_in_a_loop_are_one_row(seen: Seen) -> None:
    first, second = seen.see("for i in range(300):\n    X.to('cuda:1')\n    X.sum().item()")
    assert (first.copies, first.line, first.bytes) == (300, 2, 300 * 24)
    assert (second.copies, second.line, second.bytes) == (300, 3, 300 * 4)
    assert len(seen.spans) <= 60


def test_copies_in_threads_that_a_cell_starts_are_all_told(seen: Seen) -> None:
    (copy,) = seen.see(
        "import threading\n"
        "def work():\n"
        "    for i in range(50): X.to('cuda:1')\n"
        "them = [threading.Thread(target=work, name='work') for i in range(8)]\n"
        "for each in them: each.start()\n"
        "for each in them: each.join()"
    )
    assert (copy.copies, copy.line, copy.thread, copy.asked) == (400, 3, "work", True)


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


FIRST = 4


class Training:
    """A loop as people write it, on the processor."""

    def __init__(self) -> None:
        self.watch = Watch()
        self.watch.install()
        self.net = torch.nn.Linear(4, 2)
        self.optimizer = torch.optim.SGD(self.net.parameters(), lr=0.1)
        self.data = torch.randn(3, 4)

    def runs(self, steps: int) -> None:
        for _ in range(steps):
            self.optimizer.zero_grad()
            self.net(self.data).sum().backward()
            self.optimizer.step()

    def is_watched(self) -> bool:
        """Whether what this thread does with tensors passes the watch."""
        return any(isinstance(each, Sight) for each in _get_current_dispatch_mode_stack())

    @property
    def steps(self) -> tuple[int, int]:
        seen = self.watch.seen.changed(1)
        return seen.steps, seen.seen_steps


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Training:
    monkeypatch.setattr(sampling, "WHOLE", FIRST)
    monkeypatch.setattr(sampling, "EVERY", 0)
    monkeypatch.setattr(sampling, "SHARE", -1.0)
    stand_ins.put_back(monkeypatch)
    return Training()


def test_it_looks_away_after_the_first_steps_and_back_when_there_is_time(
    training: Training, monkeypatch: pytest.MonkeyPatch
) -> None:
    with training.watch.watching(program=True, sampled=True):
        training.runs(FIRST - 1)
        assert training.is_watched()
        training.runs(1)
        assert not training.is_watched()
        training.runs(10)
        assert training.steps == (FIRST + 10, FIRST)
        monkeypatch.setattr(sampling, "SHARE", 1e9)
        training.runs(1)
        assert training.is_watched()
        training.runs(1)
        assert not training.is_watched()
        assert training.steps == (FIRST + 12, FIRST + 1)
    assert not training.is_watched()


def test_what_pytorch_is_in_the_midst_of_goes_on(training: Training) -> None:
    optimizers = {each: torch.optim.SGD([each], lr=0.1) for each in training.net.parameters()}
    for each in optimizers:  # which step within the backward pass
        each.register_post_accumulate_grad_hook(lambda it: optimizers[it].step())
    results = []

    def train() -> None:
        training.runs(2)
        results.append(torch.vmap(training.net)(training.data).shape)

    with training.watch.watching(program=True, sampled=True):
        for _ in range(3):
            training.runs(FIRST)
            thread = threading.Thread(target=train)
            thread.start()
            thread.join()
            assert torch.vmap(training.net)(training.data).shape == (3, 2)
    assert results == [(3, 2)] * 3
    assert not training.is_watched()


@pytest.fixture
def watch(monkeypatch: pytest.MonkeyPatch) -> "Iterator[Watch]":
    with stand_ins.two_cards(monkeypatch):
        watch = Watch()
        watch.install()
        with watch.watching(program=True):
            yield watch


def test_while_a_graph_is_captured_no_card_is_asked_anything(watch: Watch) -> None:
    tensor = torch.ones(3, device="cuda:0")
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin(pool=None, capture_error_mode="global")
    before = stand_ins.done.count("moment")
    (tensor + 1) * 2
    torch.zeros(3).to("cuda:1")
    watch.read_moments(all_of_them=False)
    watch.seen.changed(1)
    assert stand_ins.done.count("moment") == before
    graph.capture_end()
    torch.zeros(3).to("cuda:0")
    watch.read_moments(all_of_them=False)
    assert [each.target for each in watch.copies.changed(1)] == ["cuda:0"]


def test_what_a_graph_does_when_it_is_played_is_work_of_the_card(watch: Watch) -> None:
    torch.ones(3, device="cuda:0")
    kernels = watch.copies.kernels
    before = stand_ins.done.count("moment")
    torch.cuda.CUDAGraph().replay()
    assert watch.copies.kernels == kernels + 1
    assert stand_ins.done[-2:] == ["replay", "moment"]
    assert stand_ins.done.count("moment") > before
