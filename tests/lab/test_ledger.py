"""The ledger: what is on the shelf, what each cell came to, and which cells run again."""

from gpuexplorer.lab.events import (
    Began,
    Failed,
    Finished,
    Freed,
    Held,
    Idle,
    Memory,
    Pictured,
    Placed,
    Printed,
    Transferred,
    Trip,
    Watched,
    Why,
)
from gpuexplorer.lab.wire import Run
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session
from tests.lab.told_cells import Told


def test_what_a_cell_printed_stands_in_its_order_and_pieces_of_a_stream_are_joined() -> None:
    after = (Pictured(1, "iVBOR"), Printed(1, "three\n"), *[Printed(1, "3", "value")] * 2)
    said = (Printed(1, "one, "), Printed(1, "two\n"), Printed(1, "oh\n", "err"), *after)
    joined = [Printed(1, "one, two\n"), Printed(1, "oh\n", "err"), *after]
    assert Told().run("…", *said).outputs == joined


def test_the_session_runs_again_without_what_failed() -> None:
    told = Told("a = 1")
    assert told.run("a + b", failing="error").state == "failed"
    assert told.run("sleep()", failing="cancelled").state == "cancelled"
    told.run("b = 2")
    assert told.codes_again() == ["a = 1", "b = 2"]
    assert told.codes_again(upto=3) == ["a = 1"]
    told.ledger.start_over()
    assert told.codes_again() == []


def test_a_cell_that_runs_again_is_the_same_cell_with_new_outputs() -> None:
    told = Told()
    cell = told.run("print(1)", Printed(1, "1\n"), Watched(1, 1.0, 1.0, copies=(read(1, 10),)))
    told.ledger.apply(Failed(0, "worker lost", "", ""))
    assert told.ledger.gone(cell)
    told.ledger.sent_again(Run(9, "print(1)", 1), cell)
    assert told.ledger.replaying == [9]
    assert cell.outputs == [Printed(1, "1\n")]
    told.go_on(9, Printed(9, "2\n"))
    assert not told.ledger.gone(cell)
    assert (cell.id, cell.outputs) == (1, [Printed(9, "2\n")])
    assert (cell.seen, cell.transfers, told.ledger.replaying) == (None, [], [])


def test_a_cell_that_did_not_get_its_turn_again_is_as_it_was() -> None:
    told = Told()
    done, failed = told.run("a = 1"), told.run("b", failing="error")
    for command, cell in ((8, done), (9, failed)):
        told.ledger.sent_again(Run(command, cell.code, cell.number), cell)
        told.ledger.apply(Failed(command, "worker lost", "", ""))
    assert (done.state, failed.state) == ("done", "failed")
    assert told.codes_again() == ["a = 1"]


def test_cells_that_worked_on_a_lost_card_are_left_out() -> None:
    told = Told("A = torch.ones(2).cuda(0)")
    told.run("B = torch.ones(2).cuda(1)", busy="cuda:1")
    told.ledger.sent(Run(3, "C = torch.empty(2).cuda(1)", 3))
    told.ledger.apply(Began(3))
    told.ledger.apply(Finished(3, 0.0, memory=(Memory("cuda:1", 512),)))
    told.ledger.leave_out(["cuda:1"])
    assert [each.state for each in told.ledger.cells[2:]] == ["failed", "failed"]
    assert told.codes_again() == ["A = torch.ones(2).cuda(0)"]
    failed = told.ledger.cells[2].failed
    assert failed is not None
    assert failed.sentence == "cuda:1 is lost, and what this cell made went with it."


def test_of_a_flood_the_newest_is_kept_and_the_rest_counted() -> None:
    cell = Told().run("…", *(Printed(1, "x" * 500_000) for _ in range(12)))
    kept = sum(len(each.text) for each in cell.outputs if isinstance(each, Printed))
    assert kept <= 4_000_000
    assert (cell.letters, cell.forgotten) == (6_000_000, 6_000_000 - kept)


@needs_torch
def test_it_knows_the_shelf_what_a_cell_cost_and_memory_that_nobody_named() -> None:
    session = Session()  # in which no cell has failed, since an error holds on to what it met
    cell = session.run("X = torch.ones(2, 3, device='cuda:0')", "Z = X.cuda(1)")
    (copy,) = cell.transfers
    assert (copy.source, copy.target, copy.bytes) == ("cuda:0", "cuda:1", 24)
    assert [cell.allocated_bytes(each) for each in ("cuda:1", "cuda:0")] == [512, 0]
    assert list(cell.placed) == ["Z"]
    session.run("del X", "Y = Z")
    known = {name: each.same_as for name, each in session.ledger.things.items()}
    assert known == {"Z": "", "Y": "Z"}
    session.run("W = torch.ones(1000, device='cuda:0', requires_grad=True)", "V = W[:10]")
    assert session.ledger.unnamed_bytes("cuda:0") == 0
    session.run("loss = (W.exp() * W).sum()")
    assert session.ledger.unnamed_bytes("cuda:0") == 4096
    session.run("loss.backward()")
    assert session.ledger.unnamed_bytes("cuda:0") == 0  # the gradient belongs to W
    session.stop()


def read(row: int, copies: int) -> Transferred:
    return Transferred(1, "cuda:0", "cpu", 4 * copies, 1e-6, copies=copies, row=row)


def test_a_row_that_was_said_again_takes_the_place_of_what_it_was() -> None:
    idle = [Idle(row, "cuda:0", Why.READ, row / 10, 1, row / 10) for row in (1, 3)]
    trips = [Trip(5, out, "cuda:0", 3, 300, changed=True) for out in (4, 6)]
    first = (read(1, 10), read(2, 1))
    cell = Told().run(
        "…",
        Watched(1, 1.0, 1.0, 10, copies=first, idle=(idle[0],), trips=(trips[0],)),
        Watched(1, 3.0, 2.0, 40, copies=(read(1, 20),), idle=(idle[1],)),
        Watched(1, 4.0, 2.0, 40, trips=(trips[1],), over=True),
    )
    seen = cell.seen
    assert seen is not None
    assert (list(seen.idle), list(seen.trips)) == (idle, trips)
    assert (seen.seconds, seen.steps, seen.over) == (4.0, 40, True)
    assert [(each.row, each.copies) for each in seen.copies] == [(1, 20), (2, 1)]
    assert cell.transfers == list(seen.copies)


def test_a_stretch_of_memory_counts_once_until_nobody_holds_it() -> None:
    told = Told()

    def shares(name: str, *holds: Held) -> str:
        number = len(told.ledger.cells)
        cell = told.run("…", Placed(number, name, "tensor", "", "", holds=holds))
        return cell.shares.get(name, "")

    one, two = (Held("cuda:0", "values", 512 * each, each) for each in (1, 2))
    assert shares("X", one, two) == ""
    assert shares("V", one) == "X"
    assert told.ledger.held_bytes("cuda:0") == 512 + 1024
    assert shares("X", Held("cpu", "values", 2048, 3)) == ""
    assert [told.ledger.held_bytes(each) for each in ("cuda:0", "cpu")] == [512, 2048]
    told.run("…", Freed(1, "V"), Freed(1, "X"), Freed(1, "X"))
    assert [told.ledger.held_bytes(each) for each in ("cuda:0", "cpu")] == [0, 0]
