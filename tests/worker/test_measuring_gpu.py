"""On a real card: copies are gated, arrive, have a plausible rate, and leave nothing behind."""

import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.copies.result import CopyResult  # noqa: E402
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.measurements import (  # noqa: E402
    asked_for,
    measured_on,
)
from tests.worker.real_cards import (  # noqa: E402
    beyond_caches,
    cache_bytes,
    memory_rate,
    rate_of,
    skip_without_cards,
    usual,
)

pytestmark = pytest.mark.gpu

SIZE = 64 << 20
PLACE = 12_345_678
FASTEST_LINK = 500e9  # bytes per second: NVLink from host to card, the widest there is
SLOWEST_LINK = 0.5e9
WAYS = [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0")]


@pytest.fixture(autouse=True)
def a_card() -> None:
    skip_without_cards(1)


@pytest.fixture
def two_cards() -> None:
    skip_without_cards(2)


class Flipping(TorchCards):
    """The real cards, but of each copy that is measured one byte comes wrong."""

    # Any: tensors are PyTorch's.
    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        super().copy(target, source, wait=wait)
        if not wait:
            if not target.is_cuda:
                torch.cuda.synchronize()
            target[PLACE] ^= 1


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_copy_is_gated_arrives_and_is_as_fast_as_can_be(source: str, target: str) -> None:
    size = beyond_caches(SIZE) if source == target else SIZE
    measured = measured_on(TorchCards(), source, target, bytes=size, samples=7)
    assert measured.gated, measured.notes
    assert measured.intact, measured.notes
    assert len(measured.samples_s) == 7
    assert usual(measured) < 1.2 * min(measured.samples_s)
    if source == target:
        assert 10e9 < 2 * rate_of(measured, size) < 1.1 * memory_rate()
    else:
        assert SLOWEST_LINK < rate_of(measured, size) < FASTEST_LINK


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_small_copies_are_gated_too(source: str, target: str) -> None:
    measured = measured_on(TorchCards(), source, target, bytes=4096, samples=7)
    assert measured.gated
    assert measured.intact
    assert usual(measured) < 100e-6


@pytest.mark.parametrize(("source", "target"), [WAYS[0], WAYS[2]])
def test_a_byte_flipped_on_purpose_is_found(source: str, target: str) -> None:
    measured = measured_on(Flipping(), source, target, bytes=SIZE, samples=1)
    assert measured.intact is False
    [wrong] = measured.wrong
    assert (wrong.first, wrong.bytes) == (PLACE, 1)


def test_memory_that_is_not_pinned_is_slower_and_has_no_gate() -> None:
    cards = TorchCards()
    pageable = measured_on(cards, "cpu", "cuda:0", bytes=SIZE, pinned=False)
    pinned = measured_on(cards, "cpu", "cuda:0", bytes=SIZE)
    assert pageable.gated is None
    assert pageable.intact
    assert rate_of(pageable, SIZE) < 1.1 * rate_of(pinned, SIZE)


@pytest.mark.parametrize(
    ("mode", "changes"),
    [
        ("copy", {"both_ways": True}),
        ("copy", {"pieces": 64}),
        ("copy", {"beside": (("cuda:0", "cpu"),)}),
        ("overlap", {}),
        ("blocking", {}),
        ("blocking", {"pinned": False}),
        ("fresh", {"pinned": False}),
        ("latency", {"bytes": 16}),
        ("strided", {}),
        ("converted", {}),
    ],
)
def test_each_way_to_copy_arrives(mode: str, changes: dict[str, Any]) -> None:
    measured = measured_on(TorchCards(), mode=mode, **{"bytes": SIZE, **changes})
    assert measured.intact
    assert all(each > 0 for each in measured.samples_s)
    assert measured.gated in (None, True)


def test_the_drivers_own_call_takes_no_longer_than_pytorchs() -> None:
    pytest.importorskip("cuda.bindings")
    for source, target in WAYS:
        by_pytorch = measured_on(TorchCards(), source, target, bytes=SIZE)
        raw = measured_on(TorchCards(), source, target, bytes=SIZE, mode="raw")
        assert raw.intact
        assert rate_of(raw, SIZE) > 0.9 * rate_of(by_pytorch, SIZE)


@pytest.mark.parametrize("mode", ["copy", "staged", "raw"])
@pytest.mark.usefixtures("two_cards")
def test_from_card_to_card(mode: str) -> None:
    measured = measured_on(TorchCards(), "cuda:0", "cuda:1", bytes=SIZE, mode=mode)
    assert measured.intact, measured.notes
    assert measured.direct is not None
    # Without a direct way the driver carries the bytes itself, and keeps the host waiting.
    if measured.direct or mode == "staged":
        assert measured.gated, measured.notes


def test_the_cards_memory_is_as_it_was() -> None:
    measured_on(TorchCards(), bytes=SIZE)
    before = torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)
    for mode in ("copy", "overlap"):
        measured_on(TorchCards(), bytes=SIZE, mode=mode)
        assert (torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)) == before


SMALL = 4096
TIMES = 40
LARGE = (4 << 30) + 12_345_600  # beyond what 32 bits can count


