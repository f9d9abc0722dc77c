"""Copies of cells: drawn, listed, explained and cured, and their timeline."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QEvent, QItemSelectionModel, QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QHelpEvent, QMouseEvent, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QToolTip, QWidget
from pytestqt.modeltest import ModelTester
from pytestqt.qtbot import QtBot

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.gui.copies.moving.copies_panel import CopiesPanel, CopiesTable
from gpuexplorer.gui.copies.moving.copy_sheets import NewCopySheet, expected_words
from gpuexplorer.gui.copies.moving.moved import code_by_host, cure_code
from gpuexplorer.gui.copies.moving.timeline_panel import (
    GUTTER,
    TimeFrame,
    TimelinePanel,
    TimelineView,
    around,
    ticks,
)
from gpuexplorer.gui.copies.moving.travel_panel import TravelDrawing, TravelPanel
from gpuexplorer.gui.copies.moving.view import MovingPage
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.state.lab.lab import Lab
from gpuexplorer.gui.theme.look import look
from gpuexplorer.gui.widgets.machine.layout import Kind, Part
from gpuexplorer.gui.widgets.saving import PlotNote
from gpuexplorer.lab.events import Placed, Span, Transferred
from tests.copies.made import Cells, routes
from tests.gui.copies.conftest import across, cell, moving_page, read, rows
from tests.gui.frame.steps import called
from tests.gui.hands import press, texts, the
from tests.gui.lab.conftest import ScriptedWorker, hello, tensor
from tests.gui.topology.conftest import place_of

ACROSS = "Z = X.cuda(1)"
LOOP = "log = []\nfor i in range(1000):\n    log.append(loss.item())  # kept"
Runs = Callable[..., None]


@pytest.fixture
def moving(lab: Lab, qtbot: QtBot, request: pytest.FixtureRequest) -> Iterator[MovingPage]:
    moving, window = moving_page(lab, qtbot, motion=bool(getattr(request, "param", False)))
    yield moving
    window.close()


@pytest.fixture
def runs(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Runs:
    def run(*cells: tuple[str, Callable[[int], object]]) -> None:
        with qtbot.waitSignal(lab.changed):
            for code, event in cells:
                cell(lab, worker, code, event)

    return run


def two_cells(runs: Runs) -> None:
    runs((ACROSS, across), (LOOP, lambda number: read(number, line=3)))


def pick(moving: MovingPage, row: int) -> None:
    table, flag = the(CopiesTable, moving), QItemSelectionModel.SelectionFlag
    index = table.model().index(row, 0)
    table.selectionModel().select(index, flag.ClearAndSelect | flag.Rows)


def head(moving: MovingPage) -> str:
    return the(TravelPanel, moving).head.accessibleName()


def told(moving: MovingPage, words: str) -> bool:
    return any(words in each for each in texts(moving))


@pytest.mark.parametrize("moving", [True], indirect=True)
def test_a_copy_is_a_row_and_travels_slowed_past_the_cards(
    moving: MovingPage, runs: Runs, qtbot: QtBot
) -> None:
    runs((ACROSS, across))
    assert rows(moving) == ["1 Z 0 to 1"]
    assert head(moving) == "Z, 256 MiB, 0 to 1, NVLink x2"
    assert the(TravelPanel, moving).strip.accessibleDescription() == (
        "Rate, modelled 46.0 GB/s, 92 % of the narrowest wire, 50.0 GB/s one way"
    )
    playback, drawn = the(TravelPanel, moving).playback, the(TravelDrawing, moving)
    assert drawn.lanes_lit == 1  # a bridge
    assert playback.playing
    assert "slowed ×360" in [each.accessibleName() for each in moving.findChildren(QWidget)]
    first = drawn.block_place()
    qtbot.waitUntil(lambda: drawn.block_place() != first)
    qtbot.waitUntil(lambda: not playback.playing, timeout=5000)
    assert playback.share == 1.0
    for share in (0.0, 0.1, 0.5, 0.9, 1.0):
        playback.go_to(share)
        block = drawn.block_place().adjusted(1, 1, -1, -1)
        assert not block.isEmpty()
        for card in moving.copies.lab.machine.cards():
            assert not block.intersects(place_of(drawn, Part(Kind.CARD, card.card.id)))


def test_repeats_are_one_row_and_the_dearest_implicit_one_is_explained(
    moving: MovingPage, lab: Lab, runs: Runs, qtbot: QtBot
) -> None:
    two_cells(runs)
    assert rows(moving) == ["2:3 loss.item() 0 to H", "1 Z 0 to 1"]
    model = the(CopiesTable, moving).model()
    said = [str(model.index(0, column).data()) for column in range(model.columnCount())]
    assert {"direct, ×1000", "all latency"} <= {*said}
    held_up = "while it waited for cuda:0, this line gave no card new work."
    assert told(moving, "loss.item() moved 4 B to the host 1000 times. 15.0 of 16.0 ms")
    assert told(moving, held_up)
    pick(moving, 1)
    assert told(moving, "Z moved 256 MiB from cuda:0 to cuda:1. It took 5.84 ms, modelled.")
    assert not told(moving, held_up)
    assert lab.selection.cell == lab.ledger.cells[1].id
    # Without motion what else went over the wires goes out; the way of the chosen one stays.
    assert the(TravelDrawing, moving).block_place().isEmpty()
    qtbot.waitUntil(lambda: the(TravelDrawing, moving).lanes_lit == 1)
    with qtbot.waitSignal(lab.selection.changed):
        lab.selection.choose(lab.ledger.cells[2].id)
    assert head(moving).startswith("loss.item(), 4 B ×1000")


@pytest.mark.parametrize(
    ("direct", "advice", "cure"),
    [(True, "ACS", "Z = X.cpu().cuda(1)"), (False, "no other way is left", "")],
)
def test_what_arrives_wrong_has_no_rate_and_is_sent_through_the_host_if_it_was_not(
    moving: MovingPage, runs: Runs, direct: bool, advice: str, cure: str
) -> None:
    runs((ACROSS, lambda number: across(number, intact=False, direct=direct)))
    said = the(TravelPanel, moving).strip.accessibleDescription()
    assert said.startswith("Rate, modelled WRONG")
    assert told(moving, "Z arrived WRONG on cuda:1.")
    assert told(moving, advice)
    assert the(CopiesPanel, moving).said.code == cure
    saved = json.loads(moving.saving.json())["copies"][0]
    assert (saved["intact"], saved["rate_gbs"]) == (False, None)


def test_a_copy_that_copies_nothing_says_so(moving: MovingPage, runs: Runs) -> None:
    nothing = {"target": "cuda:0", "bytes": 0, "intact": None, "what": "X.cuda(0)"}
    runs(("Z = X.cuda(0)", lambda number: across(number, **nothing)))
    assert told(moving, "Z is on cuda:0 already: nothing was copied.")
    assert the(TravelDrawing, moving).lanes_lit == 0


def test_files_and_text_say_what_is_modelled_and_what_is_missing(
    moving: MovingPage, runs: Runs, qtmodeltester: ModelTester
) -> None:
    two_cells(runs)
    saved = json.loads(moving.saving.json())
    assert (saved["simulated"], saved["modelled"]) == (True, True)
    assert saved["copies"][0]["copies"] == 1000
    assert saved["copies"][0]["missing"] == "rate: all latency; intact: not compared"
    first, second, _ = moving.saving.csv().strip().split("\n")
    assert first.split(",")[-3:] == ["modelled", "simulated", "missing"]
    assert ",yes,yes," in second
    table = the(CopiesTable, moving)
    qtmodeltester.check(table.model())  # type: ignore[no-untyped-call]  # pytest-qt says no types
    for column in table.columns.listed.columns:
        if column.kept:
            table.columns.show_column(column.key, shown=column.key in ("best", "intact"))
    pick(moving, 1)
    moving.copy_text()
    headings, row = QGuiApplication.clipboard().text().splitlines()[-2:]
    assert headings.split("\t") == ["Cell", "What", "From, to", "Of best, %", "Intact"]
    assert row.split("\t")[:4] == ["1", "Z", "0 to 1", "100"]


@pytest.mark.parametrize("made", [[], ['X = torch.rand(16, 1024, 1024, device="cuda:0")']])
def test_a_new_copy_runs_the_labs_own_line_and_what_fails_is_a_sentence(
    moving: MovingPage, runs: Runs, worker: ScriptedWorker, qtbot: QtBot, made: list[str]
) -> None:
    if not made:
        runs(("X = torch.ones(2, 3, device='cuda:0')", lambda n: tensor("X", number=n)))
    moving.ask_new_copy()
    sheet, lines = the(NewCopySheet, moving.window()), [*made, "X_1 = X.cuda(1)"]
    assert list(sheet.lines) == lines
    assert any("NVLink x2" in each for each in texts(sheet))
    with qtbot.waitSignal(sheet.asked):
        called(QAbstractButton, sheet, "Run the copy in the lab").click()
    assert worker.cells[-1] == "\n".join(lines)
    worker.fail("out of memory", "OutOfMemoryError", "CUDA out of memory.")
    note = the(PlotNote, moving)
    qtbot.waitUntil(lambda: note.accessibleName() == "CUDA out of memory.")


def test_copies_keep_their_cards_when_the_lab_is_shown_others_later(
    moving: MovingPage, lab: Lab, worker: ScriptedWorker, runs: Runs, qtbot: QtBot
) -> None:
    runs((ACROSS, across))
    lab.release()
    lab.choose(replace(lab.switches, visible=(1,)))
    first, second = hello().devices[0], hello().devices[2]
    worker.hello = replace(hello(), devices=(first, replace(second, name="cuda:0")))
    runs(("Y = X.cuda(0)", lambda n: read(n, 1)))
    qtbot.waitUntil(lambda: rows(moving) == ["2 loss.item() 1 to H", "1 Z 0 to 1"])
    pick(moving, 1)
    assert head(moving) == "Z, 256 MiB, 0 to 1, NVLink x2"


def test_before_a_copy_the_least_that_it_takes_is_told() -> None:
    way, thing = (
        routes("2xTitanRTX").route("cpu", "cuda:0"),
        Placed(1, "X", "tensor", "cpu", ""),
    )
    said = [expected_words(replace(thing, bytes=size), way) for size in (4, 1 << 30)]
    assert said[0].endswith("At this size, latency dominates.")
    assert said[1].endswith("so at least 68 ms.")


LEFT = Qt.MouseButton.LeftButton
ONE_LINE = "for i in range(1000): log += [loss.item()]"
DEVICES = {f"cuda:{each}": BenchDevice(f"cuda:{each}", "", str(each), each) for each in (0, 1)}


@pytest.fixture
def two_copies(lab: Lab, worker: ScriptedWorker, qtbot: QtBot) -> Iterator[MovingPage]:
    """Two cells ran: one over NVLink, one that read a thousand times."""
    two_copies, window = moving_page(lab, qtbot)
    cell(lab, worker, "Z = X.cuda(1)", across)
    cell(lab, worker, ONE_LINE, read)
    qtbot.waitUntil(lambda: len(rows(two_copies)) == 2)
    yield two_copies
    window.close()


@pytest.fixture
def seen(two_copies: MovingPage) -> TimelineView:
    """All of it."""
    button(two_copies, "All").click()
    return the(TimelineView, two_copies)


def button(two_copies: QWidget, words: str) -> QAbstractButton:
    buttons = the(TimelinePanel, two_copies.window()).findChildren(QAbstractButton)
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
    two_copies: MovingPage, seen: TimelineView
) -> None:
    playback = the(TravelPanel, two_copies).playback
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
    two_copies: MovingPage, qtbot: QtBot, tmp_path: Path
) -> None:
    panel, path = the(TimelinePanel, two_copies), tmp_path / "trace.json"
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
    many = [one_copy(at * 5e-5, at * 5e-5 + 45e-6) for at in range(4_000)]
    many[2_000] = wrong = replace(one_copy(0.1, 0.1 + 1e-6), intact=False)
    for copies in (many, [wrong, one_copy(0.1 + 2e-6, 0.15)]):
        view, bad = view_of(qtbot, copies), look().theme.bad.name()
        assert bad in colours(view, 0.1)
        assert bad not in colours(view, 0.13)
    view = view_of(qtbot, [one_copy(0.1, 0.1)])
    view.show_frame(around(0.1, 0.1, 0.2))
    assert view.frame.span == pytest.approx(1e-6)
    assert look().theme.card(0).name() in colours(view, 0.1)
    assert look().theme.card(0).name() not in colours(view, 0.1 + 1e-7)


CELL, ONE = "log = []\nfor x in L:  #\n    ", "log = []\nwhile go(): log += "
KEPT = "\nlog = torch.stack(log).tolist()"
PINNED = ".pin_memory()"


@pytest.mark.parametrize(
    ("code", "line", "how", "cured"),
    [
        (f"{CELL}log.append(float(f(x)))", 3, "item", f"{CELL}log.append(f(x).detach()){KEPT}"),
        (f"{ONE}[loss.item()]  # é", 2, "item", f"{ONE}[loss.detach()]  # é{KEPT}"),
        ("for x in loader:\n    log.append(x.item())", 2, "item", ""),  # what else is in it?
        ("not python", 1, "item", ""),
        ("Y = X.cuda()  # é", 1, "", f"Y = X{PINNED}.cuda(non_blocking=True)  # é"),
        ("1\nY = f(X).to((d),)", 2, "", f"1\nY = f(X){PINNED}.to((d),non_blocking=True)"),
        ("Y = X.to(d, non_blocking=True)", 1, "", ""),
        ("Y = X.cuda()", 2, "", ""),
    ],
)
def test_a_log_is_read_once_and_what_comes_from_the_host_is_pinned(
    code: str, line: int, how: str, cured: str
) -> None:
    assert cure_code(code, line, how, asked=not how) == cured


def test_what_arrives_wrong_takes_the_way_through_the_host() -> None:
    assert code_by_host("A = B\nZ = X.cuda(1)", 2) == "A = B\nZ = X.cpu().cuda(1)"
    assert code_by_host("Z = net(X)", 1) == ""
