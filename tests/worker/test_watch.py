"""What is seen on real cards: tried with simulated ones in their place, and a clock of ours."""

import time
from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Span, Transferred  # noqa: E402 - only where there is torch
from gpuexplorer.worker.engines import watch as watching  # noqa: E402
from gpuexplorer.worker.engines.checking import SeenPair  # noqa: E402
from gpuexplorer.worker.engines.watch import Watch  # noqa: E402
from tests.worker.benches import Bench  # noqa: E402


class Moment:
    """torch.cuda.Event of a card that is always idle."""

    def __init__(self, enable_timing: bool = False) -> None:
        self.at: float | None = None

    def record(self, stream: object = None) -> None:
        self.at = time.perf_counter()

    def query(self) -> bool:
        return self.at is not None

    def elapsed_time(self, other: "Moment") -> float:
        assert self.at is not None
        assert other.at is not None
        return (other.at - self.at) * 1e3


class Seen:
    """Operations on two cards, seen by the watch of real ones. Any: they are PyTorch's."""

    def __init__(self, bench: Bench) -> None:
        self._bench = bench
        self.watch = Watch()

    def see(self, line: str) -> Sequence[Transferred]:
        """Of an expression with `X` on the first card and `H` on the host."""
        bench = self._bench
        self.watch.begin()
        with bench.engine.running(), self.watch:
            known: dict[str, Any] = {"torch": torch, **bench.things}
            exec(line, known)
        self.watch.end()
        return self.watch.transfers(3)

    @property
    def spans(self) -> Sequence[Span]:
        return self.watch.spans()


@pytest.fixture
def seen(virtual: Bench, monkeypatch: pytest.MonkeyPatch) -> Seen:
    virtual.run("X = torch.ones(2, 3, device='cuda:0')", "H = torch.zeros(2, 3)")
    monkeypatch.setattr(torch.cuda, "Event", Moment)
    monkeypatch.setattr(torch.cuda, "current_stream", lambda index=None: None)
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setattr(torch.cuda, "can_device_access_peer", lambda one, other: one < other)
    monkeypatch.setattr(watching, "SeenPair", lambda sent, arrived, of_model: None)
    return Seen(virtual)


@pytest.mark.parametrize(
    ("line", "source", "target", "size"),
    [
        ("H.to('cuda:1')", "cpu", "cuda:1", 24),
        ("X.cpu()", "cuda:0", "cpu", 24),
        ("X.copy_(H)", "cpu", "cuda:0", 24),
        ("H.copy_(X)", "cuda:0", "cpu", 24),
        ("X.cuda(1)", "cuda:0", "cuda:1", 24),
    ],
)
def test_a_copy_is_seen_and_timed(
    seen: Seen, line: str, source: str, target: str, size: int
) -> None:
    (copy,) = seen.see(line)
    assert (copy.source, copy.target, copy.bytes, copy.id) == (source, target, size, 3)
    assert None not in (copy.begin, copy.end, copy.seconds, copy.host_seconds, copy.asked_at)
    assert not copy.modelled
    assert copy.direct is (True if "cpu" not in (source, target) else None)
    assert copy.blocking is ("cpu" in (source, target))


@pytest.mark.parametrize(
    ("line", "how", "size"),
    [
        ("torch.equal(X, X)", "equal", 1),
        ("X[X > 0]", "index", 4),
        ("X.nonzero()", "nonzero", 4),
        ("torch.masked_select(X, X > 0)", "masked_select", 4),
    ],
)
def test_what_an_operation_fetches_is_seen(seen: Seen, line: str, how: str, size: int) -> None:
    (copy,) = seen.see(line)
    assert (copy.how, copy.bytes, copy.source, copy.target) == (how, size, "cuda:0", "cpu")
    assert copy.host_seconds is not None
    assert copy.seconds is None  # part of an operation, which the card times as a whole


def test_positions_that_lie_on_the_host_go_to_the_card(seen: Seen) -> None:
    (copy,) = seen.see("X[torch.tensor([1, 0])]")
    assert (copy.how, copy.bytes, copy.source, copy.target) == ("index", 16, "cpu", "cuda:0")


def test_what_stays_where_it_is_is_no_copy(seen: Seen) -> None:
    assert seen.see("X.double().clone().to(X.device)") == []
    assert seen.see("(H + 1).double()") == []
    assert seen.spans == []


def test_between_copies_a_card_computes(seen: Seen) -> None:
    (copy,) = seen.see("Y = (X @ X.T).cuda(1); Z = X + X; W = X * X")
    assert copy.begin is not None
    assert copy.end is not None
    before, after = sorted(seen.spans, key=lambda each: each.begin)
    assert before.device == after.device == "cuda:0"
    assert before.end <= copy.begin + 1e-9
    assert copy.end <= after.begin + 1e-9
    assert set(seen.watch.busy()) == {"cuda:0", "cuda:1"}


def test_a_long_loop_is_told_in_short(seen: Seen) -> None:
    copies = seen.see("for each in range(1500): X.sum().cuda(1)")
    assert len(copies) == 201
    assert sum(each.copies for each in copies) == 1500
    assert all(each.seconds is not None for each in copies)
    assert len(seen.spans) <= 60


def test_values_are_compared_unless_they_were_changed() -> None:
    sent, arrived = torch.randn(3, 4), torch.zeros(3, 4)
    arrived.copy_(sent)
    assert SeenPair(sent, arrived, of_model=False).intact() is True
    pair = SeenPair(sent, arrived, of_model=False)
    arrived.mul_(2)
    assert pair.intact() is None
    assert SeenPair(sent, arrived, of_model=False).intact() is False
    assert SeenPair(sent.half(), sent.half().float(), of_model=True).intact() is True
    pair = SeenPair(sent, torch.zeros(3, 4), of_model=False)
    assert pair.intact() is None  # it is gone: whether it was changed, nobody knows
