"""Products of matrices: timed behind a gate, checked by one that is known, or refused."""

import statistics
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble  # noqa: E402 - only where there is torch
from gpuexplorer.worker.engines.measuring.products import KnownProduct  # noqa: E402
from tests.worker.measurements import MultiplyingCards, multiplied_on  # noqa: E402


@pytest.mark.parametrize("kind", ["fp32", "tf32", "fp16", "bf16"])
def test_a_product_is_gated_right_and_takes_what_the_card_takes(kind: str) -> None:
    cards = MultiplyingCards()
    measured = multiplied_on(cards, kind=kind)
    assert measured.samples_s == pytest.approx([cards.product_seconds] * 3)
    assert measured.gated
    assert measured.right
    assert measured.loops == 25  # as many as fill a sample of 50 ms
    assert measured.notes == ()


def test_the_switch_of_tf32_is_set_for_the_products_and_put_back() -> None:
    for kind in ("tf32", "fp32"):
        cards = MultiplyingCards()
        multiplied_on(cards, kind=kind)
        assert set(cards.switches) == {kind == "tf32"}
        assert cards.tf32_is_on is None


@pytest.mark.parametrize(
    ("status", "sentence"),
    [
        ("CUBLAS_STATUS_NOT_SUPPORTED", ": the card does not multiply these."),
        ("CUBLAS_STATUS_INTERNAL_ERROR", ". PyTorch says: CUDA"),
    ],
)
def test_a_product_that_is_refused_breaks_no_card(status: str, sentence: str) -> None:
    cards = MultiplyingCards()

    def refuse(_: Any) -> None:
        raise RuntimeError(f"CUDA error: {status} when calling `cublasGemmEx`")

    cards.spoil_product = refuse
    with pytest.raises(Trouble) as refused:
        multiplied_on(cards, kind="bf16")
    assert refused.value.sentence.startswith(f"BF16 on cuda:0 could not be measured{sentence}")


def test_the_card_is_kept_at_work_without_a_pause_before_the_first_sample() -> None:
    assert 2.0 <= multiplied_on(MultiplyingCards(), seconds=2.0).loaded_s < 2.2


def test_one_wrong_value_is_found_and_told() -> None:
    cards = MultiplyingCards()

    def spoil(product: Any) -> None:
        product[3, 5] += 1000.0

    cards.spoil_product = spoil
    measured = multiplied_on(cards)
    assert measured.right is False
    assert measured.wrong_values == 2  # one before the samples and one after
    assert measured.notes == ("2 values of a known product came out wrong.",)


@pytest.mark.parametrize("size", [16, 600, 1024])
@pytest.mark.parametrize("kind", [torch.float32, torch.float16, torch.bfloat16])
def test_the_known_product_is_what_the_processor_computes(size: int, kind: Any) -> None:
    left, right = (torch.empty(size, size, dtype=kind) for _ in range(2))
    known = KnownProduct(size)
    known.fill(left, right)
    product = left @ right
    assert known.wrong_values(product) == 0
    product[size - 1, 0] = float("nan")
    product[0, size - 1] *= 1.5
    assert known.wrong_values(product) == 2
    assert known.wrong_values(torch.zeros_like(product)) == size * size


def test_more_than_a_share_of_the_free_memory_is_refused_before_anything_is_taken() -> None:
    cards = MultiplyingCards()
    cards.free = 100_000
    with pytest.raises(Trouble) as refused:
        multiplied_on(cards)
    assert refused.value.sentence == (
        "Multiplying 64 x 64 takes 48 KiB on cuda:0, more than 12.5 % of the 97.7 KiB that are "
        "free there."
    )
    assert refused.value.hint == "Take smaller matrices, or end what holds the memory."
    assert cards.taken == []


def test_a_card_without_tf32_is_not_measured_in_its_name() -> None:
    cards = MultiplyingCards()
    cards.capabilities["cuda:0"] = (7, 5)
    with pytest.raises(Trouble) as refused:
        multiplied_on(cards, kind="tf32")
    assert refused.value.sentence == (
        "cuda:0 has no TF32: it came with compute capability 8.0, and this card has 7.5."
    )
    slow = multiplied_on(cards, kind="bf16")
    assert slow.notes == (
        "This card's tensor cores do not support BF16: its other cores multiply.",
    )


def test_what_is_timed_has_random_values_and_not_the_known_ones() -> None:
    cards = MultiplyingCards()
    products: list[float] = []
    cards.spoil_product = lambda product: products.append(float(product[0, 0]))
    multiplied_on(cards)
    assert products[0] == products[-1]
    assert len(set(products)) == 2
    assert statistics.median(products) != products[0]