class Ungated(TorchCards):
    """The real cards, but nothing holds their queues."""

    def sleep(self, cycles: int) -> None:
        raise RuntimeError(f"CUDA error: no kernel image is available, so no {cycles} cycles")


def by_the_host(ways: Sequence[tuple[str, str]]) -> float:
    """Bytes per second in all, each way asked for by a thread of its own."""
    cards = TorchCards()
    ready = threading.Barrier(len(ways) + 1, timeout=60.0)

    def carry(source: str, target: str) -> None:
        come_from, to = (
            cards.empty(each, SIZE, pinned=each == "cpu") for each in (source, target)
        )
        stream = cards.stream(target if source == "cpu" else source)
        with cards.on(stream):
            cards.copy(to, come_from, wait=True)
            ready.wait()
            for _ in range(TIMES):
                cards.copy(to, come_from, wait=False)
            stream.synchronize()

    threads = [threading.Thread(target=carry, args=way) for way in ways]
    for each in threads:
        each.start()
    ready.wait()
    began = time.perf_counter()
    for each in threads:
        each.join()
    return len(ways) * TIMES * SIZE / (time.perf_counter() - began)


@pytest.mark.parametrize(("source", "target"), [("cpu", "cuda:0"), ("cuda:0", "cuda:1")])
def test_both_ways_at_once_carry_what_the_host_sees_arrive(source: str, target: str) -> None:
    skip_without_cards(2 if target == "cuda:1" else 1)
    measured = measured_on(TorchCards(), source, target, bytes=SIZE, both_ways=True, samples=7)
    if not measured.back_samples_s:
        pytest.skip(f"not measured at once: {measured.notes}")
    back = sorted(measured.back_samples_s)[len(measured.back_samples_s) // 2]
    ours = SIZE / usual(measured) + SIZE / back
    theirs = by_the_host([(source, target), (target, source)])
    assert ours == pytest.approx(theirs, rel=0.2), measured.notes


def test_one_way_carries_what_the_host_sees_arrive() -> None:
    for way in (("cpu", "cuda:0"), ("cuda:0", "cpu")):
        measured = measured_on(TorchCards(), *way, bytes=SIZE, samples=7)
        assert rate_of(measured, SIZE) == pytest.approx(by_the_host([way]), rel=0.1)


@pytest.mark.parametrize("way", [("cpu", "cuda:0"), ("cuda:0", "cpu")])
def test_copies_beside_a_computation_are_nearly_hidden(way: tuple[str, str]) -> None:
    wanted = asked_for(*way, mode="overlap", bytes=SIZE, samples=7)
    measured = measured_on(TorchCards(), *way, mode="overlap", bytes=SIZE, samples=7)
    hidden = CopyResult(wanted, measured, None).hidden
    assert hidden is not None
    assert 0.85 < hidden <= 1.0, measured


@pytest.mark.parametrize(
    ("source", "target"), [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0")]
)
def test_without_the_gate_a_small_copy_takes_as_long_as_asking_for_it(
    source: str, target: str
) -> None:
    gated = measured_on(TorchCards(), source, target, bytes=SMALL, samples=7)
    open_queue = measured_on(Ungated(), source, target, bytes=SMALL, samples=7)
    assert gated.gated
    assert not open_queue.gated
    assert gated.intact
    assert open_queue.intact
    assert usual(gated) < 1.05 * usual(open_queue)


def test_copies_within_the_card_are_below_its_memory_once_they_leave_the_cache() -> None:
    cache = cache_bytes()
    if not cache or memory_rate() == float("inf"):
        pytest.skip("PyTorch does not say how large the cache is, or how fast the memory")
    sizes = [1 << power for power in range(20, 30)]
    rates = {}
    for size in sizes:
        measured = measured_on(TorchCards(), "cuda:0", "cuda:0", bytes=size, samples=7)
        assert measured.gated, (size, measured.notes)
        assert measured.intact, (size, measured.notes)
        rates[size] = 2 * rate_of(measured, size)
    beyond = [rate for size, rate in rates.items() if size >= 4 * cache]
    assert beyond, cache
    assert max(beyond) < 1.15 * memory_rate(), rates


@pytest.mark.parametrize(
    ("source", "target", "pinned"),
    [("cuda:0", "cuda:0", None), ("cpu", "cuda:0", False), ("cuda:0", "cpu", True)],
)
def test_more_than_four_gigabytes_arrive_whole(
    source: str, target: str, pinned: bool | None
) -> None:
    cards = TorchCards()
    for device, times in (("cuda:0", 3), ("cpu", 6)):  # pinned memory is taken in powers of two
        if (cards.free_bytes(device) or 0) < times * LARGE:
            pytest.skip(f"too little memory is free on {device}")
    measured = measured_on(
        cards, source, target, bytes=LARGE, pinned=pinned, samples=3, most_share=1.0
    )
    assert measured.intact, measured.notes
    assert measured.wrong == ()
    small = measured_on(cards, source, target, bytes=LARGE // 16, pinned=pinned)
    assert rate_of(measured, LARGE) == pytest.approx(rate_of(small, LARGE // 16), rel=0.5)
