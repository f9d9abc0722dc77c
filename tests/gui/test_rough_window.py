"""Anything done to the charts of a window while cards come and go: nothing is left of it."""

import gc
import random
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtWidgets import QApplication, QGraphicsItem, QGraphicsView
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gpuexplorer.gui.desk import VIEWS
from gpuexplorer.gui.main_window import MainWindow
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.plot_stack import FullPlot, PlotStack
from gpuexplorer.telemetry.session import Session, remembering, session_on
from gpuexplorer.telemetry.sources import simulated
from tests.gui.conftest import OpenWindow
from tests.gui.rough_hands import RoughHands

pytestmark = [pytest.mark.long, pytest.mark.qt_log_ignore("This plugin does not support")]

MACHINES = (
    ("1xT4", ""),
    ("2xTitanRTX", "lost:0@0.5s-1s,lost:0@1.5s-2s"),
    ("8xH100+nvlink", "garbage:7@0s"),
    ("64xH100", "unlisted:3@0.5s,hung:9@0s,driver@2s"),
)


class Course:
    """A window, and all that can happen to it."""

    def __init__(self, seed: int, open_window: OpenWindow) -> None:
        self.lots = random.Random(seed)
        self.hands = RoughHands(self.lots)
        self.session = self._session()
        self.window: MainWindow = open_window(self.session)
        self._deeds = (
            *(self._touch, self._touch, self._touch, self._open, self._open, self._resize),
            *(self._dress, self._look_elsewhere, self.change_session, self._fill_screen),
        )

    def go_on(self) -> None:
        self.lots.choice(self._deeds)()

    def _session(self) -> Session:
        return remembering(session_on(simulated(*self.lots.choice(MACHINES)), interval=0.1))

    def _touch(self) -> None:
        tops = [each for each in QApplication.topLevelWidgets() if each.isVisible()]
        seen = [each for top in tops for each in top.findChildren(Graph) if each.isVisible()]
        if seen:
            self.hands.touch(self.lots.choice(seen))

    def _open(self) -> None:
        self.window.navigation.open_screen(self.lots.choice(VIEWS).name)

    def _resize(self) -> None:
        self.window.resize(self.lots.choice((300, 1366, 2000)), self.lots.choice((300, 1000)))

    def _dress(self) -> None:
        settings, scheme = self.window.settings, self.lots.choice((Scheme.DARK, Scheme.LIGHT))
        settings.choose(replace(settings.choices, scheme=scheme))

    def _look_elsewhere(self) -> None:
        window = self.window.time_window
        self.lots.choice(
            (
                lambda: window.choose_span(5.0),
                lambda: window.choose_span(86400.0),
                lambda: window.centre_on(window.now() - 2),
                window.toggle_pause,
                window.back_to_now,
            )
        )()

    def change_session(self) -> None:
        before, self.session = self.session, self._session()
        self.window.show_session(self.session)
        self.session.start()
        before.stop()

    def _fill_screen(self) -> None:
        for full in self.window.findChildren(FullPlot):
            full.close()
        stacks = [each for each in self.window.findChildren(PlotStack) if each.isVisible()]
        if stacks and stacks[0].contents:
            stacks[0].show_full(stacks[0].current)


@pytest.fixture(autouse=True)
def arithmetic_that_complains() -> Iterator[None]:
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        yield


@pytest.mark.parametrize("seed", range(3))
def test_whatever_is_done_while_cards_come_and_go_nothing_is_left(
    open_window: OpenWindow, qtbot: QtBot, seed: int
) -> None:
    course = Course(seed, open_window)
    for _ in range(150):
        course.go_on()
        QApplication.processEvents()
    course.hands.let_go()
    window = course.window
    window.navigation.open_screen("card")
    course.change_session()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    QApplication.processEvents()
    gc.collect()
    # What the first session knew is kept by it, and it by whoever opened the window.
    # By its type: an object may answer for its class, and some of torch's warn when asked.
    kinds = QGraphicsView | QGraphicsItem
    there = [each for each in gc.get_objects() if issubclass(type(each), kinds)]
    alive = [each for each in there if isValid(each)]
    graphs = [each for each in alive if isinstance(each, QGraphicsView)]
    items = [each for each in alive if isinstance(each, QGraphicsItem)]
    assert {each.window() for each in graphs} == {window}
    assert {each.scene() for each in items} == {each.scene() for each in graphs}
    course.session.stop()
