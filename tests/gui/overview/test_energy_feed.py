"""The energy of all cards: added up a few at a time, and said only when it is of all."""

from gpuexplorer.core.cards import Sample
from gpuexplorer.core.metrics import ENERGY
from gpuexplorer.gui.cards.throttling import EnergyTogether
from gpuexplorer.gui.overview.sums import EnergyFeed
from gpuexplorer.telemetry.history import History
from tests.gui.fakes import card

CARDS = tuple(card(index).id for index in range(20))


def past() -> History:
    history = History()
    for second in range(60):
        for each in CARDS:
            energy = {ENERGY: 5000.0 + 100.0 * second}
            history.append(Sample(each, 1000.0 + second, energy))
    return history


def test_it_is_of_all_cards_or_it_is_not_said() -> None:
    feed = EnergyFeed(past())
    feed.bring_up(CARDS, 1000, 1060)
    assert feed.total() is None
    for _ in range(2):
        feed.bring_up(CARDS, 1000, 1060)
    assert feed.total() == EnergyTogether(20 * 5900.0, 59.0, 20)


def test_a_card_without_figures_is_left_out() -> None:
    feed = EnergyFeed(past())
    more = (*CARDS[:2], card(30).id)
    feed.bring_up(more, 1000, 1060)
    assert feed.total() == EnergyTogether(2 * 5900.0, 59.0, 2)


def test_another_stretch_is_added_up_anew() -> None:
    feed = EnergyFeed(past())
    few = CARDS[:1]
    feed.bring_up(few, 1000, 1060)
    feed.bring_up(few, 1030, 1060)
    total = feed.total()
    assert total is not None
    assert 2800 <= total.joules <= 3000
    assert total.cards == 1
