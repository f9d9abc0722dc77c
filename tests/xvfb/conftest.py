"""Left out, and not skipped, where there is no Xvfb to open a real window on."""

from collections.abc import Iterator

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.telemetry.local import Local
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.simulated_past import PastClock, live_through
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import parts_of_a_window
from tests.xvfb.display import there_is_one

collect_ignore_glob = [] if there_is_one() else ["test_*.py"]


@pytest.fixture
def session() -> Iterator[Session]:
    """Two simulated cards that have lived for ten minutes."""
    clock = PastClock(600.0)
    session = remembering(session_on(simulated("2xTitanRTX", "", 0, clock), clock=clock))
    assert isinstance(session.stream, Local)
    live_through(session.stream, clock)
    session.start()
    yield session
    session.stop()


@pytest.fixture
def window(qtbot: QtBot, session: Session) -> Iterator[MainWindow]:
    """On the X server, in front, and with the keyboard."""
    window = MainWindow(
        *(session, (), lambda _: None, lambda: None, lambda _: None, lambda: None),
        *parts_of_a_window(session, Settings()),
    )
    qtbot.addWidget(window)
    window.resize(1200, 800)
    with qtbot.waitActive(window, timeout=10_000):
        window.show()
        window.activateWindow()
    yield window
    window.close()
