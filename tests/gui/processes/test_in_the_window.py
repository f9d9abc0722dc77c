"""The processes screen in the whole window, read by threads as in earnest."""

from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.widgets.controls.fields import SearchField
from gpuexplorer.telemetry.session import remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.hands import button, shown


def test_nothing_is_squeezed_in_the_smallest_window(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    window = open_window(remembering(session_on(simulated("2xTitanRTX"), interval=0.1)))
    window.navigation.open_screen("processes")
    window.resize(560, 420)
    table = shown(Table, window)
    qtbot.waitUntil(lambda: table.model().rowCount() > 2, timeout=20_000)
    field = next(each for each in window.findChildren(SearchField) if each.isVisible())
    qtbot.waitUntil(lambda: table.viewport().height() > 100)
    assert field.height() >= field.minimumSizeHint().height()
    assert "Whole command" not in {
        each.accessibleName() for each in window.findChildren(QWidget) if each.isVisible()
    }
    window.resize(1000, 700)
    qtbot.waitUntil(lambda: button(window, "End…").isVisible())
