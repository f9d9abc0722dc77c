"""The processes screen on a machine whose looks a test takes."""

from collections.abc import Callable, Iterator

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.processes.view import ProcessesView
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from tests.gui.desks import desk_of
from tests.gui.processes.programs import Machine


class Screen:
    """What a person has before them."""

    def __init__(self, machine: Machine, settings: Settings) -> None:
        self.machine, self.window = machine, QWidget()
        time_window = TimeWindow(machine.clock)
        desk = desk_of(machine.session, self.window, settings=settings, time_window=time_window)
        self.navigation = desk.navigation
        self.view = ProcessesView(desk)
        self.table = self.view.table
        column = QVBoxLayout(self.window)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.view)
        self.window.setStyleSheet(look().style_sheet())
        self.window.resize(1400, 800)

    def column(self, caption: str) -> list[str]:
        """What stands under a caption, from the top down, also under others."""
        model, across = self.table.model(), Qt.Orientation.Horizontal
        captions = [str(model.headerData(at, across)) for at in range(model.columnCount())]
        at = captions.index(caption)

        def under(parent: QModelIndex) -> Iterator[str]:
            for row in range(model.rowCount(parent)):
                yield str(model.index(row, at, parent).data())
                yield from under(model.index(row, 0, parent))

        return list(under(QModelIndex()))

    def pick(self, row: int) -> None:
        self.table.setCurrentIndex(self.table.model().index(row, 0))

    def later(self, seconds: float = 2.0) -> None:
        self.machine.later(seconds)
        self.view.pull()


OpenScreen = Callable[..., Screen]


@pytest.fixture
def open_screen(qtbot: QtBot) -> Iterator[OpenScreen]:
    screens: list[Screen] = []

    def open_one(machine: Machine, settings: Settings | None = None) -> Screen:
        machine.look()
        screen = Screen(machine, settings or Settings())
        screens.append(screen)
        qtbot.addWidget(screen.window)
        with qtbot.waitActive(screen.window):
            screen.window.show()
            screen.window.activateWindow()
        return screen

    yield open_one
    for screen in screens:
        screen.view.stop()
        screen.window.close()
