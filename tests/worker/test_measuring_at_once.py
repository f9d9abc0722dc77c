"""Several copies at the same time where no gate can hold them, on cards that are not there."""

import pytest

pytest.importorskip("torch")

from tests.worker.fake_cards import CYCLES_PER_SECOND, FakeCards
from tests.worker.measurements import SIZE, measured_on

ALONE = 1e-6 + SIZE / 10e9  # seconds of one copy


def gates(cards: FakeCards) -> list[float]:
    """Seconds of each, with those that calibrate."""
    return [cycles / CYCLES_PER_SECOND for what, _, cycles in cards.log if what == "sleep"]


def test_without_direct_access_both_ways_are_asked_for_by_threads_and_run_at_once() -> None:
    cards = FakeCards(peers=False)
    measured = measured_on(cards, "cuda:0", "cuda:1", both_ways=True)
    assert measured.gated is False
    assert measured.overlap == pytest.approx(1.0, abs=0.05)
    assert "Python waits for each" in measured.notes[1]
    assert measured.notes[2].startswith("By the host's clock, for ")
    each = ALONE + cards.asking
    assert measured.samples_s == pytest.approx([each] * 3, rel=0.01)
    assert measured.back_samples_s == pytest.approx([each] * 3, rel=0.01)


def test_copies_that_run_one_after_the_other_are_not_called_simultaneous() -> None:
    cards = FakeCards(peers=False)
    cards.threads_wait = True
    measured = measured_on(cards, "cuda:0", "cuda:1", both_ways=True)
    assert measured.overlap == 0.0
    assert measured.notes[2] == (
        "By the host's clock, for 0 % of the shortest they were under way at the same time."
    )


def test_where_the_driver_keeps_the_host_waiting_no_gate_is_widened() -> None:
    for beside in ((), (("cuda:1", "cuda:2"),)):
        cards = FakeCards(3, peers=False)
        measured_on(cards, "cuda:0", "cuda:1", beside=beside)
        tried = [each for each in gates(cards) if each > 0.01]
        assert tried == pytest.approx([0.02] * (1 + len(beside)), rel=0.01), "once a way"


def test_without_direct_access_and_without_keeping_the_host_waiting_all_is_as_ever() -> None:
    cards = FakeCards(peers=False)
    cards.holds_host = False
    measured = measured_on(cards, "cuda:0", "cuda:1", both_ways=True)
    assert measured.gated
    assert measured.overlap is None
    assert measured.samples_s == pytest.approx([ALONE] * 3)


def test_a_host_too_slow_for_any_gate_asks_for_several_copies_by_threads() -> None:
    cards = FakeCards(asking=5e-3)
    measured = measured_on(cards, both_ways=True, pieces=100)
    assert measured.gated is False
    assert measured.overlap is not None
    assert "could not be filled before the first copy began" in measured.notes[0]
