"""Copies that wait in a queue: gate, marks, order and streams, on cards that are not there."""

import statistics
from typing import Any

import pytest

from gpuexplorer.copies.result import CopyResult

torch = pytest.importorskip("torch")

from tests.worker.fake_cards import CYCLES_PER_SECOND, PRODUCT_SECONDS, FakeCards  # noqa: E402
from tests.worker.measurements import SIZE, asked_for, measured_on  # noqa: E402

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


def test_the_link_is_warmed_up_before_the_first_sample() -> None:
    cards = FakeCards()

    def faster(*_: object) -> None:
        cards.rate = 1e9 if cards.clock < 0.15 else 10e9

    cards.spoil = faster
    measured = measured_on(cards)
    assert measured.samples_s == pytest.approx([ALONE] * 3)


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


@pytest.mark.parametrize("microseconds", [100, 25])
def test_copies_that_cost_a_fast_card_nothing_read_as_hidden_whole(microseconds: int) -> None:
    cards = FakeCards()
    cards.product_seconds = microseconds * 1e-6
    measured = measured_on(cards, mode="overlap", samples=1)
    result = CopyResult(asked_for(mode="overlap"), measured, None)
    assert result.hidden == pytest.approx(1.0, abs=0.01)
    assert measured.alone_s == pytest.approx(measured.copying_s, rel=0.1)


def test_copies_that_a_card_makes_only_when_it_has_computed_read_as_not_hidden() -> None:
    cards = FakeCards()
    cards.one_at_a_time = True
    measured = measured_on(cards, mode="overlap")
    result = CopyResult(asked_for(mode="overlap"), measured, None)
    assert result.hidden == pytest.approx(0.0, abs=0.01)


def test_a_copy_that_keeps_the_host_waiting_costs_both() -> None:
    measured = measured_on(FakeCards(), mode="blocking")
    computing, together = measured.alone_s or 0.0, measured.together_s or 0.0
    assert computing == pytest.approx(measured.loops * 4 * PRODUCT_SECONDS, rel=0.2)
    copies = measured.loops * statistics.median(measured.samples_s)
    assert together > 0.99 * (computing + copies)


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
    ("rate", "pieces", "loops"), [(SIZE / 5e-3, 1, 10), (1e15, 1, 100), (1e15, 64, 15)]
)
def test_a_sample_lasts_and_fits_the_queue(rate: float, pieces: int, loops: int) -> None:
    cards = FakeCards(asking=1e-9)
    cards.rate = rate
    assert measured_on(cards, pieces=pieces).loops == loops


@pytest.mark.parametrize("size", [1, 3 << 20, 64 << 20])
def test_staging_takes_few_pieces_that_a_queue_holds(size: int) -> None:
    cards = FakeCards(asking=1e-4)
    cards.free = 1 << 40
    measured = measured_on(cards, "cuda:0", "cuda:1", mode="staged", bytes=size, samples=1)
    room = [size for _, size, pinned in cards.taken if pinned][-1]
    assert 1 <= -(-size // room) <= 64
    assert measured.intact
