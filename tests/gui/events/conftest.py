"""The screen of events on a session whose log a test writes by hand."""

from collections.abc import Callable

import pytest

from gpuexplorer.gui.events import EventsView
from gpuexplorer.telemetry.session import Session
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import SIMULATED, card, session_of, working
from tests.gui.hands import the

OpenEvents = Callable[[Session], EventsView]


@pytest.fixture
def session() -> Session:
    """Two simulated cards that only work; a test tells what else took place."""
    return session_of({card(0): working(), card(1): working()}, SIMULATED)


@pytest.fixture
def open_events(open_window: OpenWindow) -> OpenEvents:
    def open_one(session: Session) -> EventsView:
        window = open_window(session)
        window.navigation.open_screen("events")
        return the(EventsView, window)

    return open_one
