"""The ledger: what is on the shelf, what each cell came to, and which cells run again."""

from collections.abc import Iterator

import pytest

from gpuexplorer.lab.cell_source import names_made, names_read
from gpuexplorer.lab.events import (
    Asked,
    Began,
    Failed,
    Finished,
    Freed,
    Held,
    Idle,
    Loader,
    Memory,
    Pictured,
    Placed,
    Printed,
    Transferred,
    Trip,
    Watched,
    Why,
)
from gpuexplorer.lab.ledger import Cell, Ledger
from gpuexplorer.lab.wire import Cancel, Run
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session
from tests.lab.told_cells import Told


def test_a_cell_is_known_by_its_command_and_by_the_number_before_it() -> None:
    told = Told()
    told.ledger.sent(Run(17, "X = 1", 4))
    told.ledger.sent(Cancel(18))  # which is no cell
    cell = told.ledger.cell(17)
    assert cell is told.ledger.by_number(4) is told.ledger.cells[-1]
    assert told.ledger.by_number(5) is None


def test_what_a_cell_printed_stands_in_its_order_and_pieces_of_a_stream_are_joined() -> None:
    after = (Pictured(1, "iVBOR"), Printed(1, "three\n"), *[Printed(1, "3", "value")] * 2)
    said = (Printed(1, "one, "), Printed(1, "two\n"), Printed(1, "oh\n", "err"), *after)
    joined = [Printed(1, "one, two\n"), Printed(1, "oh\n", "err"), *after]
    assert Told().run("…", *said).outputs == joined


def test_a_cell_that_asks_waits_until_it_is_answered_or_over() -> None:
    told = Told()
    assert told.run("input()", Asked(1, "input", "")).asked is None  # it is over
    told.ledger.sent(Run(2, "input()", 2))
    for event in (Began(2), Asked(2, "input", "Who?")):
        told.ledger.apply(event)
    assert told.ledger.cells[2].asked is not None


def test_the_session_runs_again_without_what_failed_unless_that_is_asked_for() -> None:
    told = Told("a = 1")
    assert told.run("a + b", failing="error").state == "failed"
    assert told.run("sleep()", failing="cancelled").state == "cancelled"
    told.run("b = 2")
    assert told.codes_again() == ["a = 1", "b = 2"]
    assert told.codes_again(upto=3, with_failed=True) == ["a = 1", "a + b", "sleep()"]
    told.ledger.start_over()
    assert told.codes_again(with_failed=True) == []


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
    assert [each.number for each in told.ledger.leave_out(["cuda:1"])] == [2, 3]
    assert told.codes_again() == ["A = torch.ones(2).cuda(0)"]
    failed = told.ledger.cells[2].failed
    assert failed is not None
    assert failed.sentence == "cuda:1 is lost, and what this cell made went with it."
    assert told.ledger.leave_out([]) == []


@needs_torch
def test_it_knows_what_is_on_the_shelf_and_what_each_cell_cost(session: Session) -> None:
    cell = session.run("X = torch.ones(2, 3, device='cuda:0')", "Z = X.cuda(1)")
    assert cell.state == "done"
    assert list(session.ledger.things) == ["X", "Z"]
    assert session.ledger.things["Z"].device == "cuda:1"
    (copy,) = cell.transfers
    assert (copy.source, copy.target, copy.bytes) == ("cuda:0", "cuda:1", 24)
    assert [cell.allocated_bytes(each) for each in ("cuda:1", "cuda:0")] == [512, 0]
    assert list(cell.placed) == ["Z"]
    session.run("del X", "W = Z")
    assert list(session.ledger.things) == ["Z", "W"]
    assert [session.ledger.twins(each) for each in "ZW"] == [["W"], ["Z"]]


@pytest.fixture
def alone() -> Iterator[Session]:
    """In which no cell has failed, since an error holds on to what it met."""
    session = Session()
    yield session
    session.stop()


@needs_torch
def test_memory_that_nobody_named_is_counted(alone: Session) -> None:
    session = alone
    session.run("W = torch.ones(1000, device='cuda:0', requires_grad=True)")
    session.run("V = W[:10]")
    assert session.ledger.unnamed_bytes("cuda:0") == 0
    session.run("loss = (W.exp() * W).sum()")
    assert session.ledger.unnamed_bytes("cuda:0") == 4096
    session.run("loss.backward()")
    assert session.ledger.unnamed_bytes("cuda:0") == 0  # the gradient belongs to W
    session.run("net = nn.Linear(9, 9).cuda()", "opt = torch.optim.Adam(net.parameters())")
    session.run("out = net(torch.ones(9).cuda()).sum()", "out.backward()", "opt.step()")
    assert {each.what for each in session.ledger.things["net"].holds} == {"values", "gradients"}
    assert session.ledger.things["opt"].holds[0].what == "state"
    assert session.ledger.unnamed_bytes("cuda:0") == 0


