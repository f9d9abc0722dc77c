"""The screen of all machines, on a room that a test has made up."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtWidgets import QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.machines.heat_map import HeatMap
from gpuexplorer.gui.machines.view import MachinesView
from gpuexplorer.gui.state.groups import HostGroup
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.tables.table import Table
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.laid_out import column
from gpuexplorer.gui.widgets.line import Line
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.session import remembering, session_on
from tests.gui.desks import desk_of
from tests.gui.hands import the
from tests.gui.machines.rooms import Room


class Screen:
    """What a person has before them."""

    def __init__(self, groups: Sequence[HostGroup]) -> None:
        self.room = Room(groups)
        self.settings = Settings()
        self.window = QWidget()
        session = remembering(session_on(NoCards()))
        desk = desk_of(session, self.window, settings=self.settings)
        self.view = MachinesView(desk, self.room)
        column(self.view, within=self.window)
        self.window.setStyleSheet(look().style_sheet())
        self.window.resize(1392, 900)

    @property
    def map(self) -> HeatMap:
        return the(HeatMap, self.view)

    @property
    def sums(self) -> str:
        return ". ".join(each.accessibleName() for each in self.view.findChildren(Line)) + "."

    @property
    def spoken(self) -> str:
        """Of the cell at which the keyboard is."""
        return str(self.map.currentIndex().data())

    @property
    def rows(self) -> list[list[str]]:
        """Of the table that is seen."""
        table = next(each for each in self.view.findChildren(Table) if each.isVisible())
        model = table.model()
        return [
            [str(model.index(row, at).data()) for at in range(model.columnCount())]
            for row in range(model.rowCount())
        ]

    def show(self, groups: Sequence[HostGroup]) -> None:
        """This is how they are from now on."""
        self.room.listed = groups
        self.view.pull()


OpenScreen = Callable[[Sequence[HostGroup]], Screen]


@pytest.fixture
def open_screen(qtbot: QtBot) -> Iterator[OpenScreen]:
    screens: list[Screen] = []

    def open_one(groups: Sequence[HostGroup]) -> Screen:
        screen = Screen(groups)
        qtbot.addWidget(screen.window)
        screens.append(screen)
        with qtbot.waitExposed(screen.window):
            screen.window.show()
        return screen

    yield open_one
    for screen in screens:
        screen.view.stop()
