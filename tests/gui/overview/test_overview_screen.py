"""What the overview shows beside its tiles, and what pointing and choosing there do."""

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.metrics import POWER_DRAW, throttle
from gpuexplorer.gui.overview.all_cards import AllCardsPanel
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.overview.heat_strip import HeatStrip
from gpuexplorer.gui.overview.tile_grid import HoverCard
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.line import Line
from gpuexplorer.gui.widgets.live_view import HeatLegend
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.session import Session
from tests.gui.fakes import Answer, card, session_of, working
from tests.gui.hands import click, press, rows_of, table_called, the
from tests.gui.overview.conftest import OpenOverview, Screen
from tests.gui.pixels import colours_of

LOST = Answer(otherwise=Absence.LOST, state=CardState.LOST)
FOUR = "Plots: Utilisation, Memory, Power, Temperature"


def many(count: int, nvlinks: int = 0) -> Session:
    return session_of({card(at, nvlinks=nvlinks): working(at / count) for at in range(count)})


def choices(within: QWidget) -> dict[str, ToolButton]:
    """What can be chosen in a row, by its words."""
    buttons = within.findChildren(ToolButton)
    return {each.text(): each for each in buttons if each.isVisible()}


def choose(screen: Screen, words: str) -> None:
    QTest.mouseClick(choices(screen.window)[words], Qt.MouseButton.LeftButton)


def point_at(widget: QWidget) -> None:
    middle = widget.rect().center().toPointF()
    QApplication.sendEvent(widget, QEnterEvent(middle, middle, middle))


def sees(screen: Screen, kind: type[QWidget], words: str) -> None:
    def there() -> bool:
        shown = [each for each in screen.window.findChildren(kind) if each.isVisible()]
        said = (f"{each.accessibleName()} {each.accessibleDescription()}" for each in shown)
        return any(words in each for each in said)

    screen.qtbot.waitUntil(there)


def choose_row(screen: Screen, table: str, words: str) -> None:
    """The first one, as soon as one of them says this."""
    screen.qtbot.waitUntil(lambda: any(words in each for each in rows_of(screen.window, table)))
    shown = table_called(screen.window, table)
    place = shown.visualRect(shown.model().index(0, 0)).center()
    QTest.mouseClick(shown.viewport(), Qt.MouseButton.LeftButton, pos=place)


@pytest.mark.parametrize(("count", "lines"), [(8, True), (9, False)])
def test_all_cards_are_lines_up_to_eight_and_a_strip_from_nine(
    open_overview: OpenOverview, count: int, lines: bool
) -> None:
    screen = open_overview(many(count))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    shown = the(PlotStack, screen.window).isVisible(), the(HeatStrip, screen.window).isVisible()
    assert shown == (lines, not lines)


def test_of_one_card_four_metrics_are_plotted_and_none_is_to_be_chosen(
    open_overview: OpenOverview,
) -> None:
    told = {k: v for k, v in working().values.items() if k != POWER_DRAW}
    screen = open_overview(session_of({card(0): Answer(told)}))
    screen.window.resize(1366, 700)
    sees(screen, PlotStack, FOUR)
    sees(screen, PlotStack, "Power draw: not supported")
    assert "Power" not in choices(screen.window)
    assert screen.tile("0").past_width() == 0  # no curve is drawn twice


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


def test_the_metric_that_was_chosen_is_remembered(open_overview: OpenOverview) -> None:
    settings = Settings()
    screen = open_overview(many(2), settings)
    assert "NVLink" not in choices(screen.window)  # since no card has one
    choose(screen, "Power")
    sees(screen, PlotStack, "Power")
    again = open_overview(many(2, nvlinks=2), settings)
    assert choices(again.window)["Power"].isChecked()
    assert "NVLink" in choices(again.window)


def test_of_very_many_cards_those_worth_a_look_are_named(open_overview: OpenOverview) -> None:
    answers = {card(index): working() for index in range(12)}
    hot = working(**{throttle("hw_thermal_slowdown"): 1.0})
    screen = open_overview(session_of(answers | {card(3): LOST, card(7): hot}))
    sees(screen, Line, "Busy, average 97 %")
    choose_row(screen, "Worth a look", "Much too hot, card 7: 70 of 78 °C")
    assert screen.navigation.card == "GPU-3"


