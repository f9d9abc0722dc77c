"""What other threads hand in, screens that are brought in later, and searches for rubbish."""

import gc
import sys
import threading
from collections.abc import Iterator, Mapping

import pytest
import shiboken6
from PySide6.QtCore import QThread, QTimer
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.event_loop import Bridge, Sweeping
from gpuexplorer.telemetry.happenings import Happening, Kind
from tests.gui.conftest import OpenWindow


def test_a_happening_from_another_thread_arrives_in_ours(qtbot: QtBot) -> None:
    bridge = Bridge()
    arrived: list[tuple[Happening, bool]] = []
    bridge.happened.connect(
        lambda happening: arrived.append((happening, QThread.currentThread().isMainThread()))
    )
    lost = Happening(1.0, 2.0, Kind.CARD_LOST, CardId("GPU-0"), Message("The card is lost"))
    thread = threading.Thread(target=bridge.post_happening, args=(lost,))
    thread.start()
    thread.join()
    assert not arrived
    qtbot.waitUntil(lambda: bool(arrived))
    assert arrived == [(lost, True)]


def test_a_driver_that_answers_once_the_window_has_gone_troubles_nobody(qtbot: QtBot) -> None:
    bridge = Bridge()
    answer = bridge.post_source_answered
    shiboken6.delete(bridge)
    answer()


def test_all_screens_are_brought_in_while_the_window_stands(
    open_window: OpenWindow, qtbot: QtBot
) -> None:
    open_window()
    last = "gpuexplorer.gui.machines.view"
    qtbot.waitUntil(lambda: last in sys.modules, timeout=60_000)


@pytest.fixture
def sweeping(qtbot: QtBot) -> Iterator[Sweeping]:
    del qtbot  # there has to be an application
    gc.enable()
    made = Sweeping()
    timer = made.findChild(QTimer)
    assert timer is not None
    timer.setInterval(10)
    yield made
    gc.disable()


def test_rubbish_is_searched_for_in_the_windows_thread_alone(
    sweeping: Sweeping, qtbot: QtBot
) -> None:
    searched: list[threading.Thread] = []

    def note(phase: str, _: Mapping[str, int]) -> None:
        if phase == "start":
            searched.append(threading.current_thread())

    gc.callbacks.append(note)
    at_work = threading.Thread(target=lambda: [[number] for number in range(200_000)])
    at_work.start()
    at_work.join()
    assert searched == []
    kept = [[number] for number in range(2_000)]
    qtbot.waitUntil(lambda: len(searched) > 0)
    gc.callbacks.remove(note)
    assert set(searched) == {threading.main_thread()}
    assert len(kept) == 2_000
