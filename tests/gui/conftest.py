"""Windows for tests: opened on chosen cards, closed and stopped afterwards."""

from collections.abc import Callable, Iterator, Sequence

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QCursor
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.words import Message
from gpuexplorer.gui import nothing_found
from gpuexplorer.gui.event_loop import Bridge
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.overview.card_tile import CardTile
from gpuexplorer.gui.state.machines import MachinesState
from gpuexplorer.gui.state.recording_state import AlwaysOn
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.look import Motion, look
from gpuexplorer.gui.theme.palette import Palette, Scheme
from gpuexplorer.telemetry.backend import NoCards
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.looked_for import Looked, Thing
from gpuexplorer.telemetry.session import Session, remembering, session_on

NO_DRIVER = Attempt(
    "NVIDIA", Message("NVIDIA's driver is not installed."), Message("Install it.")
)
LOOKED_FOR = (
    Looked(
        Thing.LIBRARY,
        "libnvidia-ml.so.1",
        found=False,
        sentence=Message("The library is not here."),
    ),
    Looked(
        Thing.NVIDIA_CARDS,
        "/sys/bus/pci/devices",
        found=True,
        sentence=Message("NVIDIA TU106M at 01:00.0."),
    ),
)

OpenWindow = Callable[..., MainWindow]
TileSaying = Callable[[MainWindow, str], CardTile]


def parts_of_a_window(
    session: Session, settings: Settings
) -> tuple[Bridge, Settings, AlwaysOn, MachinesState]:
    """What the program makes before it."""
    bridge, machines = Bridge(settings), MachinesState(settings, session, parent=settings)
    return bridge, settings, AlwaysOn(settings), machines


@pytest.fixture(autouse=True)
def no_dialog_left_open() -> Iterator[None]:
    """A test need not answer every question that it brings up."""
    yield
    if QApplication.instance() is not None:
        for window in QApplication.topLevelWidgets():
            if window.windowType() in (Qt.WindowType.Dialog, Qt.WindowType.Popup):
                window.close()


@pytest.fixture(autouse=True)
def no_button_held_down() -> Iterator[None]:
    """A window that closes under the pointer never hears that the button was let go, and in the
    next test every move would be a drag.
    """
    yield
    left = Qt.MouseButton.LeftButton
    if QApplication.instance() is not None and QApplication.mouseButtons() & left:
        somewhere = QWidget()
        somewhere.show()
        QTest.mouseRelease(somewhere, left)
        somewhere.close()
        assert not QApplication.mouseButtons()


@pytest.fixture(autouse=True)
def _as_the_system_looks() -> Iterator[None]:
    """Whatever a test chose or pointed at, the next one does not see it."""
    yield
    if QApplication.instance() is not None:
        QCursor.setPos(0, 0)  # nothing is pointed at
        look().dress(Scheme.SYSTEM, Palette.STANDARD, Motion.SYSTEM)


@pytest.fixture
def open_window(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[OpenWindow]:
    """Shows a window on a session and starts to read; without a session, the computer alone."""
    windows: list[MainWindow] = []
    sessions: list[Session] = []

    def open_one(
        session: Session | None = None,
        attempts: Sequence[Attempt] = (),
        looked_for: Sequence[Looked] = (),
        simulate: Callable[[str], None] = lambda _: None,
        settings: Settings | None = None,
        look_again: Callable[[], None] = lambda: None,
        resized: bool = True,
    ) -> MainWindow:
        session = session or remembering(session_on(NoCards()))
        monkeypatch.setattr(nothing_found, "looked_for", lambda _: looked_for)
        window = MainWindow(
            session,
            attempts,
            simulate,
            look_again,
            lambda _: None,
            lambda: None,
            *parts_of_a_window(session, settings or Settings()),
        )
        qtbot.addWidget(window)
        windows.append(window)
        if resized:
            window.resize(1000, 700)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        sessions.append(session)
        session.start()
        return window

    yield open_one
    for window in windows:
        window.close()
    for session in sessions:
        session.stop()


@pytest.fixture
def tile_saying(qtbot: QtBot) -> TileSaying:
    """Waits for the tile that says these words to a screen reader."""

    def wait_for(window: MainWindow, words: str) -> CardTile:
        def saying() -> list[CardTile]:
            return [
                tile
                for tile in window.findChildren(CardTile)
                if words in f"{tile.accessibleName()} {tile.accessibleDescription()}"
            ]

        qtbot.waitUntil(lambda: bool(saying()))
        return saying()[0]

    return wait_for
