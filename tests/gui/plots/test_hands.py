"""What hands expect of plots on a page: a scroll stays a scroll, and time is always in view."""

import numpy as np
import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QImage, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.core.cards import CardId, Sample
from gpuexplorer.gui.plots.content import Flag
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.gui.widgets.live_view import Page
from gpuexplorer.gui.widgets.plots.note import PlotNote
from gpuexplorer.gui.widgets.plots.plot_stack import PlotStack
from gpuexplorer.telemetry.history import History
from tests.clocks import ManualClock
from tests.gui.plots.made import (
    NOTHING,
    NOW,
    MakeStack,
    line,
    places,
    plot,
    power,
    stack_of,
    trace,
    written,
)

LEFT = Qt.MouseButton.LeftButton
NO_KEY = Qt.KeyboardModifier.NoModifier


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


def turn(
    widget: QWidget,
    at: int,
    x: int = 200,
    phase: Qt.ScrollPhase = Qt.ScrollPhase.NoScrollPhase,
    y: int = 150,
) -> None:
    """The wheel by one notch towards oneself, so many milliseconds after the first. Who leaves
    it gives it to what is below, as Qt does with what comes from a real wheel.
    """
    none, away = Qt.MouseButton.NoButton, QPoint(0, -120)
    where = widget.mapToGlobal(QPointF(x, y))
    under: QWidget | None = widget
    while under is not None:
        event = QWheelEvent(
            under.mapFromGlobal(where),
            where,
            QPoint(),
            away,
            none,
            NO_KEY,
            phase,
            False,  # noqa: FBT003 - Qt's own
        )
        event.setTimestamp(1000 + at)
        if QApplication.sendEvent(under, event) and event.isAccepted():
            break
        under = under.parentWidget()


def scrolled(page: Page) -> int:
    return page.verticalScrollBar().value()


def test_a_scroll_of_the_page_stays_one_when_a_plot_slides_under_the_pointer(
    page: PageOfPlots,
) -> None:
    turn(page.above, 0)
    assert scrolled(page) > 0
    for at in (100, 350, 600):
        before = scrolled(page)
        turn(page.stack.viewport(), at)
        assert scrolled(page) > before
    assert page.stack.time_window.span == 300
    before = scrolled(page)
    turn(page.stack.viewport(), 1000)
    assert scrolled(page) == before
    assert page.stack.time_window.span > 300


def test_however_slow_a_scroll_is_it_stays_one_until_the_pointer_moves(
    page: PageOfPlots,
) -> None:
    turn(page.above, 0)
    where = page.above.mapToGlobal(QPoint(200, 150))

    def turn_there(at: int) -> None:
        viewport = page.stack.viewport()
        place = viewport.mapFromGlobal(where)
        turn(viewport, at, place.x(), y=place.y())

    for at in range(1000, 6000, 1000):
        before = scrolled(page)
        turn_there(at)
        assert scrolled(page) > before
    assert page.stack.time_window.span == 300
    where += QPoint(30, 0)
    turn_there(9000)
    assert page.stack.time_window.span > 300


def test_a_new_touch_of_the_pad_over_a_plot_zooms_at_once(page: PageOfPlots) -> None:
    turn(page.above, 0)
    turn(page.stack.viewport(), 100, phase=Qt.ScrollPhase.ScrollBegin)
    assert page.stack.time_window.span > 300


def test_beside_the_curves_the_wheel_scrolls_the_page(page: PageOfPlots) -> None:
    turn(page.stack.viewport(), 0, page.stack.width() - 20)
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
    page.stack.files.copy_picture()
    note = page.stack.findChild(PlotNote)
    assert note is not None
    seen = page.viewport().rect()
    bottom = note.mapTo(page.viewport(), note.rect().bottomLeft()).y()
    assert seen.top() < bottom < seen.bottom() - 21


def hover(stack: PlotStack, x: float, y: float) -> None:
    at, none = QPointF(x, y), Qt.MouseButton.NoButton
    where = stack.mapToGlobal(at)
    moved = QMouseEvent(QEvent.Type.MouseMove, at, where, none, none, NO_KEY)
    QApplication.sendEvent(stack.viewport(), moved)


def drag_by(stack: PlotStack, pixels: int) -> None:
    """Without letting go."""
    QTest.mousePress(stack.viewport(), LEFT, NO_KEY, QPoint(200, 150))
    for x in (200 + pixels // 2, 200 + pixels):
        at = QPointF(x, 150)
        where = stack.mapToGlobal(at)
        moved = QMouseEvent(QEvent.Type.MouseMove, at, where, LEFT, LEFT, NO_KEY)
        QApplication.sendEvent(stack.viewport(), moved)


def test_the_scale_stands_while_a_hand_drags(open_stack: MakeStack) -> None:
    stack = open_stack([power(200.0)])
    drag_by(stack, 120)
    stack.show_contents([power(900.0)])
    assert "200 W" in written(stack)
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, QPoint(320, 150))
    assert "1000 W" in written(stack)


def test_what_comes_in_the_place_of_a_dragged_plot_has_its_own_scale(
    open_stack: MakeStack,
) -> None:
    stack = open_stack([power(200.0)])
    drag_by(stack, 120)
    stack.show_contents([plot(line())])
    assert "100 %" in written(stack)
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, QPoint(320, 150))


