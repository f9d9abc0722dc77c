"""What hands do to plots, however rough, on a page and full screen, and what they take away."""

import csv
import math
import random
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QFileDialog, QWidget
from pytestqt.qtbot import QtBot
from shiboken6 import isValid

from gpuexplorer.core import metrics as m
from gpuexplorer.core.cards import CardId, CardState, Sample
from gpuexplorer.core.metrics import GPU_UTILIZATION, METRICS
from gpuexplorer.gui.cards.reasons import Band
from gpuexplorer.gui.plots.content import Flag, Limit, Origin, PlotContent, PlotLine
from gpuexplorer.gui.plots.graph import Graph
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.live_view import Page
from gpuexplorer.gui.widgets.plot_stack import FullPlot, PlotStack
from gpuexplorer.gui.widgets.saving import CSV, PNG, FileKind, PlotNote
from gpuexplorer.telemetry.history import History
from gpuexplorer.telemetry.trace import Trace, empty_trace
from tests.clocks import ManualClock
from tests.gui.hands import press, the
from tests.gui.pixels import colours_of
from tests.gui.plots.made import (
    NOTHING,
    NOW,
    MakeStack,
    line,
    plot,
    power,
    stack_of,
    trace,
    written,
)

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.MouseButton.NoButton
NO_KEY, SHIFT = Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier

KEYS = (
    *(Qt.Key.Key_Left, Qt.Key.Key_Right, Qt.Key.Key_Up, Qt.Key.Key_Down),
    *(Qt.Key.Key_Plus, Qt.Key.Key_Minus, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown),
    *(Qt.Key.Key_Home, Qt.Key.Key_End, Qt.Key.Key_Escape, Qt.Key.Key_Tab),
)


class RoughHands:
    """What is held may be gone before it is let go."""

    def __init__(self, lots: random.Random) -> None:
        self._lots = lots
        self._held: Graph | None = None

    def touch(self, graph: Graph) -> None:
        deeds = (self._press, self._drag, self._drag, self.let_go, self._hover, self._turn)
        self._lots.choice((*deeds, self._type, self._type, self._ask))(graph)

    def let_go(self, graph: Graph | None = None) -> None:
        held, self._held = self._held, None
        if held is not None and isValid(held):
            self._mouse(held, QEvent.Type.MouseButtonRelease, LEFT, NONE)

    def _press(self, graph: Graph) -> None:
        self.let_go()
        self._held = graph
        self._mouse(graph, QEvent.Type.MouseButtonPress, LEFT, LEFT)

    def _drag(self, graph: Graph) -> None:
        held = self._held
        if held is not None and isValid(held):
            self._mouse(held, QEvent.Type.MouseMove, NONE, LEFT)

    def _hover(self, graph: Graph) -> None:
        if self._held is None:
            self._mouse(graph, QEvent.Type.MouseMove, NONE, NONE)

    def _turn(self, graph: Graph) -> None:
        at, by = self._somewhere(graph), QPoint(0, self._lots.choice((120, -120, -1200, 5)))
        phase, keys = Qt.ScrollPhase.NoScrollPhase, self._lots.choice((NO_KEY, SHIFT))
        where, inverted = graph.mapToGlobal(at), False
        event = QWheelEvent(at, where, QPoint(), by, NONE, keys, phase, inverted)
        QApplication.sendEvent(graph.viewport(), event)

    def _type(self, graph: Graph) -> None:
        QTest.keyClick(graph.window(), self._lots.choice(KEYS))

    def _ask(self, graph: Graph) -> None:
        at = self._somewhere(graph).toPoint()
        event = QHelpEvent(QEvent.Type.ToolTip, at, graph.mapToGlobal(at))
        QApplication.sendEvent(graph.viewport(), event)

    def _mouse(
        self, graph: Graph, kind: QEvent.Type, button: Qt.MouseButton, held: Qt.MouseButton
    ) -> None:
        at = self._somewhere(graph)
        event = QMouseEvent(kind, at, graph.mapToGlobal(at), button, held, NO_KEY)
        QApplication.sendEvent(graph.viewport(), event)

    def _somewhere(self, graph: Graph) -> QPointF:
        """On it, or a little beside it."""
        x, y = self._lots.uniform(-0.2, 1.2), self._lots.random()
        return QPointF(x * graph.width(), y * graph.height())


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


HERE, NOTCH = QPoint(200, 150), QPoint(0, -120)


