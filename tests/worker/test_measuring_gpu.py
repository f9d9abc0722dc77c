"""On a real card: copies are gated, arrive, have a plausible rate, and leave nothing behind."""

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.measurements import measured_on  # noqa: E402
from tests.worker.real_cards import (  # noqa: E402
    beyond_caches,
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
