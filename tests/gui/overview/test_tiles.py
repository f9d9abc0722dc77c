"""Tiles: what is drawn of a card and its past, how they stand, and how a person orders them."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QContextMenuEvent, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, Shown, arrange, card_face
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.overview.card_tile import CardTile, Tile
from gpuexplorer.gui.overview.tile_grid import TileGrid
from gpuexplorer.gui.overview.view import Arrangement
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme, Tone
from gpuexplorer.gui.widgets.strip import StripShown
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.trace import Trace
from tests.gui.fakes import GIB, SIMULATED, card, session_of, working
from tests.gui.hands import click, press
from tests.gui.overview.conftest import OpenOverview, Screen
from tests.gui.pixels import colours_of

START, END = 1000.0, 1100.0
NAN, INF = float("nan"), float("inf")
# Of 255. Letters that were drawn a second time may have smoother ones.
EDGES_OF_LETTERS = 64


def face(busy: float, used: float = 19.5 * GIB, at: int = 0, **changes: float) -> CardFace:
    answer, made = working(busy, used, **changes), card(at)
    reading = Reading(made.id, SystemClock().now(), answer.values, answer.missing)
    *_, shown = arrange([card(index) for index in range(at + 1)])
    now = {made.id: CardNow(reading, None)}
    return card_face(shown, now, units=USUAL)


def spark(
    values: Sequence[float], bands: tuple[Band, ...] = (), unread: str = ""
) -> StripShown:
    means = np.array(values)
    times = START + np.arange(means.size) * (END - START) / max(1, means.size)
    counts = np.isfinite(means).astype(np.int64)
    trace = Trace(times, means, means, means, counts, (END - START) / max(1, means.size))
    return StripShown(trace, START, END, highest=1.0, bands=bands, unread=unread)


def opened(qtbot: QtBot, tile: CardTile) -> CardTile:
    qtbot.addWidget(tile)
    tile.setFocusPolicy(Qt.FocusPolicy.NoFocus)  # no ring: which window is active is no matter
    tile.resize(340, 260)
    with qtbot.waitExposed(tile):
        tile.show()
    return tile


@pytest.fixture
def tile(qtbot: QtBot) -> CardTile:
    look().choose(Scheme.DARK)
    return opened(qtbot, Tile(face(0.5)))


def pixels_of(image: QImage) -> NDArray[np.int64]:
    plain = image.convertToFormat(QImage.Format.Format_RGB32)
    found = np.frombuffer(plain.constBits(), np.uint8).reshape(plain.height(), -1, 4)
    return found[:, : plain.width(), :3].astype(np.int64)


def inked(tile: CardTile, past: StripShown) -> NDArray[np.intp]:
    """In which columns of its plot the tile has the card's colour, or near it."""
    tile.show_past(past, None, "")
    # Above the memory's bar, which has the same colour, and below the card's chip.
    plot = pixels_of(tile.grab().toImage().copy(16, 52, 190, 40))
    ink = look().theme.card(0)
    away = np.abs(plot - [ink.blue(), ink.green(), ink.red()]).sum(axis=2)
    return np.flatnonzero((away < 90).any(axis=0))


@pytest.mark.parametrize("odd", [0.5, NAN, INF, -INF, 1e300])
def test_the_trace_goes_from_edge_to_edge_past_what_is_no_figure(
    tile: CardTile, odd: float
) -> None:
    assert inked(tile, spark([])).size == 0
    seen = inked(tile, spark([*[0.5] * 25, odd, *[0.5] * 24]))
    assert seen[-1] - seen[0] > 160


def test_only_a_card_that_is_slowed_against_its_will_has_a_band(tile: CardTile) -> None:
    for tone, there in ((Tone.WARN, True), (Tone.QUIET, False)):
        inked(tile, spark([0.5] * 50, (Band(START + 20, START + 60, "", tone),)))
        assert (look().theme.warn.name() in colours_of(tile.grab().toImage())) is there


