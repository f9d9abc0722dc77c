"""The map of pairs by itself: very many devices and one alone."""

import math

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.pair_cells import wrong_cell
from gpuexplorer.gui.copies.matrix.pair_question import Head
from gpuexplorer.gui.copies.matrix.pair_table import PairTable
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.pair_grid import CellState, Pair, PairCell, scale_of
from tests.gui.hands import press

CARDS = 64


def heads(cards: int) -> list[Head]:
    names = [Head(f"cuda:{n}", str(n), n if cards < 9 else None, "") for n in range(cards)]
    return [Head("cpu", "H", None, "Host", words="host"), *names]


def map_of(cards: int, qtbot: QtBot, side: int = 520) -> PairTable:
    made = PairTable("Map", lambda pair: (" to ".join(pair), ""))
    qtbot.addWidget(made)
    made.resize(side, side)
    made.show_heads(heads(cards))
    made.show_cells(cells(cards), scale_of([25.0, 400.0]))
    return made


def cells(cards: int) -> dict[Pair, PairCell]:
    names = [head.name for head in heads(cards)]
    told: dict[Pair, PairCell] = {}
    for row, one in enumerate(names):
        for column, other in enumerate(names):
            rate = 400.0 if row // 8 == column // 8 else 25.0
            state = CellState.LOCAL if one == other else CellState.FIGURE
            told[one, other] = PairCell(state, f"{rate:.0f}", rate)
    if cards > 8:
        told["cuda:40", "cuda:3"] = wrong_cell()
    return told


def painted(made: PairTable) -> QImage:
    return made.viewport().grab().toImage()


def test_65_devices_fit_and_all_can_be_pointed_at(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot)
    last = made.place_of(("cuda:63", "cuda:63"))
    assert made.viewport().rect().contains(last)
    chosen: list[Pair] = []
    made.chosen.connect(chosen.append)
    QTest.mouseClick(made.viewport(), Qt.MouseButton.LeftButton, pos=last.center())
    assert chosen == [("cuda:63", "cuda:63")]


def test_shades_and_what_is_wrong_are_seen_among_65(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot)
    image = painted(made)
    weak = made.place_of(("cuda:1", "cuda:60")).center()
    strong = made.place_of(("cuda:1", "cuda:2")).center()
    assert image.pixelColor(weak) != image.pixelColor(strong)
    wrong = made.place_of(("cuda:40", "cuda:3"))
    seen = {
        image.pixelColor(x, y).name()
        for x in range(wrong.left(), wrong.right())
        for y in range(wrong.top(), wrong.bottom())
    }
    assert look().theme.bad.name() in seen


def test_a_cell_that_came_is_seen_without_painting_all_anew(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot)
    place = made.place_of(("cuda:1", "cuda:60")).center()
    before = painted(made).pixelColor(place)
    now = {**cells(CARDS), ("cuda:1", "cuda:60"): PairCell(CellState.FIGURE, "300", 300.0)}
    made.show_cells(now, scale_of([25.0, 400.0]))
    assert painted(made).pixelColor(place) != before


def test_a_rate_that_is_no_number_has_no_part_in_the_scale(qtbot: QtBot) -> None:
    odd = [math.nan, math.inf, -math.inf, 0.0, -5.0]
    assert scale_of(odd) is None
    assert scale_of([*odd, 25.0, 400.0]) == scale_of([25.0, 400.0])
    made = map_of(2, qtbot)
    names = [head.name for head in heads(2)]
    pairs = [(one, other) for one in names for other in names]
    cells = {
        pair: PairCell(CellState.FIGURE, "", odd[at % len(odd)])
        for at, pair in enumerate(pairs)
    }
    made.show_cells(cells, scale_of([25.0, 400.0]))
    image = painted(made)
    for pair in pairs:
        place = made.place_of(pair).center()
        assert image.pixelColor(place) == look().theme.heat(0.0)


@pytest.mark.parametrize("cards", [2, CARDS])
def test_in_another_theme_every_shade_is_another(qtbot: QtBot, cards: int) -> None:
    look().choose(Scheme.DARK)
    made = map_of(cards, qtbot)
    corner = made.place_of(("cuda:0", "cuda:1")).topLeft() + QPoint(3, 1)
    dark = painted(made)
    look().choose(Scheme.LIGHT)
    light = painted(made)
    assert dark.pixelColor(corner) != light.pixelColor(corner)
    assert light.pixelColor(corner) == look().theme.heat(1.0)


def test_in_300_pixels_64_cards_are_still_told_apart(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot, side=300)
    seen: list[Pair] = []
    made.chosen.connect(seen.append)
    for pair in (("cpu", "cpu"), ("cuda:31", "cuda:32"), ("cuda:63", "cuda:0")):
        place = made.place_of(pair).center()
        QTest.mouseClick(made.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert seen == [("cpu", "cpu"), ("cuda:31", "cuda:32"), ("cuda:63", "cuda:0")]
    painted(made)


@pytest.mark.parametrize("cards", [0, 1, 2, 8, 9, 16, 63])
def test_every_number_of_cards_is_drawn(qtbot: QtBot, cards: int) -> None:
    made = map_of(cards, qtbot)
    image = made.grab().toImage()
    xs, ys = range(0, image.width(), 3), range(0, image.height(), 3)
    there = {image.pixelColor(x, y).name() for x in xs for y in ys}
    assert len(there) > 3
    assert made.viewport().rect().contains(made.place_of(("cpu", "cpu")))


def test_pages_and_ends_are_reached_by_keys(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot)
    made.chosen.connect(made.show_chosen)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.show_chosen(("cpu", "cpu"))
    assert made.current_pair() == ("cpu", "cpu")
    press(made, Qt.Key.Key_PageDown)
    press(made, Qt.Key.Key_End)
    assert made.current_pair() == ("cuda:7", "cuda:63")
    press(made, Qt.Key.Key_End, control=True)
    assert made.current_pair() == ("cuda:63", "cuda:63")
    made.hide()
