"""The strip of very many cards: only what was read is drawn, and one points into it."""

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QSignalSpy, QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.axes import TimeTick
from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.figure import Figure
from gpuexplorer.gui.overview.tiles.heat_strip import (
    HeatStrip,
    StripBoard,
    StripContent,
    StripMark,
)
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme, Tone
from gpuexplorer.gui.widgets.line import Tag
from tests.gui.hands import the
from tests.gui.pixels import colours_of

START, END = 1000.0, 1100.0
NAN, INF = float("nan"), float("inf")


def drag(onto: QWidget, place: QPoint) -> None:
    """With the left button held."""
    left, none = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
    at = QPointF(place)
    seen = onto.mapToGlobal(at)
    QApplication.sendEvent(
        onto, QMouseEvent(QEvent.Type.MouseMove, at, seen, none, left, Qt.KeyboardModifier(0))
    )


def content(
    shares: NDArray[np.float64], marks: tuple[StripMark, ...] = (), **more: object
) -> StripContent:
    board = StripBoard("0–7", 8, Figure("Busy", number="50", unit="%"))
    other = StripBoard("8", len(shares) - 8, Figure("Busy", absent=("–",)))
    return StripContent(
        shares=shares,
        start=START,
        end=END,
        cards=tuple(CardId(f"GPU-{row}") for row in range(len(shares))),
        boards=(board, other),
        marks=marks,
        ticks=(TimeTick(END, "now"), TimeTick(START + 50, "12:00:50")),
        said="Cards 0–7: 50 %",
        **more,  # type: ignore[arg-type]  # a test names what it changes
    )


@pytest.fixture
def strip(qtbot: QtBot) -> HeatStrip:
    look().choose(Scheme.DARK)
    made = HeatStrip()
    qtbot.addWidget(made)
    made.resize(600, 169)  # rows are 16 pixels high
    with qtbot.waitExposed(made):
        made.show()
    return made


def shade(strip: HeatStrip, row: int, share_of_time: float) -> str:
    y = row * 16 + 8 + (3 if row >= 8 else 0)
    x = 48 + share_of_time * (600 - 48 - 68)
    return str(strip.grab().toImage().pixelColor(round(x), y).name())


def test_a_cell_is_as_dark_as_the_card_was_busy_and_what_was_not_read_has_no_shade(
    strip: HeatStrip,
) -> None:
    shares = np.full((9, 100), 0.5)
    shares[0], shares[8, 50:], shares[5] = 0.0, 1.0, 7.0
    shares[2, :50], shares[3, :50], shares[4, :50] = NAN, INF, -INF
    strip.show_content(content(shares))
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        strip.look.choose(scheme)
        heat, surface = strip.look.theme.heat, strip.look.theme.surface.name()
        assert shade(strip, 0, 0.5) == heat(0.0).name()
        assert shade(strip, 8, 0.2) == shade(strip, 6, 0.5) == heat(0.5).name()
        assert shade(strip, 8, 0.8) == shade(strip, 5, 0.5) == heat(1.0).name()
        for row in (2, 3, 4):
            assert shade(strip, row, 0.2) == surface
            assert shade(strip, row, 0.8) == heat(0.5).name()


def test_a_card_that_was_lost_is_a_line_from_then_on(strip: HeatStrip) -> None:
    shares = np.full((9, 100), 0.5)
    shares[4, 50:] = NAN
    mark = StripMark(4, START + 50, "4 lost at 12:00:50", Tone.BAD)
    strip.show_content(content(shares, (mark,)))
    bad = strip.look.theme.bad.name()
    assert shade(strip, 4, 0.95) == bad
    strip.show_content(content(shares))
    assert bad not in colours_of(strip.grab().toImage())


def test_a_row_is_pointed_at_dragged_and_opened(strip: HeatStrip) -> None:
    strip.show_content(content(np.full((9, 100), 0.5)))
    pointed, opened = QSignalSpy(strip.pointed), QSignalSpy(strip.opened)
    dragged = QSignalSpy(strip.dragged)
    middle = 48 + (600 - 48 - 68) // 2
    QTest.mouseMove(strip, QPoint(middle, 8 * 16 + 3 + 8))
    assert pointed.at(0)[0] == 8
    assert pointed.at(0)[1] == pytest.approx(1050)
    QTest.mouseMove(strip, QPoint(middle, 8 * 16 + 1))
    assert pointed.at(1)[0] is None
    QTest.mouseDClick(strip, Qt.MouseButton.LeftButton, pos=QPoint(middle, 24))
    assert opened.at(0) == ["GPU-1"]
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=QPoint(middle, 24))
    drag(strip, QPoint(middle + 121, 24))
    assert dragged.at(0)[0] == pytest.approx(25, abs=0.5)


def test_the_wheel_zooms_over_the_rows_and_scrolls_the_page_beside_them(
    strip: HeatStrip,
) -> None:
    strip.show_content(content(np.full((9, 100), 0.5)))
    turned, none = QSignalSpy(strip.turned), Qt.MouseButton.NoButton
    for x in (48 + (600 - 48 - 68) // 4, 590):
        place, down, plain = QPointF(x, 24), QPoint(0, -120), Qt.KeyboardModifier.NoModifier
        begin = Qt.ScrollPhase.NoScrollPhase
        seen = strip.mapToGlobal(place)
        how = (none, plain, begin, False)
        wheel = QWheelEvent(place, seen, QPoint(), down, *how)
        QApplication.sendEvent(strip, wheel)
        assert wheel.isAccepted() is (x < 590)
    assert turned.count() == 1
    assert turned.at(0) == [-1.0, pytest.approx(0.25)]


def test_the_pointed_moment_stays_below_the_pointer_while_time_goes_on(
    strip: HeatStrip,
) -> None:
    now = content(np.full((9, 100), 0.5))
    strip.show_content(now)
    pointed = QSignalSpy(strip.pointed)
    QTest.mouseMove(strip, QPoint(48 + (600 - 48 - 68) // 2, 24))
    strip.show_content(replace(now, start=START + 10, end=END + 10))
    assert pointed.at(pointed.count() - 1)[1] == pytest.approx(1060)


def test_figures_of_now_beside_an_earlier_time_say_so(strip: HeatStrip) -> None:
    strip.show_content(content(np.full((9, 100), 0.5)))
    assert not the(Tag, strip).isVisible()
    strip.show_content(content(np.full((9, 100), 0.5), following=False))
    assert the(Tag, strip).isVisible()


def test_the_time_before_the_first_reading_says_so(strip: HeatStrip) -> None:
    for began, there in ((-INF, False), (START + 50, True)):
        strip.show_content(content(np.full((9, 100), NAN), began=began))
        seen = colours_of(strip.grab().toImage().copy(60, 0, 200, 140))
        assert (strip.look.theme.faint.name() in seen) is there


def test_the_crosshair_goes_with_the_moment(strip: HeatStrip, qtbot: QtBot) -> None:
    strip.show_content(content(np.full((9, 100), 0.0)))
    quiet, plain = strip.look.theme.quiet.name(), shade(strip, 1, 0.25)
    strip.show_crosshair(START + 25, "Card 1: 0 % at 12:00:25")
    qtbot.waitUntil(lambda: shade(strip, 1, 0.25) == quiet)
    strip.show_crosshair(START - 5, "")
    assert shade(strip, 1, 0.25) == plain
