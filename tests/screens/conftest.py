"""Opens the program as its command line does, and hands it to a person."""

import argparse
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from pytestqt.qtbot import QtBot

from gpuexplorer.app import App
from gpuexplorer.commands.window_arguments import add_window_arguments
from gpuexplorer.core.cards import CardId
from gpuexplorer.gui.state.settings import Settings, open_store
from gpuexplorer.remote.ssh import Launch
from gpuexplorer.telemetry.backend import Backend
from gpuexplorer.telemetry.facts import Attempt
from gpuexplorer.telemetry.processes import CardProcess, ProcessFigure, ProcessUse
from tests.gui.conftest import NO_DRIVER, no_button_held_down
from tests.gui.fakes import GIB, FakeBackend, card, working
from tests.screens.person import Person

__all__ = ["NO_DRIVER", "no_button_held_down"]

# Seconds; lived through at once when the window opens.
PAST = 60.0

Opened = tuple[Backend | None, list[Attempt]]
OpenProgram = Callable[..., Person]


def no_cards() -> Opened:
    return None, [NO_DRIVER]


def real_cards(backend: Backend) -> Callable[[], Opened]:
    return lambda: (backend, [])


@pytest.fixture
def open_program(qtbot: QtBot) -> Iterator[OpenProgram]:
    """Opens a window on simulated cards that have lived for a while, or on a backend that a
    test has made, or on nothing. What is chosen in one is remembered by the next.
    """
    programs: list[App] = []

    def open_one(
        simulate: str = "2xTitanRTX",
        fault: str = "",
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
        words = ["--seed", "0", *(["--read-only"] if read_only else [])]
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


FIRST = CardId("GPU-0")


class TwoCards(FakeBackend):
    """Both always say the same; `memory` is what each program holds of the first, by pid."""

    def __init__(self) -> None:
        super().__init__({card(0): working(busy=0.97), card(1): working(busy=0.25, used=GIB)})
        self.memory: dict[int, float] = {}

    def processes(self, card: CardId) -> Sequence[CardProcess]:
        if card != FIRST:
            return []
        return [
            CardProcess(
                card,
                pid,
                ProcessUse.COMPUTE,
                {ProcessFigure.MEMORY: held, **dict.fromkeys(list(ProcessFigure)[1:], 0.5)},
            )
            for pid, held in self.memory.items()
        ]


@contextmanager
def running(name: str) -> Iterator[subprocess.Popen[bytes]]:
    """A program that does nothing, and has this word in its command line."""
    code = "print('ready', flush=True); input()"
    with subprocess.Popen(
        [sys.executable, "-c", code, name], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as program:
        assert program.stdout is not None
        assert program.stdout.readline().strip() == b"ready"
        yield program
        program.kill()
