"""What hands do to plots: by mouse, wheel and keys, on a page, and while time goes on."""

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.gui.widgets.live_view import Page
from gpuexplorer.gui.widgets.plot_stack import PlotStack
from gpuexplorer.telemetry.history import History
from tests.gui.hands import press
from tests.gui.plots.made import NOW, MakeStack, line, plot, power, stack_of, trace, written

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier
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


def scrolled(page: Page) -> int:
    return page.verticalScrollBar().value()


def test_where_the_page_scrolls_the_wheel_is_the_pages_but_for_ctrl(page: PageOfPlots) -> None:
    wheel(page.stack.viewport(), HERE)
    assert (scrolled(page) > 0, page.stack.time_window.span) == (True, 300)
    before = scrolled(page)
    wheel(page.stack.viewport(), HERE, keys=Qt.KeyboardModifier.ControlModifier)
    assert scrolled(page) == before
    assert page.stack.time_window.span > 300


def inked(stack: PlotStack, top: int, bottom: int) -> bool:
    """Whether anything but the surface and hairlines is between these rows."""
    seen = stack.grab(QRect(0, top, stack.width(), bottom - top)).toImage()
    faint = stack.look.theme.faint.rgb()
    return any(seen.pixel(x, y) == faint for x in range(60, 500) for y in range(bottom - top))


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
