"""Tiles in their sizes: what is drawn of a card and its past, and how they stand."""

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.overview.card_tile import CardTile, Tile
from gpuexplorer.gui.overview.tile_grid import TileGrid
from gpuexplorer.gui.plots.content import Band
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme, Tone
from gpuexplorer.gui.widgets.strip import StripShown
from gpuexplorer.telemetry.facts import Reading
from gpuexplorer.telemetry.trace import Trace
from tests.gui.fakes import GIB, card, working
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
    tile.show_past(past)
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
    grid.show_faces([face(0.5, at=at) for at in range(count)])
    grid.resize(width, height)
    grid.show()
    return grid


@pytest.mark.parametrize(
    ("count", "width", "rows"), [(5, 1344, (3, 2)), (8, 1344, (4, 4)), (3, 320, (1, 1, 1))]
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
    grid.fit(width, room, room)
    assert {tile.large for tile in grid.tiles.values()} == {large}
