"""Where tiles go, from one card to sixty-four, and in windows of any size."""

import pytest

from gpuexplorer.gui.overview.tiles.tile_layout import (
    TileLayout,
    lay_out_boards,
    lay_out_tiles,
    tile_columns,
)
from gpuexplorer.gui.overview.tiles.tile_plan import TileSize


def takes(size: TileSize, width: float) -> float:
    """What an ordinary tile takes at least."""
    del width
    return {TileSize.FULL: 300.0, TileSize.COMPACT: 200.0, TileSize.CELL: 54.0}[size]


def tiles(
    count: int, width: float, height: float = 0, room: float = 0, fold: float = 0
) -> TileLayout:
    return lay_out_tiles([takes] * count, width, height, room, fold)


def assert_apart(layout: TileLayout, width: float) -> None:
    places = layout.places
    assert not any(a.intersects(b) for a in places for b in places if a is not b)
    assert all(place.left() >= 0 and place.right() < width for place in places)


@pytest.mark.parametrize("count", range(1, 17))
@pytest.mark.parametrize("width", [320, 456, 744, 1344, 2500])
def test_tiles_stand_apart_and_within(count: int, width: int) -> None:
    layout = tiles(count, width)
    assert len(layout.places) == count
    assert_apart(layout, width)


@pytest.mark.parametrize("count", [9, 10, 16, 31, 63, 64])
@pytest.mark.parametrize("width", [300, 456, 744, 1010, 2500])
@pytest.mark.parametrize("height", [0, 2000])
def test_cells_stand_apart_and_within(count: int, width: int, height: int) -> None:
    counts = [min(8, count - first) for first in range(0, count, 8)]
    layout = lay_out_boards(counts, width, height)
    assert len(layout.places) == count
    assert len(layout.labels) == len(layout.sums) == len(counts)
    assert_apart(layout, width)
    for label, first in zip(layout.labels, layout.places[::8], strict=True):
        assert label.right() <= first.left()
        assert label.top() == pytest.approx(first.top(), abs=1)


def test_five_are_three_and_two_and_not_four_and_one() -> None:
    assert tile_columns(5, 1344) == 3
    assert tile_columns(8, 1344) == 4


def test_few_cards_are_large_and_fill_the_height() -> None:
    layout = tiles(2, 1344, height=420)
    assert layout.size is TileSize.FULL
    assert {place.height() for place in layout.places} == {420}


def test_eight_cards_are_compact_unless_there_is_room_for_large_ones() -> None:
    assert tiles(8, 1344, room=440).size is TileSize.COMPACT
    assert tiles(8, 2500, room=440).size is TileSize.COMPACT
    assert tiles(8, 2500, room=900).size is TileSize.FULL


def test_tiles_do_not_grow_beyond_what_they_can_use() -> None:
    layout = tiles(4, 1344, height=5000)
    assert max(place.bottom() for place in layout.places) < layout.most_height


def test_eight_tiles_are_narrower_where_all_are_seen_then() -> None:
    scrolled = tiles(8, 1098, fold=415)
    seen = tiles(8, 1098, fold=416)
    assert max(place.bottom() for place in scrolled.places) > 416
    assert max(place.bottom() for place in seen.places) < 416
    assert min(place.width() for place in seen.places) >= 256
