"""Copies and products, timed behind a gate and compared, on cards that are not there."""

from typing import Any

import pytest

pytest.importorskip("torch")

import torch

from gpuexplorer.copies.result import CopyResult
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Wrong
from gpuexplorer.lab.wire import CopyJob
from gpuexplorer.worker.engine import failed
from gpuexplorer.worker.engines.measuring.products import KnownProduct
from tests.worker.measurements import (
    CYCLES_PER_SECOND,
    SIZE,
    FakeCards,
    MultiplyingCards,
    asked_for,
    measured_on,
    multiplied_on,
    said_by,
)

ALONE = 1e-6 + SIZE / 10e9  # seconds of one copy


def gates(cards: FakeCards) -> list[float]:
    """Seconds of each, with the two that calibrate."""
    return [cycles / CYCLES_PER_SECOND for what, _, cycles in cards.log if what == "sleep"]


def test_the_gate_is_queued_before_the_first_mark_and_all_copies_between_two() -> None:
    cards = FakeCards()
    measured = measured_on(cards)
    [*_, last] = [n for n, entry in enumerate(cards.log) if entry[0] == "sleep"]
    sample = cards.log[last : last + measured.loops + 3]
    assert [what for what, _, _ in sample] == [
        "sleep",
        "mark",
        *["copy"] * measured.loops,
        "mark",
    ]
    assert len({stream for _, stream, _ in sample}) == 1
    assert measured.gated
    assert measured.samples_s == pytest.approx([ALONE] * 3)


def test_a_copy_that_began_too_early_is_repeated_with_twice_the_gate() -> None:
    cards = FakeCards(asking=1e-4)
    measured = measured_on(cards)
    tried = gates(cards)[2:]  # without those that calibrate
    assert measured.loops == 100
    assert tried == pytest.approx([0.003, 0.006, 0.012, 0.012, 0.012], rel=0.01)
    assert measured.gated
    assert measured.notes == ()
    assert measured.samples_s == pytest.approx([ALONE] * 3)


def test_a_host_too_slow_for_any_gate_is_told() -> None:
    cards = FakeCards(asking=5e-3)
    measured = measured_on(cards, pieces=100)
    assert max(gates(cards)) == pytest.approx(0.2, rel=0.01)
    assert measured.gated is False
    assert "could not be filled before the first copy began" in measured.notes[0]


def test_a_card_without_kernels_has_no_gate_and_is_measured() -> None:
    cards = FakeCards()
    cards.kernels = False
    measured = measured_on(cards)
    assert (measured.gated, measured.intact) == (False, True)
    assert "no kernels for the card" in measured.notes[0]


def test_copies_to_one_card_do_not_wait_for_each_other() -> None:
    """PyTorch lets each wait for the target's current queue, which must not be shared."""
    cards = FakeCards(4)
    beside = (("cuda:2", "cuda:0"), ("cuda:3", "cuda:0"))
    measured = measured_on(cards, "cuda:1", "cuda:0", beside=beside)
    assert measured.samples_s == pytest.approx([ALONE] * 3)
    assert len(measured.beside_samples_s) == 2
    for each in measured.beside_samples_s:
        assert each == pytest.approx([ALONE] * 3)


def test_staged_copies_fill_one_room_while_the_other_is_emptied() -> None:
    cards = FakeCards()
    measured = measured_on(cards, "cuda:0", "cuda:1", mode="staged")
    rooms = [size for device, size, pinned in cards.taken if pinned and size > 4096]
    assert rooms == [1 << 18] * 2
    assert measured.direct is False
    assert measured.intact
    assert measured.gated
    [usual] = {round(each, 9) for each in measured.samples_s}
    assert ALONE < usual < 1.5 * ALONE


