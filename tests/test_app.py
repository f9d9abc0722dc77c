"""The program as a whole: what a person sees at its start, whatever the driver does."""

import argparse
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.choices import WithoutCards
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.sources import simulated
from tests.gui.hands import texts

NO_DRIVER = Attempt("NVIDIA", Message("There is no driver."), Message("Install one."))
Start = Callable[..., App]
Opened = tuple[Backend | None, list[Attempt]]


@pytest.fixture
def start(qtbot: QtBot) -> Iterator[Start]:
    apps: list[App] = []

    def start_one(
        *, real: Callable[[], Opened], settings: Settings | None = None, **asked: object
    ) -> App:
        usual: dict[str, object] = {
            **dict.fromkeys(("simulate", "view", "theme", "size", "screenshot", "open")),
            "or_simulate": False,
            "fault": "",
            "seed": 0,
        }
        arguments = argparse.Namespace(**(usual | asked))
        app = App(arguments, real, patience=0.2, settings=settings)
        apps.append(app)
        qtbot.addWidget(app.window)
        app.window.show()
        return app

    yield start_one
    for app in apps:
        app.window.close()
        app.stop()


def nothing() -> Opened:
    return None, [NO_DRIVER]


def says(app: App, words: str) -> bool:
    return any(words in text for text in texts(app.window))


def test_a_driver_that_keeps_us_waiting_does_not_keep_the_window(
    start: Start, qtbot: QtBot
) -> None:
    let_go = threading.Event()

    def slow() -> Opened:
        let_go.wait(10)
        return simulated("1xT4"), []

    app = start(real=slow)
    assert says(app, "The driver has not answered yet.")
    let_go.set()
    qtbot.waitUntil(lambda: says(app, "Tesla T4") or "SIMULATED" in app.window.windowTitle())


def test_the_window_opens_as_it_was_asked_for_until_another_theme_is_chosen(
    start: Start,
) -> None:
    app = start(simulate="2xT4", real=nothing, view="events", size=(700, 600), theme="light")
    assert app.window.navigation.screen == "events"
    assert (app.window.width(), app.window.height()) == (700, 600)
    assert not app.window.look.theme.dark
    settings = Settings()
    window = start(simulate="2xT4", real=nothing, theme="dark", settings=settings).window
    settings.choose(replace(settings.choices, fahrenheit=True))
    dark = [window.look.theme.dark]
    themes = {each.text(): each for each in window.actions()}
    themes["Theme: light"].trigger()
    assert [*dark, window.look.theme.dark] == [True, False]
    themes["Theme: as the system has it"].trigger()
    assert settings.choices.scheme is Scheme.SYSTEM


def test_whoever_wants_simulated_cards_where_there_are_none_gets_them(start: Start) -> None:
    settings = Settings()
    settings.choose(replace(settings.choices, without_cards=WithoutCards.SIMULATE))
    app = start(real=nothing, settings=settings)
    assert app.window.windowTitle().startswith("SIMULATED")


def test_the_event_loop_goes_on_while_a_driver_call_hangs(start: Start, qtbot: QtBot) -> None:
    app = start(simulate="8xH100", fault="hung:0@0s,slow:1@0s,lost:2@0s", real=nothing)
    heart = app.window.diagnostics.heartbeat
    heart.start()
    qtbot.waitUntil(lambda: says(app, "No answer") or heart.beats > 60)
    beats = heart.beats
    qtbot.waitUntil(lambda: heart.beats > beats + 20)
    heart.stop()


def looking_out(app: App) -> QTimer:
    """What makes it look again."""
    [timer] = [each for each in app.window.findChildren(QTimer) if each.interval() == 5000]
    return timer


def test_a_driver_that_is_loaded_later_needs_no_click(start: Start, qtbot: QtBot) -> None:
    answers: list[Opened] = [(simulated("1xL4"), []), nothing(), nothing()]
    app = start(real=answers.pop)
    assert any(text.endswith(", and again every 5 s") for text in texts(app.window))
    looking_out(app).setInterval(20)
    qtbot.waitUntil(lambda: not app.session.bare)
    assert app.session.cards()[0].name == "NVIDIA L4"
    assert not answers
