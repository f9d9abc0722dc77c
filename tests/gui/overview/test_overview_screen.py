"""What the overview shows beside its tiles, and what pointing and choosing there do."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import DISPLAY_ACTIVE, POWER_DRAW, throttle
from gpuexplorer.gui.overview.all_cards_panel import AllCardsPanel
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.figure_row import FigureGrid, FigureRow
from gpuexplorer.gui.overview.tiles.heat_strip import HeatStrip
from gpuexplorer.gui.overview.tiles.hover_card import HoverCard
from gpuexplorer.gui.state.settings import Choices, Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.live_view import HeatLegend
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.fakes import GIB, Answer, card, instance, session_of, working
from tests.gui.hands import click, press, rows_of, table_called, texts, the
from tests.gui.overview.conftest import OpenOverview, Screen
from tests.gui.pixels import colours_of

LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)


def many(count: int) -> Session:
    return session_of({card(index): working(index / count) for index in range(count)})


def segment(within: QWidget, words: str) -> ToolButton:
    (found,) = (
        each
        for each in within.findChildren(ToolButton)
        if each.text() == words and each.isVisible()
    )
    return found


def enter(widget: QWidget) -> None:
    middle = widget.rect().center().toPointF()
    QApplication.sendEvent(widget, QEnterEvent(middle, middle, middle))


def said(screen: Screen, kind: type[QWidget]) -> list[str]:
    return [
        f"{each.accessibleName()} {each.accessibleDescription()}"
        for each in screen.window.findChildren(kind)
        if each.isVisible()
    ]


def waits_for(screen: Screen, kind: type[QWidget], words: str) -> None:
    screen.qtbot.waitUntil(lambda: any(words in each for each in said(screen, kind)))


def wait_for_row(screen: Screen, table: str, words: str) -> None:
    screen.qtbot.waitUntil(lambda: any(words in each for each in rows_of(screen.window, table)))


def click_first_row(screen: Screen, table: str) -> None:
    shown = table_called(screen.window, table)
    place = shown.visualRect(shown.model().index(0, 1)).center()
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)


def test_all_cards_are_lines_up_to_eight_and_a_strip_from_nine(
    open_overview: OpenOverview,
) -> None:
    few = open_overview(many(8))
    few.qtbot.waitUntil(lambda: len(few.tiles) == 8)
    assert the(PlotStack, few.window).isVisible()
    assert not the(HeatStrip, few.window).isVisible()
    lots = open_overview(many(9))
    lots.qtbot.waitUntil(lambda: len(lots.tiles) == 9)
    assert the(HeatStrip, lots.window).isVisible()
    assert not the(PlotStack, lots.window).isVisible()


FOUR = "Plots: Utilisation, Memory, Power, Temperature"


def test_of_one_card_four_metrics_are_plotted_and_none_is_to_be_chosen(
    open_overview: OpenOverview,
) -> None:
    screen = open_overview(many(1))
    screen.window.resize(1366, 700)
    waits_for(screen, PlotStack, FOUR)
    buttons = screen.window.findChildren(ToolButton)
    assert "Power" not in [each.text() for each in buttons if each.isVisible()]
    assert screen.tile("0").past_width() == 0  # no curve is drawn twice


def test_a_figure_that_the_only_card_does_not_report_says_so_in_its_plot(
    open_overview: OpenOverview,
) -> None:
    told = {k: v for k, v in working().values.items() if k != POWER_DRAW}
    screen = open_overview(session_of({card(0): Answer(told)}))
    screen.window.resize(1366, 700)
    waits_for(screen, PlotStack, FOUR)
    waits_for(screen, PlotStack, "not supported")


@pytest.mark.parametrize(("height", "plots"), [(700, 4), (620, 3), (500, 2)])
def test_the_axis_and_the_tile_of_the_only_card_are_in_view_with_as_many_plots_as_fit(
    open_overview: OpenOverview, height: int, plots: int
) -> None:
    screen = open_overview(many(1))
    screen.window.resize(1000, height)
    stack = the(PlotStack, screen.window)
    screen.qtbot.waitUntil(lambda: len(stack.contents) == plots)

    def bottom(widget: QWidget) -> int:
        return widget.mapTo(screen.window, widget.rect().bottomLeft()).y()

    screen.qtbot.waitUntil(lambda: bottom(stack) < bottom(screen.tile("0")) < height)


def test_a_card_that_is_lost_and_alone_says_so_below_its_plots(
    open_overview: OpenOverview,
) -> None:
    screen = open_overview(session_of({card(0): LOST}))
    screen.window.resize(1366, 700)
    waits_for(screen, PlotStack, FOUR)
    waits_for(screen, CardTile, "It no longer answers the driver.")


def test_the_metric_that_was_chosen_is_remembered(open_overview: OpenOverview) -> None:
    settings = Settings()
    screen = open_overview(many(2), settings)
    QTest.mouseClick(segment(screen.window, "Power"), Qt.MouseButton.LeftButton)
    waits_for(screen, PlotStack, "Power")
    again = open_overview(many(2), settings)
    assert segment(again.window, "Power").isChecked()


def test_nvlink_is_offered_only_where_a_card_has_one(open_overview: OpenOverview) -> None:
    without = open_overview(many(2))
    assert "NVLink" not in [each.text() for each in without.window.findChildren(ToolButton)]
    wired = open_overview(session_of({card(at, nvlinks=2): working() for at in range(2)}))
    assert segment(wired.window, "NVLink").isVisible()


@pytest.mark.parametrize("name", ["Utilisation", "Memory", "Power", "Temperature", "PCIe"])
@pytest.mark.parametrize("count", [2, 12])
def test_every_metric_is_drawn_for_few_and_for_many(
    open_overview: OpenOverview, name: str, count: int
) -> None:
    screen = open_overview(many(count))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    QTest.mouseClick(segment(screen.window, name), Qt.MouseButton.LeftButton)
    assert not screen.window.grab().isNull()


def test_what_all_cards_do_together_stands_beside_the_heading(
    open_overview: OpenOverview,
) -> None:
    cards = {card(0): working(1.0, used=12 * GIB), card(1): working(0.5, used=6 * GIB)}
    screen = open_overview(session_of(cards))
    waits_for(
        screen, FigureRow, "Busy, average 75 %. Memory 18.0 of 48 GiB. Power 398 of 560 W"
    )
    waits_for(screen, FigureRow, "Hottest 71 °C, card 0")


def test_the_stretch_of_time_stands_in_the_heading(open_overview: OpenOverview) -> None:
    screen = open_overview(many(2))
    window = screen.time_window
    window.look_at(window.now() - 900, window.now() - 600)
    screen.qtbot.waitUntil(
        lambda: any(text.count(":") == 4 and " to " in text for text in texts(screen.window))
    )


def test_of_very_many_cards_those_worth_a_look_are_named(open_overview: OpenOverview) -> None:
    answers = {card(index): working() for index in range(12)}
    hot = working(**{throttle("hw_thermal_slowdown"): 1.0})
    answers |= {card(3): LOST, card(7): hot}
    screen = open_overview(session_of(answers))
    wait_for_row(screen, "Worth a look", "Lost")
    wait_for_row(screen, "Worth a look", "Much too hot, 70 of 78 °C, card 7")
    waits_for(screen, FigureGrid, "Busy, average 97 %")
    click_first_row(screen, "Worth a look")
    assert screen.navigation.card == "GPU-3"


def test_pointing_at_a_cell_tells_about_its_card(open_overview: OpenOverview) -> None:
    screen = open_overview(many(12))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == 12)
    detail = the(HoverCard, screen.window)
    assert not detail.isVisible()
    enter(screen.tile("5"))
    assert detail.isVisible()
    assert detail.accessibleName() == "Card 5, NVIDIA TITAN RTX, cuda:5"
    QApplication.sendEvent(screen.tile("5"), QEvent(QEvent.Type.Leave))
    assert not detail.isVisible()


def test_the_keyboard_brings_the_same_detail_and_goes_by_rows(
    open_overview: OpenOverview,
) -> None:
    screen = open_overview(many(24))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == 24)
    screen.tile("3").setFocus()
    detail = the(HoverCard, screen.window)
    assert detail.accessibleName().startswith("Card 3,")
    press(screen.tile("3"), Qt.Key.Key_Down)
    assert screen.tile("11").hasFocus()
    assert detail.accessibleName().startswith("Card 11,")
    press(screen.tile("11"), Qt.Key.Key_Up)
    assert screen.tile("3").hasFocus()


@pytest.mark.parametrize("count", [12, 64])
def test_the_detail_leaves_its_own_cell_free(open_overview: OpenOverview, count: int) -> None:
    screen = open_overview(many(count))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    detail = the(HoverCard, screen.window)
    for number in ("0", "7", str(count // 2), str(count - 1)):
        tile = screen.tile(number)
        enter(tile)
        corner = tile.mapTo(screen.view, QPoint(0, 0))
        middle = detail.mapFrom(screen.view, corner + tile.rect().center())
        assert not detail.rect().adjusted(14, 14, -14, -14).contains(middle)


def test_pointing_at_the_strip_says_which_card_and_when(open_overview: OpenOverview) -> None:
    screen = open_overview(many(12))
    strip = the(HeatStrip, screen.window)
    screen.qtbot.waitUntil(lambda: "Cards 0–7" in strip.accessibleDescription())
    place = QPoint(strip.width() // 2, 4)
    QTest.mouseMove(strip.viewport(), place)
    screen.qtbot.waitUntil(lambda: screen.time_window.crosshair is not None)
    QTest.mouseDClick(strip.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert screen.navigation.card == "GPU-0"


def test_an_event_leads_to_its_moment_and_its_card(open_overview: OpenOverview) -> None:
    answer = working()
    screen = open_overview(session_of({card(0): answer, card(1): working()}))
    screen.qtbot.waitUntil(lambda: "97 %" in screen.tile("0").accessibleDescription())
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    wait_for_row(screen, "Events", "The card is lost")
    click_first_row(screen, "Events")
    assert (screen.navigation.screen, screen.navigation.card) == ("card", "GPU-0")


def test_a_lost_card_says_since_when_and_leads_to_its_history(
    open_overview: OpenOverview,
) -> None:
    answer = working()
    screen = open_overview(session_of({card(0): answer, card(1): working()}))
    screen.qtbot.waitUntil(lambda: "97 %" in screen.tile("0").accessibleDescription())
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    screen.qtbot.waitUntil(
        lambda: "it no longer answers" in screen.tile("0").accessibleDescription()
    )
    assert "Since " in screen.tile("0").accessibleDescription()
    click(screen.tile("0"), "Open its history")
    assert screen.navigation.card == "GPU-0"


def test_programs_are_listed_and_lead_to_their_card(
    open_overview: OpenOverview, qtbot: QtBot
) -> None:
    session = remembering(session_on(simulated("2xTitanRTX"), interval=0.1))
    screen = open_overview(session)
    qtbot.waitUntil(lambda: bool(rows_of(screen.window, "Processes")))
    rows = rows_of(screen.window, "Processes")
    assert all(row.startswith("Card") for row in rows)
    table = table_called(screen.window, "Processes")
    table.setFocus(Qt.FocusReason.TabFocusReason)
    press(table, Qt.Key.Key_Return)
    assert screen.navigation.screen == "card"
    click(screen.window, "All processes")
    assert screen.navigation.screen == "processes"
    click(screen.window, "All events")
    assert screen.navigation.screen == "events"


def test_tiles_follow_the_units_a_person_chooses(open_overview: OpenOverview) -> None:
    screen = open_overview(session_of({card(0): working(), card(1): working()}))
    screen.qtbot.waitUntil(lambda: "70 of 78 °C" in screen.tile("0").accessibleDescription())
    screen.settings.choose(Choices(decimal_memory=True, fahrenheit=True))
    screen.qtbot.waitUntil(lambda: "°F" in screen.tile("0").accessibleDescription())
    assert "of 25.8 GB" in screen.tile("0").accessibleDescription()


def test_a_display_and_mig_are_told_as_badges(open_overview: OpenOverview) -> None:
    shows = working(**{DISPLAY_ACTIVE: 1.0})
    parent = card(1)
    cards = {card(0): shows, parent: working(), instance(parent, 0): Answer()}
    screen = open_overview(session_of(cards))
    screen.qtbot.waitUntil(
        lambda: "A display is attached" in screen.tile("0").accessibleDescription()
    )
    badges = [badge.word for badge in screen.tile("1").face.badges]
    assert badges == ["MIG"]


@pytest.mark.parametrize("count", [1, 2, 3, 4, 8, 9, 16, 64])
@pytest.mark.parametrize(("width", "height"), [(500, 340), (744, 590), (1392, 918)])
def test_every_number_of_cards_is_drawn_at_every_size(
    open_overview: OpenOverview, count: int, width: int, height: int
) -> None:
    screen = open_overview(many(count), width=width, height=height)
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        assert len(colours_of(screen.window.grab().toImage(), 7)) > 8
    tiles = screen.tiles
    assert not any(
        a.geometry().intersects(b.geometry()) for a in tiles for b in tiles if a is not b
    )


@pytest.mark.parametrize("count", [1, 2, 8])
def test_few_cards_fill_the_screen_without_scrolling(
    open_overview: OpenOverview, count: int
) -> None:
    screen = open_overview(many(count), width=1392, height=960)
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    tops = [tile.mapTo(screen.window, QPoint(0, 0)).y() for tile in screen.tiles]
    assert max(tops) + screen.tiles[-1].height() < 960
    assert sum(tile.height() for tile in screen.tiles) / count > 190


@pytest.mark.parametrize("count", [2, 64])
@pytest.mark.parametrize("width", [500, 700, 744, 800, 1000, 1392])
def test_nothing_in_the_heading_lies_on_anything_else(
    open_overview: OpenOverview, count: int, width: int
) -> None:
    wired = {card(index, nvlinks=4): working() for index in range(count)}
    screen = open_overview(session_of(wired), width=width)
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    panel = the(AllCardsPanel, screen.window)
    for name in ("Memory", "Temperature", "Utilisation"):
        if not the(Segmented, panel).findChildren(ToolButton)[0].isVisible():
            break
        QTest.mouseClick(segment(panel, name), Qt.MouseButton.LeftButton)
    choice = the(Segmented, panel)
    shown = [each for each in choice.findChildren(ToolButton) if each.isVisible()]
    places = [each.geometry() for each in shown]
    assert not any(a.intersects(b) for a in places for b in places if a is not b)
    beside = [
        each.geometry()
        for kind in (QLabel, HeatLegend, FigureRow)
        for each in panel.findChildren(kind)
        if each.isVisible() and each.parent() is panel
    ]
    assert not any(choice.geometry().intersects(place) for place in beside)
