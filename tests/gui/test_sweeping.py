"""Python's long search for garbage: at a moment of ours, and as before once it is stopped."""

import gc
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.sweeping import Sweeping


@pytest.fixture
def sweeping(qtbot: QtBot) -> Iterator[Sweeping]:
    del qtbot  # there has to be an application
    one = Sweeping()
    one.start()
    yield one
    one.stop()
    gc.unfreeze()


def test_python_begins_no_long_search_meanwhile(sweeping: Sweeping) -> None:
    usual = gc.get_threshold()
    searched = gc.get_stats()[2]["collections"]
    kept = [[number] for number in range(200_000)]
    assert gc.get_stats()[2]["collections"] == searched
    sweeping.stop()
    assert len(kept) == 200_000
    assert gc.get_threshold() != usual


def test_it_is_made_up_for_when_it_is_due(sweeping: Sweeping, qtbot: QtBot) -> None:
    timer = sweeping.findChild(QTimer)
    assert timer is not None
    timer.setInterval(10)
    for _ in range(11):
        gc.collect(1)
    searched = gc.get_stats()[2]["collections"]
    qtbot.waitUntil(lambda: gc.get_stats()[2]["collections"] == searched + 1)
