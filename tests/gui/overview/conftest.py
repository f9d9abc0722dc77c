"""The overview in a window of its own, on cards a test chooses."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QMenu, QVBoxLayout, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.metrics import Cadence
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.overview.tile_grid import TileGrid
from gpuexplorer.gui.overview.view import OverviewView
from gpuexplorer.gui.state.navigation import Navigation
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.state.time_window import TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.telemetry.session import Session
from tests.gui.desks import desk_of


@dataclass(frozen=True)
class Screen:
    """What a person sees of the screen, and the state it follows."""

    window: QWidget
    view: OverviewView
    settings: Settings
    navigation: Navigation
    time_window: TimeWindow
    qtbot: QtBot

    @property
    def tiles(self) -> list[CardTile]:
        """Those that are seen, as they stand: row by row."""
        grids = self.window.findChildren(TileGrid)
        found = [tile for grid in grids for tile in grid.tiles.values() if tile.isVisible()]
        places = {tile: tile.mapTo(self.window, QPoint(0, 0)) for tile in found}
        return sorted(found, key=lambda tile: (places[tile].y(), places[tile].x()))

    @property
    def order(self) -> str:
        return " ".join(tile.face.number for tile in self.tiles)

    def tile(self, number: str) -> CardTile:
        (found,) = (tile for tile in self.tiles if tile.face.number == number)
        return found

    def wait_for_order(self, order: str) -> None:
        self.qtbot.waitUntil(lambda: self.order == order)

    def menu(self) -> QMenu:
        """The one that is open."""
        (found,) = (menu for menu in self.window.findChildren(QMenu) if menu.isVisible())
        return found

    def choose(self, words: str) -> None:
        menu = self.menu()
        (action,) = (each for each in menu.actions() if each.text() == words)
        assert action.isEnabled()
        action.trigger()
        menu.close()


OpenOverview = Callable[..., Screen]


@pytest.fixture
def open_overview(qtbot: QtBot) -> Iterator[OpenOverview]:
    """Shows the overview and starts to read."""
    opened: list[tuple[Session, Screen]] = []

    def open_one(
        session: Session, settings: Settings | None = None, width: int = 1392, height: int = 918
    ) -> Screen:
        window = QWidget()
        qtbot.addWidget(window)
        window.setPalette(look().palette())
        window.setFont(look().letters.body.font)
        window.setStyleSheet(look().style_sheet())
        desk = desk_of(session, window, settings=settings)
        view = OverviewView(desk)
        column = QVBoxLayout(window)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        column.addWidget(view)
        window.resize(width, height)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        screen = Screen(window, view, desk.settings, desk.navigation, desk.time_window, qtbot)
        opened.append((session, screen))
        # What is cheap is read all the time: the window asks for it.
        session.want((Cadence.FAST, Cadence.SLOW), processes=False)
        session.start()
        return screen

    yield open_one
    for session, screen in opened:
        screen.view.stop()
        screen.window.close()
        session.stop()
