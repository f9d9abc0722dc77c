"""How many bytes and copies a measurement takes, and what it refuses; without cards."""

from dataclasses import replace

import pytest

pytest.importorskip("torch")

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.worker.engines.measuring.measure import made_to_fit
from tests.worker.fake_cards import FakeCards
from tests.worker.measurements import SIZE, asked_for, measured_on


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


def test_a_size_beyond_the_share_is_refused_with_all_its_figures() -> None:
    command = asked_for(bytes=1 << 30)
    cards = FakeCards()
    cards.free = 6 << 30
    with pytest.raises(Trouble) as refused:
        made_to_fit(command, cards)
    assert refused.value.sentence == (
        "Measuring 1 GiB takes 1 GiB on cpu, more than 12.5 % of the 6 GiB that are free there."
    )
    roomy = replace(command, most_share=0.5)
    assert made_to_fit(roomy, cards) == (roomy, "")
