"""What hands do to plots: by mouse, wheel and keys, on a page, and while time goes on."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.gui.plots.content import Flag
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.live_view import Page
from gpuexplorer.gui.widgets.plot_stack import PlotNote, PlotStack
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock
from tests.gui.hands import press
from tests.gui.plots.made import (
    NOW,
    MakeStack,
    line,
    plot,
    power,
    stack_of,
    trace,
    written,
)

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


def wheel(widget: QWidget, place: QPoint, turned: QPoint = NOTCH, at: int = 0) -> None:
    """By so much, so many milliseconds after the first. Who leaves it gives it to what is
    below, as Qt does with what comes from a real wheel.
    """
    none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
    where = QPointF(widget.mapToGlobal(place))
    under: QWidget | None = widget
    while under is not None:
        inner, inverted = under.mapFromGlobal(where), False
        event = QWheelEvent(inner, where, QPoint(), turned, none, NO_KEY, phase, inverted)
        event.setTimestamp(1000 + at)
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
    drag(stack, QPoint(300, 100), QPoint(380, 100), let_go=False)
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


def test_a_scroll_of_the_page_stays_one_when_a_plot_slides_under_the_pointer(
    page: PageOfPlots,
) -> None:
    wheel(page.above, HERE)
    assert scrolled(page) > 0
    for at in (100, 350, 600):
        before = scrolled(page)
        wheel(page.stack.viewport(), HERE, at=at)
        assert scrolled(page) > before
    assert page.stack.time_window.span == 300
    before = scrolled(page)
    wheel(page.stack.viewport(), HERE, at=1000)
    assert scrolled(page) == before
    assert page.stack.time_window.span > 300


def test_beside_the_curves_the_wheel_scrolls_the_page(page: PageOfPlots) -> None:
    wheel(page.stack.viewport(), QPoint(page.stack.width() - 20, 150))
    assert scrolled(page) > 0
    assert page.stack.time_window.span == 300


def inked(stack: PlotStack, top: int, bottom: int) -> bool:
    """Whether anything but the surface and hairlines is between these rows."""
    seen = stack.grab(QRect(0, top, stack.width(), bottom - top)).toImage()
    faint = stack.look.theme.faint.rgb()
    return any(seen.pixel(x, y) == faint for x in range(60, 500) for y in range(bottom - top))


def test_the_times_are_in_view_wherever_the_page_is(page: PageOfPlots) -> None:
    scrolling = page.verticalScrollBar()
    for value in (0, 120, scrolling.maximum()):
        scrolling.setValue(value)
        bottom = page.stack.viewport().visibleRegion().boundingRect().bottom() + 1
        # Where plots end below the page, the lowest rows in view are nothing but the axis.
        assert inked(page.stack, bottom - 21, bottom)
        assert not inked(page.stack, bottom - 25, bottom - 21)


def test_what_became_of_a_picture_is_said_in_view_above_the_times(page: PageOfPlots) -> None:
    page.stack.copy_picture()
    note = page.stack.findChild(PlotNote)
    assert note is not None
    seen = page.viewport().rect()
    bottom = note.mapTo(page.viewport(), note.rect().bottomLeft()).y()
    assert seen.top() < bottom < seen.bottom() - 21


def test_the_scale_stands_while_a_hand_drags(open_stack: MakeStack) -> None:
    stack = open_stack([power(200.0)])
    drag(stack, QPoint(200, 150), QPoint(320, 150), let_go=False)
    stack.show_contents([power(900.0)])
    assert "200 W" in written(stack)
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, QPoint(320, 150))
    assert "1000 W" in written(stack)


def history(began: float) -> History:
    past = History(1.0)
    past.append(Sample(CardId("GPU-0"), began, {}))
    return past


def test_what_was_before_the_program_began_is_not_called_unread(
    open_stack: MakeStack,
) -> None:
    stack = open_stack([])
    stack.time_window.show_past(history(NOW - 100))
    stack.time_window.choose_span(300)
    stack.show_contents([plot(line("GPU", trace([0.5] * 100)))])
    assert "nothing read yet" in written(stack)
    assert "not read" not in written(stack)
    stack.time_window.point_at(NOW - 200)
    assert "nothing read yet" in stack.words_at_crosshair()


def test_each_stretch_that_nobody_read_says_so_on_each_plot(open_stack: MakeStack) -> None:
    values = [0.5] * 60 + [np.nan] + [0.5] * 60 + [np.nan] + [0.5] * 60
    read = trace(values)
    apart = np.zeros(len(values))
    apart[:61] -= 120
    apart[61:122] -= 60
    parted = type(read)(
        read.times + apart, read.minima, read.maxima, read.means, read.counts, 1.0
    )
    stack = open_stack([])
    stack.time_window.choose_span(302)
    stack.show_contents([plot(line("GPU", parted)), plot(line("fan", parted), name="fan")], [])
    assert written(stack).count("not read") == 4


def test_the_marked_moment_stays_marked_whatever_is_pointed_at(open_stack: MakeStack) -> None:
    flags = [Flag(NOW - 100, "The card was lost")]
    stack = open_stack([])
    stack.show_contents([plot(line())], flags)
    before = stack.grab().toImage()
    stack.time_window.mark(NOW - 100, "The card was lost")
    marked = stack.grab().toImage()
    accent = stack.look.theme.accent.rgb()

    def upright(image: QImage) -> bool:
        return any(
            all(image.pixel(x, y) == accent for y in range(60, 100))
            for x in range(image.width())
        )

    assert not upright(before)
    assert upright(marked)
    point(stack, QPoint(200, 150))
    assert upright(stack.grab().toImage())
    stack.time_window.unmark()
    assert not upright(stack.grab().toImage())


def test_the_theme_changes_while_one_looks_back(qtbot: QtBot) -> None:
    look().choose(Scheme.DARK)
    clock = ManualClock(NOW)
    stack = stack_of([plot(line()), power()], clock=clock)
    qtbot.addWidget(stack)
    with qtbot.waitExposed(stack):
        stack.show()
    drag(stack, QPoint(200, 150), QPoint(320, 150), let_go=False)
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, QPoint(320, 150))
    stack.time_window.point_at(None)
    dark = stack.grab().toImage()
    look().choose(Scheme.LIGHT)
    light = stack.grab().toImage()
    fresh = stack_of(stack.contents, clock=clock)
    qtbot.addWidget(fresh)
    fresh.time_window.look_at(*stack.time_window.stretch())
    assert light == fresh.grab().toImage()
    assert light != dark