@pytest.mark.parametrize(
    "after",
    [face(0.31), face(0.97, used=3.2 * GIB), face(0.97, power_draw=120.0), face(0.0, used=0.0)],
    ids=["busy", "memory", "power", "idle"],
)
def test_where_only_some_figures_changed_it_looks_as_one_drawn_anew(
    qtbot: QtBot, after: CardFace
) -> None:
    def on_screen(tile: CardTile) -> NDArray[np.int64]:
        """What was painted so far, and not painted for this."""
        return pixels_of(tile.screen().grabWindow(tile.winId()).toImage())

    tile, anew = opened(qtbot, Tile(face(0.97))), opened(qtbot, Tile(after))
    before = on_screen(tile)
    tile.show_face(after)

    def away(other: NDArray[np.int64]) -> int:
        return int(np.abs(on_screen(tile) - other).max())

    qtbot.waitUntil(lambda: away(on_screen(anew)) <= EDGES_OF_LETTERS)
    assert away(before) > EDGES_OF_LETTERS


def grid_of(qtbot: QtBot, count: int, width: int, height: int = 400) -> TileGrid:
    grid = TileGrid()
    qtbot.addWidget(grid)
    grid.show_boards([[face(0.5, at=at) for at in range(count)]])
    grid.resize(width, height)
    grid.show()
    return grid


@pytest.mark.parametrize(
    ("count", "width", "rows"), [(5, 1100, (3, 2)), (8, 1344, (4, 4)), (3, 320, (1, 1, 1))]
)
def test_rows_are_as_even_as_it_gets(
    qtbot: QtBot, count: int, width: int, rows: tuple[int, ...]
) -> None:
    grid = grid_of(qtbot, count, width)
    tops = [each.y() for each in grid.tiles.values()]
    assert tuple(tops.count(top) for top in sorted(set(tops))) == rows


@pytest.mark.parametrize(
    ("width", "room", "large"), [(1344, 440, False), (2500, 440, False), (2500, 1100, True)]
)
def test_eight_cards_are_compact_unless_there_is_room_for_large_ones(
    qtbot: QtBot, width: int, room: int, large: bool
) -> None:
    grid = grid_of(qtbot, 8, width)
    grid.fit(width, room)
    assert {tile.large for tile in grid.tiles.values()} == {large}


pytestmark = pytest.mark.qt_log_ignore("This plugin does not support")

LEFT = Qt.MouseButton.LeftButton


def four() -> Session:
    return session_of({card(index): working() for index in range(4)})


def shift(tile: CardTile, key: Qt.Key) -> None:
    modifier = Qt.KeyboardModifier
    QTest.keyClick(tile, key, modifier.ControlModifier | modifier.ShiftModifier)


@pytest.fixture
def screen(open_overview: OpenOverview) -> Screen:
    made = open_overview(four())
    made.wait_for_order("0 1 2 3")
    return made


def menu_of(screen: Screen, number: str) -> dict[str, bool]:
    """What it offers, and whether that can be done."""
    tile = screen.tile(number)
    middle = tile.rect().center()
    event = QContextMenuEvent(
        QContextMenuEvent.Reason.Keyboard, middle, tile.mapToGlobal(middle)
    )
    QApplication.sendEvent(tile, event)
    return {action.text(): action.isEnabled() for action in screen.menu().actions()}


def test_control_shift_and_arrows_move_a_card(screen: Screen) -> None:
    screen.tile("0").setFocus()
    for key, order in (
        (Qt.Key.Key_Right, "1 0 2 3"),
        (Qt.Key.Key_Right, "1 2 0 3"),
        (Qt.Key.Key_Left, "1 0 2 3"),
    ):
        shift(screen.tile("0"), key)
        screen.wait_for_order(order)
    assert screen.tile("0").hasFocus()