def drag(stack: PlotStack, start: QPoint, end: QPoint, *, let_go: bool = True) -> None:
    QTest.mousePress(stack.viewport(), LEFT, NO_KEY, start)
    for place in (start + QPoint(20 if end.x() > start.x() else -20, 0), end):
        at = QPointF(place)
        moved = QMouseEvent(
            QEvent.Type.MouseMove, at, stack.mapToGlobal(at), LEFT, LEFT, NO_KEY
        )
        QApplication.sendEvent(stack.viewport(), moved)
    if let_go:
        QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, end)


def wheel(
    widget: QWidget, place: QPoint, turned: QPoint = NOTCH, keys: Qt.KeyboardModifier = NO_KEY
) -> None:
    """Who leaves it gives it to what is below, as Qt does with what comes from a real wheel."""
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    where = QPointF(widget.mapToGlobal(place))
    under: QWidget | None = widget
    while under is not None:
        inner, inverted = under.mapFromGlobal(where), False
        event = QWheelEvent(inner, where, QPoint(), turned, none, keys, phase, inverted)
        if QApplication.sendEvent(under, event) and event.isAccepted():
            break
        under = under.parentWidget()


def point(stack: PlotStack, place: QPoint) -> None:
    at = QPointF(place)
    none = Qt.MouseButton.NoButton
    moved = QMouseEvent(QEvent.Type.MouseMove, at, stack.mapToGlobal(at), none, none, NO_KEY)
    QApplication.sendEvent(stack.viewport(), moved)


def test_the_axis_ends_with_now_only_where_the_present_is_in_view(
    open_stack: MakeStack,
) -> None:
    stack = open_stack([plot(line())])
    assert written(stack)[-1] == "now" or written(stack).count("now") == 2
    drag(stack, QPoint(300, 150), QPoint(500, 150))
    assert not stack.time_window.following
    words = written(stack)
    assert "now" not in words
    assert "last" in words
    start, end = stack.time_window.stretch()
    assert end < NOW - 30
    assert end - start == pytest.approx(300)


def test_the_wheel_zooms_around_the_pointer(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    point(stack, QPoint(300, 150))
    before = stack.time_window.crosshair
    wheel(stack.viewport(), QPoint(300, 150), QPoint(0, 240))
    start, end = stack.time_window.stretch()
    assert end - start < 250
    point(stack, QPoint(300, 150))
    assert stack.time_window.crosshair == pytest.approx(before, abs=1.5)
    wheel(stack.viewport(), QPoint(300, 150), QPoint(0, -2400))
    start, end = stack.time_window.stretch()
    assert end - start > 1000


def test_everything_can_be_done_with_keys(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line()), power()])
    stack.setFocus(Qt.FocusReason.TabFocusReason)
    time_window = stack.time_window
    press(stack, Qt.Key.Key_Left)
    press(stack, Qt.Key.Key_Left)
    at = time_window.crosshair
    assert at is not None
    assert NOW - 10 < at < NOW
    assert stack.accessibleDescription().startswith(stack.words_at_crosshair())
    assert "Power draw: 200 W" in stack.words_at_crosshair()
    press(stack, Qt.Key.Key_Right)
    moved = time_window.crosshair
    assert moved is not None
    assert moved > at
    press(stack, Qt.Key.Key_Plus)
    assert time_window.span < 300
    press(stack, Qt.Key.Key_Minus)
    press(stack, Qt.Key.Key_Escape)
    assert time_window.crosshair is None
    press(stack, Qt.Key.Key_PageUp)
    back = time_window.stretch()
    assert back[1] < NOW - 100
    press(stack, Qt.Key.Key_PageDown)
    assert time_window.stretch()[1] > back[1]
    press(stack, Qt.Key.Key_Home)
    assert time_window.stretch()[0] == pytest.approx(NOW - 86400)
    press(stack, Qt.Key.Key_End)
    assert time_window.following
    press(stack, Qt.Key.Key_Down)
    assert stack.current == "power"
    press(stack, Qt.Key.Key_Up)
    assert stack.current == "utilisation"


class PageOfPlots(Page):
    """A page with something above plots that are higher than the page."""

    def __init__(self) -> None:
        super().__init__()
        self.above = QWidget()
        self.above.setFixedHeight(200)
        self.stack = stack_of([plot(line(), name=f"plot{n}") for n in range(8)])
        self.stack.setFixedHeight(900)
        self.body.addWidget(self.above)
        self.body.addWidget(self.stack)
        self.resize(900, 500)


@pytest.fixture
def page(qtbot: QtBot) -> PageOfPlots:
    made = PageOfPlots()
    qtbot.addWidget(made)
    with qtbot.waitExposed(made):
        made.show()
    return made


def history(began: float) -> History:
    past = History(1.0)
    past.append(Sample(CardId("GPU-0"), began, {}))
    return past


