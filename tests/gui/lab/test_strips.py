"""The strips: what each card does, flags of lines, and one selection."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QPointF, QRect, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.gui.lab.strips.card_strip import LOW, TALL, CardStrip
from gpuexplorer.gui.lab.strips.strips import Strips
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.state.lab.worker_slot import Stage
from gpuexplorer.gui.state.time_window import LONGEST_SPAN, MINUTE, SHORTEST_SPAN, TimeWindow
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from tests.gui.hands import press
from tests.gui.lab.conftest import ScriptedWorker, memory, run, tensor
from tests.gui.pixels import colours_of

MAKE = 'X = torch.ones(2, 3, device="cuda:0")'


@pytest.fixture
def window(qtbot: QtBot) -> QWidget:
    window = QWidget()
    qtbot.addWidget(window)
    window.resize(1360, 900)
    return window


@pytest.fixture
def time_window(window: QWidget, lab: Lab) -> TimeWindow:
    made = TimeWindow(lab.machine.session.clock, window)
    made.choose_span(MINUTE)
    return made


@pytest.fixture
def strips(
    window: QWidget, lab: Lab, time_window: TimeWindow, qtbot: QtBot
) -> Iterator[Strips]:
    strips = Strips(lab, time_window, window)
    strips.resize(1328, TALL)
    window.show()

    def shown() -> bool:
        strips.pull()
        return all(each.accessibleName() for each in strips.strips)

    qtbot.waitUntil(shown)
    yield strips
    strips.hide()


def made(lab: Lab, worker: ScriptedWorker, qtbot: QtBot, strips: Strips) -> CardStrip:
    run(lab, worker, MAKE, tensor("X"))
    lab.run("X + Y")
    worker.fail("devices differ", "RuntimeError", "cuda:0 and cuda:1!")
    qtbot.waitUntil(lambda: lab.stage is Stage.READY)
    strips.pull()
    return strips.strips[0]


def test_every_card_of_the_lab_has_a_strip(strips: Strips) -> None:
    assert [each.accessibleName().split(",")[0] for each in strips.strips] == [
        "cuda:0",
        "cuda:1",
    ]
    assert "busy" in strips.strips[0].accessibleDescription()


def test_a_line_is_a_flag_on_its_card(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    strip = made(lab, worker, qtbot, strips)
    # Both in the same second, and so one flag.
    assert [each.text for each in strip.flags] == ["1–2"]
    assert "Cells: 1–2." in strip.accessibleDescription()


def test_a_click_on_a_flag_selects_its_line_and_the_next_click_the_next(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    strip = made(lab, worker, qtbot, strips)
    first, second = (each.id for each in lab.ledger.cells[-2:])
    at = strip.flag_place(strip.flags[0]).center().toPoint()
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at)
    assert lab.selection.cell == first
    assert lab.selection.thing == "X"
    QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=at)
    assert lab.selection.cell == second


def test_the_arrow_keys_go_from_line_to_line(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    strip = made(lab, worker, qtbot, strips)
    first, second = (each.id for each in lab.ledger.cells[-2:])
    press(strip, Qt.Key.Key_Left)
    assert lab.selection.cell == second
    press(strip, Qt.Key.Key_Left)
    assert lab.selection.cell == first
    press(strip, Qt.Key.Key_Right)
    assert lab.selection.cell == second


def test_what_is_selected_elsewhere_is_drawn_otherwise(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    strip = made(lab, worker, qtbot, strips)
    place = strip.flag_place(strip.flags[0])
    corner = (place.topLeft() + QPointF(3, 2)).toPoint()
    before = strip.grab().toImage().pixelColor(corner)
    lab.selection.choose(lab.ledger.cells[-2].id)
    after = strip.grab().toImage().pixelColor(corner)
    assert before != after
    assert after.name() == look().theme.text.name()
    # A thing that was opened is chosen without its line, which lights up all the same.
    lab.selection.choose(things={"X"})
    assert strip.grab().toImage().pixelColor(corner) == after


def test_in_a_low_window_the_strips_are_low(strips: Strips, window: QWidget) -> None:
    assert strips.height() == TALL
    window.resize(1000, 700)
    strips.resize(960, strips.height())
    assert strips.height() == LOW
    window.resize(1360, 900)
    assert strips.height() == TALL


def test_pointing_at_a_strip_points_at_that_moment_everywhere(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot, window: QWidget
) -> None:
    strip = made(lab, worker, qtbot, strips)
    time_window = window.findChild(TimeWindow)
    assert time_window is not None
    QTest.mouseMove(strip, strip.rect().center())
    qtbot.waitUntil(lambda: time_window.crosshair is not None)


def test_a_drag_to_the_right_looks_back_in_time(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot, window: QWidget
) -> None:
    strip = made(lab, worker, qtbot, strips)
    time_window = window.findChild(TimeWindow)
    assert time_window is not None
    start, _ = time_window.stretch()
    middle = strip.rect().center() - QPoint(100, 0)
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=middle)
    QTest.mouseMove(strip, middle + QPoint(1, 0))
    assert time_window.following
    QTest.mouseMove(strip, middle + QPoint(100, 0))
    QTest.mouseRelease(strip, Qt.MouseButton.LeftButton, pos=middle + QPoint(100, 0))
    qtbot.waitUntil(lambda: not time_window.following)
    assert time_window.stretch()[0] < start - 5
    strips.pull()
    strips.grab()


def test_a_drag_is_over_when_another_screen_comes_in_between(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot, window: QWidget
) -> None:
    strip = made(lab, worker, qtbot, strips)
    time_window = window.findChild(TimeWindow)
    assert time_window is not None
    middle = strip.rect().center() - QPoint(100, 0)
    QTest.mousePress(strip, Qt.MouseButton.LeftButton, pos=middle)
    strips.hide()
    QTest.mouseRelease(window, Qt.MouseButton.LeftButton)
    strips.show()
    qtbot.waitUntil(lambda: not strip.visibleRegion().isEmpty())
    strips.pull()
    QTest.mouseMove(strip, middle)
    QTest.mouseMove(strip, middle + QPoint(100, 0))
    qtbot.waitUntil(lambda: time_window.crosshair is not None)
    assert time_window.following


@pytest.mark.parametrize("faults", ["lost:0@0s"])
def test_a_low_strip_of_a_lost_card_says_so_in_the_place_of_its_plot(
    strips: Strips, window: QWidget
) -> None:
    window.resize(1000, 700)
    strips.resize(960, strips.height())
    strips.pull()
    strip = strips.strips[0]
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        picture = strip.grab().toImage()
        colours = {
            picture.pixelColor(x, y).name()
            for x in range(120, picture.width() - 20)
            for y in range(8, picture.height() - 8)
        }
        assert look().theme.faint.name() in colours
        assert look().theme.card(0).name() not in colours
    _, sentence = strip.hints()
    assert sentence in strip.accessibleDescription()


@pytest.mark.parametrize("width", [1328, 300])
def test_a_strip_is_drawn_in_every_width_theme_and_past(
    strips: Strips, qtbot: QtBot, window: QWidget, width: int,
    lab: Lab, worker: ScriptedWorker) -> None:  # fmt: skip
    time_window = window.findChild(TimeWindow)
    assert time_window is not None
    strip = made(lab, worker, qtbot, strips)
    strips.resize(width, strips.height())
    pictures = set()
    for scheme in (Scheme.DARK, Scheme.LIGHT):
        look().choose(scheme)
        for span in (SHORTEST_SPAN, LONGEST_SPAN):
            time_window.choose_span(span)
            strips.pull()
            pictures.add(bytes(strip.grab().toImage().constBits()))
    now = time_window.now()
    time_window.look_at(now - 3600, now - 1800)  # before anything was read
    strips.pull()
    assert not strip.flags
    pictures.add(bytes(strip.grab().toImage().constBits()))
    assert len(pictures) == 5


def test_the_wheel_zooms_a_strip_and_keeps_what_is_pointed_at(
    strips: Strips, time_window: TimeWindow
) -> None:
    strip = strips.strips[0]
    for compact in (False, True):
        strip.show_compact(compact)
        start, end = time_window.stretch()
        at, none = QPointF(strip.width() / 2, 50), Qt.MouseButton.NoButton
        event = QWheelEvent(
            at,
            strip.mapToGlobal(at),
            QPoint(),
            QPoint(0, 120),
            none,
            Qt.KeyboardModifier.NoModifier,
            Qt.ScrollPhase.NoScrollPhase,
            False,  # noqa: FBT003 - Qt's own
        )
        QApplication.sendEvent(strip, event)
        first, last = time_window.stretch()
        assert last - first == pytest.approx((end - start) / 1.25)
        crosshair = time_window.crosshair
        assert crosshair is not None
        assert (crosshair - first) / (last - first) == pytest.approx(
            (crosshair - start) / (end - start), abs=0.01
        )


@pytest.mark.parametrize("compact", [False, True])
def test_a_strip_says_when_it_was_and_marks_the_moment_pointed_at(
    strips: Strips, time_window: TimeWindow, compact: bool
) -> None:
    strip = strips.strips[0]
    strip.show_compact(compact)
    strips.pull()
    foot = QRect(0, strip.height() - 28, strip.width(), 24)
    strip.look.choose(Scheme.LIGHT)
    ground = strip.look.theme.text.name()  # of the moment's plate
    assert len(colours_of(strip.grab(foot).toImage())) > 2
    assert ground not in colours_of(strip.grab(foot).toImage())
    start, end = time_window.stretch()
    time_window.point_at((start + end) / 2)
    assert ground in colours_of(strip.grab(foot).toImage())


def test_in_a_low_window_the_strips_are_away_and_come_back(strips: Strips) -> None:
    window = strips.window()
    height = window.height()
    window.resize(window.width(), 500)
    assert not strips.isVisible()
    window.resize(window.width(), max(height, 900))
    strips.pull()
    assert strips.isVisible()


def test_where_not_all_strips_have_room_the_card_of_the_newest_cell_comes_into_sight(
    strips: Strips, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    strips.resize(400, strips.height())
    strips.pull()
    last = strips.strips[1]
    assert last.visibleRegion().isEmpty()
    lab.run('Y = torch.ones(2, 3, device="cuda:1")')
    worker.done(tensor("Y", "cuda:1"), busy=(("cuda:1", 7e-6),), memory=(memory("cuda:1"),))
    qtbot.waitUntil(lambda: not last.visibleRegion().isEmpty())
