"""The timeline of the copies: what is seen of it, scrubbed along and taken along."""

import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QAbstractScrollArea, QApplication, QToolTip
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Engine, Timeline, Track
from gpuexplorer.gui.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.copies.moving.timeline_view import GUTTER, TimelineView
from gpuexplorer.gui.copies.moving.timeline_words import (
    TimeFrame,
    all_of,
    around,
    frame_words,
    hint,
    ticks,
)
from gpuexplorer.gui.copies.moving.travel_panel import TravelHead, TravelPanel
from gpuexplorer.gui.copies.moving.view import MovingBoard, MovingPage
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.theme.palette import Scheme
from gpuexplorer.lab.events import Began, Finished, Span, Spans, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.gui.copies.moves import across, cell, drawing, moving_page, read, rows, show_at
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import ScriptedWorker

LOOP = "for i in range(1000): log += [loss.item()]"


@pytest.fixture
def page(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[MovingPage]:
    """Two cells ran: one over NVLink, one that read a thousand times."""
    window = moving_page(lab, qtbot)
    cell(lab, worker, "Z = X.cuda(1)", across)
    cell(lab, worker, LOOP, read)
    qtbot.waitUntil(lambda: len(rows(window.page)) == 2)
    yield window.page
    window.close()


def view(page: MovingPage) -> TimelineView:
    return the(TimelineView, page)


def choose(page: MovingPage, words: str) -> None:
    panel = the(TimelinePanel, page)
    (found,) = [each for each in panel.findChildren(QAbstractButton) if each.text() == words]
    found.click()


def button_is_on(page: MovingPage, words: str) -> bool:
    panel = the(TimelinePanel, page)
    (found,) = [each for each in panel.findChildren(QAbstractButton) if each.text() == words]
    return found.isChecked()


def turn(widget: QAbstractScrollArea, x: int, notches: int, *, aside: bool = False) -> None:
    at, turned = QPointF(x, 80), 120 * notches
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(turned, 0) if aside else QPoint(0, turned),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's
    )
    QApplication.sendEvent(widget.viewport(), event)


def x_of(view: TimelineView, moment: float) -> int:
    """Where it lies, in the lanes."""
    frame = view.frame
    return round(GUTTER + (moment - frame.begin) / frame.span * lanes_width(view))


def lanes_width(view: TimelineView) -> int:
    """How wide the lanes are."""
    wide: int = view.width()
    return wide - GUTTER - 10


def drag(view: TimelineView, begin: QPoint, end: QPoint) -> None:
    """As a hand does, with moves between."""
    left, port = Qt.MouseButton.LeftButton, view.viewport()
    QTest.mousePress(port, left, pos=begin)
    for place in (begin + QPoint(20 if end.x() > begin.x() else -20, 0), end):
        at = QPointF(place)
        move = QMouseEvent(
            QEvent.Type.MouseMove,
            at,
            port.mapToGlobal(at),
            Qt.MouseButton.NoButton,
            left,
            Qt.KeyboardModifier.NoModifier,
        )
        QApplication.sendEvent(port, move)
    QTest.mouseRelease(port, left, pos=end)


