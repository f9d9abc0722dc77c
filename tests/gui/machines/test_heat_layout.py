"""Where cells of the heat map lie."""

import numpy as np
import pytest

from gpuexplorer.gui.machines.heat_layout import Laid, lay_out
from tests.gui.machines.rooms import group, room


def overlaps(laid: Laid) -> bool:
    corners = list(zip(laid.left.tolist(), laid.top.tolist(), strict=True))
    if len(set(corners)) < len(corners):
        return True
    taken = np.zeros((laid.height + laid.high + 1, int(laid.left.max()) + laid.wide + 1), int)
    for x, y in corners:
        taken[y : y + laid.high, x : x + laid.wide] += 1
    return bool(taken.max() > 1)


@pytest.mark.parametrize("machines", [1, 2, 8, 30, 64, 65, 200])
@pytest.mark.parametrize("wide", [700, 1300])
def test_no_two_cells_lie_over_each_other(machines: int, wide: int) -> None:
    laid = lay_out(room(machines), wide, 500, by_place=True)
    assert laid.left.size == 8 * machines
    assert not overlaps(laid)
    assert int(laid.left.max()) + laid.wide <= wide


def test_a_thousand_machines_fit_into_a_large_window() -> None:
    laid = lay_out(room(1000, racks=50), 1300, 660, by_place=True)
    assert laid.height <= 660
    assert len(laid.blocks) == 50


def test_each_point_of_a_cell_belongs_to_it() -> None:
    laid = lay_out(room(100, racks=5), 1000, 600, by_place=True)
    for at in (0, 17, 799):
        x, y = int(laid.left[at]), int(laid.top[at])
        assert laid.at(x, y) == laid.at(x + laid.wide - 1, y + laid.high - 1) == at
    assert laid.at(-5, -5) is None


def test_machines_without_cards_have_a_place_too() -> None:
    laid = lay_out([group("empty"), *room(70)], 1000, 600, by_place=False)
    assert laid.left.size == 8 * 70
    assert sum(len(each.rows) for each in laid.blocks) == 71
