"""Where cells of the heat map lie."""

import numpy as np
import pytest

from gpuexplorer.gui.machines.heat_layout import Laid, lay_out
from gpuexplorer.gui.state.groups.group import HostGroup
from tests.gui.machines.rooms import group, room


def line_height(group: HostGroup, wide: int) -> int:
    """Of a machine without cards."""
    return 20


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
    laid = lay_out(room(machines), wide, 500, line_height)
    assert laid.left.size == 8 * machines
    assert not overlaps(laid)
    assert int(laid.left.max()) + laid.wide <= wide


@pytest.mark.parametrize("machines", [1, 4, 11, 40])
@pytest.mark.parametrize("wide", [700, 1300, 1900])
def test_machines_of_their_own_fill_the_width(machines: int, wide: int) -> None:
    laid = lay_out(room(machines), wide, 700, line_height)
    right = max(each.x + each.wide for each in laid.blocks)
    assert wide - 30 < right <= wide  # cells are whole pixels
    assert right == int(laid.left.max()) + laid.wide


def test_a_thousand_machines_fit_into_a_large_window() -> None:
    laid = lay_out(room(1000, racks=50), 1300, 660, line_height)
    assert laid.height <= 660
    assert len(laid.blocks) == 50


def test_each_point_of_a_cell_belongs_to_it() -> None:
    laid = lay_out(room(100, racks=5), 1000, 600, line_height)
    for at in (0, 17, 799):
        x, y = int(laid.left[at]), int(laid.top[at])
        assert laid.at(x, y) == laid.at(x + laid.wide - 1, y + laid.high - 1) == at
    assert laid.at(-5, -5) is None


def test_machines_without_cards_have_a_place_too() -> None:
    laid = lay_out([group("empty"), *room(70)], 1000, 600, line_height)
    assert laid.left.size == 8 * 70
    assert sum(each.stop - each.start for each in laid.blocks) == 71
    assert (laid.blocks[0].wide, laid.blocks[0].high) == (994, 20)


def test_a_machine_without_cards_takes_a_line_and_no_more() -> None:
    with_cards = lay_out(room(2), 1000, 600, line_height)
    laid = lay_out([group("empty"), *room(2)], 1000, 600, line_height)
    assert int(laid.top[0]) - int(with_cards.top[0]) < 40
