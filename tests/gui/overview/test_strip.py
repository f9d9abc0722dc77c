"""The past of all cards: filled from the history, led on by each new reading, and never told
of a time what became of a card only later.
"""

import numpy as np
import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.faces import CardNow, arrange, card_face
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.all_cards import notable_flags, plot_content
from gpuexplorer.gui.overview.strip_content import PLOTTED, StripHistory, strip_content
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock
from tests.gui.fakes import card

BUSY, FIRST = PLOTTED[0], CardId("GPU-0")
CARDS = arrange([card(index) for index in range(9)])
BEGAN, LOST, NOW = 1000.0, 1400.0, 1600.0
GONE = Happening(LOST, 1_700_000_400.0, Kind.CARD_LOST, FIRST, Message("The card is lost"))


def past_of(busy: float, seconds: int) -> History:
    history = History()
    for second in range(seconds):
        for each in CARDS:
            history.append(Sample(each.card.id, BEGAN + second, {GPU_UTILIZATION: busy}))
    return history


def faces(busy: float | None, at: float) -> list[CardFace]:
    values = {} if busy is None else {GPU_UTILIZATION: busy}
    missing = {GPU_UTILIZATION: Absence.LOST} if busy is None else {}
    state = CardState.LOST if busy is None else CardState.WORKING
    known = {
        each.card.id: CardNow(Reading(each.card.id, at, values, missing, state), None)
        for each in CARDS
    }
    return [card_face(each, known, another_answers=False, units=USUAL) for each in CARDS]


@pytest.fixture
def past() -> History:
    return past_of(0.5, seconds=60)


@pytest.fixture
def strip(past: History) -> StripHistory:
    made = StripHistory(past)
    made.bring_up(faces(0.5, 1059), BUSY, (940.0, 1060.0), 120)
    return made


def test_it_shows_what_the_history_knows_and_nothing_before(strip: StripHistory) -> None:
    assert strip.values.shape == (9, 120)
    assert np.isnan(strip.values[0, :58]).all()
    assert strip.values[0, 62:] == pytest.approx(0.5)
    strip.bring_up(faces(0.5, 1059), BUSY, (1000.0, 1060.0), 120)
    assert np.isfinite(strip.values[0, 4:]).all()
    assert strip.end - strip.start == pytest.approx(60.0)


def test_a_new_reading_leads_it_on_without_a_gap(past: History, strip: StripHistory) -> None:
    for second in range(1, 8):
        now = 1060.0 + second * 1.3
        for each in CARDS:
            past.append(Sample(each.card.id, now - 0.4, {GPU_UTILIZATION: 0.9}))
        strip.bring_up(faces(0.9, now - 0.4), BUSY, (now - 120, now), 120)
        assert np.isfinite(strip.values[:, -20:]).all()
    assert strip.values[:, -1] == pytest.approx(0.9)


def test_a_card_that_is_lost_leaves_nothing_from_then_on(strip: StripHistory) -> None:
    strip.bring_up(faces(None, 1064), BUSY, (945.0, 1065.0), 120)
    assert np.isnan(strip.values[8, -5:]).all()


def told(window: TimeWindow, past: History, gone: dict[CardId, tuple[float, str]]) -> str:
    """Of the first card: why its line has no figures, and the words on its row of the strip."""
    first, stretch, then = faces(None, NOW)[:1], window.stretch(), window.then()
    line = plot_content(first, BUSY, past, stretch, 300, SlowedBook(), [GONE], then).lines[0]
    strip = StripHistory(past)
    strip.bring_up(first, BUSY, stretch, 100)
    content = strip_content([first], BUSY, strip, (), USUAL, gone, then)
    return "; ".join([line.reason, *(mark.words for mark in content.marks)])


def test_a_card_is_lost_from_the_moment_on_at_which_it_was_lost() -> None:
    past, window = past_of(0.5, seconds=400), TimeWindow(ManualClock(NOW))
    window.show_past(past)
    gone = {FIRST: (LOST, "14:00:00")}
    assert told(window, past, gone) == "lost; 0 lost at 14:00:00"
    window.look_at(LOST - 100.0, LOST + 50.0)
    assert told(window, past, gone) == "lost; 0 lost at 14:00:00"
    window.look_at(BEGAN + 10.0, LOST - 100.0)
    assert told(window, past, gone) == ""


def test_before_the_first_reading_nothing_was_read_and_nobody_was_lost() -> None:
    past, window = past_of(0.5, seconds=400), TimeWindow(ManualClock(NOW))
    window.show_past(past)
    window.choose_span(3600.0)
    assert told(window, past, {}) == "lost; 0 lost"  # it was never read: nobody knows when
    then = window.then()._replace(end=BEGAN - 1.0, following=False)
    stretch = (BEGAN - 61.0, BEGAN - 1.0)
    asked = faces(None, NOW)[:1], BUSY, past, stretch, 300, SlowedBook(), [GONE], then
    assert plot_content(*asked).lines[0].reason == "nothing read yet"


def test_a_flag_on_the_plot_of_all_cards_keeps_the_names_of_things() -> None:
    xid = Message("Xid 79: the card fell off the bus")
    log = [Happening(LOST - 1, 1e9, Kind.XID, FIRST, xid), GONE]
    flags = notable_flags(log, faces(0.5, NOW), (LOST - 5, LOST + 5))
    said = "0: Xid 79: the card fell off the bus", "0: The card is lost"
    assert tuple(flag.text for flag in flags) == said
