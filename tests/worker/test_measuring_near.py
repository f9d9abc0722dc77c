"""Where the memory of the host lies that a card copies from or to, on cards that are not."""

from typing import Any

import pytest

pytest.importorskip("torch")

from tests.worker.fake_cards import FakeCards
from tests.worker.measurements import measured_on


@pytest.mark.parametrize(
    ("source", "target", "changes"),
    [
        ("cpu", "cuda:0", {}),
        ("cuda:0", "cpu", {}),
        ("cuda:0", "cpu", {"pinned": False}),
        ("cuda:0", "cpu", {"mode": "blocking"}),
        ("cuda:0", "cuda:1", {"mode": "staged"}),
        ("cpu", "cuda:0", {"both_ways": True}),
    ],
)
def test_memory_of_the_host_is_taken_and_copies_are_asked_for_near_the_card(
    source: str, target: str, changes: dict[str, Any]
) -> None:
    cards = FakeCards()
    measured = measured_on(cards, source, target, near=(("cuda:0", "2-3,64"),), **changes)
    assert measured.near is True
    assert {on for device, on in cards.taken_on if device == "cpu"} == {frozenset({2, 3})}
    assert cards.asked_on <= {frozenset({2, 3})}
    assert cards.processors == set(range(8)), "as it was"


def test_memory_for_each_of_several_cards_is_taken_near_its_own() -> None:
    cards = FakeCards()
    near = (("cuda:0", "0-3"), ("cuda:1", "4-7"))
    beside = (("cpu", "cuda:1"),)
    assert measured_on(cards, "cpu", "cuda:0", near=near, beside=beside).near is True
    places = {on for device, on in cards.taken_on if device == "cpu"}
    assert places == {frozenset(range(4)), frozenset(range(4, 8))}


def test_where_the_processors_near_a_card_may_not_be_used_it_is_said() -> None:
    cards = FakeCards()
    measured = measured_on(cards, near=(("cuda:0", "64-127"),))
    assert measured.near is False
    assert "the host's memory may lie far from it" in measured.notes[0]
    assert cards.asked_on == {frozenset(range(8))}
    assert measured_on(cards).near is None
    assert measured_on(cards, "cpu", "cpu", near=(("cuda:0", "0-3"),)).near is None
