"""Python's searches for garbage: at moments of ours."""

import gc
import threading
from collections.abc import Callable, Iterator, Mapping

import pytest
from PySide6.QtCore import QTimer
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.sweeping import Sweeping


@pytest.fixture
def sweeping(qtbot: QtBot) -> Iterator[Sweeping]:
    del qtbot  # there has to be an application
    gc.enable()
    yield Sweeping()
    gc.disable()


@pytest.fixture
def searched() -> Iterator[list[threading.Thread]]:
    """In which thread each search ran."""
    where: list[threading.Thread] = []

    def note(phase: str, info: Mapping[str, int]) -> None:
        del info
        if phase == "start":
            where.append(threading.current_thread())

    gc.callbacks.append(note)
    yield where
    gc.callbacks.remove(note)


def fill() -> None:
    kept = [[number] for number in range(200_000)]
    assert len(kept) == 200_000


def often(sweeping: Sweeping) -> None:
    timer = sweeping.findChild(QTimer)
    assert timer is not None
    timer.setInterval(10)


def test_python_begins_no_search_in_the_midst_of_something(
    sweeping: Sweeping, searched: list[threading.Thread]
) -> None:
    fill()
    assert searched == []
    gc.enable()
    fill()
    assert searched != []


def test_what_another_thread_leaves_behind_is_searched_for_in_the_windows(
    sweeping: Sweeping, searched: list[threading.Thread], qtbot: QtBot
) -> None:
    often(sweeping)
    at_work = threading.Thread(target=fill)
    at_work.start()
    at_work.join()
    assert searched == []
    kept = [[number] for number in range(2_000)]
    qtbot.waitUntil(lambda: len(searched) > 0)
    assert set(searched) == {threading.main_thread()}
    assert len(kept) == 2_000


@pytest.mark.parametrize(
    ("before", "generation"),
    [
        (lambda: [gc.collect(0) for _ in range(11)], 1),
        (lambda: [gc.collect(1) for _ in range(11)], 2),
    ],
    ids=["middle", "long"],
)
def test_a_longer_search_is_made_up_for_when_it_is_due(
    sweeping: Sweeping, qtbot: QtBot, before: Callable[[], object], generation: int
) -> None:
    often(sweeping)
    before()
    searched = gc.get_stats()[generation]["collections"]
    qtbot.waitUntil(lambda: gc.get_stats()[generation]["collections"] == searched + 1)