def test_a_card_that_goes_and_comes_back_is_dragged_on(open_stack: MakeStack) -> None:
    stack = open_stack([power(), plot(line())])
    drag_by(stack, 120)
    stack.show_contents([])
    drag_by(stack, 40)
    stack.show_contents([power(900.0)])
    QTest.mouseRelease(stack.viewport(), LEFT, NO_KEY, QPoint(320, 150))
    assert "1000 W" in written(stack)
    assert stack.time_window.stretch()[1] < NOW


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
    hover(stack, 200, 150)
    assert upright(stack.grab().toImage())
    stack.time_window.unmark()
    assert not upright(stack.grab().toImage())


def test_the_marked_moment_says_what_took_place_though_it_has_no_flag(
    open_stack: MakeStack,
) -> None:
    stack = open_stack([])
    stack.show_contents([plot(line())])
    stack.time_window.mark(NOW - 1, "Card 3 runs at its power limit")
    assert "Card 3 runs at its power limit" in written(stack)
    stack.time_window.unmark()
    assert "Card 3 runs at its power limit" not in written(stack)


def test_the_line_of_the_marked_moment_does_not_cross_out_the_times(
    open_stack: MakeStack,
) -> None:
    stack = open_stack([])
    stack.show_contents([plot(line())])
    stack.time_window.mark(NOW - 60, "Card 3 is lost")
    image, accent = stack.grab().toImage(), stack.look.theme.accent.rgb()
    times = range(stack.height() - 20, stack.height())
    assert not any(image.pixel(x, y) == accent for x in range(image.width()) for y in times)


def test_of_two_events_of_one_moment_the_marked_one_is_told(open_stack: MakeStack) -> None:
    flags = [Flag(NOW - 9, "The card is lost"), Flag(NOW - 9, "Xid 79: off the bus")]
    stack = open_stack([])
    stack.show_contents([plot(line())], flags)
    stack.time_window.mark(NOW - 9, "Xid 79: off the bus")
    assert "Xid 79: off the bus" in written(stack)


def test_the_last_label_is_whole_above_the_axis(open_stack: MakeStack) -> None:
    low = [line(label, 0.0) for label in ("GPU", "memory", "encoder", "decoder")]
    stack = open_stack([plot(*low)])
    stack.resize(stack.width(), stack.minimumSizeHint().height())
    layout, image = stack.layout_now(), stack.grab().toImage()
    below = round(layout.area.bottom()) + 6
    surface = stack.look.theme.surface.rgb()
    assert any(
        image.pixel(x, y) != surface
        for x in range(round(layout.labels.left()), round(layout.labels.right()))
        for y in range(below + 1, below + 5)
    )


def test_no_flag_is_cut_to_a_stump(open_stack: MakeStack) -> None:
    stack = open_stack([])
    flags = [Flag(NOW - ago, f"{ago}: The card no longer answers") for ago in (120, 100, 10)]
    stack.show_contents([plot(line())], flags)
    words = [text for text in written(stack) if text.endswith("…")]
    assert all(len(text) >= 16 for text in words)
    stack.grab()
    assert "120: The card no longer answers" in stack.hints()


def test_the_lowest_label_touches_no_flag(open_stack: MakeStack) -> None:
    cards = [line("", 0.0, chip=str(n), colour=n) for n in range(8)]
    stack = open_stack([plot(*cards)], size=(1050, 200))
    stack.show_contents([plot(*cards)], [Flag(NOW - 30, "Lost")])
    (flag,) = places(stack, "Lost")
    lowest = max(y for n in range(8) for _, y in places(stack, str(n)))
    assert flag[1] - lowest >= 10


BAD = {
    "no number": [0.5, np.nan, 0.5, np.nan],
    "infinite": [0.5, np.inf, -np.inf, 0.5] * 30,
    "only infinite": [np.inf] * 30,
    "huge": [1e300, 0.0, -1e300] * 30,
    "one reading": [0.5],
}


@pytest.mark.parametrize("values", BAD.values(), ids=list(BAD))
@pytest.mark.parametrize("span", [5.0, 86400.0])
def test_bad_readings_break_nothing(
    open_stack: MakeStack, values: list[float], span: float
) -> None:
    stack = open_stack([])
    stack.time_window.choose_span(span)
    read = trace(values)
    content = plot(line("bad", read), line("good", 0.5), highest=None, lowest=None)
    stack.show_contents([content, plot(line("bad", read, dash=3), name="alone")])
    stack.time_window.point_at(NOW - 1)
    assert not stack.grab().isNull()
    assert "good" in written(stack)
    assert "inf" not in stack.accessibleDescription()


def test_a_metric_that_appears_later_gets_its_line(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line("fan", NOTHING, reason="not read yet"))])
    assert "not read yet" in written(stack)
    stack.show_contents([plot(line("fan", trace([0.4] * 20)))])
    assert {"fan", "40", "not read"} <= set(written(stack))


def test_a_narrow_window_shows_the_plots_all_the_same(open_stack: MakeStack) -> None:
    stack = open_stack([plot(line("GPU", 0.5)), power()], size=(300, 320))
    hover(stack, 120, 100)
    assert {"GPU", "50", "draw", "200"} <= set(written(stack))
    assert not stack.grab().isNull()


def test_the_theme_changes_while_one_looks_back(qtbot: QtBot) -> None:
    look().choose(Scheme.DARK)
    clock = ManualClock(NOW)
    stack = stack_of([plot(line()), power()], clock=clock)
    qtbot.addWidget(stack)
    with qtbot.waitExposed(stack):
        stack.show()
    drag_by(stack, 120)
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
