"""On a real card: copies and products are gated, right, and as fast as can be."""

import statistics
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.copies.result import CopyResult  # noqa: E402
from gpuexplorer.core.trouble import Trouble  # noqa: E402
from gpuexplorer.lab.wire import ProductJob  # noqa: E402
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.measurements import asked_for, measured_on, multiplied_on  # noqa: E402
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
ROWS = 4096
CORES_OF_HALF = ((6, 0), (7, 0), (7, 5), (8, 0))
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


@pytest.mark.parametrize(("source", "target"), [WAYS[0], WAYS[2]])
def test_a_byte_flipped_on_purpose_is_found(source: str, target: str) -> None:
    measured = measured_on(Flipping(), source, target, bytes=SIZE, samples=1)
    assert measured.intact is False
    [wrong] = measured.wrong
    assert (wrong.first, wrong.bytes) == (PLACE, 1)


@pytest.mark.parametrize(
    ("mode", "changes"),
    [
        ("copy", {"both_ways": True}),
        ("copy", {"pieces": 64}),
        ("copy", {"beside": (("cuda:0", "cpu"),)}),
        ("overlap", {}),
        ("blocking", {}),
        ("blocking", {"pinned": False}),
        ("latency", {"bytes": 16}),
    ],
)
def test_each_way_to_copy_arrives(mode: str, changes: dict[str, Any]) -> None:
    measured = measured_on(TorchCards(), mode=mode, **{"bytes": SIZE, **changes})
    assert measured.intact
    assert all(each > 0 for each in measured.samples_s)
    assert measured.gated in (None, True)


@pytest.mark.parametrize("mode", ["copy", "staged"])
@pytest.mark.usefixtures("two_cards")
def test_from_card_to_card(mode: str) -> None:
    measured = measured_on(TorchCards(), "cuda:0", "cuda:1", bytes=SIZE, mode=mode)
    assert measured.intact, measured.notes
    assert measured.direct is not None
    # Without a direct way the driver carries the bytes itself, and keeps the host waiting.
    if measured.direct or mode == "staged":
        assert measured.gated, measured.notes


@pytest.mark.parametrize("way", [("cpu", "cuda:0"), ("cuda:0", "cpu")])
def test_copies_beside_a_computation_are_nearly_hidden(way: tuple[str, str]) -> None:
    wanted = asked_for(*way, mode="overlap", bytes=SIZE, samples=7)
    measured = measured_on(TorchCards(), *way, mode="overlap", bytes=SIZE, samples=7)
    hidden = CopyResult(wanted, measured, None).hidden
    assert hidden is not None
    assert 0.85 < hidden <= 1.0, measured


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


@pytest.fixture
def capability() -> tuple[int, int]:
    found: tuple[int, int] = torch.cuda.get_device_capability(0)
    return found


def _rate(kind: str, size: int = ROWS) -> float:
    measured = multiplied_on(TorchCards(), "cuda:0", kind, size=size, samples=7, seconds=1.0)
    assert measured.gated, measured.notes
    assert measured.right, measured.notes
    seconds = statistics.median(measured.samples_s)
    assert seconds < 1.3 * min(measured.samples_s)
    return ProductJob("cuda:0", kind, size).operations / seconds


def test_single_precision_stays_below_cores_times_clock(capability: tuple[int, int]) -> None:
    properties = torch.cuda.get_device_properties(0)
    cores = properties.multi_processor_count * (64 if capability in CORES_OF_HALF else 128)
    kilohertz = getattr(properties, "clock_rate", 0)
    most = 2 * cores * kilohertz * 1e3 or float("inf")
    assert 0.2e12 < _rate("fp32") < 1.1 * most


def test_tensor_cores_are_faster_than_single_precision(capability: tuple[int, int]) -> None:
    if capability < (8, 0):
        pytest.skip("no TF32 and BF16 on this card")
    single, tf32, bf16 = (_rate(kind, 8192) for kind in ("fp32", "tf32", "bf16"))
    assert bf16 > 1.2 * single
    assert tf32 > 0.8 * single
    assert bf16 > tf32


def test_a_card_before_ampere_refuses_tf32(capability: tuple[int, int]) -> None:
    if capability >= (8, 0):
        pytest.skip("this card has TF32")
    with pytest.raises(Trouble, match="has no TF32"):
        multiplied_on(TorchCards(), "cuda:0", "tf32", size=ROWS)


def test_the_known_product_holds_in_each_kind_and_size(capability: tuple[int, int]) -> None:
    kinds = ("fp32", "bf16") if capability < (8, 0) else ("fp32", "tf32", "bf16")
    for kind in kinds:
        for size in (16, 100, 1000, 2048):
            measured = multiplied_on(TorchCards(), "cuda:0", kind, size=size, samples=1)
            assert measured.right, (kind, size, measured.notes)


def test_the_card_is_at_work_for_as_long_as_was_asked() -> None:
    measured = multiplied_on(TorchCards(), "cuda:0", "fp32", size=ROWS, seconds=2.0)
    assert 2.0 <= measured.loaded_s < 4.0


def test_the_cards_memory_and_the_switch_are_as_they_were() -> None:
    multiplied_on(TorchCards(), "cuda:0", "bf16", size=ROWS)
    before = torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)
    for kind in ("fp32", "bf16"):
        multiplied_on(TorchCards(), "cuda:0", kind, size=ROWS)
        assert (torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)) == before
