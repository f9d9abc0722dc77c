"""The strip of very many cards, and the plot of few: only what was read is drawn, no card is
lost before it was, and one points into the strip.
"""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION
from gpuexplorer.core.units import USUAL
from gpuexplorer.core.words import Message
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.cards.throttling import SlowedBook
from gpuexplorer.gui.overview.heat_strip import (
    HeatStrip,
    boards_of,
    ranges,
    strip_history,
)
from gpuexplorer.gui.overview.past import PLOTTED
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock
from tests.gui.fakes import card
from tests.gui.pixels import colours_of

BUSY, FIRST = PLOTTED[0], CardId("GPU-0")
CARDS = arrange([card(index) for index in range(9)])
BEGAN, LOST, NOW = 1000.0, 1400.0, 1600.0
GONE = Happening(LOST, 1_700_000_400.0, Kind.CARD_LOST, FIRST, Message("The card is lost"))
LEFT, WIDE = 56, 600 - 56 - 68  # of the rows
MIDDLE = LEFT + WIDE // 2


def past_of(*busy: float, first: float = BEGAN, seconds: int = 100) -> History:
    """Of each card; the last one holds for all that follow."""
    history = History()
    for second in range(seconds):
        for at, each in enumerate(CARDS):
            share = busy[min(at, len(busy) - 1)]
            history.append(Sample(each.card.id, first + second, {GPU_UTILIZATION: share}))
    return history


def faces(busy: float | None, at: float = NOW) -> list[CardFace]:
    values = {} if busy is None else {GPU_UTILIZATION: busy}
    missing = {GPU_UTILIZATION: Absence.LOST} if busy is None else {}
    state = CardState.LOST if busy is None else CardState.WORKING
    known = {
        each.card.id: CardNow(Reading(each.card.id, at, values, missing, state), None)
        for each in CARDS
    }
    return [card_face(each, known, units=USUAL) for each in CARDS]


class Shown:
    """A strip of 100 seconds, with rows that are 16 pixels high."""

    def __init__(self, qtbot: QtBot) -> None:
        look().choose(Scheme.DARK)
        self.window = TimeWindow(ManualClock(BEGAN + 100))
        self.strip = HeatStrip(self.window)
        qtbot.addWidget(self.strip)
        self.strip.resize(600, 169)
        self.strip.show()

    def show(self, past: History, cards: list[CardFace], *log: Happening) -> None:
        book = SlowedBook()
        book.take(log)
        self.window.show_past(past)
        self.window.choose_span(100.0)
        self.strip.show_boards(boards_of(cards), BUSY, past, book)
        self.strip.resize(600, 169)

    def shade(self, row: int, share_of_time: float) -> str:
        y = row * 16 + 8 + (3 if row >= 8 else 0)
        x = LEFT + share_of_time * WIDE
        return str(self.strip.grab().toImage().pixelColor(round(x), y).name())


@pytest.fixture
def shown(qtbot: QtBot) -> Shown:
    return Shown(qtbot)


def test_a_cell_is_as_dark_as_the_card_was_busy_and_what_was_not_read_has_no_shade(
    shown: Shown,
) -> None:
    shown.show(past_of(0.0, 0.5, 7.0, 1.0, first=BEGAN + 50, seconds=50), faces(0.5))
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        heat = look().theme.heat
        assert shown.shade(0, 0.7) == heat(0.0).name()
        assert shown.shade(1, 0.7) == heat(0.5).name()
        assert shown.shade(2, 0.7) == shown.shade(8, 0.7) == heat(1.0).name()
        assert shown.shade(1, 0.1) == look().theme.surface.name()


def test_a_card_that_was_lost_is_a_line_from_then_on(shown: Shown) -> None:
    lost, gone = faces(None)[0], GONE._replace(at=BEGAN + 50)
    shown.show(past_of(0.5, seconds=50), [lost, *faces(0.5)[1:]], gone)
    assert shown.shade(0, 0.95) == look().theme.bad.name()
    shown.show(past_of(0.5), faces(0.5))
    assert look().theme.bad.name() not in colours_of(shown.strip.grab().toImage())