def test_what_was_before_the_program_began_is_not_called_unread(open_stack: MakeStack) -> None:
    stack = open_stack([])
    stack.time_window.show_past(history(NOW - 100))
    stack.time_window.choose_span(300)
    stack.show_contents([plot(line("GPU", trace([0.5] * 100)))])
    assert "nothing read yet" in written(stack)
    assert "not read" not in written(stack)
    stack.time_window.point_at(NOW - 200)
    assert "nothing read yet" in stack.words_at_crosshair()


def full_plots() -> list[FullPlot]:
    return [one for one in QApplication.topLevelWidgets() if isinstance(one, FullPlot)]


@pytest.mark.parametrize("way_back", ["Escape", "F11", "double click"])
def test_a_double_click_shows_one_plot_alone_and_leads_back(
    open_stack: MakeStack, qtbot: QtBot, way_back: str
) -> None:
    stack = open_stack([plot(line()), power()])
    QTest.mouseDClick(stack.viewport(), LEFT, NO_KEY, QPoint(300, 300))
    (full,) = full_plots()
    qtbot.waitUntil(full.isActiveWindow)
    assert full.isFullScreen()
    assert full.windowTitle() == "Power"
    canvas = full.focusProxy()
    assert isinstance(canvas, PlotStack)
    assert "draw: 200 W" in canvas.accessibleDescription()
    stack.show_contents([plot(line()), power(150.0)])
    assert "draw: 150 W" in canvas.accessibleDescription()
    if way_back == "Escape":
        press(canvas, Qt.Key.Key_Escape)
    elif way_back == "F11":
        press(canvas, Qt.Key.Key_F11)
    else:
        QTest.mouseDClick(canvas.viewport(), LEFT, NO_KEY, QPoint(300, 200))
    qtbot.waitUntil(lambda: not full_plots())
    assert stack.isVisible()


SIMULATED = Origin("Simulated: 2 x NVIDIA TITAN RTX", simulated=True)
REAL = Origin("NVIDIA driver 590.48.01, read through NVML")


def save(stack: PlotStack, kind: FileKind, path: Path) -> str:
    """Returns the place that was suggested."""
    what = {CSV: "Save visible data as CSV…", PNG: "Save plots as PNG…"}[kind]
    next(each for each in stack.actions() if each.text() == what).trigger()
    dialog = the(QFileDialog, stack)
    (suggested,) = dialog.selectedFiles()
    dialog.fileSelected.emit(str(path))
    dialog.close()
    return suggested


def said(stack: PlotStack, qtbot: QtBot) -> str:
    note = the(PlotNote, stack)
    qtbot.waitUntil(note.isVisible)
    return note.accessibleName()


def test_the_picture_on_the_clipboard_is_sharp_and_says_simulated(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    stack.show_origin(REAL)
    stack.copy_picture()
    real = QGuiApplication.clipboard().image()
    assert real.width() == 2 * stack.width()
    assert said(stack, qtbot) == "The picture is on the clipboard."
    stack.show_origin(SIMULATED)
    stack.copy_picture()
    simulated = QGuiApplication.clipboard().image()
    badge = stack.look.theme.simulated.name()
    # Nothing but the header differs.
    ends = [each.copy(0, each.height() - 700, 1800, 700) for each in (real, simulated)]
    assert ends[0] == ends[1]
    assert badge in colours_of(simulated)
    assert badge not in colours_of(real)


def test_a_file_has_every_reading_and_not_only_what_is_drawn(
    open_stack: MakeStack, qtbot: QtBot, tmp_path: Path
) -> None:
    card = CardId("GPU-5f8a")
    past = History(0.1)
    for tenth in range(3000):
        at = NOW - 300 + tenth / 10
        values = {GPU_UTILIZATION: tenth / 3000}
        past.append(Sample(card, at, values, {}, CardState.WORKING))
    metric = GPU_UTILIZATION
    stack = open_stack([])
    drawn = past.trace(card, metric, NOW - 300, NOW, stack.columns())
    silent = line("fan", NOTHING, reason="this card does not report it", card=card)
    stack.show_contents([plot(line("GPU", drawn, card=card), silent)])
    stack.show_origin(Origin("Simulated: one card", simulated=True, past=past))
    path = tmp_path / "plots.csv"
    save(stack, CSV, path)
    assert said(stack, qtbot) == f"Saved to {path}."
    assert path.read_text().startswith("# simulated")
    lines = csv.reader(path.read_text().splitlines())
    rows = [row for row in lines if not row[0].startswith("#")]
    assert rows[0][:3] == ["time", "steady_s", "GPU-5f8a gpu_utilization [ratio]"]
    assert len(rows) == 3001
