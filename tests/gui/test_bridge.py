"""What other threads post arrives in the window's thread."""

import threading

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