def test_pointing_at_a_cell_tells_about_its_card(open_overview: OpenOverview) -> None:
    screen = open_overview(many(24))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == 24)
    point_at(screen.tile("5"))
    detail = the(HoverCard, screen.window)
    assert detail.isVisible()
    assert detail.accessibleName() == "Card 5, NVIDIA TITAN RTX, cuda:5"
    QApplication.sendEvent(screen.tile("5"), QEvent(QEvent.Type.Leave))
    assert not detail.isVisible()
    screen.tile("3").setFocus()
    press(screen.tile("3"), Qt.Key.Key_Down)
    assert screen.tile("11").hasFocus()
    assert detail.accessibleName().startswith("Card 11,")


@pytest.mark.parametrize("count", [12, 64])
def test_the_detail_leaves_its_own_cell_free(open_overview: OpenOverview, count: int) -> None:
    screen = open_overview(many(count))
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    for number in ("0", "7", str(count // 2), str(count - 1)):
        tile = screen.tile(number)
        point_at(tile)
        detail = the(HoverCard, screen.window)
        corner = tile.mapTo(screen.view, QPoint(0, 0))
        middle = detail.mapFrom(screen.view, corner + tile.rect().center())
        assert not detail.rect().contains(middle)


def test_pointing_at_the_strip_says_which_card_and_when(open_overview: OpenOverview) -> None:
    screen = open_overview(many(12))
    strip = the(HeatStrip, screen.window)
    screen.qtbot.waitUntil(lambda: "Cards 0–7" in strip.accessibleDescription())
    for name in ("Memory", "Power", "Temperature", "PCIe"):
        choose(screen, name)
        sees(screen, HeatStrip, f"Cards 0–7: {name}")
    place = QPoint(strip.width() // 2, 4)
    QTest.mouseMove(strip, place)
    screen.qtbot.waitUntil(lambda: screen.time_window.crosshair is not None)
    QTest.mouseDClick(strip, Qt.MouseButton.LeftButton, pos=place)
    assert screen.navigation.card == "GPU-0"


def test_what_a_lost_card_did_is_kept_and_its_loss_is_an_event(
    open_overview: OpenOverview,
) -> None:
    answer = working()
    screen = open_overview(session_of({card(0): answer, card(1): working()}))
    sees(screen, CardTile, "97 %")
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    sees(screen, CardTile, "it no longer answers the driver.")
    assert "Lost. Since " in screen.tile("0").accessibleDescription()
    click(screen.tile("0"), "Open its history")
    assert screen.navigation.card == "GPU-0"
    screen.navigation.open_screen("overview")
    choose_row(screen, "Events", "The card is lost")
    assert (screen.navigation.screen, screen.time_window.following) == ("card", False)


@pytest.mark.parametrize("count", [1, 3, 8, 9, 64])
@pytest.mark.parametrize(("width", "height"), [(500, 340), (744, 590), (1392, 918)])
def test_every_number_of_cards_is_drawn_at_every_size(
    open_overview: OpenOverview, count: int, width: int, height: int
) -> None:
    screen = open_overview(many(count), width=width, height=height)
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        assert len(colours_of(screen.window.grab().toImage(), 7)) > 8
    places = [each.geometry() for each in screen.tiles]
    assert not any(a.intersects(b) for a in places for b in places if a is not b)


@pytest.mark.parametrize("count", [2, 64])
@pytest.mark.parametrize("width", [500, 744, 1000, 1392])
def test_nothing_in_the_heading_lies_on_anything_else(
    open_overview: OpenOverview, count: int, width: int
) -> None:
    screen = open_overview(many(count), width=width)
    screen.qtbot.waitUntil(lambda: len(screen.tiles) == count)
    panel = the(AllCardsPanel, screen.window)
    choice = the(Segmented, panel).geometry()
    beside = (e for kind in (QLabel, HeatLegend, Line) for e in panel.findChildren(kind))
    places = [e.geometry() for e in beside if e.isVisible() and e.parent() is panel]
    assert not any(choice.intersects(place) for place in places)
