"""The program as a whole: what a person sees at its start, whatever the driver does."""

import argparse
import threading
from collections.abc import Callable, Iterator

import pytest
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.session import Attempt
from gpuexplorer.telemetry.sources import simulated
from tests.gui.hands import click, texts

NO_DRIVER = Attempt("NVIDIA", "There is no driver.", "Install one.")
Start = Callable[..., App]
Opened = tuple[Backend | None, list[Attempt]]


@pytest.fixture
def start(qtbot: QtBot) -> Iterator[Start]:
    apps: list[App] = []

    def start_one(
        *, or_simulate: bool = False, simulate: str | None = None, real: Callable[[], Opened]
    ) -> App:
        arguments = argparse.Namespace(
            or_simulate=or_simulate, simulate=simulate, fault="", seed=0
        )
        app = App(arguments, real, patience=0.2)
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


def test_without_a_card_the_screen_explains(start: Start) -> None:
    app = start(real=nothing)
    assert says(app, "No graphics card answers on this computer")
    assert says(app, "There is no driver.")
    assert "SIMULATED" not in app.window.windowTitle()


def test_without_a_card_make_run_opens_on_simulated_ones_and_says_so(start: Start) -> None:
    app = start(or_simulate=True, real=nothing)
    assert says(app, "so these are two simulated cards")
    assert app.window.windowTitle().startswith("SIMULATED")


def test_the_button_leads_to_simulated_cards(start: Start, qtbot: QtBot) -> None:
    app = start(real=nothing)
    click(app.window, "Look around on simulated cards")
    qtbot.waitUntil(lambda: app.window.windowTitle().startswith("SIMULATED"))


def test_simulated_cards_that_were_asked_for_need_no_excuse(start: Start) -> None:
    app = start(simulate="1xT4", real=nothing)
    assert app.window.windowTitle().startswith("SIMULATED")
    assert not says(app, "No graphics card answers")


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


def test_a_driver_that_refuses_late_has_its_reason_shown(start: Start, qtbot: QtBot) -> None:
    let_go = threading.Event()

    def slow() -> Opened:
        let_go.wait(10)
        return nothing()

    app = start(real=slow)
    assert says(app, "The driver has not answered yet.")
    let_go.set()
    qtbot.waitUntil(lambda: says(app, "There is no driver."))
    assert not says(app, "The driver has not answered yet.")
