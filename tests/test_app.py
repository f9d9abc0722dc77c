"""The program as a whole: what a person sees at its start, whatever the driver does."""

import argparse
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.core.words import Message
from gpuexplorer.gui.copies.view import CopiesView
from gpuexplorer.gui.lab.view import LabView
from gpuexplorer.gui.nothing_found import NothingFoundView
from gpuexplorer.gui.state.choices import WithoutCards
from gpuexplorer.gui.state.settings import Settings
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.controls.buttons import ToolButton
from gpuexplorer.gui.window_commands import Do
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.sources import simulated
from tests.gui.hands import click, texts, the

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


def test_without_a_card_the_screen_explains_and_the_lab_and_the_copies_work(
    start: Start,
) -> None:
    app = start(real=nothing)
    assert says(app, "No graphics card answers on this computer")
    assert says(app, "There is no driver.")
    assert "SIMULATED" not in app.window.windowTitle()
    for each in the(NothingFoundView, app.window).findChildren(ToolButton):
        if each.text() == "Open the lab on the processor alone":
            QTest.mouseClick(each, Qt.MouseButton.LeftButton)
    lab = the(LabView, app.window)
    assert lab.isVisible()
    assert not says(app, "No graphics card answers")
    app.window.navigation.open_screen("copies")
    assert the(CopiesView, app.window).isVisible()
    assert says(app, "No card answers, so nothing is copied over a wire here")
    app.window.navigation.open_screen("overview")
    assert says(app, "No graphics card answers on this computer")
    assert not lab.isVisible()


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


def test_simulated_cards_can_be_left_for_the_explanation(start: Start, qtbot: QtBot) -> None:
    app = start(or_simulate=True, real=nothing)
    app.window.commands[Do.STOP_SIMULATING].trigger()
    qtbot.waitUntil(lambda: says(app, "No graphics card answers on this computer"))
    assert app.session.bare
    assert "SIMULATED" not in app.window.windowTitle()


def test_simulated_cards_are_left_for_real_ones_that_answer_by_now(
    start: Start, qtbot: QtBot
) -> None:
    answers: list[Opened] = [(simulated("1xL4"), []), nothing()]
    app = start(or_simulate=True, real=answers.pop)
    before = app.session
    app.window.commands[Do.STOP_SIMULATING].trigger()
    qtbot.waitUntil(lambda: app.session is not before)
    assert app.session.cards()[0].name == "NVIDIA L4"


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


def test_whoever_looks_at_simulated_cards_is_left_in_peace(start: Start, qtbot: QtBot) -> None:
    looks: list[None] = []

    def counted() -> Opened:
        looks.append(None)
        return nothing()

    app = start(real=counted)
    timer = looking_out(app)
    click(app.window, "Look around on simulated cards")
    qtbot.waitUntil(lambda: not app.session.bare)
    assert len(looks) == 1
    assert not timer.isActive()


def test_other_cards_are_seen_as_they_are_now_and_not_before_they_came(start: Start) -> None:
    app = start(simulate="1xT4", real=nothing)
    shown = app.window.time_window
    shown.toggle_pause()
    assert not shown.following
    app.window.commands[Do.SIMULATE].trigger()
    assert shown.following
