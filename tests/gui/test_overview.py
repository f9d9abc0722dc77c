"""What a person sees of the cards on the overview."""

from collections.abc import Callable

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QLabel
from pytestqt.qtbot import QtBot

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import CardState
from gpuexplorer.core.catalogue import clocks, heat_and_power, links, memory
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.widgets.card_tile import CardTile
from gpuexplorer.gui.widgets.event_row import EventRow
from gpuexplorer.gui.widgets.host_strip import HostStrip
from gpuexplorer.gui.widgets.remark import Remark
from gpuexplorer.gui.widgets.tile_grid import TileGrid
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import GIB, Answer, FakeBackend, card, instance, session_of, working
from tests.gui.hands import press, the

TileSaying = Callable[[MainWindow, str], CardTile]


def test_a_working_card_says_who_it_is_and_how_busy_and_full(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): working(busy=0.97, used=19.5 * GIB)}))
    tile = tile_saying(window, "GPU busy 97 %")
    assert tile.accessibleName() == "Card 0, NVIDIA TITAN RTX, cuda:0"
    said = tile.accessibleDescription()
    assert "Memory 19.5 of 24 GiB" in said
    assert "Power 253 of 280 W" in said
    assert "Temperature 70 of 78 °C" in said
    assert "PCIe 3 ×16" in said


def test_a_zero_is_a_number_and_a_missing_figure_is_words(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    silent_fan = {heat_and_power.FAN_SPEED: Absence.NO_PART}
    without = working(busy=0.0)
    without.values = {m: v for m, v in without.values.items() if m not in silent_fan}
    without.missing = silent_fan
    window = open_window(session_of({card(0): working(busy=0.0), card(1): without}))
    assert "GPU busy 0 %. " in tile_saying(window, "Idle").accessibleDescription()
    said = tile_saying(window, "Fan: none on this card").accessibleDescription()
    assert "Fan 0" not in said


def test_a_missing_figure_explains_itself_in_full_on_asking(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(0): Answer(otherwise=Absence.NO_PERMISSION)}))
    tile = tile_saying(window, "Power: for administrators only")
    hint = "Power: Only an administrator may read it.\nPower the whole board draws"
    qtbot.waitUntil(lambda: any(each.startswith(hint) for each in tile.hints()))


@pytest.mark.parametrize(
    ("state", "absence", "words"),
    [
        (CardState.LOST, Absence.LOST, "Lost. It no longer answers the driver."),
        (CardState.ASLEEP, Absence.ASLEEP, "Asleep. Asleep, or left alone"),
        (CardState.NO_DRIVER, Absence.NO_DRIVER, "No driver. The driver is gone"),
    ],
)
def test_a_card_without_figures_says_why_in_their_place(
    open_window: OpenWindow,
    tile_saying: TileSaying,
    state: CardState,
    absence: Absence,
    words: str,
) -> None:
    window = open_window(session_of({card(0): Answer(otherwise=absence, state=state)}))
    assert "GPU busy" not in tile_saying(window, words).accessibleDescription()


def test_a_card_that_hangs_counts_the_seconds_and_the_other_is_read_on(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(0): Answer(hangs=True), card(1): working()}))
    tile_saying(window, "No answer for 1 s.")
    tile_saying(window, "GPU busy 97 %")