def test_a_copy_within_a_card_whose_ends_fit_into_its_cache_is_said_to_be() -> None:
    cards = FakeCards()
    cards.cache = 4 << 20
    note = "Both ends fit into the card's cache (L2, 4 MiB), which is faster than its memory."
    for size, fits in ((1 << 20, True), (4 << 20, False)):
        measured = measured_on(cards, "cuda:0", "cuda:0", bytes=size)
        assert measured.in_cache is (note in measured.notes) is fits


def test_latency_is_a_hundred_copies_of_few_bytes_and_what_asking_takes() -> None:
    cards = FakeCards()
    measured = measured_on(cards, mode="latency", bytes=16)
    assert measured.loops == 100
    assert measured.samples_s == pytest.approx([1e-6 + 16 / 10e9] * 3)
    assert measured.asked_s == pytest.approx(5e-6, rel=0.1)


@pytest.mark.parametrize(
    ("microseconds", "in_turn", "hidden"), [(100, False, 1), (25, False, 1), (100, True, 0)]
)
def test_copies_are_hidden_whole_unless_the_card_makes_them_when_it_has_computed(
    microseconds: int, in_turn: bool, hidden: int
) -> None:
    cards = FakeCards()
    cards.product_seconds, cards.one_at_a_time = microseconds * 1e-6, in_turn
    measured = measured_on(cards, mode="overlap", samples=1)
    result = CopyResult(asked_for(mode="overlap"), measured, None)
    assert result.hidden == pytest.approx(hidden, abs=0.01)
    assert measured.alone_s == pytest.approx(measured.copying_s, rel=0.1)


def test_pageable_copies_have_no_gate_and_both_sides_are_waited_for() -> None:
    cards = FakeCards()
    measured = measured_on(cards, "cuda:1", "cpu", pinned=False)
    assert gates(cards) == []
    assert measured.gated is None
    assert set(cards.synchronized) == {("cuda:1", "cpu")}
    assert measured.samples_s == pytest.approx([ALONE + 5e-6] * 3, rel=0.01)


def test_without_direct_access_both_ways_are_asked_for_by_threads_and_run_at_once() -> None:
    cards = FakeCards(peers=False)
    measured = measured_on(cards, "cuda:0", "cuda:1", both_ways=True)
    assert measured.gated is False
    assert measured.direct is False
    assert measured.overlap == pytest.approx(1.0, abs=0.05)
    assert "cannot reach each other's memory" in measured.notes[0]
    assert "The queue could not be filled" in measured.notes[1]
    assert measured.notes[2].startswith("By the host's clock, for ")
    each = ALONE + cards.asking
    assert measured.samples_s == pytest.approx([each] * 3, rel=0.01)
    assert measured.back_samples_s == pytest.approx([each] * 3, rel=0.01)


@pytest.mark.parametrize(
    ("target", "changes"), [("cpu", {"pinned": False}), ("cuda:1", {"mode": "staged"})]
)
def test_memory_of_the_host_is_taken_and_copies_are_asked_for_near_the_card(
    target: str, changes: dict[str, Any]
) -> None:
    cards = FakeCards()
    measured = measured_on(cards, "cuda:0", target, near=(("cuda:0", "2-3,64"),), **changes)
    assert measured.near is True
    assert {on for device, on in cards.taken_on if device == "cpu"} == {frozenset({2, 3})}
    assert cards.asked_on <= {frozenset({2, 3})}
    assert cards.processors == set(range(8)), "as it was"


def test_where_the_processors_near_a_card_may_not_be_used_it_is_said() -> None:
    cards = FakeCards()
    measured = measured_on(cards, near=(("cuda:0", "64-127"),))
    assert measured.near is False
    assert "the host's memory may lie far from it" in measured.notes[0]
    assert cards.asked_on == {frozenset(range(8))}
    assert measured_on(cards).near is None
    assert measured_on(cards, "cpu", "cpu", near=(("cuda:0", "0-3"),)).near is None


