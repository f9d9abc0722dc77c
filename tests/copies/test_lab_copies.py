"""The copies of the lab's cells as rows: rates, what stands in for one, sums and cures."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.hidden_copies import sums_of, worst_of
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.copies.timeline import Timeline
from gpuexplorer.lab.events import Measured, Transferred
from gpuexplorer.lab.wire import CopyJob
from tests.copies.cells import LIMIT, MIB, Cells, moved, read, route
from tests.steps import steps


def test_a_row_tells_rate_limit_and_share() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("X = X.cuda()", moved(256 * MIB, 0.02))
    (row,) = book.take(cells.ledger)
    assert (row.ran, row.what, row.asked, row.path) == (1, "X", True, "PCIe 3 x16")
    assert row.rate == pytest.approx(256 * MIB / 0.02)
    assert row.limit == LIMIT
    assert row.share == pytest.approx(256 * MIB / 0.02 / LIMIT)
    assert (row.no_rate, row.intact, row.host_side, row.modelled) == (
        None,
        True,
        "pinned",
        True,
    )


@pytest.mark.parametrize(
    ("transfer", "why"),
    [
        (read(1000, 0.038), "all latency"),
        (replace(moved(10 * MIB, 1e-3), intact=False), "arrived WRONG"),
        (
            replace(moved(10 * MIB, 1e-3), seconds=None),
            "the card was not asked how long it took",
        ),
        (Transferred(0, "cuda:0", "cuda:0", 0, None, what="X", how="cuda"), "nothing to copy"),
    ],
    ids=lambda each: each if isinstance(each, str) else "",
)
def test_where_there_is_no_rate_it_is_said_why(transfer: Transferred, why: str) -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("a line", transfer)
    (row,) = book.take(cells.ledger)
    assert row.no_rate is not None
    assert row.no_rate.words == why
    assert row.rate is None
    assert row.share is None


def test_a_copy_that_copies_nothing_says_so() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("Z.cuda(0) is Z", Transferred(0, "cuda:0", "cuda:0", 0, None, what="Z"))
    (row,) = book.take(cells.ledger)
    assert (row.path, row.bytes, row.already_there) == ("already there", 0, True)


def test_a_row_names_the_expression_and_the_line_of_code_in_its_cell() -> None:
    cells, book = Cells(), CopyBook(route)
    code = "for each in range(2):\n    log.append(loss.item())  # mine"
    cells.cell(code, replace(read(2, 1e-5), cell=1, line=2))
    cells.cell("X.cuda()", replace(moved(MIB, 1e-4), what=""))
    row, unknown = book.take(cells.ledger)
    assert (row.place, row.what) == ("1:2", "loss.item()")
    assert row.code == "log.append(loss.item())  # mine"
    assert (unknown.place, unknown.what, unknown.code) == ("2", "X.cuda()", "X.cuda()")


def test_a_row_names_the_cell_whose_code_copied_and_the_one_that_called_it() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("def look(x):\n    return x.item()")
    within = replace(read(1, 1e-5), cell=1, line=2, within="torch.nn.parallel", thread="T-1")
    cells.cell("look(loss)", within)
    (row,) = book.take(cells.ledger)
    assert (row.cell, row.line, row.ran, row.code) == (1, 2, 2, "return x.item()")
    assert (row.within, row.thread) == ("torch.nn.parallel", "T-1")
    assert [each.number for each in book.of_cell(2)] == [0]


def test_of_a_cell_that_runs_again_its_last_run_counts() -> None:
    cells, book, timeline = Cells(), CopyBook(route), Timeline()
    cells.cell("X = X.cuda()", moved(MIB, 1e-4))
    book.take(cells.ledger)
    timeline.take(cells.ledger, book)
    cells.again(1, moved(2 * MIB, 1e-4))
    book.take(cells.ledger)
    timeline.take(cells.ledger, book)
    assert [each.bytes for each in book.of_cell(1)] == [2 * MIB]
    assert len(book) == 2
    assert [each.cell for each in timeline.places] == [1, 1]
    cells.again(1, moved(3 * MIB, 1e-4))  # and twice before anybody looks
    cells.again(1, moved(4 * MIB, 1e-4))
    book.take(cells.ledger)
    assert [each.bytes for each in book.of_cell(1)] == [4 * MIB]


def test_lines_of_a_cell_are_summed_each_by_itself() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell(
        "a = x.item()\nb = y.item()",
        replace(read(1, 1e-5), cell=1, line=1),
        replace(read(1, 2e-5), cell=1, line=2),
    )
    book.take(cells.ledger)
    assert [(each.place, each.copies) for each in sums_of(book, 1)] == [("1:2", 1), ("1:1", 1)]


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


def test_rows_come_while_a_cell_runs_and_are_taken_once() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("X = X.cuda()", moved(MIB, 1e-4))
    assert len(book.take(cells.ledger)) == 1
    assert book.take(cells.ledger) == []
    cells.begin("Y = Y.cuda()")
    cells.tell(moved(MIB, 1e-4))
    (row,) = book.take(cells.ledger)
    assert (row.number, row.ran, row.cell_seconds) == (1, 2, None)
    cells.tell(moved(2 * MIB, 2e-4))
    cells.end(1e-3, 2e-3)
    assert [each.bytes for each in book.take(cells.ledger)] == [2 * MIB]
    assert [each.cell_seconds for each in book.of_cell(2)] == [2e-3, 2e-3]
    assert list(book.cells()) == [1, 2]


def test_the_best_of_a_way_is_told_beside_each_row() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("X = X.cuda()", moved(10 * MIB, 1e-3), moved(10 * MIB, 2e-3))
    cells.cell("Y = Y.cuda()", moved(10 * MIB, 0.5e-3, pinned=False))
    first, second, pageable = book.take(cells.ledger)
    assert book.best(second) == first.rate
    assert book.best(pageable) == pageable.rate
    job = CopyJob("cpu", "cuda:0", 256 * MIB, pinned=True)
    book.measured(CopyResult(job, Measured(1, (256 * MIB / 13e9,)), None))
    assert book.best(first) == pytest.approx(13e9)


def test_a_wiring_that_is_told_late_is_told_of_all_rows() -> None:
    known = [False]
    cells = Cells()
    book = CopyBook(lambda source, target: route(source, target) if known[0] else None)
    cells.cell("X = X.cuda()", moved(MIB, 1e-4))
    (row,) = book.take(cells.ledger)
    assert row.limit is None
    known[0] = True
    book.reroute()
    assert book.rows[0].limit == LIMIT


def test_what_a_loop_read_is_summed_with_its_cure() -> None:
    cells, book = Cells(), CopyBook(route)
    singles = [read(1, 38e-6, begin=each * 41e-6) for each in range(200)]
    folded = read(800, 800 * 38e-6, begin=200 * 41e-6)
    cells.cell(
        "for i in range(1000): log += [loss.item()]", *singles, folded, host_seconds=0.041
    )
    book.take(cells.ledger)
    (total,) = sums_of(book, 1)
    assert total.sentence == (
        "loss.item() moved 4 B to the host 1000 times. 38.0 of 41.0 ms went there, modelled."
    )
    assert total.cure == "Keep the log on the card and move it once: about 10 µs."
    assert total.cure_seconds == pytest.approx(1.4e-6 + 1e-5 + 4000 / LIMIT)
    assert worst_of(book) == total


def test_what_was_asked_for_is_no_hidden_copy() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("X = X.cuda()", moved(10 * MIB, 1e-2, pinned=False))
    book.take(cells.ledger)
    assert worst_of(book) is None
    (total,) = sums_of(book, 1)
    assert "pin_memory()" in total.cure


def test_one_look_is_not_worth_a_cure() -> None:
    cells, book = Cells(), CopyBook(route)
    cells.cell("loss.item()", read(1, 2e-5))
    book.take(cells.ledger)
    (total,) = sums_of(book, 1)
    assert (total.cure, total.copies) == ("", 1)


def test_ten_thousand_rows_are_not_gone_over_again() -> None:
    cells, book = Cells(), CopyBook(route)
    taken = []
    for count in (1, 1, 50):
        for _ in range(count):
            cells.cell("for i in range(200): Y = X.cuda()", *[moved(MIB, 1e-4)] * 200)
        book.take(cells.ledger)
        cells.cell("Y = X.cuda()", moved(MIB, 1e-4))
        taken.append(steps(lambda: book.take(cells.ledger)))
    assert len(book) == 52 * 200 + 3
    assert max(taken) < 2 * min(taken)
