"""A popup stands beside the button that opened it, wherever that is on the screen."""

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtWidgets import QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.widgets.sheets.sheet import Popup


@pytest.mark.parametrize("height", [200, 460, 2000])
@pytest.mark.parametrize("top", [0, 0.3, 0.5, 0.7, 0.95])
def test_a_popup_never_covers_the_button_that_opened_it(
    top: float, height: int, qtbot: QtBot
) -> None:
    window = QWidget()
    qtbot.addWidget(window)
    room = window.screen().availableGeometry()
    window.setGeometry(room)
    button = QPushButton("Choose plots", window)
    button.setGeometry(600, round(top * room.height()), 120, 30)
    window.show()
    popup = Popup(400, height, button)
    popup.open()
    place = popup.geometry().marginsRemoved(popup.contentsMargins())
    assert room.contains(place)
    assert not place.intersects(QRect(button.mapToGlobal(QPoint()), button.size()))
    assert place.height() == height or place.height() > 0.4 * room.height()
    popup.close()
