"""The copies of the lab's cells as rows: rates, what stands in for one, sums and cures."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.copy_book import CopyBook, sums_of, worst_of
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.lab.events import Measured, Transferred
from gpuexplorer.lab.wire import CopyJob
from tests.copies.cells import LIMIT, MIB, Cells, moved, read, route

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


def test_a_way_of_a_worker_that_is_gone_stays_as_it_was_told() -> None:
    """The next one may give the same cards other names."""
    known: list[Route | None] = [route("cpu", "cuda:0")]
    cells, book = Cells(), CopyBook(lambda *_: known[0])
    cells.cell("X = X.cuda()", moved(MIB, 1e-4))
    (before,) = book.take(cells.ledger)
    cells.ledger.lost()
    known[0] = None
    book.take(cells.ledger)
    book.reroute()
    assert book.rows == [before]
    assert before.route is not None


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
