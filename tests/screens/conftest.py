"""Opens the program as its command line does, and hands it to a person."""

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.commands.window_arguments import add_window_arguments
from gpuexplorer.core.words import Message
from gpuexplorer.gui.state.settings import Settings, open_store
from gpuexplorer.remote.ssh import Launch
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from tests.screens.person import Person

# Seconds; lived through at once when the window opens.
PAST = 60.0
NO_DRIVER = Attempt(
    "NVIDIA", Message("NVIDIA's driver is not installed."), Message("Install it.")
)

Opened = tuple[Backend | None, list[Attempt]]
OpenProgram = Callable[..., Person]


def no_cards() -> Opened:
    return None, [NO_DRIVER]


def real_cards(backend: Backend) -> Callable[[], Opened]:
    return lambda: (backend, [])


@pytest.fixture(autouse=True)
def no_button_held_down() -> Iterator[None]:
    """A part that goes under the pointer never hears that the button was released, and in the
    next test every move would be a drag.
    """
    yield
    left = Qt.MouseButton.LeftButton
    if QApplication.instance() is not None and QApplication.mouseButtons() & left:
        somewhere = QWidget()
        somewhere.show()
        QTest.mouseRelease(somewhere, left)
        somewhere.close()
        assert not QApplication.mouseButtons() & left


@pytest.fixture
def open_program(qtbot: QtBot) -> Iterator[OpenProgram]:
    """Opens a window on simulated cards that have lived for a while, or on a backend that a
    test has made, or on nothing. What is chosen in one is remembered by the next.
    """
    programs: list[App] = []

    def open_one(
        simulate: str = "2xTitanRTX",
        fault: str = "",
        seed: int = 0,
        past: float | None = PAST,
        real: Callable[[], Opened] | None = None,
        read_only: bool = False,
        interval: float | None = None,
        size: tuple[int, int] = (1280, 860),
        hosts: Sequence[str] = (),
        launch: Launch | None = None,
    ) -> Person:
        """`real` is asked for real cards, and none are simulated then. `interval` is between
        two readings, in seconds. Where there are `hosts`, cards are simulated there and not
        here; `launch` runs what runs there.
        """
        parser = argparse.ArgumentParser()
        add_window_arguments(parser)
        words = ["--seed", str(seed), *(["--read-only"] if read_only else [])]
        if real is None:
            words += ["--simulate", simulate, *(["--fault", fault] if fault else [])]
        words += [f"--host={each}" for each in hosts]
        because = "This window was started with --read-only." if read_only else ""
        settings = Settings(open_store(), read_only_because=because)
        if interval is not None:
            settings.choose(replace(settings.choices, interval=interval))
        program = App(
            parser.parse_args(words),
            real or no_cards,
            settings=settings,
            past=past,
            launch=launch,
        )
        programs.append(program)
        window = program.window
        window.resize(*size)
        with qtbot.waitActive(window):
            window.show()
            window.activateWindow()
        return Person(window, qtbot)

    yield open_one
    for program in programs:
        program.window.close()
        program.stop()
        program.window.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    assert not any(program.crash_reports.any for program in programs)
