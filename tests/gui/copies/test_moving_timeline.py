"""The timeline of the copies: what is seen of it, scrubbed along and taken along."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolTip, QWidget
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.gui.copies.moving.timeline_panel import (
    GUTTER,
    TimeFrame,
    TimelinePanel,
    TimelineView,
    around,
    ticks,
)
from gpuexplorer.gui.copies.moving.travel_panel import TravelPanel
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.lab.events import Span, Transferred
from tests.copies.made import Cells
from tests.gui.copies.moves import across, cell, moving_page, read, rows
from tests.gui.hands import press, the
from tests.gui.lab.conftest import ScriptedWorker

LEFT = Qt.MouseButton.LeftButton
LOOP = "for i in range(1000): log += [loss.item()]"
DEVICES = {f"cuda:{each}": BenchDevice(f"cuda:{each}", "", str(each), each) for each in (0, 1)}


@pytest.fixture
def page(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[MovingPage]:
    """Two cells ran: one over NVLink, one that read a thousand times."""
    page, window = moving_page(lab, qtbot)
    cell(lab, worker, "Z = X.cuda(1)", across)
    cell(lab, worker, LOOP, read)
    qtbot.waitUntil(lambda: len(rows(page)) == 2)
    yield page
    window.close()


@pytest.fixture
def seen(page: MovingPage) -> TimelineView:
    """All of it."""
    button(page, "All").click()
    return the(TimelineView, page)


def button(page: QWidget, words: str) -> QAbstractButton:
    buttons = the(TimelinePanel, page.window()).findChildren(QAbstractButton)
    return next(each for each in buttons if each.text() == words)


def turn(view: TimelineView, notches: int, *, aside: bool = False) -> None:
    at, turned = QPointF(view.width() // 2, 80), QPoint(0, 120 * notches)
    turned = turned.transposed() if aside else turned
    where = at, view.mapToGlobal(at), QPoint(), turned, Qt.MouseButton.NoButton
    kind = Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False
    QApplication.sendEvent(view.viewport(), QWheelEvent(*where, *kind))


def x_of(view: TimelineView, moment: float) -> int:
    """Where it lies, in the lanes."""
    wide: int = view.viewport().width() - GUTTER - 10
    return round(GUTTER + (moment - view.frame.begin) / view.frame.span * wide)


def drag(view: TimelineView, begin: QPoint, end: QPoint) -> None:
    """As a hand does, with moves between."""
    port, none = view.viewport(), Qt.MouseButton.NoButton
    QTest.mousePress(port, LEFT, pos=begin)
    for place in (begin + QPoint(20 if end.x() > begin.x() else -20, 0), end):
        at, kind = QPointF(place), QEvent.Type.MouseMove
        plain = Qt.KeyboardModifier.NoModifier
        move = QMouseEvent(kind, at, port.mapToGlobal(at), none, LEFT, plain)
        QApplication.sendEvent(port, move)
    QTest.mouseRelease(port, LEFT, pos=end)


def test_wheel_and_drag_zoom_and_pan_and_lead_not_out_of_the_session(
    seen: TimelineView,
) -> None:
    whole = seen.frame
    turn(seen, 5)
    before, span = seen.frame, seen.frame.span
    assert span < whole.span / 3
    quarter = (x_of(seen, before.end) - GUTTER) // 4
    drag(seen, QPoint(600, 75), QPoint(600 - quarter, 75))
    assert seen.frame.begin == pytest.approx(before.begin + span / 4, rel=0.02)
    assert seen.frame.span == pytest.approx(span)
    turn(seen, 500, aside=True)
    assert seen.frame == pytest.approx((0.0, span))
    turn(seen, -500, aside=True)
    assert seen.frame == pytest.approx((whole.end - span, whole.end))
    assert not button(seen, "All").isChecked()
    turn(seen, 60)
    assert seen.frame.span == pytest.approx(1e-6)
    turn(seen, -90)
    assert seen.frame == pytest.approx(whole, abs=1e-9)


def test_the_playhead_is_dragged_and_brings_the_block_along(
    page: MovingPage, seen: TimelineView
) -> None:
    playback = the(TravelPanel, page).playback
    begin, middle = (x_of(seen, 5.84e-3 * share) for share in (0.1, 0.5))
    QTest.mouseClick(seen.viewport(), LEFT, pos=QPoint(begin, 60))
    assert playback.share == pytest.approx(0.1, abs=0.02)
    drag(seen, QPoint(begin, 100), QPoint(middle, 100))
    assert playback.share == pytest.approx(0.5, abs=0.05)
    assert not playback.playing
    drag(seen, QPoint(middle, 30), QPoint(GUTTER - 90, 30))  # along the axis
    assert seen.playhead == 0.0
    playback.go_to(1.0)
    assert seen.playhead == pytest.approx(5.842e-3, rel=0.01)


def test_keys_scrub_and_zoom_and_a_screen_reader_hears_what_goes_on(
    seen: TimelineView, qtbot: QtBot
) -> None:
    whole = seen.frame
    press(seen, Qt.Key.Key_Home)
    assert seen.playhead == 0.0
    press(seen, Qt.Key.Key_Right)
    assert seen.playhead == pytest.approx(whole.span / 100)
    qtbot.waitUntil(lambda: "copy out: Z to cuda:1" in seen.accessibleDescription())
    press(seen, Qt.Key.Key_Plus)
    assert seen.frame.span < whole.span
    press(seen, Qt.Key.Key_Right, control=True)
    assert seen.frame.begin > 0.0
    press(seen, Qt.Key.Key_Minus)
    assert seen.frame.span == pytest.approx(whole.span)
    press(seen, Qt.Key.Key_End)
    assert seen.playhead == whole.end


@pytest.mark.qt_log_ignore("This plugin does not support raise")
def test_pointing_at_a_bar_says_what_it_is(seen: TimelineView) -> None:
    told = []
    for y in range(60, seen.height(), 5):
        at = QPoint(x_of(seen, 3e-3), y)
        event = QHelpEvent(QEvent.Type.ToolTip, at, seen.viewport().mapToGlobal(at))
        QApplication.sendEvent(seen.viewport(), event)
        told.append(QToolTip.text())
    assert "Z to cuda:1, 46.0 GB/s\n5.84 ms; cuda:0, copy out\nCell 1: Z = X.cuda(1)" in told
    assert told[-1].startswith("Z arrives, 46.0 GB/s\n5.84 ms; cuda:1, copy in\nCell 1: ")
    QToolTip.hideText()


def test_the_trace_is_saved_and_says_that_it_is_modelled(
    page: MovingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    panel, path = the(TimelinePanel, page), tmp_path / "trace.json"
    with qtbot.waitSignal(panel.saving.done):
        panel.save_trace(path)
    told = json.loads(path.read_text("utf-8"))
    assert told["otherData"]["modelled"] is True
    assert any(each["name"] == "Z to cuda:1" for each in told["traceEvents"])


def test_the_axis_counts_in_round_steps() -> None:
    shown = [ticks(TimeFrame(*each), 5) for each in ((0.0, 24e-3), (7300.0, 7600.0))]
    words = [[each for _, each in found] for found in shown]
    assert words[0] == ["0 ms", "5 ms", "10 ms", "15 ms", "20 ms"]
    assert words[1] == ["7300 s", "7400 s", "7500 s", "7600 s"]


def view_of(qtbot: QtBot, copies: Sequence[Transferred]) -> TimelineView:
    cells, book, timeline = Cells(), CopyBook(), Timeline()
    spans = [Span("cuda:0", 0.0, 0.2, 0.1, 200)]
    cells.cell("for i in range(200): Z = X.cuda(1)", *copies, host_seconds=0.2, spans=spans)
    book.take(cells.ledger)
    timeline.take(cells.ledger, book)
    view = TimelineView()
    qtbot.addWidget(view)
    view.show_session(timeline, book, DEVICES)
    view.show_frame(TimeFrame(0.0, timeline.length))
    view.resize(1330, view.height())
    view.show()
    return view


def one_copy(begin: float, end: float) -> Transferred:
    times = {"seconds": end - begin, "begin": begin, "end": end, "asked_at": begin}
    return across(1, **times, host_seconds=5e-6)


def colours(view: TimelineView, moment: float, width: int = 4) -> set[str]:
    picture, at = view.grab().toImage(), x_of(view, moment) + 2
    columns = range(at - width, at + width + 1)
    return {picture.pixelColor(x, y).name() for x in columns for y in range(70, view.height())}


def test_a_wrong_copy_is_seen_among_many_and_beside_a_long_one(qtbot: QtBot) -> None:
    many = [one_copy(at * 1e-5, at * 1e-5 + 9e-6) for at in range(20_000)]
    many[10_000] = wrong = replace(one_copy(0.1, 0.1 + 1e-6), intact=False)
    for copies in (many, [wrong, one_copy(0.1 + 2e-6, 0.15)]):
        view, bad = view_of(qtbot, copies), look().theme.bad.name()
        assert bad in colours(view, 0.1)
        assert bad not in colours(view, 0.13)
    view = view_of(qtbot, [one_copy(0.1, 0.1)])
    view.show_frame(around(0.1, 0.1, 0.2))
    assert view.frame.span == pytest.approx(1e-6)
    assert look().theme.card(0).name() in colours(view, 0.1)
    assert look().theme.card(0).name() not in colours(view, 0.1 + 1e-7)
