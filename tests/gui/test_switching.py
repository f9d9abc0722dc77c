"""Another theme or palette while the window is open: nothing stays in the colours of before."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QDialog, QPushButton, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.settings.dialog import SettingsDialog
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.palette import Palette, Scheme, Theme, load_theme
from gpuexplorer.gui.view_list import VIEWS
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.pixels import colours_of

_DARK = load_theme(Scheme.DARK)
_LIGHT = load_theme(Scheme.LIGHT)
_SAFE = load_theme(Scheme.LIGHT, Palette.SAFE)


@pytest.fixture
def session() -> Iterator[Session]:
    made = remembering(session_on(simulated("2xTitanRTX", "lost:1@1s"), interval=0.1))
    yield made
    made.stop()


def names_of(theme: Theme) -> set[str]:
    return {*theme.named().values(), *(card.name() for card in theme.cards)}


def colours_in(image: QImage) -> set[str]:
    """Every colour of which there is more than a stray pixel."""
    return {name for name, count in colours_of(image).items() if count > 8}


def left_over(qtbot: QtBot, widget: QWidget, before: Theme, now: Theme) -> set[str]:
    """Colours that only the theme before has, and that are still seen."""
    # While it dresses nothing is drawn, and a picture would show nothing either.
    qtbot.waitUntil(widget.updatesEnabled)
    return colours_in(widget.grab().toImage()) & (names_of(before) - names_of(now))


@pytest.mark.parametrize("name", [entry.name for entry in VIEWS])
def test_a_screen_that_is_switched_looks_as_if_it_had_been_opened_so(
    open_window: OpenWindow, session: Session, qtbot: QtBot, name: str
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, scheme=Scheme.DARK, first_screen=name))
    window: MainWindow = open_window(session, settings=settings)
    window.navigation.open_screen(name)
    taken = session.beats().taken
    qtbot.waitUntil(lambda: session.beats().taken > taken + 12)
    assert colours_in(window.grab().toImage()) & names_of(_DARK)
    settings.choose(replace(settings.choices, scheme=Scheme.LIGHT))
    assert left_over(qtbot, window, _DARK, _LIGHT) == set()
    settings.choose(replace(settings.choices, palette=Palette.SAFE))
    assert left_over(qtbot, window, _LIGHT, _SAFE) == set()


def test_the_settings_that_switch_it_look_as_if_they_had_been_opened_so(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, scheme=Scheme.DARK))
    window: MainWindow = open_window(settings=settings)
    window.open_settings()
    settings.choose(replace(settings.choices, scheme=Scheme.LIGHT))
    qtbot.waitUntil(window.updatesEnabled)
    switched = window.grab().toImage()
    dialog = next(d for d in window.findChildren(SettingsDialog) if d.isVisible())
    dialog.hide()
    window.open_settings()
    assert switched == window.grab().toImage()


def test_a_screen_that_is_not_seen_changes_when_it_is_opened_again(
    open_window: OpenWindow, session: Session, qtbot: QtBot
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, scheme=Scheme.DARK))
    window: MainWindow = open_window(session, settings=settings)
    for name in ("events", "overview"):
        window.navigation.open_screen(name)
    settings.choose(replace(settings.choices, scheme=Scheme.LIGHT))
    window.navigation.open_screen("events")
    assert left_over(qtbot, window, _DARK, _LIGHT) == set()


def test_a_dialog_that_comes_later_is_dressed_too(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, scheme=Scheme.LIGHT))
    window: MainWindow = open_window(settings=settings)
    dialog = QDialog(window)
    button = QPushButton("End", dialog)
    button.setProperty("kind", "primary")
    dialog.resize(300, 200)
    dialog.show()
    assert {_LIGHT.ground.name(), _LIGHT.text.name()} <= colours_in(dialog.grab().toImage())
    settings.choose(replace(settings.choices, scheme=Scheme.DARK))
    assert left_over(qtbot, dialog, _LIGHT, _DARK) == set()
    dialog.close()
