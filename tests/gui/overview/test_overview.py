"""What a person sees of the cards on the overview, in the window and on a screen of its own."""

from collections.abc import Callable, Mapping, Sequence

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QEnterEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as ids
from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState
from gpuexplorer.core.metrics import POWER_DRAW, throttle
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.all_cards import AllCardsPanel
from gpuexplorer.gui.overview.card_tile import CardTile, Tile
from gpuexplorer.gui.overview.heat_strip import HeatStrip
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme, Tone
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.widgets.controls.segmented import Segmented
from gpuexplorer.gui.widgets.line import Line
from gpuexplorer.gui.widgets.live_view import HeatLegend
from gpuexplorer.gui.widgets.painted import Painted
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.session import Session
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import GIB, Answer, FakeBackend, card, instance, session_of, working
from tests.gui.hands import click, press, rows_of, table_called, the
from tests.gui.overview.conftest import OpenOverview, Screen
from tests.gui.pixels import colours_of

TileSaying = Callable[[MainWindow, str], CardTile]
HIDDEN = "hidden from CUDA by CUDA_VISIBLE_DEVICES"
ONE = "one instance or card at a time"
BARRED = card(0, cuda_index=None, cuda_reason=HIDDEN)
FANLESS = Answer(
    {m: v for m, v in working(0.0).values.items() if m != ids.FAN_SPEED},
    missing={ids.FAN_SPEED: Absence.NO_PART},
)
NAMELESS = card(3, "NVIDIA card that does not answer", id=CardId("NAMELESS-3"), cuda_index=None)
H100 = card(1, "NVIDIA H100 80GB HBM3", cuda_index=None, cuda_reason=ONE)
A100 = card(1, "NVIDIA A100-SXM4-40GB")
PART = {ids.MEMORY_USED: 2.2 * GIB, ids.MEMORY_TOTAL: 9.75 * GIB}


def silent(absence: Absence, state: CardState = CardState.WORKING) -> dict[Card, Answer]:
    return {card(0): Answer(otherwise=absence, state=state)}


def slowed(reason: str, **more: float) -> dict[Card, Answer]:
    return {card(0): working(**{ids.throttle(reason): 1.0}, **more)}


UNKNOWN = Answer(otherwise=Absence.NO_ANSWER, state=CardState.NO_ANSWER)
MIG = {A100: Answer(otherwise=Absence.MIG_ON)}
NARROW, FIRST_GENERATION = {ids.PCIE_WIDTH: 8.0}, {ids.PCIE_GENERATION: 1.0}
FULL = ("Memory 19.5 of 24 GiB", "Power 253 of 280 W", "Temperature 70 of 78 °C")


@pytest.mark.parametrize(
    ("cards", "said"),
    [
        ({card(0): working(used=19.5 * GIB)}, ("GPU busy 97 %", "PCIe 3 ×16", *FULL)),
        ({card(0): working(busy=0.0)}, ("Idle. GPU busy 0 %. ",)),
        ({card(0): FANLESS}, ("Fan: no such part",)),
        (silent(Absence.LOST, CardState.LOST), ("Lost. It no longer answers the driver.",)),
        (silent(Absence.UNLISTED, CardState.UNLISTED), ("Not listed. The driver no longer",)),
        (
            silent(Absence.NO_PERMISSION, CardState.REFUSED),
            ("No access. The driver gives no access; it is asked again. A card without",),
        ),
        (
            silent(Absence.NOT_SUPPORTED, CardState.REFUSED),
            ("No access. The driver gives no access", "too new or too old for this driver"),
        ),
        (silent(Absence.ASLEEP, CardState.ASLEEP), ("Asleep. Asleep, and not woken",)),
        (silent(Absence.NO_DRIVER, CardState.NO_DRIVER), ("No driver. The driver is gone",)),
        (silent(Absence.IMPOSSIBLE), ("Gives no usable figure. GPU busy: impossible figure",)),
        ({NAMELESS: UNKNOWN}, ("The driver has not answered for it yet.",)),
        (
            {H100: working(), instance(H100, 0, f"{H100.name} MIG 1g.10gb", ONE): Answer()},
            ("Instance 1.0, MIG 1g.10gb, no CUDA number: ",),
        ),
        (
            {**MIG, instance(A100, 2): Answer(PART, otherwise=Absence.IN_INSTANCE)},
            ("cuda:2: Memory 2.20 of 9.75 GiB", "GPU busy: MIG is on"),
        ),
        (slowed("hw_thermal_slowdown"), ("Much too hot. GPU busy",)),
        ({card(0): working(0.9, **NARROW)}, ("PCIe ×8 of ×16. GPU busy 90 %",)),
        ({card(0): working(0.0, **NARROW)}, ("Idle. GPU busy 0 %",)),
        ({card(0): working(0.0, **FIRST_GENERATION)}, ("PCIe 1 of 3 ×16",)),
    ],
)
def test_a_tile_says_what_its_card_does_or_why_that_is_not_known(
    open_window: OpenWindow,
    tile_saying: TileSaying,
    cards: Mapping[Card, Answer],
    said: Sequence[str],
) -> None:
    tile = tile_saying(open_window(session_of(dict(cards))), said[0])
    assert all(each in tile.accessibleDescription() for each in said)


