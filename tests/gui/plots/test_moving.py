"""How a person moves plots through time, by mouse, wheel and keys."""

import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.widgets.plot_stack import PlotStack
from tests.clocks import ManualClock
from tests.gui.hands import press
from tests.gui.plots.made import (
    NOW,
    MakeStack,
    line,
    plot,
    power,
    written,
)

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


def drag(stack: PlotStack, start: QPoint, end: QPoint) -> None:
    QTest.mousePress(stack.viewport(), LEFT, NO_KEY, start)
    for place in (start + QPoint(20 if end.x() > start.x() else -20, 0), end):
        at = QPointF(place)
        moved = QMouseEvent(
            QEvent.Type.MouseMove, at, stack.mapToGlobal(at), LEFT, LEFT, NO_KEY
        )
        QApplication.sendEvent(stack.viewport(), moved)
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, end)


def wheel(stack: PlotStack, place: QPoint, turned: QPoint) -> None:
    at = QPointF(place)
    phase = Qt.ScrollPhase.NoScrollPhase
    event = QWheelEvent(
        at,
        stack.mapToGlobal(at),
        QPoint(),
        turned,
        Qt.MouseButton.NoButton,
        NO_KEY,
        phase,
        False,  # noqa: FBT003 - Qt's own
    )
    QApplication.sendEvent(stack.viewport(), event)


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


def test_recording_goes_on_while_one_looks_back(open_stack: MakeStack) -> None:
    clock = ManualClock(NOW)
    stack = open_stack([plot(line())], clock=clock)
    drag(stack, QPoint(300, 150), QPoint(500, 150))
    before = stack.time_window.stretch()
    clock.advance(60)
    assert stack.time_window.stretch() == before
    drag(stack, QPoint(580, 150), QPoint(100, 150))
    assert stack.time_window.following
    assert "now" in written(stack)


def test_pointing_moves_the_crosshair_and_leaving_takes_it_away(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    point(stack, QPoint(300, 150))
    first = stack.time_window.crosshair
    point(stack, QPoint(400, 150))
    second = stack.time_window.crosshair
    assert first is not None
    assert second is not None
    assert second > first
    QApplication.sendEvent(stack, QEvent(QEvent.Type.Leave))
    assert stack.time_window.crosshair is None


def test_the_crosshair_stays_under_the_pointer_while_time_goes_on(
    open_stack: MakeStack,
) -> None:
    clock = ManualClock(NOW)
    stack = open_stack([plot(line())], clock=clock)
    point(stack, QPoint(300, 150))
    before = stack.time_window.crosshair
    clock.advance(30)
    stack.show_contents([plot(line())])
    after = stack.time_window.crosshair
    assert before is not None
    assert after == pytest.approx(before + 30, abs=1)


def test_the_wheel_zooms_around_the_pointer(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    point(stack, QPoint(300, 150))
    before = stack.time_window.crosshair
    wheel(stack, QPoint(300, 150), QPoint(0, 240))
    start, end = stack.time_window.stretch()
    assert end - start < 250
    point(stack, QPoint(300, 150))
    assert stack.time_window.crosshair == pytest.approx(before, abs=1.5)
    wheel(stack, QPoint(300, 150), QPoint(0, -2400))
    start, end = stack.time_window.stretch()
    assert end - start > 1000


def test_the_wheel_sideways_looks_back(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line())])
    wheel(stack, QPoint(300, 150), QPoint(240, 0))
    assert stack.time_window.stretch()[1] < NOW - 30


def test_everything_can_be_done_with_keys(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line()), power()])
    stack.setFocus(Qt.FocusReason.TabFocusReason)
    time_window = stack.time_window
    press(stack, Qt.Key.Key_Left)
    press(stack, Qt.Key.Key_Left)
    at = time_window.crosshair
    assert at is not None
    assert NOW - 10 < at < NOW
    assert "Power draw 200 W" in stack.accessibleDescription().split(". ")[0]
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


def test_focus_by_keyboard_is_seen(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line()), power()])
    stack.clearFocus()
    before = stack.grab().toImage()
    stack.setFocus(Qt.FocusReason.TabFocusReason)
    ringed = stack.grab().toImage()
    assert ringed != before
    press(stack, Qt.Key.Key_Down)
    assert stack.grab().toImage() != ringed


def test_a_drag_that_ends_over_another_screen_is_over(open_stack: MakeStack) -> None:
    stack = open_stack([power()])
    QTest.mousePress(stack.viewport(), LEFT, NO_KEY, QPoint(300, 100))
    for x in (340, 380):
        at = QPointF(x, 100)
        where = stack.mapToGlobal(at)
        moved = QMouseEvent(QEvent.Type.MouseMove, at, where, LEFT, LEFT, NO_KEY)
        QApplication.sendEvent(stack.viewport(), moved)
    assert stack.cursor().shape() is Qt.CursorShape.ClosedHandCursor
    stack.hide()
    stack.show()
    assert stack.cursor().shape() is Qt.CursorShape.ArrowCursor
    before = stack.time_window.stretch()
    point(stack, QPoint(500, 100))
    assert stack.time_window.stretch() == before
    assert stack.time_window.crosshair is not None


class Paintings(QObject):
    """How often something was painted on the screen."""

    def __init__(self, seen: QWidget) -> None:
        super().__init__(seen)
        self.count = 0
        seen.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:  # noqa: N802 - Qt's own
        self.count += event.type() is QEvent.Type.Paint
        return False


def test_the_line_at_the_pointer_is_painted_when_nothing_else_changes(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line())])
    QApplication.processEvents()
    paintings = Paintings(stack.viewport())
    before = paintings.count
    stack.time_window.point_at(NOW - 100)
    qtbot.waitUntil(lambda: paintings.count > before)
    before = paintings.count
    stack.time_window.point_at(None)
    qtbot.waitUntil(lambda: paintings.count > before)


def test_the_ring_of_the_keyboard_is_painted_when_nothing_else_changes(
    open_stack: MakeStack, qtbot: QtBot
) -> None:
    stack = open_stack([plot(line()), power()])
    stack.setFocus(Qt.FocusReason.TabFocusReason)
    QApplication.processEvents()
    paintings = Paintings(stack.viewport())
    press(stack, Qt.Key.Key_Down)
    qtbot.waitUntil(lambda: paintings.count > 0)
