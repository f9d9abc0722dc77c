"""The timeline of the copies: what is seen of it, scrubbed along and taken along."""

import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.gui.state.lab.lab_state import LabState
from gpuexplorer.gui.theme.look import Look
from gpuexplorer.gui.views.copies.moving.moving_page import MovingPage
from gpuexplorer.gui.views.copies.moving.timeline_panel import TimelinePanel
from gpuexplorer.gui.views.copies.moving.timeline_view import TimelineView
from gpuexplorer.gui.views.copies.moving.travel_head import TravelHead
from gpuexplorer.gui.views.copies.moving.travel_panel import TravelPanel
from gpuexplorer.gui.wording.copies.moving.time_frame import (
    TimeFrame,
    all_of,
    around,
    frame_words,
    ticks,
)
from gpuexplorer.gui.wording.copies.moving.timeline_words import hint
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.events import Began, Finished, Span, Spans, Transferred
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Run
from tests.gui.copies.moves import across, drawing, line, moving_page, read, rows
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import ScriptedWorker

LOOP = "for i in range(1000): log += [loss.item()]"


@pytest.fixture
def page(
    lab: LabState, worker: ScriptedWorker, look: Look, qtbot: QtBot
) -> Iterator[MovingPage]:
    """Two lines ran: one over NVLink, one that read a thousand times."""
    window = moving_page(lab, look, qtbot)
    line(lab, worker, "Z = X.cuda(1)", across)
    line(lab, worker, LOOP, read)
    qtbot.waitUntil(lambda: len(rows(window.page)) == 2)
    yield window.page
    window.close()


def view(page: MovingPage) -> TimelineView:
    return the(TimelineView, page)


def choose(page: MovingPage, words: str) -> None:
    panel = the(TimelinePanel, page)
    (found,) = [each for each in panel.findChildren(QAbstractButton) if each.text() == words]
    found.click()


def turn(widget: TimelineView, x: int, notches: int) -> None:
    at, nothing = QPointF(x, 80), Qt.MouseButton.NoButton
    event = QWheelEvent(
        at,
        widget.mapToGlobal(at),
        QPoint(),
        QPoint(0, 120 * notches),
        nothing,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,  # noqa: FBT003 - Qt's
    )
    QApplication.sendEvent(widget, event)


def test_without_copies_there_is_no_timeline(
    lab: LabState, worker: ScriptedWorker, look: Look, qtbot: QtBot
) -> None:
    window = moving_page(lab, look, qtbot)
    assert not the(TimelinePanel, window.page).isVisible()


def test_the_line_of_the_chosen_copy_fills_the_width(page: MovingPage) -> None:
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
    assert seen.frame.span == pytest.approx(before.span)


def test_scrubbing_brings_the_block_along(page: MovingPage) -> None:
    choose(page, "All")
    seen = view(page)
    playback = the(TravelPanel, page).playback
    timeline = the(TimelinePanel, page).timeline
    place = timeline.lines[0]
    middle = (place.begin + 5.84e-3 / 2) / seen.frame.whole
    x = round(172 + middle * (seen.width() - 182))
    QTest.mouseClick(seen, Qt.MouseButton.LeftButton, pos=QPoint(x, 60))
    assert the(TravelHead, page).accessibleName().startswith("X, 256 MiB")
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
    seen = view(page)
    timeline, book = panel.timeline, CopyBook()
    copy_out = next(each for each in timeline.tracks if each.engine.value == "copy out")
    found = timeline.at(copy_out, 3e-3)
    assert found is not None
    assert seen.accessibleDescription()
    book.take(page.copies.lab.ledger)
    words = hint(timeline, book, copy_out, found[0])
    assert words.startswith("X to cuda:1, 46.0 GB/s\n5.84 ms; cuda:0, copy out\nLine 1: Z = X")


def test_the_trace_is_saved_and_says_that_it_is_modelled(
    page: MovingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    panel = the(TimelinePanel, page)
    path = tmp_path / "trace.json"
    with qtbot.waitSignal(panel.done):
        panel.save_trace(path)
    told = json.loads(path.read_text("utf-8"))
    assert told["otherData"]["modelled"] is True
    assert any(each["name"] == "X to cuda:1" for each in told["traceEvents"])


def test_frames_stay_within_the_session() -> None:
    frame = around(0.4, 0.6, 1.0)
    assert (round(frame.begin, 3), round(frame.end, 3)) == (0.392, 0.608)
    assert frame.moved(9.0).end == 1.0
    assert frame.moved(-9.0).begin == 0.0
    assert frame.zoomed(1e-9, 0.5) == TimeFrame(0.0, 1.0, 1.0)
    assert frame.holding(0.1).begin < 0.1
    assert frame_words(frame, modelled=True) == "216 ms from 392 ms of 1.00 s, modelled"


@pytest.mark.parametrize(
    ("span", "words"),
    [
        (24e-3, ["0 ms", "5", "10", "15", "20"]),
        (2e-6, ["0 µs", "0.5", "1.0", "1.5", "2.0"]),
        (3.0, ["0 s", "1", "2", "3"]),
    ],
)
def test_the_axis_counts_in_round_steps(span: float, words: Sequence[str]) -> None:
    assert [each for _, each in ticks(span, 5)] == words


def test_ten_thousand_copies_are_drawn_quickly(look: Look, qtbot: QtBot) -> None:
    """What is drawn does not grow with what there is; the limit leaves room for a slow
    computer.
    """
    ledger, book, timeline = Ledger(), CopyBook(), Timeline()
    for number in range(1, 51):
        ledger.sent(Run(number, "for i in range(200): Z = X.cuda(1)"))
        ledger.apply(Began(number))
        for at in range(200):
            begin = at * 1e-3
            ledger.apply(
                Transferred(
                    number, "cuda:0", "cuda:1", 1 << 20, 9e-4, what="X", how="cuda",
                    host_seconds=5e-6, asked_at=begin, begin=begin, end=begin + 9e-4,
                )
            )  # fmt: skip
        ledger.apply(Spans(number, (Span("cuda:0", 0.0, 0.2, 0.1, 200),)))
        ledger.apply(Finished(number, 0.2, 0.2))
    book.take(ledger)
    timeline.take(ledger, book)
    seen = TimelineView(look)
    qtbot.addWidget(seen)
    devices = {
        f"cuda:{each}": BenchDevice(f"cuda:{each}", "", str(each), each) for each in (0, 1)
    }
    seen.show_session(timeline, book, devices)
    seen.resize(1330, seen.height())
    frames = []
    for zoom in (1.0, 3.0, 30.0, 300.0):
        seen.show_frame(all_of(timeline.length).zoomed(zoom, timeline.length / 2))
        seen.grab()
        seen.forget_picture()
        began = time.process_time()
        seen.grab()
        frames.append(time.process_time() - began)
    assert min(frames) > 0
    assert sorted(frames)[1] < 0.05
