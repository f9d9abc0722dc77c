"""Anything done to plots of bad readings, in any order: nothing is said on a terminal."""

import math
import random
from collections.abc import Iterator

import numpy as np
import pytest
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.core import metrics as m
from gpuexplorer.core.metrics import METRICS
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.plots.content import Flag, Limit, PlotContent, PlotLine
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.trace import Trace, empty_trace
from tests.clocks import ManualClock
from tests.gui.plots.made import stack_of
from tests.gui.rough_hands import RoughHands

SHOWN = (m.GPU_UTILIZATION, m.TEMPERATURE, m.MEMORY_USED, m.PCIE_GENERATION)
DAY = 86400.0


@pytest.fixture(autouse=True)
def arithmetic_that_complains() -> Iterator[None]:
    with np.errstate(divide="raise", over="raise", invalid="raise"):
        yield


class Course:
    """A stack of plots, and all that can happen to it."""

    def __init__(self, seed: int) -> None:
        self.lots = random.Random(seed)
        self.hands = RoughHands(self.lots)
        self.clock = ManualClock(self.lots.choice((3.0, 10_000.0)))
        self.stack: PlotStack = stack_of([], clock=self.clock)

    def go_on(self) -> None:
        deeds = (self._show, self._resize, self._dress, self._look_elsewhere, self._pass_time)
        touch = lambda: self.hands.touch(self.stack)  # noqa: E731
        self.lots.choice((*deeds, self._show, touch, touch, touch, self._save, self._hide))()

    def _show(self) -> None:
        count = self.lots.choice((0, 1, 2, 7))
        now = self.clock.now()
        flags = [Flag(now - 40 * at, f"Line {at} failed.", number=at) for at in range(count)]
        self.stack.show_contents([self._plot(f"plot {at}") for at in range(count)], flags)

    def _plot(self, name: str) -> PlotContent:
        metric, now = METRICS[self.lots.choice(SHOWN)], self.clock.now()
        lines = [
            PlotLine(f"line {at}", metric, self._trace(metric.lowest, metric.highest), dash=at)
            for at in range(self.lots.choice((0, 1, 3)))
        ]
        return PlotContent(
            name,
            name.capitalize(),
            metric.unit,
            tuple(lines),
            (Limit("limit", metric.highest),),
            (Band(now - DAY, now - 2, "Slowed by heat"), Band(now - 1, now + 5, "Slowed")),
            self.lots.choice((metric.lowest, None)),
        )

    def _trace(self, lowest: float, highest: float) -> Trace:
        """Bounds and gaps; from before the stretch, within it, or up to after now."""
        count, step = self.lots.choice((0, 1, 2, 300)), self.lots.choice((0.01, 1.0, 60.0))
        if not count:
            return empty_trace()
        numbers = (math.nan, lowest, highest, (lowest + highest) / 2)
        means = np.array([self.lots.choice(numbers) for _ in range(count)], np.float64)
        shift = self.lots.choice((0.0, 0.0, -DAY, 7.0))
        times = self.clock.now() + shift + step * np.arange(1.0 - count, 1.0)
        counts = np.isfinite(means) * self.lots.choice((1, 5))
        return Trace(times, means, means, means, counts, step)

    def _resize(self) -> None:
        self.stack.resize(self.lots.choice((300, 2000, 1)), self.lots.choice((36, 600, 1)))

    def _dress(self) -> None:
        self.stack.look.choose(self.lots.choice((Scheme.DARK, Scheme.LIGHT)))

    def _look_elsewhere(self) -> None:
        window, now = self.stack.time_window, self.clock.now()
        self.lots.choice(
            (
                lambda: window.choose_span(5.0),
                lambda: window.choose_span(DAY),
                lambda: window.look_at(now - 60, now - 50),
                lambda: window.mark(now - 3, "Lost"),
                window.toggle_pause,
                window.back_to_now,
            )
        )()

    def _pass_time(self) -> None:
        self.clock.advance(self.lots.choice((0.01, 1.0, DAY)))
        self.stack.time_window.follow_clock()

    def _save(self) -> None:
        assert not self.stack.picture().isNull()

    def _hide(self) -> None:
        self.stack.hide()
        self.stack.show()


def rough(seed: int, steps: int, qtbot: QtBot) -> None:
    course = Course(seed)
    qtbot.addWidget(course.stack)
    with qtbot.waitExposed(course.stack):
        course.stack.show()
    for _ in range(steps):
        course.go_on()
        told = course.stack.accessibleDescription()
        said = f"{told} {course.stack.words_at_crosshair()}".split()
        assert not {"nan", "inf", "-inf"} & set(said)
        QApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        course.stack.grab()
    course.hands.let_go()


@pytest.mark.parametrize("seed", range(4))
def test_whatever_is_done_to_plots_they_are_drawn(seed: int, qtbot: QtBot) -> None:
    rough(seed, 60, qtbot)