def test_a_row_is_pointed_at_opened_and_dragged_through_time(shown: Shown) -> None:
    shown.show(past_of(0.5), faces(0.5))
    strip, window, opened = shown.strip, shown.window, QSignalSpy(shown.strip.opened)
    QTest.mouseMove(strip, QPoint(MIDDLE, 8 * 16 + 3 + 8))
    assert window.crosshair == pytest.approx(BEGAN + 50, abs=0.5)
    assert strip.said_at(window.crosshair or 0.0).startswith("Card 8: 50 % at ")
    assert shown.shade(1, 0.5) == look().theme.quiet.name()
    QTest.mouseMove(strip, QPoint(MIDDLE, 8 * 16 + 1))
    assert strip.said_at(BEGAN + 50) == window.moment(BEGAN + 50)  # between two boards
    QTest.mouseDClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(MIDDLE, 24))
    assert opened.at(0) == ["GPU-1"]
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=QPoint(MIDDLE, 24))
    at = QPointF(MIDDLE + WIDE // 4, 24)
    left, plain = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    move = QMouseEvent(
        QEvent.Type.MouseMove, at, strip.mapToGlobal(at), Qt.MouseButton.NoButton, left, plain
    )
    window.choose_span(50.0)  # so that there is more before
    QApplication.sendEvent(strip, move)
    assert window.stretch() == pytest.approx((BEGAN + 37.5, BEGAN + 87.5), abs=0.5)


def test_the_wheel_zooms_over_the_rows_and_scrolls_the_page_beside_them(shown: Shown) -> None:
    shown.show(past_of(0.5), faces(0.5))
    strip, begin, plain = shown.strip, Qt.ScrollPhase.NoScrollPhase, Qt.KeyboardModifier(0)
    for x, zooms in ((590, False), (LEFT + WIDE // 4, True)):
        place, before = QPointF(x, 24), shown.window.stretch()
        seen, up = strip.mapToGlobal(place), QPoint(0, 120)
        how = (Qt.MouseButton.NoButton, plain, begin, False)
        wheel = QWheelEvent(place, seen, QPoint(), up, *how)
        QApplication.sendEvent(strip, wheel)
        assert (wheel.isAccepted(), shown.window.stretch() != before) == (zooms, zooms)


def test_the_strip_shows_what_was_read_and_nothing_before_and_long_after() -> None:
    past, nine = past_of(0.5, seconds=60), faces(0.5, 1059)
    strip = strip_history(past, nine, BUSY, (940.0, 1060.0), 120)
    assert strip.values.shape == (9, 120)
    assert np.isnan(strip.values[0, :58]).all()
    assert strip.values[0, 62:] == pytest.approx(0.5)
    later = strip_history(past, nine, BUSY, (1000.0, 1120.0), 120).values[8]
    assert np.isfinite(later[:60]).all()
    assert np.isnan(later[65:]).all()


@pytest.mark.usefixtures("qtbot")
def test_a_card_is_lost_from_the_moment_on_at_which_it_was_lost() -> None:
    past, window = past_of(0.5, seconds=400), TimeWindow(ManualClock(NOW))
    first, strip = faces(None)[:1], HeatStrip(window)
    window.show_past(past)

    def told(*log: Happening) -> list[str]:
        """On its row of the strip."""
        book = SlowedBook()
        book.take(log)
        strip.show_boards([first], BUSY, past, book)
        return [words for _, _, words, _ in strip.marks()]

    said = [f"0 lost at {window.moment(LOST)}"]
    assert told(GONE) == said
    window.look_at(LOST - 100.0, LOST + 50.0)
    assert told(GONE) == said
    window.look_at(BEGAN + 10.0, LOST - 100.0)
    assert told(GONE) == []
    window.back_to_now()
    window.choose_span(3600.0)
    assert told() == ["0 lost"]  # nobody knows when


def test_numbers_in_a_row_are_a_range() -> None:
    cards = faces(0.5)
    assert ranges([cards[at] for at in (8, 5, 6, 7, 1, 2)]) == "1, 2, 5–8"
