"""The timeline: what host and cards did, at any zoom, and how quickly it is found."""

import pytest

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Bar, Engine, Lane, Place, Role, Timeline, Track
from gpuexplorer.lab.events import Span
from tests.copies.cells import MIB, Cells, moved

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


def test_the_host_works_and_waits() -> None:
    cells = Cells()
    cells.cell("a line", moved(MIB, 1e-3, begin=1e-3, pinned=False), host_seconds=3e-3)
    lane = shown(cells)[0].lane(PYTHON)
    bars = [bar for at in (0.5e-3, 1.5e-3, 2.5e-3) if (bar := lane.at(at))]
    assert [each.role for each in bars] == [Role.RUNS, Role.WAITS, Role.RUNS]
    assert bars[1].why == "pageable, blocking"


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
