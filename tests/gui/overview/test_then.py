"""What is said of a time that is over: never what became of a card only later."""

import pytest

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import CardNow, arrange, card_face
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.plotted import PLOTTED, plot_content
from gpuexplorer.gui.overview.strip_content import strip_content
from gpuexplorer.gui.overview.strip_history import StripHistory
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock
from tests.gui.fakes import card

BEGAN, LOST, NOW = 1000.0, 1400.0, 1600.0
CARDS = arrange([card(0)])
GONE = Happening(LOST, 1_700_000_400.0, Kind.CARD_LOST, CardId("GPU-0"), Message("lost"))
MISSING = {GPU_UTILIZATION: Absence.LOST}
READING = Reading(CardId("GPU-0"), NOW, {}, MISSING, CardState.LOST)
KNOWN = {CardId("GPU-0"): CardNow(READING, None)}
FACES = [card_face(each, KNOWN, units=USUAL) for each in CARDS]


@pytest.fixture
def past() -> History:
    """Read until the card was lost, 400 s after the start."""
    history = History()
    for second in range(int(LOST - BEGAN)):
        history.append(Sample(CardId("GPU-0"), BEGAN + second, {GPU_UTILIZATION: 0.5}))
    return history


def window_on(past: History) -> TimeWindow:
    window = TimeWindow(ManualClock(NOW))
    window.show_past(past)
    return window


def reason(past: History, window: TimeWindow) -> str:
    content = plot_content(
        FACES,
        PLOTTED[0],
        past,
        window.stretch(),
        300,
        SlowedBook(),
        [GONE],
        window.then(),
    )
    return content.lines[0].reason


def marks(past: History, window: TimeWindow) -> list[str]:
    history = StripHistory(past)
    history.bring_up(FACES, PLOTTED[0], window.stretch(), 100)
    gone = {CardId("GPU-0"): (LOST, "14:00:00")}
    content = strip_content([FACES], PLOTTED[0], history, (), USUAL, gone, window.then())
    return [mark.words for mark in content.marks]


def test_a_card_is_lost_from_the_moment_on_at_which_it_was_lost(past: History) -> None:
    window = window_on(past)
    assert reason(past, window) == "lost"
    assert marks(past, window) == ["0 lost at 14:00:00"]
    window.look_at(LOST - 100.0, LOST + 50.0)
    assert reason(past, window) == "lost"
    window.look_at(BEGAN + 10.0, LOST - 100.0)
    assert reason(past, window) == ""
    assert marks(past, window) == []


def test_a_time_before_the_first_reading_says_so_and_not_that_the_card_is_lost(
    past: History,
) -> None:
    window = window_on(past)
    window.centre_on(BEGAN)
    then = window.then()._replace(end=BEGAN - 1.0)
    assert then.nothing_yet
    content = plot_content(
        FACES,
        PLOTTED[0],
        past,
        (BEGAN - 61.0, BEGAN - 1.0),
        300,
        SlowedBook(),
        [GONE],
        then,
    )
    assert content.lines[0].reason == "nothing read yet"


def test_a_card_that_never_answered_is_not_lost_before_anybody_asked(past: History) -> None:
    window = window_on(past)
    window.choose_span(3600.0)
    history = StripHistory(past)
    history.bring_up(FACES, PLOTTED[0], window.stretch(), 100)
    content = strip_content([FACES], PLOTTED[0], history, (), USUAL, {}, window.then())
    (mark,) = content.marks
    assert mark.words == "0 lost"
    assert mark.at == BEGAN
