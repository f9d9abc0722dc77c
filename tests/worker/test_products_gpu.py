"""On a real card: products are gated, right, below what it could do, and leave nothing."""

import statistics

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.lab.wire import ProductJob  # noqa: E402
from gpuexplorer.worker.engines.measuring.torch_cards import TorchCards  # noqa: E402
from tests.worker.multiplications import multiplied_on  # noqa: E402
from tests.worker.real_cards import skip_without_cards  # noqa: E402

pytestmark = pytest.mark.gpu

SIZE = 4096
CORES_OF_HALF = ((6, 0), (7, 0), (7, 5), (8, 0))


@pytest.fixture(autouse=True)
def a_card() -> None:
    skip_without_cards(1)


@pytest.fixture
def capability() -> tuple[int, int]:
    found: tuple[int, int] = torch.cuda.get_device_capability(0)
    return found


def _rate(kind: str, size: int = SIZE) -> float:
    measured = multiplied_on(TorchCards(), "cuda:0", kind, size=size, samples=7, seconds=1.0)
    assert measured.gated, measured.notes
    assert measured.right, measured.notes
    usual = statistics.median(measured.samples_s)
    assert usual < 1.3 * min(measured.samples_s)
    return ProductJob("cuda:0", kind, size).operations / usual


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
        multiplied_on(TorchCards(), "cuda:0", "tf32", size=SIZE)


def test_the_known_product_holds_in_each_kind_and_size(capability: tuple[int, int]) -> None:
    kinds = ("fp32", "bf16") if capability < (8, 0) else ("fp32", "tf32", "bf16")
    for kind in kinds:
        for size in (16, 100, 1000, 2048):
            measured = multiplied_on(TorchCards(), "cuda:0", kind, size=size, samples=1)
            assert measured.right, (kind, size, measured.notes)


def test_the_card_is_at_work_for_as_long_as_was_asked() -> None:
    measured = multiplied_on(TorchCards(), "cuda:0", "fp32", size=SIZE, seconds=2.0)
    assert 2.0 <= measured.loaded_s < 4.0


def test_the_cards_memory_and_the_switch_are_as_they_were() -> None:
    multiplied_on(TorchCards(), "cuda:0", "bf16", size=SIZE)
    before = torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)
    for kind in ("fp32", "bf16"):
        multiplied_on(TorchCards(), "cuda:0", kind, size=SIZE)
        assert (torch.cuda.memory_allocated(0), torch.cuda.memory_reserved(0)) == before