def test_without_copies_there_is_no_timeline(
    lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    window = moving_page(lab, qtbot)
    assert not the(TimelinePanel, window.page).isVisible()


def test_the_cell_of_the_chosen_copy_fills_the_width(page: MovingPage) -> None:
    frame = view(page).frame
    assert frame.begin < 16e-3 < frame.end
    choose(page, "All")
    assert view(page).frame == all_of(view(page).frame.whole)
    said = [each for each in texts(page) if each.endswith(", modelled")]
    assert any("ms" in each for each in said)


def test_the_wheel_zooms_to_microseconds_around_the_pointer(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    before = seen.frame
    turn(seen, seen.width() // 2, 5)
    assert seen.frame.span < before.span / 3
    turn(seen, seen.width() // 2, 60)
    assert seen.frame.span == pytest.approx(1e-6)
    turn(seen, seen.width() // 2, -90)
    assert (seen.frame.begin, seen.frame.end) == pytest.approx((0.0, before.end), abs=1e-9)


def test_nothing_leads_out_of_the_session(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    whole = seen.frame
    turn(seen, seen.width() // 2, 5)
    span = seen.frame.span
    turn(seen, seen.width() // 2, 500, aside=True)
    assert seen.frame.begin == 0.0
    assert seen.frame.span == pytest.approx(span)
    turn(seen, seen.width() // 2, -500, aside=True)
    assert seen.frame.end == whole.end
    assert seen.frame.span == pytest.approx(span)
    press(seen, Qt.Key.Key_Right, control=True)
    assert seen.frame.end == whole.end
    assert not button_is_on(page, "All")
    choose(page, "All")
    assert seen.frame == whole


def test_a_drag_in_the_lanes_moves_what_is_seen(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    turn(seen, seen.width() // 2, 5)
    before, playhead = seen.frame, seen.playhead
    wide = lanes_width(seen)
    drag(seen, QPoint(600, 70), QPoint(600 - wide // 4, 70))
    assert seen.frame.begin == pytest.approx(before.begin + before.span / 4, rel=0.02)
    assert seen.frame.span == pytest.approx(before.span)
    assert seen.playhead == playhead


def test_the_playhead_is_dragged_and_brings_the_block_along(page: MovingPage) -> None:
    choose(page, "All")
    seen, playback = view(page), the(TravelPanel, page).playback
    place = the(TimelinePanel, page).timeline.places[0]
    begin, middle = (x_of(seen, place.begin + 5.84e-3 * share) for share in (0.1, 0.5))
    QTest.mouseClick(seen.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(begin, 60))
    drag(seen, QPoint(begin, 100), QPoint(middle, 100))
    assert playback.share == pytest.approx(0.5, abs=0.05)
    assert seen.frame == all_of(seen.frame.whole)


def test_a_drag_along_the_axis_takes_the_playhead_but_not_out_of_sight(
    page: MovingPage,
) -> None:
    choose(page, "All")
    seen = view(page)
    drag(seen, QPoint(x_of(seen, seen.frame.whole / 2), 30), QPoint(GUTTER - 90, 30))
    assert seen.playhead == 0.0


def test_the_window_over_the_session_is_moved_and_made_larger(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    whole = seen.frame.whole
    drag(seen, QPoint(x_of(seen, whole), 10), QPoint(x_of(seen, whole / 2), 10))
    assert seen.frame.end == pytest.approx(whole / 2, rel=0.02)
    span = seen.frame.span
    wide = lanes_width(seen)
    drag(seen, QPoint(GUTTER + wide // 4, 10), QPoint(GUTTER + wide // 2, 10))
    assert seen.frame.begin == pytest.approx(whole / 4, rel=0.03)
    drag(seen, QPoint(GUTTER + wide // 2, 10), QPoint(GUTTER + 3 * wide, 10))
    assert seen.frame.end == whole
    assert seen.frame.span == pytest.approx(span)
    QTest.mouseClick(
        seen.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(GUTTER + wide // 20, 10)
    )
    assert seen.frame.begin == 0.0


def test_the_window_over_the_session_is_at_hand_as_soon_as_the_timeline_has_its_size(
    page: MovingPage,
) -> None:
    choose(page, "All")
    seen = view(page)
    whole = seen.frame.whole
    seen.resize(seen.width() - 200, seen.height())
    drag(seen, QPoint(x_of(seen, whole), 10), QPoint(x_of(seen, whole / 2), 10))
    assert seen.frame.end == pytest.approx(whole / 2, rel=0.02)


def test_a_scroll_of_the_page_that_comes_over_the_timeline_stays_one(
    page: MovingPage, qtbot: QtBot
) -> None:
    show_at(page, 1340, 420)
    board = the(MovingBoard, page)
    qtbot.waitUntil(lambda: board.verticalScrollBar().maximum() > 0)
    seen = view(page)
    before = seen.frame
    turn(board, 100, -1)  # beside the timeline, on the page
    turn(seen, seen.width() // 2, 1)
    assert seen.frame == before


def test_scrubbing_brings_the_block_along(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    playback = the(TravelPanel, page).playback
    timeline = the(TimelinePanel, page).timeline
    place = timeline.places[0]
    middle = (place.begin + 5.84e-3 / 2) / seen.frame.whole
    x = round(GUTTER + middle * lanes_width(seen))
    QTest.mouseClick(seen.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(x, 60))
    assert the(TravelHead, page).accessibleName().startswith("Z, 256 MiB")
    assert playback.share == pytest.approx(0.5, abs=0.02)
    assert not playback.playing
    assert not drawing(page).block_place().isEmpty()


def test_the_playhead_goes_with_the_block(page: MovingPage) -> None:
    playback = the(TravelPanel, page).playback
    seen = view(page)
    playback.go_to(0.0)
    first = seen.playhead
    playback.go_to(1.0)
    assert first is not None
    assert seen.playhead is not None
    assert seen.playhead - first == pytest.approx(15e-3, rel=0.01)


def test_keys_scrub_and_zoom(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    press(seen, Qt.Key.Key_Home)
    assert seen.playhead == 0.0
    press(seen, Qt.Key.Key_Right)
    assert seen.playhead == pytest.approx(seen.frame.span / 100)
    before = seen.frame.span
    press(seen, Qt.Key.Key_Plus)
    assert seen.frame.span < before
    press(seen, Qt.Key.Key_Minus)
    assert seen.frame.span == pytest.approx(before)


def test_a_stretch_tells_what_it_is(page: MovingPage) -> None:
    panel = the(TimelinePanel, page)
    choose(page, "All")
    timeline, book = panel.timeline, CopyBook()
    copy_out = next(each for each in timeline.tracks if each.engine.value == "copy out")
    found = timeline.at(copy_out, 3e-3)
    assert found is not None
    book.take(page.copies.lab.ledger)
    words = hint(timeline, book, copy_out, found[0])
    assert words.startswith("Z to cuda:1, 46.0 GB/s\n5.84 ms; cuda:0, copy out\nCell 1: Z = X")


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_pointing_at_a_bar_says_what_it_is(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    x = x_of(seen, 3e-3)
    rows = [y for y in range(60, seen.height()) if seen.bar_at(QPointF(x, y)) is not None]
    at = QPoint(x, rows[-1])
    event = QHelpEvent(QEvent.Type.ToolTip, at, seen.viewport().mapToGlobal(at))
    QApplication.sendEvent(seen.viewport(), event)
    assert QToolTip.text().startswith("Z arrives\n5.84 ms; cuda:1, copy in\nCell 1: ")
    QToolTip.hideText()


def test_the_trace_is_saved_and_says_that_it_is_modelled(
    page: MovingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = the(TimelinePanel, page)
    path = tmp_path / "trace.json"
    with qtbot.waitSignal(panel.done):
        panel.save_trace(path)
    told = json.loads(path.read_text("utf-8"))
    assert told["otherData"]["modelled"] is True
    assert any(each["name"] == "X.cuda(1) to cuda:1" for each in told["traceEvents"])


def test_a_screen_reader_hears_what_goes_on_at_the_playhead(
    page: MovingPage, qtbot: QtBot
) -> None:
    choose(page, "All")
    seen = view(page)
    press(seen, Qt.Key.Key_Home)
    press(seen, Qt.Key.Key_Right)
    qtbot.waitUntil(lambda: "copy out: Z to cuda:1" in seen.accessibleDescription())
    assert "is shown. At " in seen.accessibleDescription()


def test_a_frame_has_a_little_on_both_sides() -> None:
    frame = around(0.4, 0.6, 1.0)
    assert (round(frame.begin, 3), round(frame.end, 3)) == (0.392, 0.608)
    assert frame_words(frame, modelled=True) == "216 ms of 1.00 s, from 392 ms on, modelled"


@pytest.mark.parametrize(
    ("begin", "span", "added", "words"),
    [
        (0.0, 24e-3, "", ["0 ms", "5", "10", "15", "20"]),
        (0.0, 2e-6, "", ["0 µs", "0.5", "1.0", "1.5", "2.0"]),
        (0.0, 3.0, "", ["0 s", "1", "2", "3"]),
        (601e-3, 420e-3, "", ["700 ms", "800", "900", "1000"]),
        (0.5011, 6e-3, "500 ms +", ["2 ms", "4", "6"]),
        (12.34567, 1e-6, "12.345670 s +", ["0 µs", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        (0.0, 900.0, "", ["0 min", "5", "10", "15"]),
        (7300.0, 300.0, "120 min +", ["2 min", "3", "4", "5", "6"]),
    ],
)
def test_the_axis_counts_in_round_steps(
    begin: float, span: float, added: str, words: Sequence[str]
) -> None:
    origin, said, shown = ticks(TimeFrame(begin, begin + span, 1e4), 5)
    assert said == added
    assert [each for _, each in shown] == words
    assert begin - 1e-9 <= shown[0][0] <= shown[-1][0] <= begin + span + 1e-9
    assert origin <= begin


DEVICES = {f"cuda:{each}": BenchDevice(f"cuda:{each}", "", str(each), each) for each in (0, 1)}


def timeline_of(copies: Sequence[Transferred], cells: int = 1) -> tuple[Timeline, CopyBook]:
    ledger, book, timeline = Ledger(), CopyBook(), Timeline()
    for number in range(1, cells + 1):
        ledger.sent(Run(number, "for i in range(200): Z = X.cuda(1)", number))
        ledger.apply(Began(number))
        for each in copies:
            ledger.apply(replace(each, id=number))
        ledger.apply(Spans(number, (Span("cuda:0", 0.0, 0.2, 0.1, 200),)))
        ledger.apply(Finished(number, 0.2, 0.2))
    book.take(ledger)
    timeline.take(ledger, book)
    return timeline, book


def one_copy(begin: float, end: float) -> Transferred:
    return across(
        1, seconds=end - begin, begin=begin, end=end, asked_at=begin, host_seconds=5e-6
    )


def test_one_copy_without_length_is_seen_and_found(qtbot: QtBot) -> None:
    timeline, book = timeline_of([one_copy(0.1, 0.1)])
    seen = TimelineView()
    qtbot.addWidget(seen)
    seen.show_session(timeline, book, DEVICES)
    seen.resize(1330, seen.sizeHint().height())
    seen.show_frame(around(0.1, 0.1, timeline.length))
    assert seen.frame.span == pytest.approx(1e-6)
    seen.show()
    pixels = seen.grab().toImage()
    place = timeline.place_of(book.rows[0])
    assert place == (0.1, 0.1)
    copy_out = 45 + 16 + 17 + 7 + 2 * 17 + 8  # pixels from the top
    colour = pixels.pixelColor(x_of(seen, 0.1), copy_out)
    assert colour == look().theme.card(0)


@pytest.mark.qt_log_ignore("not accepted by receiving widget")
def test_without_anything_the_timeline_is_empty_and_complains_of_nothing(qtbot: QtBot) -> None:
    seen = TimelineView()
    qtbot.addWidget(seen)
    seen.show_session(Timeline(), CopyBook(), {})
    seen.show_frame(all_of(0.0))
    seen.resize(300, 120)
    seen.show()
    for key in (Qt.Key.Key_Left, Qt.Key.Key_End, Qt.Key.Key_Plus, Qt.Key.Key_Minus):
        press(seen, key)
    turn(seen, 200, 3)
    QTest.mouseClick(seen.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(200, 60))
    look().choose(Scheme.LIGHT)
    assert not seen.grab().isNull()
    assert seen.frame == all_of(0.0)


def test_what_comes_while_one_drags_does_not_move_what_is_seen(
    page: MovingPage, lab: Lab, worker: ScriptedWorker, qtbot: QtBot
) -> None:
    choose(page, "All")
    seen = view(page)
    turn(seen, seen.width() // 2, 5)
    before = seen.frame
    QTest.mousePress(seen.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(600, 70))
    cell(lab, worker, "W = X.cuda(1)", across)
    qtbot.waitUntil(lambda: seen.frame.whole > before.whole)
    QTest.mouseRelease(seen.viewport(), Qt.MouseButton.LeftButton, pos=QPoint(600, 70))
    assert (seen.frame.begin, seen.frame.end) == pytest.approx((before.begin, before.end))


def test_the_colours_change_while_it_plays(page: MovingPage) -> None:
    playback = the(TravelPanel, page).playback
    choose(page, "All")
    seen = view(page)
    playback.go_to(0.5)
    dark = seen.grab().toImage()
    look().choose(Scheme.LIGHT if look().theme.dark else Scheme.DARK)
    light = seen.grab().toImage()
    x = x_of(seen, seen.playhead or 0.0)
    assert dark.pixelColor(x, 100) != light.pixelColor(x, 100)
    assert light.pixelColor(x, 100) == look().theme.text


def test_rows_that_find_no_room_are_scrolled_to(qtbot: QtBot) -> None:
    timeline, book = timeline_of([one_copy(0.1, 0.15)])
    seen = TimelineView()
    qtbot.addWidget(seen)
    seen.show_session(timeline, book, DEVICES)
    seen.show_frame(all_of(timeline.length))
    seen.resize(1330, 120)
    seen.show()
    arrives = Track("cuda:1", Engine.COPY_IN)

    def tracks() -> set[Track]:
        found = [seen.bar_at(QPointF(x_of(seen, 0.12), y)) for y in range(60, 120)]
        return {each[0] for each in found if each is not None}

    assert arrives not in tracks()
    for _ in range(9):
        press(seen, Qt.Key.Key_Down)
    assert seen.scroll.value() == seen.scroll.maximum() > 0
    assert arrives in tracks()


def test_a_card_that_went_keeps_its_rows_without_its_colour(qtbot: QtBot) -> None:
    timeline, book = timeline_of([one_copy(0.1, 0.15)])
    seen = TimelineView()
    qtbot.addWidget(seen)
    seen.resize(1330, 200)
    seen.show_session(timeline, book, DEVICES)
    seen.show_frame(all_of(timeline.length))
    seen.show()
    before = seen.grab().toImage()
    seen.show_session(timeline, book, {"cuda:1": DEVICES["cuda:1"]})
    after = seen.grab().toImage()
    x = x_of(seen, 0.12)
    changed = [y for y in range(60, 200) if before.pixel(x, y) != after.pixel(x, y)]
    gone = {found[0].device for y in changed if (found := seen.bar_at(QPointF(x, y)))}
    assert gone == {"cuda:0", "cuda:1"}  # what arrives on 1 had the colour of 0


def test_one_wrong_copy_is_seen_among_very_many(qtbot: QtBot) -> None:
    copies = [one_copy(at * 1e-5, at * 1e-5 + 9e-6) for at in range(20_000)]
    copies[15_000] = replace(copies[15_000], intact=False)
    timeline, book = timeline_of(copies)
    seen = TimelineView()
    qtbot.addWidget(seen)
    seen.show_session(timeline, book, DEVICES)
    seen.resize(1330, seen.sizeHint().height())
    seen.show_frame(all_of(timeline.length))
    seen.show()
    picture = seen.grab().toImage()
    at = x_of(seen, 0.15)
    colours = [
        picture.pixelColor(x, y) for x in range(at - 3, at + 4) for y in range(picture.height())
    ]
    assert look().theme.bad in colours
    beside = [picture.pixelColor(at - 20, y) for y in range(picture.height())]
    assert look().theme.bad not in beside


def test_ten_thousand_copies_are_drawn_quickly(qtbot: QtBot) -> None:
    """What is drawn does not grow with what there is; the limit leaves room for a slow
    computer.
    """
    copies = [one_copy(at * 1e-3, at * 1e-3 + 9e-4) for at in range(200)]
    timeline, book = timeline_of(copies, cells=50)
    seen = TimelineView()
    qtbot.addWidget(seen)
    seen.show_session(timeline, book, DEVICES)
    seen.resize(1330, seen.sizeHint().height())
    with qtbot.waitExposed(seen):
        seen.show()
    frames = []
    for zoom in (1.0, 3.0, 30.0, 300.0):
        half = timeline.length / zoom / 2
        began = time.process_time()
        seen.show_frame(around(timeline.length / 2 - half, timeline.length / 2 + half, 10.0))
        seen.viewport().repaint()
        frames.append(time.process_time() - began)
    assert min(frames) > 0
    assert sorted(frames)[1] < 0.05
