"""The copies of the lab's cells as rows, on a timeline and in a trace that viewers open."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from gpuexplorer.copies.copy_book import CopyBook, sums_of, worst_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.timeline import (
    Bar,
    Engine,
    Lane,
    Place,
    Role,
    Timeline,
    Track,
    trace_pieces,
)
from gpuexplorer.lab.events import Measured, Span, Transferred
from gpuexplorer.lab.wire import CopyJob, Peek
from tests.copies.made import LIMIT, MIB, Cells, moved, read, route
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session
from tests.trace_reader import Events, of, opened, whole_trace

BIG = moved(10 * MIB, 1e-3)


@pytest.fixture
def cells() -> Cells:
    return Cells()


@pytest.fixture
def book() -> CopyBook:
    return CopyBook(route)


@pytest.mark.parametrize(
    ("transfer", "why"),
    [
        (read(1000, 0.038), "all latency"),
        (replace(BIG, intact=False), "arrived WRONG"),
        (replace(BIG, seconds=None), "the card was not asked how long it took"),
        (Transferred(0, "cuda:0", "cuda:0", 0, None, what="X", how="cuda"), "nothing to copy"),
    ],
)
def test_where_there_is_no_rate_it_is_said_why(
    cells: Cells, book: CopyBook, transfer: Transferred, why: str
) -> None:
    cells.cell("a line", transfer)
    (row,) = book.take(cells.ledger)
    assert row.no_rate is not None
    assert (row.no_rate.sentence, row.rate, row.share) == (why, None, None)


def test_of_a_cell_that_runs_again_its_last_run_counts(cells: Cells, book: CopyBook) -> None:
    timeline = Timeline()
    for again in (0, 1):
        cells.cell("X = X.cuda()", moved((1 + again) * MIB, 1e-4), again=again)
        book.take(cells.ledger)
        timeline.take(cells.ledger, book)
    assert [each.bytes for each in book.of_cell(1)] == [2 * MIB]
    assert len(book) == 2
    assert [each.cell for each in timeline.places] == [1, 1]
    cells.cell("X = X.cuda()", moved(3 * MIB, 1e-4), again=1)  # and twice before anybody looks
    cells.cell("X = X.cuda()", moved(4 * MIB, 1e-4), again=1)
    book.take(cells.ledger)
    assert [each.bytes for each in book.of_cell(1)] == [4 * MIB]


def test_rows_come_while_a_cell_runs_and_are_taken_once(cells: Cells, book: CopyBook) -> None:
    cells.cell("X = X.cuda()", moved(MIB, 1e-4))
    assert len(book.take(cells.ledger)) == 1
    assert book.take(cells.ledger) == []
    cells.cell("Y = Y.cuda()", moved(MIB, 1e-4), host_seconds=None)
    (row,) = book.take(cells.ledger)
    assert (row.number, row.ran, row.cell_seconds) == (1, 2, None)
    cells.tell(moved(2 * MIB, 2e-4))
    cells.end(2e-3)
    assert [each.bytes for each in book.take(cells.ledger)] == [2 * MIB]
    assert [each.cell_seconds for each in book.of_cell(2)] == [2e-3, 2e-3]


def test_the_best_of_a_way_is_told_beside_each_row(cells: Cells, book: CopyBook) -> None:
    cells.cell("X = X.cuda()", moved(10 * MIB, 1e-3), moved(10 * MIB, 2e-3))
    cells.cell("Y = Y.cuda()", moved(10 * MIB, 0.5e-3, pinned=False))
    first, second, pageable = book.take(cells.ledger)
    assert first.share == pytest.approx(10 * MIB / 1e-3 / LIMIT)
    assert book.best(second) == first.rate
    assert book.best(pageable) == pageable.rate
    job = CopyJob("cpu", "cuda:0", 256 * MIB, pinned=True)
    book.measured(CopyResult(job, Measured(1, (256 * MIB / 13e9,)), None))
    assert book.best(first) == pytest.approx(13e9)


def test_what_a_loop_read_is_summed_with_its_cure(cells: Cells, book: CopyBook) -> None:
    singles = [read(1, 38e-6, begin=each * 41e-6) for each in range(200)]
    folded = read(800, 800 * 38e-6, begin=200 * 41e-6)
    cells.cell("for i in L: log += [loss.item()]", *singles, folded, host_seconds=0.041)
    book.take(cells.ledger)
    (total,) = sums_of(book, 1)
    assert total.sentence == (
        "loss.item() moved 4 B to the host 1000 times. 38.0 of 41.0 ms went there, modelled."
    )
    assert total.cure == "Keep the log on the card and move it once. That takes about 10 µs."
    assert worst_of(book) == total


PYTHON = Track("cpu", Engine.PYTHON)


def lane_of(*stretches: tuple[float, float]) -> Lane:
    lane, place = Lane(), Place(1, "a line", 0.0, 10.0)
    for begin, end in stretches:
        lane.add(Bar(begin, end, min(1.0, end - begin), 1, Role.RUNS, place))
        lane.marks.append(1)
    return lane


def shown(cells: Cells) -> tuple[Timeline, CopyBook]:
    book, timeline = CopyBook(), Timeline()
    book.take(cells.ledger)
    assert timeline.take(cells.ledger, book)
    return timeline, book


def test_cells_lie_one_after_another() -> None:
    cells = Cells()
    cells.cell("X = X.cuda()", moved(MIB, 1e-3), host_seconds=1e-3)
    cells.cell("Y = Y.cuda()", moved(MIB, 1e-3), host_seconds=2e-3)
    timeline, book = shown(cells)
    assert timeline.length == pytest.approx(3e-3)
    assert timeline.modelled
    assert [each.cell for each in timeline.places_between(0.0, 5e-4)] == [1]
    assert [each.code for each in timeline.places] == ["X = X.cuda()", "Y = Y.cuda()"]
    assert timeline.place_of(book.rows[1]) == (1e-3, 2e-3)
    assert timeline.cell_of(book.rows[1]) == timeline.places[1]


def test_both_ends_of_a_copy_are_there() -> None:
    cells = Cells()
    between = moved(MIB, 1e-3, source="cuda:0", target="cuda:1", pinned=None, blocking=False)
    cells.cell("Z = X.cuda(1)", between)
    timeline, _ = shown(cells)
    out, arrives = Track("cuda:0", Engine.COPY_OUT), Track("cuda:1", Engine.COPY_IN)
    bars = [bar for each in (out, arrives) if (bar := timeline.lane(each).at(5e-4))]
    assert [(each.role, each.row) for each in bars] == [(Role.COPIES, 0)] * 2
    assert (timeline.under_way(5e-4), timeline.under_way(5e-3)) == ([0], [])
    assert timeline.tracks == [PYTHON, out, arrives]


def test_what_ran_beside_a_computation_is_told_by_card() -> None:
    cells = Cells()
    cells.cell("a line", moved(MIB, 2e-3, begin=0.0), spans=[Span("cuda:0", 1e-3, 4e-3, 3e-3)])
    cells.cell("another", moved(MIB, 2e-3, begin=0.0))
    timeline, _ = shown(cells)
    for stretch, share in (((0.0, 3e-3), 0.5), ((4e-3, 6e-3), 0.0), ((0.0, 6e-3), 0.25)):
        assert timeline.overlapped(("cuda:0", ""), *stretch) == pytest.approx(share)
    assert timeline.overlapped(("cuda:1", ""), 0.0, 1.0) is None


def test_of_ten_thousand_copies_no_more_is_drawn_than_there_are_pixels() -> None:
    lane = lane_of(*((at * 1e-3, at * 1e-3 + 4e-4) for at in range(10_000)))
    lane.marks[7777] = 0
    fold = lane.visible(0.0, 10.0, 500)
    assert fold.begins.size <= 501
    assert fold.ends[-1] == pytest.approx(9.9994)
    assert fold.paused.all()
    assert (fold.least == 0).sum() == 1  # it is not lost
    assert lane.visible(0.0, 9.5e-3, 500).longest.tolist() == [*range(10)]


def test_stretches_that_overlap_are_all_found() -> None:
    lane = lane_of((0.0, 10.0), (1.0, 2.0), (3.0, 4.0))
    assert lane.visible(0.0, 6.0, 100).longest.tolist() == [0, 1, 2]
    assert lane.visible(5.0, 6.0, 100).longest.tolist() == [0]  # what began before as one
    assert [bar and bar.end for bar in map(lane.at, (9.0, 1.5, 11.0))] == [10.0, 2.0, None]


def busy_session() -> Cells:
    """Copies that overlap on one engine, waits, a loop, names with quotes, nothing to copy."""
    cells = Cells()
    cells.cell("X = torch.load('a \"b\".pt')", moved(MIB, 1e-3, what='state["w"]'))
    cells.cell(
        "a line",
        moved(8 * MIB, 3e-3, begin=0.0, blocking=False),
        moved(8 * MIB, 3e-3, begin=1e-3, blocking=False),
        moved(8 * MIB, 3e-3, begin=2e-3, source="cuda:1", target="cuda:0", pinned=None),
        moved(8 * MIB, 3e-3, begin=4e-3, source="cuda:0", target="cpu", blocking=False),
        read(800, 0.01, begin=8e-3),
        read(1, 1e-5, begin=9e-3),
        host_seconds=0.02,
        spans=[
            Span("cuda:0", 0.0, 5e-3, 4e-3, 10),
            Span("cuda:1", 0.0, 2e-3, 2e-3, 1, "cuda:0", "copy"),
            Span("cpu", 0.018, 0.019, 1e-3, 1, "cuda:0", "synchronize"),
        ],
    )
    cells.cell("print(1)", host_seconds=1e-4)
    return cells


def trace_of(cells: Cells, *, simulated: bool = True) -> tuple[Mapping[str, Any], Events]:
    book, timeline = CopyBook(), Timeline()
    book.take(cells.ledger)
    timeline.take(cells.ledger, book)
    names = {"cuda:0": "NVIDIA TITAN RTX"}
    pieces = trace_pieces(timeline, book, simulated=simulated, names=names)
    whole = whole_trace(b"".join(pieces))
    return whole, whole["traceEvents"]


def test_it_says_what_is_simulated_and_modelled() -> None:
    about = trace_of(busy_session())[0]["otherData"]
    assert (about["simulated"], about["modelled"]) == (True, True)
    assert about["note"] == "Times are modelled: no card was measured."
    assert trace_of(Cells(), simulated=False)[0]["otherData"]["simulated"] is False


def test_the_stretches_lie_within_each_other_and_say_what_they_are() -> None:
    _, events = trace_of(busy_session())
    assert opened(events)[0] == []
    assert {each["name"] for each in of(events, "X")} >= {
        'state["w"] to cuda:0',
        "X arrives",
        "waits for cuda:0: synchronize",
        "loss.item() ×800 to the host",
        "waits for loss.item() ×800: pageable, blocking",
        "asks for X",
    }


MIB = 1 << 20


@needs_torch
def test_cells_of_a_session_are_rows_a_timeline_and_a_trace() -> None:
    session = Session()
    session.run(
        "X = torch.ones(16, 64, 1024)",
        "Y = X.cuda()",
        "Z = Y.cuda(1)",
        "Z.cuda(1) is Z",
        "def read(log):\n    log.append(Z.sum().item())",
        "log = []\nfor i in range(1000):\n    read(log)",
        "Z",
        "net = nn.Linear(4, 4).cuda()",
    )
    session.look(lambda number: Peek(number, "Z[0]"))
    session.stop()
    book, timeline = CopyBook(), Timeline()
    book.take(session.ledger)
    timeline.take(session.ledger, book)
    rows = {row.ran: row for row in book.rows}
    assert [row.what for row in book.of_cell(2)] == ["X.cuda()"]
    assert (rows[2].intact, rows[2].host_side, rows[2].bytes) == (True, "pageable", 4 * MIB)
    assert (rows[3].path, rows[3].intact) == ("staged through host memory", True)
    assert rows[4].already_there
    assert sum(row.copies for row in book.of_cell(6)) == 1000
    assert (rows[6].place, rows[6].what) == ("5:2", "Z.sum().item()")
    assert (rows[7].what, rows[7].how) == ("Z", "display")
    assert (rows[8].copies, rows[8].asked, rows[8].intact) == (2, True, True)
    worst = worst_of(book)
    assert worst is not None
    assert worst.sentence.startswith("Z.sum().item() moved 4 B to the host 1000 times. ")
    assert worst.cure.startswith("Keep the log on the card and move it once. That takes about ")
    assert {
        Track("cuda:1", each, "SIM-1") for each in (Engine.COMPUTE, Engine.COPY_OUT)
    } <= set(timeline.tracks)
    assert timeline.modelled
    whole = json.loads(b"".join(trace_pieces(timeline, book, simulated=True)))
    assert len(whole["traceEvents"]) >= 50
