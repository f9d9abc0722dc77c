"""Names on tiles: cards of one kind are called alike."""

from dataclasses import replace

import pytest
from PySide6.QtCore import QRect
from PySide6.QtGui import QImage
from pytestqt.qtbot import QtBot

from gpuexplorer.core.units import USUAL
from gpuexplorer.gui.cards.card_face import CardFace, CardNow, arrange, card_face
from gpuexplorer.gui.cards.reasons import StateMark
from gpuexplorer.gui.overview.tiles.card_tile import CardTile
from gpuexplorer.gui.overview.tiles.tile_plan import HEADER, TileSize
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.telemetry.facts import Reading
from tests.gui.fakes import card, working

# Where the name begins, behind the card's chip.
_NAME_AT = 49


def face(mark: StateMark | None) -> CardFace:
    h100 = card(0, "NVIDIA H100 80GB HBM3")
    [shown] = arrange([h100])
    answer = working(busy=0.5)
    reading = Reading(h100.id, 0.0, answer.values, answer.missing)
    now = {h100.id: CardNow(reading, None)}
    return replace(card_face(shown, now, units=USUAL), mark=mark)


def picture(qtbot: QtBot, shown: CardFace, width: int) -> QImage:
    tile = CardTile(shown)
    qtbot.addWidget(tile)
    tile.show_size(TileSize.COMPACT, curve=True)
    tile.resize(width, 260)
    return tile.grab().toImage()


@pytest.mark.parametrize("width", range(280, 480, 20))
def test_a_card_that_is_slowed_is_called_as_its_neighbours_are(
    qtbot: QtBot, width: int
) -> None:
    """As far as the name goes, one that is at its power limit looks the same as an idle one."""
    marks = (
        None,
        StateMark("Idle", Tone.QUIET),
        StateMark("At its power limit", Tone.QUIET, None, "Power limit"),
    )
    short = round(look().letters.title.width("H100")) + 24
    place = QRect(_NAME_AT, 12, short, round(HEADER) + 8)
    one, *others = (picture(qtbot, face(mark), width).copy(place) for mark in marks)
    assert all(other == one for other in others)
