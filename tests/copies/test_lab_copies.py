"""The copies of the lab's lines as rows: rates, what stands in for one, sums and cures."""

from dataclasses import replace

import pytest

from gpuexplorer.copies.hidden_copies import sums_of, worst_of
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.lab.copy_job import CopyJob
from gpuexplorer.lab.events import Measured, Transferred
from tests.copies.lines import LIMIT, MIB, Lines, moved, read, route
from tests.steps import steps


def test_a_row_tells_rate_limit_and_share() -> None:
    lines, book = Lines(), CopyBook(route)
    lines.line("X = X.cuda()", moved(256 * MIB, 0.02))
    (row,) = book.take(lines.ledger)
    assert (row.line, row.what, row.asked, row.path) == (1, "X", True, "PCIe 3 x16")
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
    lines, book = Lines(), CopyBook(route)
    lines.line("a line", transfer)
    (row,) = book.take(lines.ledger)
    assert row.no_rate is not None
    assert row.no_rate.words == why
    assert row.rate is None
    assert row.share is None


def test_a_copy_that_copies_nothing_says_so() -> None:
    lines, book = Lines(), CopyBook(route)
    lines.line("Z.cuda(0) is Z", Transferred(0, "cuda:0", "cuda:0", 0, None, what="Z"))
    (row,) = book.take(lines.ledger)
    assert (row.path, row.bytes, row.already_there) == ("already there", 0, True)


@pytest.mark.parametrize(
    ("how", "what", "asked", "called"),
    [
        ("item", "loss", False, "loss.item()"),
        ("item", "", False, ".item()"),
        ("print", "Z", False, "print(Z)"),
        ("float", "s", False, "float(s)"),
        ("index", "X", False, "X[…]"),
        ("call", "net", False, "net(…)"),
        ("cuda", "X", True, "X"),
        ("cuda", "", True, "a line"),
    ],
)
def test_copies_have_names_that_a_person_knows(
    how: str, what: str, asked: bool, called: str
) -> None:
    lines, book = Lines(), CopyBook()
    lines.line("a line", replace(read(1, 1e-5), how=how, what=what, asked=asked))
    (row,) = book.take(lines.ledger)
    assert row.what == called


def test_rows_come_while_a_line_runs_and_are_taken_once() -> None:
    lines, book = Lines(), CopyBook(route)
    lines.line("X = X.cuda()", moved(MIB, 1e-4))
    assert len(book.take(lines.ledger)) == 1
    assert book.take(lines.ledger) == []
    lines.begin("Y = Y.cuda()")
    lines.tell(moved(MIB, 1e-4))
    (row,) = book.take(lines.ledger)
    assert (row.number, row.line, row.line_seconds) == (1, 2, None)
    lines.tell(moved(2 * MIB, 2e-4))
    lines.end(1e-3, 2e-3)
    assert [each.bytes for each in book.take(lines.ledger)] == [2 * MIB]
    assert [each.line_seconds for each in book.of_line(2)] == [2e-3, 2e-3]
    assert list(book.lines()) == [1, 2]


def test_the_best_of_a_way_is_told_beside_each_row() -> None:
    lines, book = Lines(), CopyBook(route)
    lines.line("X = X.cuda()", moved(10 * MIB, 1e-3), moved(10 * MIB, 2e-3))
    lines.line("Y = Y.cuda()", moved(10 * MIB, 0.5e-3, pinned=False))
    first, second, pageable = book.take(lines.ledger)
    assert book.best(second) == first.rate
    assert book.best(pageable) == pageable.rate
    job = CopyJob("cpu", "cuda:0", 256 * MIB, pinned=True)
    book.measured(CopyResult(job, Measured(1, (256 * MIB / 13e9,)), None))
    assert book.best(first) == pytest.approx(13e9)


def test_a_wiring_that_is_told_late_is_told_of_all_rows() -> None:
    known = [False]
    lines = Lines()
    book = CopyBook(lambda source, target: route(source, target) if known[0] else None)
    lines.line("X = X.cuda()", moved(MIB, 1e-4))
    (row,) = book.take(lines.ledger)
    assert row.limit is None
    known[0] = True
    book.reroute()
    assert book.rows[0].limit == LIMIT


def test_what_a_loop_read_is_summed_with_its_cure() -> None:
    lines, book = Lines(), CopyBook(route)
    singles = [read(1, 38e-6, begin=each * 41e-6) for each in range(200)]
    folded = read(800, 800 * 38e-6, begin=200 * 41e-6)
    lines.line(
        "for i in range(1000): log += [loss.item()]", *singles, folded, host_seconds=0.041
    )
    book.take(lines.ledger)
    (total,) = sums_of(book, 1)
    assert total.sentence == (
        "loss.item() moved 4 B to the host 1000 times. 38.0 of 41.0 ms went there, modelled."
    )
    assert total.cure == "Keep the log on the card and move it once: about 10 µs."
    assert total.cure_seconds == pytest.approx(1.4e-6 + 1e-5 + 4000 / LIMIT)
    assert total.saved == pytest.approx(0.038, rel=0.01)
    assert worst_of(book) == total


def test_what_was_asked_for_is_no_hidden_copy() -> None:
    lines, book = Lines(), CopyBook(route)
    lines.line("X = X.cuda()", moved(10 * MIB, 1e-2, pinned=False))
    book.take(lines.ledger)
    assert worst_of(book) is None
    (total,) = sums_of(book, 1)
    assert "pin_memory()" in total.cure


def test_one_look_is_not_worth_a_cure() -> None:
    lines, book = Lines(), CopyBook(route)
    lines.line("loss.item()", read(1, 2e-5))
    book.take(lines.ledger)
    (total,) = sums_of(book, 1)
    assert (total.cure, total.copies) == ("", 1)


def test_ten_thousand_rows_are_not_gone_over_again() -> None:
    lines, book = Lines(), CopyBook(route)
    taken = []
    for count in (1, 1, 50):
        for _ in range(count):
            lines.line("for i in range(200): Y = X.cuda()", *[moved(MIB, 1e-4)] * 200)
        book.take(lines.ledger)
        lines.line("Y = X.cuda()", moved(MIB, 1e-4))
        taken.append(steps(lambda: book.take(lines.ledger)))
    assert len(book) == 52 * 200 + 3
    assert max(taken) < 2 * min(taken)
