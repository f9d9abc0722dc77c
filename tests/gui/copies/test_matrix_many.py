"""The map of pairs by itself: very many devices and one alone."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.copies.matrix.pair_facts import Head, wrong_cell
from gpuexplorer.gui.copies.matrix.pair_views import PairTable
from gpuexplorer.gui.widgets.pair_grid import CellState, HeatScale, Pair, PairCell
from tests.gui.copies.matrix_pages import choose_cell, chosen_in, place_of
from tests.gui.hands import press

CARDS, SCALE = 64, HeatScale(25 / 4, 400)


def heads(cards: int) -> list[Head]:
    names = [Head(f"cuda:{n}", str(n), n if cards < 9 else None, "") for n in range(cards)]
    return [Head("cpu", "H", None, "Host", words="host"), *names]


def map_of(cards: int, qtbot: QtBot, side: int = 520) -> PairTable:
    made = PairTable("Map", lambda pair: (" to ".join(pair), ""))
    qtbot.addWidget(made)
    made.resize(side, side)
    made.show_heads(heads(cards))
    made.show_cells(cells(cards), SCALE)
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


@pytest.mark.parametrize("side", [520, 300])
def test_65_devices_fit_and_all_can_be_pointed_at(qtbot: QtBot, side: int) -> None:
    made = map_of(CARDS, qtbot, side)
    chosen: list[Pair] = []
    made.chosen.connect(chosen.append)
    pairs = [("cpu", "cpu"), ("cuda:31", "cuda:32"), ("cuda:63", "cuda:63")]
    for pair in pairs:
        assert made.viewport().rect().contains(place_of(made, pair))
        choose_cell(made, pair)
    assert chosen == pairs


def test_pages_and_ends_are_reached_by_keys(qtbot: QtBot) -> None:
    made = map_of(CARDS, qtbot)
    with qtbot.waitActive(made):
        made.show()
        made.activateWindow()
    made.show_chosen(("cpu", "cpu"))
    press(made, Qt.Key.Key_PageDown)
    press(made, Qt.Key.Key_End)
    assert chosen_in(made) == ("cuda:7", "cuda:63")
    press(made, Qt.Key.Key_End, control=True)
    assert chosen_in(made) == ("cuda:63", "cuda:63")
    made.hide()
