"""The timeline: what host and cards did, at any zoom, and how quickly it is found."""

import pytest

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Engine, Lane, Role, Timeline, Track
from gpuexplorer.lab.events import Span
from tests.copies.cells import MIB, Cells, moved

IN = Track("cuda:0", Engine.COPY_IN)
COMPUTE = Track("cuda:0", Engine.COMPUTE)
PYTHON = Track("cpu", Engine.PYTHON)


def shown(cells: Cells) -> tuple[Timeline, CopyBook]:
    book, timeline = CopyBook(), Timeline()
    book.take(cells.ledger)
    assert timeline.take(cells.ledger, book)
    return timeline, book


@pytest.fixture(scope="module")
def much() -> Timeline:
    return many(20_000, cards=8)


def many(copies: int, cards: int) -> Timeline:
    """Cells of two hundred copies each, in turn on each card."""
    cells = Cells()
    for number in range(copies // 200):
        card = f"cuda:{number % cards}"
        each = [moved(MIB, 8e-5, target=card, begin=at * 1e-4) for at in range(200)]
        span = Span(card, 0.0, 0.02, 0.01, 100)
        cells.cell("a loop", *each, host_seconds=0.02, device_seconds=0.02, spans=[span])
    return shown(cells)[0]


def test_cells_lie_one_after_another() -> None:
    cells = Cells()
    cells.cell("X = X.cuda()", moved(MIB, 1e-3), host_seconds=1e-3)
    cells.cell("Y = Y.cuda()", moved(MIB, 1e-3), host_seconds=2e-3)
    timeline, book = shown(cells)
    assert timeline.length == pytest.approx(3e-3)
    assert [(each.cell, each.begin) for each in timeline.places] == [(1, 0.0), (2, 1e-3)]
    assert timeline.place_of(book.rows[1]) == (1e-3, 2e-3)
    assert [each.code for each in timeline.places] == ["X = X.cuda()", "Y = Y.cuda()"]
    assert timeline.modelled


def test_both_ends_of_a_copy_are_there() -> None:
    cells = Cells()
    between = moved(MIB, 1e-3, source="cuda:0", target="cuda:1", pinned=None, blocking=False)
    cells.cell("Z = X.cuda(1)", between)
    timeline, _ = shown(cells)
    out, arrives = Track("cuda:0", Engine.COPY_OUT), Track("cuda:1", Engine.COPY_IN)
    for track in (out, arrives):
        found = timeline.at(track, 5e-4)
        assert found is not None
        assert (found[1].role, found[1].row) == (Role.COPIES, 0)
    assert timeline.under_way(5e-4) == [0]
    assert timeline.under_way(5e-3) == []
    assert timeline.tracks == [PYTHON, out, arrives]


def test_the_host_works_calls_and_waits() -> None:
    cells = Cells()
    pageable = moved(MIB, 1e-3, begin=1e-3, pinned=False)
    cells.cell("a line", pageable, host_seconds=3e-3)
    timeline, _ = shown(cells)
    roles = [timeline.at(PYTHON, moment) for moment in (0.5e-3, 1.5e-3, 2.5e-3)]
    assert [each[1].role for each in roles if each] == [Role.RUNS, Role.WAITS, Role.RUNS]
    wait = roles[1]
    assert wait is not None
    assert (wait[1].waits_for, wait[1].why) == ("cuda:0", "pageable, blocking")


def test_what_ran_beside_a_computation_is_told_by_card() -> None:
    cells = Cells()
    cells.cell("a line", moved(MIB, 2e-3, begin=0.0), spans=[Span("cuda:0", 1e-3, 4e-3, 3e-3)])
    cells.cell("another", moved(MIB, 2e-3, begin=0.0))
    timeline, _ = shown(cells)
    assert timeline.overlapped(("cuda:0", ""), 0.0, 4e-3) == pytest.approx(0.5)
    assert timeline.overlapped(("cuda:0", ""), 4e-3, 6e-3) == pytest.approx(0.0)
    assert timeline.overlapped(("cuda:1", ""), 0.0, 1.0) is None


def test_what_is_narrower_than_a_pixel_is_folded_and_nothing_is_lost(much: Timeline) -> None:
    lane = much.lane(IN)
    assert lane is not None
    fold = lane.visible(0.0, much.length, 500)
    assert fold.first.size <= 500
    assert fold.times.sum() == 2600
    assert fold.busy.sum() == pytest.approx(2600 * 8e-5)
    near = lane.visible(0.0, 1e-3, 500)
    assert near.times.tolist() == [1] * 10


def test_stretches_that_overlap_are_all_found() -> None:
    lane = Lane()
    lane.add(0.0, 10.0, 10.0)
    lane.add(1.0, 2.0, 1.0)
    lane.add(3.0, 4.0, 1.0)
    assert lane.visible(5.0, 6.0, 100).first.tolist() == [0, 1, 2]
    assert lane.at(9.0) == 0
    assert lane.at(1.5) == 1
    assert lane.at(11.0) is None
