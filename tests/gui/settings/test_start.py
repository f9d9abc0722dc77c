"""What was chosen for the start holds at the next one."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.cards.card_face import arrange
from gpuexplorer.gui.overview.view import Arrangement
from gpuexplorer.gui.state.settings import Settings, open_store
from gpuexplorer.telemetry.session import Session
from tests.gui.conftest import OpenWindow
from tests.gui.fakes import card, session_of, working


@pytest.fixture
def session() -> Iterator[Session]:
    made = session_of({card(0): working(), card(1): working()})
    yield made
    made.stop()


def test_the_window_opens_on_the_screen_and_the_span_that_were_chosen(
    open_window: OpenWindow, session: Session
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, first_screen="events", first_span=60.0))
    window = open_window(session, settings=settings)
    assert window.navigation.screen == "events"
    assert window.time_window.span == 60.0


def test_a_first_screen_that_is_gone_is_passed_over(
    open_window: OpenWindow, session: Session
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, first_screen="hologram"))
    assert open_window(session, settings=settings).navigation.screen == "overview"


@pytest.mark.parametrize(("keep", "shown"), [(True, ["GPU-1"]), (False, ["GPU-0", "GPU-1"])])
def test_hidden_cards_stay_hidden_where_that_was_chosen(
    tmp_path: Path, keep: bool, shown: list[str]
) -> None:
    cards = arrange([card(0), card(1)])
    settings = Settings(open_store(tmp_path / "settings.ini"))
    settings.choose(replace(settings.choices, keep_hidden=keep))
    Arrangement(settings, "here").hide(CardId("GPU-0"))
    settings.flush()
    again = Settings(open_store(tmp_path / "settings.ini"))
    found = Arrangement(again, "here").shown(cards)
    assert [each.card.id for each in found] == shown
