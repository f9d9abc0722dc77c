"""A tile of which only some figures changed shows and tells the same as one drawn anew."""

import numpy as np
import pytest
from numpy.typing import NDArray
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gpuexplorer.core.clock import SystemClock
from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import GIB, card, working

CARD = card(0)
# Of 255. Letters that were drawn a second time may have smoother ones.
EDGES_OF_LETTERS = 64


def face(busy: float, used: float = 19.5 * GIB, **changes: float) -> CardFace:
    answer = working(busy, used, **changes)
    at = SystemClock().now()
    reading = Reading(CARD.id, at, answer.values, answer.missing)
    (shown,) = arrange([CARD])
    return card_face(shown, {CARD.id: CardNow(reading, None)}, units=USUAL)


def opened(qtbot: QtBot, shown: CardFace) -> CardTile:
    tile = CardTile(shown)
    qtbot.addWidget(tile)
    tile.resize(340, 260)
    with qtbot.waitExposed(tile):
        tile.show()
    return tile


def on_screen(tile: CardTile) -> NDArray[np.int64]:
    """What was painted so far, and not painted for this."""
    image = tile.screen().grabWindow(tile.winId()).toImage()
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8)
    seen: NDArray[np.int64] = pixels.reshape(image.height(), image.width(), 4).astype(np.int64)
    return seen


def alike(one: CardTile, other: CardTile) -> bool:
    return bool(np.abs(on_screen(one) - on_screen(other)).max() <= EDGES_OF_LETTERS)


@pytest.mark.parametrize(
    "after",
    [
        face(0.31),
        face(0.97, used=3.2 * GIB),
        face(0.97, power_draw=120.0),
        face(0.0, used=0.0),
    ],
    ids=["busy", "memory", "power", "idle"],
)
def test_only_some_figures_changed(qtbot: QtBot, after: CardFace) -> None:
    tile = opened(qtbot, face(0.97))
    before = on_screen(tile)
    tile.show_face(after)
    anew = opened(qtbot, after)
    qtbot.waitUntil(lambda: alike(tile, anew))
    assert np.abs(on_screen(tile) - before).max() > EDGES_OF_LETTERS
    assert sorted(tile.hints()) == sorted(anew.hints())


def test_another_theme_is_seen_all_over(qtbot: QtBot) -> None:
    look().choose(Scheme.DARK)
    tile = opened(qtbot, face(0.97))
    tile.show_face(face(0.5))
    look().choose(Scheme.LIGHT)
    tile.update()
    anew = opened(qtbot, face(0.5))
    qtbot.waitUntil(lambda: alike(tile, anew))