@pytest.mark.parametrize(
    ("rate", "pieces", "loops"), [(4096 / 5e-3, 1, 10), (1e15, 1, 100), (1e15, 64, 15)]
)
def test_a_sample_lasts_and_fits_the_queue(rate: float, pieces: int, loops: int) -> None:
    cards = FakeCards(asking=1e-9)
    cards.rate = rate
    assert measured_on(cards, pieces=pieces, bytes=4096).loops == loops


PLACE = 777_777
COMPARED = 3 + 100  # the last copy of each sample, and all copies of one more
WAYS = [("cpu", "cuda:0"), ("cuda:0", "cpu"), ("cuda:0", "cuda:1"), ("cuda:1", "cuda:1")]


def cards_at_rest() -> FakeCards:
    """Asking for a copy takes long there: that a link is awake is known after a few."""
    return FakeCards(asking=1e-4)


def flipping(source: str, target: str) -> FakeCards:
    """One byte of every copy that is measured."""
    cards = cards_at_rest()

    # Any: tensors are PyTorch's.
    def flip(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == (source, target) and not cards.waits:
            there = arrived.view(torch.uint8).flatten()
            there[PLACE] ^= 2 if there[PLACE] == 1 else 1  # what comes of it is not 0

    cards.spoil = flip
    return cards


@pytest.mark.parametrize(("source", "target"), WAYS)
def test_a_flipped_byte_is_found(source: str, target: str) -> None:
    measured = measured_on(flipping(source, target), source, target)
    assert measured.intact is False
    assert measured.wrong == (Wrong(COMPARED, COMPARED, 1, PLACE, zeros=False),)
    assert measured.notes == (
        f"{source} to {target}: wrong bytes, while {source} still holds the right ones.",
    )


def test_a_source_that_forgets_is_to_blame_and_not_the_way() -> None:
    cards = cards_at_rest()

    def badly_loaded(arrived: Any, to: str, come_from: str) -> None:
        if (come_from, to) == ("cpu", "cuda:0") and len(arrived) == SIZE:
            arrived[9] ^= 1

    cards.spoil = badly_loaded
    measured = measured_on(cards, "cuda:0", "cuda:1")
    assert measured.intact is False
    assert "cuda:0 itself does not hold what it was given" in measured.notes[0]


@pytest.mark.parametrize("mode", ["copy", "staged", "overlap", "blocking"])
@pytest.mark.parametrize("at", [0.0, 0.21])
def test_done_or_given_up_in_the_middle_it_keeps_no_memory(mode: str, at: float) -> None:
    cards = cards_at_rest()
    measured_on(cards, "cuda:0", "cuda:1", mode=mode)
    at += cards.clock if at else 0.0

    def give_up(*_: Any) -> None:
        if cards.clock >= at:
            raise KeyboardInterrupt

    cards.spoil = give_up
    with pytest.raises(KeyboardInterrupt):
        said_by(cards, asked_for("cuda:0", "cuda:1", mode=mode))
    assert cards.held_when_given_back == [0, 0]


def test_a_card_without_room_is_told_and_keeps_nothing() -> None:
    cards = cards_at_rest()

    def full(device: str, _: int, __: bool) -> None:
        if device == "cuda:1":
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 1.00 MiB.")

    cards.refuse = full
    failure = _failure(cards, "cuda:0", "cuda:1")
    assert failure.cause == "out of memory"
    assert "does not fit into the memory that is free" in failure.sentence
    assert cards.held_when_given_back == [0]


def test_memory_that_cannot_be_pinned_costs_the_worker_and_is_told() -> None:
    cards = cards_at_rest()

    def small_ones_only(_: str, size: int, pinned: bool) -> None:
        if pinned and size > 4096:
            raise RuntimeError("CUDA error: out of memory")

    cards.refuse = small_ones_only
    failure = _failure(cards, "cuda:0", "cpu")
    assert failure.cause == "device broken"
    assert failure.sentence == "1 MiB of the host's memory could not be pinned."
    assert "new worker" in failure.hint
    assert failure.message == "CUDA error: out of memory"
    assert [size for _, size, pinned in cards.taken if pinned] == [4096, SIZE]
    assert cards.held_when_given_back == [0]


def test_a_card_that_vanishes_in_the_middle_is_told() -> None:
    cards = cards_at_rest()

    def gone(_: Any, to: str, __: str) -> None:
        if to == "cuda:0" and cards.clock > 0.1:
            cards.broken = True
            raise RuntimeError("CUDA error: unknown error")

    cards.spoil = gone
    failure = _failure(cards, "cpu", "cuda:0")
    assert failure.cause == "device broken"
    assert failure.sentence == "A card broke off while cpu to cuda:0 was measured."
    assert "new worker" in failure.hint
    assert cards.held_when_given_back == [0]


@pytest.mark.parametrize(
    ("said", "why", "hint", "cause"),
    [
        ("initialization error\nCompile", ". PyTorch says: CUDA", "The card", "bad request"),
        # The driver holds on to both, so that the next one needs a new worker.
        ("peer mapping resources exhausted", ": a card can be", "Measure", "device broken"),
        ("device(s) is/are busy or unavailable", ": the card lets", "Re", "device broken"),
    ],
)
def test_what_the_driver_says_is_told_as_what_it_means(
    said: str, why: str, hint: str, cause: str
) -> None:
    failure = _failure(_refusing_to_copy(said), "cuda:0", "cuda:1")
    assert failure.sentence.startswith(f"cuda:0 to cuda:1 could not be measured{why}")
    assert failure.hint.startswith(hint)
    assert failure.cause == cause


def test_fewer_bytes_are_copied_where_so_many_do_not_fit_and_it_is_said() -> None:
    cards = cards_at_rest()
    cards.free = 24 << 20
    measured = measured_on(cards, "cuda:0", "cuda:0", bytes=2 * SIZE, fit=True)
    result = CopyResult(CopyJob("cuda:0", "cuda:0", 2 * SIZE, fit=True), measured, None)
    assert result.bytes == SIZE
    assert result.rate == pytest.approx(SIZE / (1e-6 + SIZE / cards.rate))
    assert measured.notes[0].startswith("Only 1 MiB were copied. Measuring 2 MiB takes 4 MiB")
    assert measured.intact


def test_a_size_beyond_the_share_is_refused_with_all_its_figures() -> None:
    cards = cards_at_rest()
    cards.free = 4 << 20
    with pytest.raises(Trouble) as refused:
        measured_on(cards, "cuda:0", "cuda:1")
    assert refused.value.sentence == (
        "Measuring 1 MiB takes 1 MiB on cuda:0, more than 12.5 % of the 4 MiB that are free "
        "there."
    )
    assert cards.taken == []


def _refusing_to_copy(said: str) -> FakeCards:
    """Between cards."""
    cards = cards_at_rest()

    def refused(_: Any, to: str, come_from: str) -> None:
        if "cpu" not in (to, come_from):
            raise RuntimeError(f"CUDA error: {said}")

    cards.spoil = refused
    return cards


def _failure(cards: FakeCards, source: str, target: str) -> Any:
    try:
        said_by(cards, asked_for(source, target))
    except Exception as error:
        return failed(1, error)
    raise AssertionError("it did not fail")


@pytest.mark.parametrize("kind", ["fp32", "tf32", "fp16", "bf16"])
def test_a_product_is_gated_right_and_takes_what_the_card_takes(kind: str) -> None:
    cards = MultiplyingCards()
    measured = multiplied_on(cards, kind=kind)
    assert measured.samples_s == pytest.approx([cards.product_seconds] * 3)
    assert measured.gated
    assert measured.right
    assert measured.loops == 25  # as many as fill a sample of 50 ms
    assert measured.notes == ()


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


@pytest.mark.parametrize("size", [16, 300])
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