@pytest.mark.parametrize(
    ("onto", "given_up", "order"),
    [("1", False, "0 3 1 2"), ("3", False, "0 1 2 3"), ("1", True, "0 1 2 3")],
)
def test_a_tile_can_be_dragged_to_another_place(
    screen: Screen, onto: str, given_up: bool, order: str
) -> None:
    """In steps, so that it is a move and no click; let go on itself it stays."""
    taken, other, start = screen.tile("3"), screen.tile(onto), QPoint(20, 20)
    end = taken.mapFromGlobal(other.mapToGlobal(other.rect().center()))
    QTest.mousePress(taken, LEFT, pos=start)
    for share in (0.2, 0.6, 1.0):
        QTest.mouseMove(taken, start + (end - start) * share)
    if given_up:
        press(taken, Qt.Key.Key_Escape)
    QTest.mouseRelease(taken, LEFT, pos=end)
    screen.wait_for_order(order)
    assert screen.navigation.screen == ""


def test_hidden_cards_are_counted_and_come_back(screen: Screen) -> None:
    for number in ("1", "2"):
        menu_of(screen, number)
        screen.choose("Hide this card")
    screen.wait_for_order("0 3")
    click(screen.window, "2 cards hidden: show all")
    screen.wait_for_order("0 1 2 3")


def test_the_menu_moves_a_card_and_greys_out_what_cannot_be(screen: Screen) -> None:
    assert not menu_of(screen, "0")["Move earlier"]
    screen.choose("Move later")
    screen.wait_for_order("1 0 2 3")


def test_name_and_uuid_can_be_copied_and_simulated_cards_say_so(
    open_overview: OpenOverview,
) -> None:
    made_up = card(1, simulated=True)
    screen = open_overview(session_of({card(0): working(), made_up: working()}, SIMULATED))
    screen.wait_for_order("0 1")
    for number, words in (("0", "Card 0, NVIDIA TITAN RTX, GPU-0"), ("1", "SIMULATED. Card 1")):
        menu_of(screen, number)
        screen.choose("Copy name and UUID")
        assert QApplication.clipboard().text().startswith(words)


FIRST, SECOND, THIRD, FOURTH = (CardId(f"GPU-{index}") for index in range(4))


def cards(*numbers: int) -> Sequence[Shown]:
    return arrange([card(number) for number in numbers])


def order(arrangement: Arrangement, *numbers: int) -> str:
    return "".join(each.number for each in arrangement.shown(cards(*numbers)))


def test_hidden_cards_come_back_together_and_the_last_one_cannot_be_hidden() -> None:
    arrangement = Arrangement(Settings(), "cards")
    arrangement.hide(SECOND)
    arrangement.hide(THIRD)
    assert order(arrangement, 0, 1, 2, 3) == "03"
    assert order(arrangement, 1) == "1"
    arrangement.show_all()
    assert order(arrangement, 0, 1, 2, 3) == "0123"


def test_a_card_that_was_away_finds_its_place_again() -> None:
    arrangement = Arrangement(Settings(), "cards")
    assert order(arrangement, 0, 1, 2, 3) == "0123"
    arrangement.move(FOURTH, FIRST)
    arrangement.move(SECOND, FOURTH)
    assert [order(arrangement, 0, 1, 2, 3), order(arrangement, 0, 1, 2)] == ["1302", "102"]
    arrangement.move(THIRD, FIRST)
    assert [order(arrangement, 0, 1, 2, 3), order(arrangement, 0, 1, 2)] == ["1320", "120"]


def test_order_and_hidden_cards_are_remembered_machine_by_machine() -> None:
    settings = Settings()
    before = Arrangement(settings, "cards")
    assert order(before, 0, 1, 2) == "012"
    before.move(THIRD, FIRST)
    before.hide(SECOND)
    assert order(Arrangement(settings, "cards"), 0, 1, 2) == "20"
    assert order(Arrangement(settings, "Simulated: 3 x H100"), 0, 1, 2) == "012"


@pytest.mark.parametrize("text", ["no list", '{"a": 1}', "[3, null]"])
def test_what_was_remembered_and_cannot_be_read_harms_nobody(text: str) -> None:
    settings = Settings()
    settings.remember("overview/cards/order", text)
    settings.remember("overview/cards/hidden", text)
    assert order(Arrangement(settings, "cards"), 0, 1) == "01"
