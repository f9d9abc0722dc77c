"""The timeline: what host and cards did, at any zoom, and how quickly it is found."""

import math
from dataclasses import replace
from functools import partial

import pytest

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Engine, Lane, Role, Timeline, Track
from gpuexplorer.lab.events import Span, Transferred
from tests.copies.cells import MIB, Cells, moved, read
from tests.steps import steps

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


def test_cards_that_wait_for_each_other_say_so() -> None:
    cells = Cells()
    wait = Span("cuda:1", 0.0, 1e-3, 1e-3, 1, "cuda:0", "copy")
    cells.cell("Z = (X @ X).cuda(1)", spans=[Span("cuda:0", 0.0, 1e-3, 1e-3), wait])
    timeline, _ = shown(cells)
    found = timeline.at(Track("cuda:1", Engine.WAIT), 5e-4)
    assert found is not None
    assert (found[1].waits_for, found[1].why) == ("cuda:0", "copy")


def test_what_ran_beside_a_computation_is_told_by_card() -> None:
    cells = Cells()
    cells.cell("a line", moved(MIB, 2e-3, begin=0.0), spans=[Span("cuda:0", 1e-3, 4e-3, 3e-3)])
    cells.cell("another", moved(MIB, 2e-3, begin=0.0))
    timeline, _ = shown(cells)
    assert timeline.overlapped(("cuda:0", ""), 0.0, 4e-3) == pytest.approx(0.5)
    assert timeline.overlapped(("cuda:0", ""), 4e-3, 6e-3) == pytest.approx(0.0)
    assert timeline.overlapped(("cuda:1", ""), 0.0, 1.0) is None


def test_a_folded_loop_is_one_stretch() -> None:
    cells = Cells()
    cells.cell("a loop", read(800, 0.03), host_seconds=0.04)
    timeline, _ = shown(cells)
    found = timeline.at(Track("cuda:0", Engine.COPY_OUT), 0.01)
    assert found is not None
    assert found[0].times == 800
    assert found[0].busy == pytest.approx(800 * 1.4e-6)


def test_nothing_to_copy_leaves_no_trace() -> None:
    cells = Cells()
    cells.cell("Z.cuda(0) is Z", Transferred(0, "cuda:0", "cuda:0", 0, None, what="Z"))
    timeline, book = shown(cells)
    assert timeline.tracks == [PYTHON]
    assert timeline.place_of(book.rows[0]) is None


def test_what_is_narrower_than_a_pixel_is_folded_and_nothing_is_lost(much: Timeline) -> None:
    lane = much.lane(IN)
    assert lane is not None
    fold = lane.visible(0.0, much.length, 500)
    assert fold.first.size <= 500
    assert fold.times.sum() == 2600
    assert fold.busy.sum() == pytest.approx(2600 * 8e-5)
    near = lane.visible(0.0, 1e-3, 500)
    assert near.times.tolist() == [1] * 10


def test_folds_do_not_move_while_the_picture_does() -> None:
    lane = Lane()
    for each in range(10_000):
        lane.add(each * 1e-3, each * 1e-3 + 5e-4, 5e-4)
    here = lane.visible(1.0, 9.0, 100)
    there = lane.visible(1.0 + 0.013, 9.0 + 0.013, 100)
    assert set(here.begins[2:-2]) <= set(there.begins)


def test_stretches_that_overlap_are_all_found() -> None:
    lane = Lane()
    lane.add(0.0, 10.0, 10.0)
    lane.add(1.0, 2.0, 1.0)
    lane.add(3.0, 4.0, 1.0)
    assert lane.visible(5.0, 6.0, 100).first.tolist() == [0, 1, 2]
    assert lane.at(9.0) == 0
    assert lane.at(1.5) == 1
    assert lane.at(11.0) is None


def test_a_long_stretch_among_short_ones_is_not_lost_in_them() -> None:
    lane = Lane()
    for each in range(1000):
        lane.add(each * 1e-3, each * 1e-3 + (5.0 if each == 500 else 1e-4), 1e-4)
    fold = lane.visible(0.0, 10.0, 100)
    (at,) = (fold.ends > 5.0).nonzero()[0]
    assert lane.longest(int(fold.first[at]), int(fold.after[at])) == 500


@pytest.mark.parametrize("times", [(math.nan, 1.0), (0.0, math.inf), (0.0, math.nan)])
def test_a_copy_of_which_nobody_knows_when_has_no_place(times: tuple[float, float]) -> None:
    cells = Cells()
    begin, end = times
    odd = replace(moved(MIB, 1e-3), begin=begin, end=end, asked_at=None)
    cells.cell("X = X.cuda()", odd, moved(MIB, 1e-3), host_seconds=1e-3)
    timeline, book = shown(cells)
    assert timeline.length == pytest.approx(1e-3)
    assert timeline.place_of(book.rows[0]) is None
    lane = timeline.lane(IN)
    assert lane is not None
    assert len(lane) == 1


def test_a_clock_that_steps_back_leaves_no_stretch_that_ends_before_it_begins() -> None:
    cells = Cells()
    back = replace(moved(MIB, 1e-3), begin=2e-3, end=1e-3)
    early = replace(moved(MIB, 1e-3), begin=-1e-3, end=5e-4)
    cells.cell("X = X.cuda()", back, early, host_seconds=3e-3)
    timeline, book = shown(cells)
    assert timeline.place_of(book.rows[0]) == (2e-3, 2e-3)
    fold = (timeline.lane(IN) or Lane()).visible(0.0, timeline.length, 100)
    assert (fold.begins >= 0.0).all()
    assert (fold.ends >= fold.begins).all()


@pytest.mark.parametrize("part", [1.0, 0.5, 0.1, 0.01, 0.001])
def test_a_frame_takes_no_more_the_more_copies_there_are(much: Timeline, part: float) -> None:
    """Of eight cards, of all of it and of parts."""

    def frame(timeline: Timeline, begin: float) -> None:
        for lane in filter(None, map(timeline.lane, timeline.tracks)):
            lane.visible(begin, begin + timeline.length * part, 1000)
        for device in timeline.devices:
            timeline.overlapped(device, begin, begin + timeline.length * part)

    for first in (0.0, 0.3):
        begin = much.length * first
        # As many as for a twentieth of the copies; far below the 16.7 ms of a frame.
        assert steps(partial(frame, much, begin)) < 45_000


def test_a_cell_is_taken_in_without_going_over_the_others() -> None:
    cells = Cells()
    book, timeline = CopyBook(), Timeline()
    taken = []
    for count in (1, 1, 50):
        for _ in range(count):
            cells.cell("a loop", *[moved(MIB, 1e-4)] * 200)
        book.take(cells.ledger)
        timeline.take(cells.ledger, book)
        cells.cell("Y = X.cuda()", moved(MIB, 1e-4))
        book.take(cells.ledger)
        taken.append(steps(lambda: timeline.take(cells.ledger, book)))
    assert max(taken) < 2 * min(taken)