@pytest.mark.parametrize(
    ("made", "name", "hint"),
    [
        (card(0), "Card 0, NVIDIA TITAN RTX, cuda:0", "Power: this user may not read it.\n"),
        (BARRED, "Card 0, NVIDIA TITAN RTX, no CUDA number", f"No CUDA number: {HIDDEN}."),
        (NAMELESS, "Card 3, no CUDA number", ""),
    ],
)
def test_a_tile_names_its_card_and_what_is_missing_explains_itself_on_asking(
    open_window: OpenWindow,
    tile_saying: TileSaying,
    qtbot: QtBot,
    made: Card,
    name: str,
    hint: str,
) -> None:
    window = open_window(session_of({made: Answer(otherwise=Absence.NO_PERMISSION)}))
    tile = tile_saying(window, name.partition(",")[0])
    assert tile.accessibleName() == name

    def explained() -> bool:
        parts = tile.findChildren(Painted)
        said = [text for each in parts for text in (each.toolTip(), *each.hints())]
        return any(hint in each for each in said)

    qtbot.waitUntil(explained)


def test_a_card_that_hangs_counts_the_seconds_and_the_other_is_read_on(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): Answer(hangs=True), card(1): working()}))
    tile_saying(window, "No answer for 1 s. The driver was asked and is waited for.")
    tile_saying(window, "GPU busy 97 %")


@pytest.mark.long
def test_a_short_silence_leaves_the_last_figures_and_a_long_one_does_not(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    answer = working()
    window = open_window(session_of({card(0): answer}))
    assert not tile_saying(window, "GPU busy 97 %").face.dimmed
    answer.hangs = True
    assert tile_saying(window, "Slow to answer. GPU busy 97 %").face.dimmed
    tile_saying(window, "No answer for 3 s.")
    answer.hangs = False
    assert not tile_saying(window, "GPU busy 97 %").face.dimmed


def test_a_lost_card_takes_as_much_room_as_its_neighbour_and_comes_back(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    window = open_window(session_of({card(0): working(), card(1): answer}))

    tile_saying(window, "Lost")

    def both() -> Sequence[CardTile]:
        seen = [tile for tile in window.findChildren(CardTile) if tile.isVisible()]
        return sorted(seen, key=lambda tile: tile.face.number)

    works, blank = both()
    assert blank.height() == works.height()
    window.resize(560, 420)
    qtbot.waitUntil(lambda: both()[1].y() > both()[0].y())
    works, blank = both()
    assert blank.height() == works.height()
    answer.state, answer.values = CardState.WORKING, working(busy=0.5).values
    tile_saying(window, "GPU busy 50 %")


def test_a_card_at_its_power_limit_is_told_without_a_warning(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    full = slowed("sw_power_cap", **{ids.POWER_DRAW: 280.0})
    face = tile_saying(open_window(session_of(full)), "At its power limit. GPU busy").face
    assert face.mark == StateMark("At its power limit", Tone.QUIET, brief="Power limit")
    assert Tone.WARN not in {figure.tone for figure in face.figures}


def test_a_card_that_appears_and_one_that_goes_are_followed(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    first, second = card(0), card(1, "NVIDIA T4")
    session = session_of({first: working(), second: working(0.5)})
    backend = session.backend
    assert isinstance(backend, FakeBackend)
    backend.listed = [first]
    window = open_window(session)
    tile_saying(window, "Card 0")
    backend.listed = [first, second]
    tile_saying(window, "NVIDIA T4")
    backend.listed = [first]
    qtbot.waitUntil(lambda: len(window.findChildren(CardTile)) == 1)
    tile_saying(window, "Card 0")


def test_arrow_keys_go_from_tile_to_tile_and_tab_stops_once(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(i): working() for i in range(4)}))
    first, third = tile_saying(window, "Card 0"), tile_saying(window, "Card 2")
    first.setFocus()
    press(first, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is third
    stops = [
        t for t in window.findChildren(CardTile) if t.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert stops == [third]


def test_notes_about_the_cards_are_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(0): working()}, notes=["The cards differ."]))
    labels = window.findChildren(QLabel)
    qtbot.waitUntil(lambda: "The cards differ." in [label.text() for label in labels])


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
    detail = the(Tile, screen.window)
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
        detail = the(Tile, screen.window)
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
    panel = the(AllCardsPanel, screen.window)
    heads = [e for kind in (QLabel, HeatLegend, Line) for e in panel.findChildren(kind)]
    beside = [e.geometry() for e in heads if e.isVisible() and e.parent() is panel]
    choice = the(Segmented, panel)
    assert choice.isHidden() or not any(map(choice.geometry().intersects, beside))
    assert {tile.face.colour is not None for tile in screen.tiles} == {count <= 8}
    assert the(PlotStack, screen.window).isVisible() is (count <= 8)
    assert the(HeatStrip, screen.window).isVisible() is (count > 8)