def test_a_card_that_is_lost_and_comes_back_shows_figures_again(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    answer = Answer(otherwise=Absence.LOST, state=CardState.LOST)
    window = open_window(session_of({card(0): answer}))
    tile = tile_saying(window, "Lost")
    answer.state = CardState.WORKING
    answer.values = working(busy=0.5).values
    assert tile_saying(window, "GPU busy 50 %") is tile


def test_a_card_without_a_number_in_cuda_says_why(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    hidden = "hidden from CUDA by CUDA_VISIBLE_DEVICES"
    window = open_window(session_of({card(0, cuda_index=None, cuda_reason=hidden): working()}))
    assert tile_saying(window, hidden).accessibleName().endswith(hidden)


def test_mig_instances_stand_under_their_card(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    parent = card(1, "NVIDIA A100-SXM4-40GB")
    part = Answer(
        {memory.MEMORY_USED: 2.2 * GIB, memory.MEMORY_TOTAL: 9.75 * GIB},
        otherwise=Absence.IN_INSTANCE,
    )
    whole = Answer(otherwise=Absence.MIG_ON)
    window = open_window(session_of({parent: whole, instance(parent, 2): part}))
    said = tile_saying(window, "2.20 of 9.75 GiB").accessibleDescription()
    assert "Instance 1.2, MIG 1g.10gb, cuda:2: Memory 2.20 of 9.75 GiB" in said
    assert "GPU busy: known per instance only" in said
    assert len(window.findChildren(CardTile)) == 1


def test_throttling_stands_beside_the_name(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    hot = working(**{clocks.throttle("hw_thermal_slowdown"): 1.0})
    window = open_window(session_of({card(0): hot}))
    tile_saying(window, "Much too hot. GPU busy")


def test_a_narrow_link_is_told_under_load_and_not_at_rest(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    busy = working(0.9, **{links.PCIE_WIDTH: 8.0})
    resting = working(0.0, **{links.PCIE_WIDTH: 8.0})
    window = open_window(session_of({card(0): busy, card(1): resting}))
    tile_saying(window, "PCIe ×8 of ×16. GPU busy 90 %")
    tile_saying(window, "Idle. GPU busy 0 %")


@pytest.mark.parametrize(("count", "coloured"), [(8, True), (9, False)])
def test_card_colours_end_where_they_could_not_be_told_apart(
    open_window: OpenWindow, tile_saying: TileSaying, count: int, coloured: bool
) -> None:
    window = open_window(session_of({card(i): working() for i in range(count)}))
    tile_saying(window, f"Card {count - 1}")
    tiles = window.findChildren(CardTile)
    assert len(tiles) == count
    assert all((tile.face.colour is not None) is coloured for tile in tiles)


def test_sixty_four_cards_stand_beside_each_other_without_overlap(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    window = open_window(session_of({card(i): working() for i in range(64)}))
    tile_saying(window, "Card 63")
    tiles = window.findChildren(CardTile)
    grid = the(TileGrid, window)
    qtbot.waitUntil(lambda: all(grid.rect().contains(tile.geometry()) for tile in tiles))
    places = [tile.geometry() for tile in tiles]
    assert len(places) == 64
    assert not any(a.intersects(b) for a in places for b in places if a is not b)


def test_a_card_that_appears_and_one_that_goes_are_followed(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    first, second = card(0), card(1, "NVIDIA T4")
    session = session_of({first: working(), second: working(0.5)})
    backend = session.backend
    assert isinstance(backend, FakeBackend)
    backend.listed = [first]
    window = open_window(session)
    kept = tile_saying(window, "Card 0")
    backend.listed = [first, second]
    tile_saying(window, "NVIDIA T4")
    backend.listed = [first]
    qtbot.waitUntil(lambda: len(window.findChildren(CardTile)) == 1)
    assert tile_saying(window, "Card 0") is kept


def test_arrow_keys_go_from_tile_to_tile_and_tab_stops_once(
    open_window: OpenWindow, tile_saying: TileSaying
) -> None:
    window = open_window(session_of({card(i): working() for i in range(4)}))
    first = tile_saying(window, "Card 0")
    third = tile_saying(window, "Card 2")
    first.setFocus()
    press(first, Qt.Key.Key_Down)
    assert QApplication.focusWidget() is third
    stops = [
        t for t in window.findChildren(CardTile) if t.focusPolicy() & Qt.FocusPolicy.TabFocus
    ]
    assert stops == [third]


def test_what_took_place_is_told_with_the_newest_on_top(
    open_window: OpenWindow, tile_saying: TileSaying, qtbot: QtBot
) -> None:
    answer = working()
    window = open_window(session_of({card(0): answer}))
    tile_saying(window, "GPU busy 97 %")
    answer.values = {**answer.values, clocks.throttle("sw_power_cap"): 1.0}

    def newest() -> str:
        rows = [row for row in window.findChildren(EventRow) if row.isVisible()]
        return rows[0].accessibleName() if rows else ""

    qtbot.waitUntil(lambda: newest().endswith(", card 0: At its power limit"))
    answer.state, answer.values, answer.otherwise = CardState.LOST, {}, Absence.LOST
    qtbot.waitUntil(lambda: newest().endswith(", card 0: The card is lost"))


def test_notes_about_the_machine_are_shown(open_window: OpenWindow, qtbot: QtBot) -> None:
    window = open_window(session_of({card(0): working()}, notes=["The cards differ."]))
    qtbot.waitUntil(
        lambda: any(
            label.text() == "The cards differ."
            for remark in window.findChildren(Remark)
            for label in remark.findChildren(QLabel)
        )
    )


def test_the_computer_itself_has_a_line(open_window: OpenWindow) -> None:
    window = open_window(session_of({card(0): working()}))
    strip = the(HostStrip, window)
    assert strip.accessibleName().startswith("This computer, ")
    assert "Memory" in strip.accessibleDescription()
