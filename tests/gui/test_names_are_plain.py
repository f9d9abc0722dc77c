"""What a card is called over there is shown as it is written, and never as markup."""

from typing import cast

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import CardFace
from gpuexplorer.gui.cards.device_list import DeviceList

EVIL = "Card 0, H100 <img src='file:///etc/passwd'>\nbusy 50 %"
SHOWN = "<qt>Card 0, H100 &lt;img src=&#x27;file:///etc/passwd&#x27;&gt;<br>busy 50 %</qt>"


class Face:
    id, hint = CardId("GPU-1"), EVIL


def test_a_row_of_the_list_of_devices_says_its_name_as_it_is(qtbot: QtBot) -> None:
    devices = DeviceList()
    devices.show_faces([cast("CardFace", Face())])
    assert devices.index(0).data(Qt.ItemDataRole.ToolTipRole) == SHOWN
