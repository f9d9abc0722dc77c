"""The past of very many cards: filled from the history, and led on by each new reading."""

import numpy as np
import pytest

from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.overview.plotted import PLOTTED
from gpuexplorer.gui.overview.strip_history import StripHistory
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.history import History
from tests.gui.fakes import card

BUSY = PLOTTED[0]
CARDS = arrange([card(index) for index in range(9)])
FIRST = CardId("GPU-0")


def past_of(busy: float, seconds: int) -> History:
    history = History()
    for second in range(seconds):
        for each in CARDS:
            history.append(Sample(each.card.id, 1000.0 + second, {GPU_UTILIZATION: busy}))
    return history


def faces(busy: float | None, at: float) -> list[CardFace]:
    values = {} if busy is None else {GPU_UTILIZATION: busy}
    state = CardState.LOST if busy is None else CardState.WORKING
    known = {
        each.card.id: CardNow(Reading(each.card.id, at, values, {}, state), None)
        for each in CARDS
    }
    return [card_face(each, known, units=USUAL) for each in CARDS]


def test_it_shows_what_the_history_knows_and_nothing_before() -> None:
    strip = StripHistory(past_of(0.5, seconds=60))
    strip.bring_up(faces(0.5, 1059), BUSY, (940.0, 1060.0), columns=120)
    assert strip.values.shape == (9, 120)
    row = strip.values[0]
    assert np.isnan(row[:58]).all()
    assert row[62:] == pytest.approx(0.5)


def test_a_new_reading_leads_it_on_without_a_gap() -> None:
    history = past_of(0.5, seconds=60)
    strip = StripHistory(history)
    strip.bring_up(faces(0.5, 1059), BUSY, (940.0, 1060.0), columns=120)
    for second in range(1, 8):
        now = 1060.0 + second * 1.3
        for each in CARDS:
            history.append(Sample(each.card.id, now - 0.4, {GPU_UTILIZATION: 0.9}))
        strip.bring_up(faces(0.9, now - 0.4), BUSY, (now - 120, now), columns=120)
        assert np.isfinite(strip.values[:, -20:]).all()
        assert strip.values[:, -1] == pytest.approx(0.9)


def test_a_card_that_is_lost_leaves_nothing_from_then_on() -> None:
    strip = StripHistory(past_of(0.5, seconds=60))
    strip.bring_up(faces(0.5, 1059), BUSY, (940.0, 1060.0), columns=120)
    strip.bring_up(faces(None, 1064), BUSY, (945.0, 1065.0), columns=120)
    assert np.isnan(strip.values[8, -5:]).all()


def test_another_stretch_is_asked_for_anew() -> None:
    strip = StripHistory(past_of(0.5, seconds=60))
    strip.bring_up(faces(0.5, 1059), BUSY, (940.0, 1060.0), columns=120)
    strip.bring_up(faces(0.5, 1059), BUSY, (1000.0, 1060.0), columns=120)
    assert np.isfinite(strip.values[0, 4:]).all()
    assert strip.end - strip.start == pytest.approx(60.0)