def watched(*events: Watched | Transferred) -> Cell:
    ledger = Ledger()
    ledger.sent(Run(1, "…", 1))
    for event in (Began(1), *events):
        ledger.apply(event)
    return ledger.cells[0]


def read(row: int, copies: int) -> Transferred:
    return Transferred(1, "cuda:0", "cpu", 4 * copies, 1e-6, copies=copies, row=row)


def test_a_row_that_was_said_again_takes_the_place_of_what_it_was() -> None:
    idle = [Idle(row, "cuda:0", Why.READ, row / 10, 1, row / 10) for row in (1, 3)]
    loaders = [(Loader(1, batches, 0.5, 0, pins=False),) for batches in (10, 20)]
    trip = Trip(5, 4, "cuda:0", 3, 300, changed=True)
    # Brought back there as well, but it had left elsewhere; or nothing was done with it.
    other = Trip(5, 6, "cuda:0", 1, 100, changed=False)
    as_is = Trip(5, 4, "cuda:0", 2, 200, changed=False)
    busy = (("cuda:0", 0.9),)
    first = (read(1, 10), read(2, 1))
    cell = watched(
        Watched(1, 1.0, 1.0, 10, copies=first, idle=(idle[0],), loaders=loaders[0]),
        Watched(1, 2.0, 1.5, 20, trips=(trip,), busy=(("cuda:0", 0.5),)),
        Watched(1, 3.0, 2.0, 40, copies=(read(1, 20),), idle=(idle[1],), loaders=loaders[1]),
        Watched(1, 4.0, 2.0, 40, trips=(other, as_is), busy=busy, dropped=2, over=True),
    )
    seen = cell.seen
    assert seen is not None
    assert [(each.row, each.copies) for each in seen.copies] == [(1, 20), (2, 1)]
    assert (list(seen.idle), seen.loaders) == (idle, loaders[1])
    assert seen.trips == (trip, other, as_is)
    assert (seen.seconds, seen.seen_seconds, seen.steps) == (4.0, 2.0, 40)
    assert (seen.busy, seen.dropped, seen.over) == (busy, 2, True)
    assert [(each.row, each.copies) for each in cell.transfers] == [(1, 20), (2, 1)]


def test_copies_that_were_said_one_by_one_are_not_counted_twice() -> None:
    cell = watched(read(0, 10), Watched(1, 1.0, 1.0, copies=(read(1, 10),)))
    assert [each.copies for each in cell.transfers] == [10]


def held(storage: int, size: int, device: str = "cuda:0") -> Held:
    return Held(device, "values", size, storage)


def test_a_stretch_of_memory_counts_once_until_nobody_holds_it() -> None:
    told = Told()

    def shares(name: str, *holds: Held) -> str:
        number = len(told.ledger.cells)
        cell = told.run("…", Placed(number, name, "tensor", "", "", holds=holds))
        return cell.shares.get(name, "")

    def held_on(device: str) -> int:
        return told.ledger.held_bytes(device)

    assert shares("X", held(1, 512), held(2, 1024)) == ""
    assert shares("V", held(1, 512)) == "X"
    assert [shares(each, held(0, 0, "meta")) for each in "AB"] == ["", ""]
    assert held_on("cuda:0") == 512 + 1024
    assert shares("X", held(3, 2048, "cpu")) == ""
    assert [held_on(each) for each in ("cuda:0", "cpu")] == [512, 2048]
    assert shares("V", held(1, 1024)) == ""  # it grew
    assert held_on("cuda:0") == 1024
    for name in ("V", "X", "X"):
        told.run("…", Freed(1, name))
    assert [held_on(each) for each in ("cuda:0", "cpu")] == [0, 0]


def test_the_names_a_cell_reads_and_makes_are_told_by_its_text_alone() -> None:
    code = "def double(x):\n    return 2 * x\nA, (B, *C) = double(X), rest"
    assert names_read(code) == {"x", "double", "X", "rest"}
    assert names_made(code) == {"double", "A", "B", "C"}
    code = "!nvidia-smi\nfor d in devices:\n    %time Y = X.to(d)\nZ = X"
    assert names_read(code) == {"devices", "X", "d"}
    assert names_made(code) == {"d", "Y", "Z"}
    assert names_read("X = (") == frozenset()
