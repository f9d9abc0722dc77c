"""On a real card: copies are gated, arrive, have a plausible rate, and leave nothing behind."""

import statistics
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.lab.events import Measured  # noqa: E402 - only where there is torch
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.measurements import measured_on  # noqa: E402

pytestmark = pytest.mark.gpu

SIZE = 64 << 20
PLACE = 12_345_678
FASTEST_LINK = 500e9  # bytes per second: NVLink from host to card, the widest there is
SLOWEST_LINK = 0.5e9
WAYS = [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:0")]


@pytest.fixture(autouse=True)
def a_card() -> None:
    if not torch.cuda.is_available():
        pytest.skip("no card that PyTorch can use")


@pytest.fixture
def two_cards() -> None:
    if torch.cuda.device_count() < 2:
        pytest.skip("one card only")


class Flipping(TorchCards):
    """The real cards, but of each copy that is measured one byte comes wrong."""

    # Any: tensors are PyTorch's.
    def copy(self, target: Any, source: Any, *, wait: bool) -> None:
        super().copy(target, source, wait=wait)
        if not wait:
            if not target.is_cuda:
                torch.cuda.synchronize()
            target[PLACE] ^= 1


def _rate(measured: Measured, size: int = SIZE) -> float:
    return size / statistics.median(measured.samples_s)


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_copy_is_gated_arrives_and_is_as_fast_as_can_be(source: str, target: str) -> None:
    measured = measured_on(TorchCards(), source, target, bytes=SIZE, samples=7)
    assert measured.gated
    assert measured.intact
    assert measured.notes == ()
    assert len(measured.samples_s) == 7
    assert max(measured.samples_s) < 1.2 * min(measured.samples_s)
    if source == target:
        assert 10e9 < 2 * _rate(measured) < 1.05 * _memory_rate()
    else:
        assert SLOWEST_LINK < _rate(measured) < FASTEST_LINK


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_small_copies_are_gated_too(source: str, target: str) -> None:
    measured = measured_on(TorchCards(), source, target, bytes=4096, samples=7)
    assert measured.gated
    assert measured.intact
    assert statistics.median(measured.samples_s) < 100e-6


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
    assert _rate(pageable) < 1.1 * _rate(pinned)


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
        usual = measured_on(TorchCards(), source, target, bytes=SIZE)
        raw = measured_on(TorchCards(), source, target, bytes=SIZE, mode="raw")
        assert raw.intact
        assert _rate(raw) > 0.95 * _rate(usual)


@pytest.mark.parametrize("mode", ["copy", "staged", "raw"])
@pytest.mark.usefixtures("two_cards")
def test_from_card_to_card(mode: str) -> None:
    measured = measured_on(TorchCards(), "cuda:0", "cuda:1", bytes=SIZE, mode=mode)
    assert measured.intact
    assert measured.gated
    assert measured.direct is not None


def test_overlapping_takes_less_than_one_after_the_other() -> None:
    measured = measured_on(TorchCards(), mode="overlap", bytes=SIZE)
    assert measured.alone_s is not None
    assert measured.together_s is not None
    copies = measured.loops * statistics.median(measured.samples_s)
    assert measured.together_s < 0.9 * (measured.alone_s + copies)


def test_the_cards_memory_is_as_it_was() -> None:
    measured_on(TorchCards(), bytes=SIZE)
    before = torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)
    for mode in ("copy", "overlap"):
        measured_on(TorchCards(), bytes=SIZE, mode=mode)
        assert (torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)) == before


def _memory_rate() -> float:
    """As the card itself tells it, where it does."""
    properties = torch.cuda.get_device_properties(0)
    kilohertz = getattr(properties, "memory_clock_rate", 0)
    bits = getattr(properties, "memory_bus_width", 0)
    return 2 * kilohertz * 1e3 * bits / 8 or float("inf")
