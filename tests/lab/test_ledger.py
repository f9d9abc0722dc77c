"""The ledger: what is on the shelf, what each cell came to, and which cells run again."""

from gpuexplorer.lab.events import (
    Asked,
    Began,
    Failed,
    Finished,
    Freed,
    Idle,
    Loader,
    Memory,
    Pictured,
    Placed,
    Printed,
    Progressed,
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
    cell = told.ledger.cell(17)
    assert cell is told.ledger.by_number(4)
    assert told.ledger.number(17) == 4
    assert told.ledger.by_number(5) is None


def test_what_a_cell_printed_stands_in_its_order_and_pieces_of_a_stream_are_joined() -> None:
    told = Told()
    cell = told.run(
        "…",
        Printed(1, "one, "),
        Printed(1, "two\n"),
        Printed(1, "oh\n", "err"),
        Pictured(1, "iVBOR"),
        Printed(1, "three\n"),
        Printed(1, "3", "value"),
        Printed(1, "4", "value"),
    )
    assert cell.outputs == [
        Printed(1, "one, two\n"),
        Printed(1, "oh\n", "err"),
        Pictured(1, "iVBOR"),
        Printed(1, "three\n"),
        Printed(1, "3", "value"),
        Printed(1, "4", "value"),
    ]


def test_of_what_a_program_prints_for_days_the_newest_is_kept() -> None:
    told = Told()
    cell = told.run("…", *[Printed(1, f"{each:09}\n" * 1000) for each in range(1200)])
    (kept,) = cell.outputs
    assert isinstance(kept, Printed)
    assert kept.text.endswith("000001199\n")
    assert 2_000_000 <= len(kept.text) <= 4_000_000
    assert cell.letters == 12_000_000 == cell.forgotten + len(kept.text)


def test_a_cell_that_asks_waits_until_it_is_answered_or_over() -> None:
    told = Told()
    cell = told.run("input()", Asked(1, "input", ""))
    assert cell.asked is None  # it is over
    told.ledger.sent(Run(2, "input()", 2))
    told.ledger.apply(Began(2))
    told.ledger.apply(Asked(2, "input", "Who?"))
    cell = told.ledger.cells[2]
    assert cell.asked is not None
    told.ledger.answered(cell)
    assert cell.asked is None


def test_a_stopped_cell_is_told_from_one_that_failed() -> None:
    told = Told()
    assert told.run("while True: pass", failing="cancelled").state == "cancelled"
    assert told.run("1 / 0", failing="error").state == "failed"


def test_the_session_runs_again_without_what_failed_unless_that_is_asked_for() -> None:
    told = Told()
    told.run("a = 1")
    told.run("a + b", failing="error")
    told.run("sleep()", failing="cancelled")
    told.run("b = 2")
    assert told.codes_again() == ["a = 1", "b = 2"]
    assert told.codes_again(upto=3, with_failed=True) == ["a = 1", "a + b", "sleep()"]
    told.ledger.start_over()
    assert told.codes_again(with_failed=True) == []


def test_each_cell_keeps_the_random_state_before_it() -> None:
    told = Told()
    cells = [
        told.run("torch.rand(2)", random="first"),
        told.run("1 + 1", random="second"),
        told.run("2 + 2"),  # nothing was drawn since
    ]
    assert [each.random for each in cells] == ["first", "second", "second"]


def test_a_cell_that_runs_again_is_the_same_cell_with_new_outputs() -> None:
    told = Told()
    cell = told.run("print(1)", Printed(1, "1\n"), Progressed(1, 0, (0.5,), 0.1))
    told.ledger.apply(Failed(0, "worker lost", "", ""))
    assert told.ledger.gone(cell)
    told.ledger.sent_again(Run(9, "print(1)", 1), cell)
    assert told.ledger.replaying == [9]
    assert cell.outputs == [Printed(1, "1\n")]
    told.go_on(9, Printed(9, "2\n"))
    assert not told.ledger.gone(cell)
    assert (cell.id, cell.outputs, cell.losses) == (1, [Printed(9, "2\n")], [])
    assert told.ledger.replaying == []


def test_a_list_of_losses_that_a_cell_begins_anew_takes_the_place_of_the_first() -> None:
    told = Told()
    grown = Progressed(1, 0, (0.5,), 0.1), Progressed(1, 1, (0.25,), 0.2)
    assert told.run("two loops", *grown).losses == [0.5, 0.25]
    cell = told.run("two loops", Progressed(2, 0, (9.0,), 0.1), Progressed(2, 0, (7.0,), 0.2))
    assert cell.losses == [7.0]


def test_a_cell_that_did_not_get_its_turn_again_is_as_it_was() -> None:
    told = Told()
    done, failed = told.run("a = 1"), told.run("b", failing="error")
    for command, cell in ((8, done), (9, failed)):
        told.ledger.sent_again(Run(command, cell.code, cell.number), cell)
        told.ledger.apply(Failed(command, "worker lost", "", ""))
    assert (done.state, failed.state) == ("done", "failed")
    assert told.codes_again() == ["a = 1"]


def test_cells_that_worked_on_a_lost_card_are_left_out() -> None:
    told = Told()
    told.run("A = torch.ones(2).cuda(0)")
    told.run("B = torch.ones(2).cuda(1)", busy="cuda:1")
    told.ledger.sent(Run(3, "C = torch.empty(2).cuda(1)", 3))
    told.ledger.apply(Began(3))
    told.ledger.apply(Finished(3, 0.0, memory=(Memory("cuda:1", 512),)))
    left = told.ledger.leave_out(["cuda:1"])
    assert [each.number for each in left] == [2, 3]
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
    assert cell.allocated_bytes("cuda:1") == 512
    assert cell.allocated_bytes("cuda:0") == 0
    assert list(cell.placed) == ["Z"]
    session.run("del X")
    assert list(session.ledger.things) == ["Z"]


@needs_torch
def test_two_names_for_one_thing_are_twins(session: Session) -> None:
    session.run("X = torch.ones(2)", "Y = X", "Z = X.clone()")
    assert session.ledger.twins("X") == ["Y"]
    assert session.ledger.twins("Y") == ["X"]
    assert session.ledger.twins("Z") == []


@needs_torch
def test_memory_that_nobody_named_is_counted(session: Session) -> None:
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


@needs_torch
def test_a_failed_cell_is_kept_and_marked_with_its_cure(session: Session) -> None:
    session.run("X = torch.ones(2).cuda(0)", "Y = torch.ones(2).cuda(1)")
    failed = session.run("Z = X + Y")
    assert failed.state == "failed"
    assert failed.failed is not None
    assert failed.failed.cause == "devices differ"
    cure = session.run("Z = X.cuda(1) + Y", cures=failed.id)
    assert failed.cured_by == cure.id
    assert cure.cures == failed.id


@needs_torch
def test_a_cell_that_trains_is_a_cell_with_its_losses(session: Session) -> None:
    session.run("net = nn.Linear(4, 1).cuda()", "X = torch.randn(16, 4).cuda()")
    session.run("opt = torch.optim.SGD(net.parameters(), 0.05)", "losses = []")
    cell = session.run(
        "for step in range(40):\n"
        "    loss = (net(X) - 1).square().mean()\n"
        "    opt.zero_grad()\n"
        "    loss.backward()\n"
        "    opt.step()\n"
        "    losses.append(loss.item())"
    )
    assert cell.state == "done"
    assert len(cell.losses) == 40
    assert cell.losses[-1] < cell.losses[0]


@needs_torch
def test_a_lost_session_runs_again_bit_for_bit() -> None:
    session = Session(seed=11)
    session.run("A = torch.rand(3)", "X = torch.rand(4, 3).cuda(0)", "X.device", "X[0] = 2")
    session.run("A @ torch.rand(5)")  # fails, after it drew
    session.run("net = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5)).cuda()", "torch.rand(2)")
    session.run("opt = torch.optim.Adam(net.parameters())", "Y = torch.randn(4, 2).cuda()")
    session.run(
        "for step in range(7):\n"
        "    loss = (net(X) - Y).square().mean()\n"
        "    opt.zero_grad()\n"
        "    loss.backward()\n"
        "    opt.step()"
    )
    session.run("import random", "numbers = [random.random() for _ in range(3)]", "del A")
    looks = ("X.tolist()", "net[0].weight.tolist()", "net[0].weight.grad.tolist()", "numbers")
    before = [session.text(look) for look in looks]
    shelf = set(session.ledger.things)
    session.worker.process.kill()
    assert session.worker.listener.end
    session.ledger.apply(Failed(0, "worker lost", "", ""))
    assert session.ledger.things == {}
    session.start()
    session.again(session.ledger.replay())
    assert [session.text(look) for look in looks] == before
    assert set(session.ledger.things) == shelf
    assert [each.code for each in session.ledger.cells].count("A = torch.rand(3)") == 1
    session.stop()


def test_it_tells_when_the_shelf_is_another() -> None:
    ledger = Ledger()
    seen = [ledger.shelf]
    placed = Placed(1, "X", "tensor", "cpu", "")
    for event in (
        placed,
        Finished(1, 0.0),
        Freed(1, "X"),
        Failed(2, "worker lost", "", ""),
    ):
        ledger.apply(event)
        seen.append(ledger.shelf)
    assert seen[0] != seen[1] == seen[2] != seen[3] != seen[4]


def test_a_cancel_is_no_cell() -> None:
    ledger = Ledger()
    ledger.sent(Cancel(4))
    assert ledger.cells == []


def program(*events: Watched | Transferred | Finished | Failed) -> Cell:
    ledger = Ledger()
    ledger.sent(Run(1, "…", 1))
    ledger.apply(Began(1))
    for event in events:
        ledger.apply(event)
    return ledger.cells[0]


def read(row: int, copies: int) -> Transferred:
    return Transferred(1, "cuda:0", "cpu", 4 * copies, 1e-6, copies=copies, row=row)


def idle(row: int, seconds: float) -> Idle:
    return Idle(row, "cuda:0", Why.READ, seconds, 1, seconds)


def test_a_row_that_was_said_again_takes_the_place_of_what_it_was() -> None:
    cell = program(
        Watched(1, 1.0, 1.0, copies=(read(1, 10), read(2, 1)), idle=(idle(1, 0.1),)),
        Watched(1, 2.0, 2.0, copies=(read(1, 20),), idle=(idle(2, 0.3),)),
    )
    assert cell.seen is not None
    assert [(each.row, each.copies) for each in cell.seen.copies] == [(1, 20), (2, 1)]
    assert [(each.row, each.seconds) for each in cell.seen.idle] == [(1, 0.1), (2, 0.3)]


def test_loaders_and_trips_are_kept_until_they_are_said_again() -> None:
    loader, trip = Loader(1, 10, 0.5, 0, pins=False), Trip(5, 4, "cuda:0", 3, 300, changed=True)
    # Brought back there as well, but it had left elsewhere; or nothing was done with it.
    other = Trip(5, 6, "cuda:0", 1, 100, changed=False)
    as_is = Trip(5, 4, "cuda:0", 2, 200, changed=False)
    cell = program(
        Watched(1, 1.0, 1.0, loaders=(loader,), trips=(trip,)),
        Watched(
            1, 2.0, 2.0, loaders=(Loader(1, 20, 0.9, 0, pins=False),), trips=(other, as_is)
        ),
        Watched(1, 3.0, 3.0, over=True),
    )
    assert cell.seen is not None
    assert [each.batches for each in cell.seen.loaders] == [20]
    assert cell.seen.trips == (trip, other, as_is)


def test_what_is_no_row_is_as_it_was_last_said() -> None:
    cell = program(
        Watched(1, 1.0, 1.0, 10, 10, "optimizer", busy=(("cuda:0", 0.5),)),
        Watched(
            1, 4.0, 2.0, 40, 20, "optimizer", busy=(("cuda:0", 0.9),), dropped=2, over=True
        ),
    )
    seen = cell.seen
    assert seen is not None
    assert (seen.seconds, seen.seen_seconds, seen.steps, seen.seen_steps) == (4.0, 2.0, 40, 20)
    assert (seen.busy, seen.dropped, seen.over) == ((("cuda:0", 0.9),), 2, True)


def test_the_copies_of_a_program_are_those_that_were_watched() -> None:
    cell = program(
        Watched(1, 1.0, 1.0, copies=(read(1, 10),)),
        Watched(1, 2.0, 2.0, copies=(read(2, 5), read(1, 20))),
    )
    assert [(each.row, each.copies) for each in cell.transfers] == [(1, 20), (2, 5)]


def test_copies_that_were_said_one_by_one_are_not_counted_twice() -> None:
    cell = program(read(0, 10), Watched(1, 1.0, 1.0, copies=(read(1, 10),)))
    assert [each.copies for each in cell.transfers] == [10]


def test_a_program_that_runs_again_is_watched_from_the_beginning() -> None:
    ledger = Ledger()
    ledger.sent(Run(1, "…", 1))
    ledger.apply(Began(1))
    ledger.apply(Watched(1, 1.0, 1.0, copies=(read(1, 10),)))
    ledger.apply(Finished(1, 1.0))
    ledger.sent_again(Run(2, "…", 1), ledger.cells[0])
    ledger.apply(Began(2))
    assert ledger.cells[0].seen is None
    assert ledger.cells[0].transfers == []
