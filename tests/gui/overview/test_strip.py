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
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.all_cards import notable_flags, plot_content
from gpuexplorer.gui.overview.strip_content import PLOTTED, strip_content, strip_history
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
    return [card_face(each, known, units=USUAL) for each in CARDS]


def test_the_strip_shows_what_was_read_and_nothing_before_and_long_after() -> None:
    past, nine = past_of(0.5, seconds=60), faces(0.5, 1059)
    strip = strip_history(past, nine, BUSY, (940.0, 1060.0), 120)
    assert strip.values.shape == (9, 120)
    assert np.isnan(strip.values[0, :58]).all()
    assert strip.values[0, 62:] == pytest.approx(0.5)
    later = strip_history(past, nine, BUSY, (1000.0, 1120.0), 120).values[8]
    assert np.isfinite(later[:60]).all()
    assert np.isnan(later[65:]).all()


def told(window: TimeWindow, past: History, log: list[Happening]) -> str:
    """Of the first card: why its line has no figures, and the words on its row of the strip."""
    first, book = faces(None, NOW)[:1], SlowedBook()
    book.take(log)
    line = plot_content(
        BUSY, first, past, window.stretch(), window.then(), 300, book, [GONE]
    ).lines[0]
    strip = strip_history(past, first, BUSY, window.stretch(), 100)
    content = strip_content([first], BUSY, strip, window, book, USUAL)
    return "; ".join([line.reason, *(mark.words for mark in content.marks)])


def test_a_card_is_lost_from_the_moment_on_at_which_it_was_lost() -> None:
    past, window = past_of(0.5, seconds=400), TimeWindow(ManualClock(NOW))
    window.show_past(past)
    said = f"lost; 0 lost at {window.moment(LOST)}"
    assert told(window, past, [GONE]) == said
    window.look_at(LOST - 100.0, LOST + 50.0)
    assert told(window, past, [GONE]) == said
    window.look_at(BEGAN + 10.0, LOST - 100.0)
    assert told(window, past, [GONE]) == ""


def test_of_a_card_that_was_never_read_nobody_knows_when_it_was_lost() -> None:
    past, window = past_of(0.5, seconds=400), TimeWindow(ManualClock(NOW))
    window.show_past(past)
    window.choose_span(3600.0)
    assert told(window, past, []) == "lost; 0 lost"  # it was never read: nobody knows when


def test_a_flag_on_the_plot_of_all_cards_keeps_the_names_of_things() -> None:
    xid = Message("Xid 79: the card fell off the bus")
    log = [Happening(LOST - 1, 1e9, Kind.XID, FIRST, xid), GONE]
    flags = notable_flags(log, faces(0.5, NOW), (LOST - 5, LOST + 5))
    said = "0: Xid 79: the card fell off the bus", "0: The card is lost"
    assert tuple(flag.text for flag in flags) == said
