"""What other threads post arrives in the window's thread."""

import threading

import shiboken6
from PySide6.QtCore import QThread
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import Message
from gpuexplorer.gui.bridge import Bridge
from gpuexplorer.telemetry.happenings import Happening, Kind


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
