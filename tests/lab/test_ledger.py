"""The ledger: what is on the shelf, what it cost, and how it comes back."""

from collections.abc import Iterator

import pytest

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.lab.events import Failed, Finished, Freed, Hello, Placed
from gpuexplorer.lab.ledger import Ledger
from gpuexplorer.lab.wire import Cancel, Run, Train
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session


@pytest.fixture(scope="module")
def process() -> Iterator[Session]:
    """One worker for all tests that do not lose it."""
    session = Session()
    yield session
    session.stop()


@pytest.fixture
def session(process: Session) -> Session:
    """An empty shelf and an empty ledger."""
    process.forget()
    return process


def told(*lines: str, drew: tuple[int, ...] = ()) -> Ledger:
    """A ledger that was told of lines, without a worker."""
    ledger = Ledger()
    ledger.apply(Hello(1, "3.11", "2.13", "CPU", simulated=False, seed=5))
    for number, line in enumerate(lines, 1):
        ledger.sent(Run(number, line))
        ledger.apply(Finished(number, 0.0, drew=number in drew))
    return ledger


def on_cards(lines: dict[str, str]) -> Ledger:
    """Each line with the card it worked on; empty: none."""
    ledger = told()
    for number, (line, card) in enumerate(lines.items(), 1):
        ledger.sent(Run(number, line))
        busy = ((card, 1e-6),) if card else ()
        ledger.apply(Finished(number, 0.0, busy=busy))
    return ledger


def test_lines_of_a_lost_card_and_those_that_go_on_from_them_are_left_out() -> None:
    ledger = on_cards(
        {
            "A = torch.ones(2).cuda(0)": "cuda:0",
            "B = torch.ones(2).cuda(1)": "cuda:1",
            "C = B.shape": "",
            "D = [C]": "",
            "B = torch.zeros(2)": "",
            "E = B + 1": "",
            "A + 1": "cuda:0",
            "E.add_(A.cuda(1).cpu())": "cuda:1",
            "G = E * 2": "",
            "del D": "",
        }
    )
    assert ledger.leave_out(["cuda:1"]) == [2, 3, 4, 8, 9, 10]
    assert [each.code for each in ledger.rebuild()] == [
        "A = torch.ones(2).cuda(0)",
        "B = torch.zeros(2)",
        "E = B + 1",
    ]
    failed = ledger.entries[1].failed
    assert failed is not None
    assert failed.sentence == "cuda:1 is lost, and what this line made went with it."
    assert ledger.leave_out([]) == []


@needs_torch
def test_it_knows_what_is_on_the_shelf_and_what_each_line_cost(session: Session) -> None:
    entry = session.run("X = torch.ones(2, 3, device='cuda:0')", "Z = X.cuda(1)")
    assert entry.state == "done"
    assert list(session.ledger.things) == ["X", "Z"]
    assert session.ledger.things["Z"].device == "cuda:1"
    (copy,) = entry.transfers
    assert (copy.source, copy.target, copy.bytes) == ("cuda:0", "cuda:1", 24)
    assert entry.allocated_bytes("cuda:1") == 512
    assert entry.allocated_bytes("cuda:0") == 0
    assert entry.placed == ["Z"]
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
def test_a_failed_line_is_kept_and_marked_with_its_cure(session: Session) -> None:
    session.run("X = torch.ones(2).cuda(0)", "Y = torch.ones(2).cuda(1)")
    failed = session.run("Z = X + Y")
    assert failed.state == "failed"
    assert failed.failed is not None
    assert failed.failed.cause == "devices differ"
    cure = session.command(lambda number: Run(number, "Z = X.cuda(1) + Y"), cures=failed.id)
    assert failed.cured_by == cure.id
    assert cure.cures == failed.id


@needs_torch
def test_a_training_run_is_an_entry_with_its_losses(session: Session) -> None:
    session.run("net = mlp(4, 8, 1).cuda()", "X = torch.randn(16, 4).cuda()")
    session.run("Y = torch.ones(16, 1).cuda()", "opt = torch.optim.SGD(net.parameters(), 0.05)")
    entry = session.command(
        lambda number: Train(number, "net", "X", "Y", "opt", "mse_loss", 40, 8)
    )
    assert entry.state == "done"
    assert len(entry.losses) == 40
    assert entry.losses[-1] < entry.losses[0]
    assert entry.code.startswith("for step in range(40):")
    assert "loss" in session.ledger.things


@needs_torch
def test_a_lost_worker_is_rebuilt_bit_for_bit() -> None:
    session = Session(seed=11)
    session.run("A = torch.rand(3)", "X = torch.rand(4, 3).cuda(0)", "X.device", "X[0] = 2")
    session.run("A @ torch.rand(5)")  # fails, and takes no random numbers
    session.run("net = nn.Sequential(nn.Linear(3, 2), nn.Dropout(0.5)).cuda()", "torch.rand(2)")
    session.run("opt = torch.optim.Adam(net.parameters())", "Y = torch.randn(4, 2).cuda()")
    session.command(lambda number: Train(number, "net", "X", "Y", "opt", "mse_loss", 7, 2))
    session.run("loss = net(X).sum()", "loss.backward()", "opt.step()", "del A")
    looks = ("X.tolist()", "net[0].weight.tolist()", "net[0].weight.grad.tolist()")
    before = [session.text(look) for look in looks]
    shelf = set(session.ledger.things)
    following = session.text("torch.rand(3)")
    session.worker.process.kill()
    assert session.worker.listener.end
    session.ledger.apply(Failed(0, "worker lost", "", ""))
    assert session.ledger.things == {}
    session.start()
    session.again(session.ledger.rebuild())
    assert [session.text(look) for look in looks] == before
    assert set(session.ledger.things) == shelf
    assert session.text("torch.rand(3)") == following
    assert [each.code for each in session.ledger.entries].count("A = torch.rand(3)") == 1
    session.stop()


def test_a_recipe_holds_what_is_needed_and_nothing_else() -> None:
    ledger = told(
        "X = torch.ones(2)",
        "Q = torch.zeros(3)",
        "Y = X + 1",
        "X.device",
        "Q.add_(1)",
        "Y.mul_(3)",
        "del Q",
    )
    assert ledger.recipe_code("Y") == ["X = torch.ones(2)", "Y = X + 1", "Y.mul_(3)"]


def test_a_recipe_knows_views_and_other_names() -> None:
    ledger = told("X = torch.ones(2, 3)", "V = X.view(6)", "W = V", "W[0] = 5", "U = X * 1")
    assert ledger.recipe_code("X")[-1] == "W[0] = 5"
    assert ledger.recipe_code("U") == [
        "X = torch.ones(2, 3)",
        "V = X.view(6)",
        "W = V",
        "W[0] = 5",
        "U = X * 1",
    ]


def test_a_recipe_goes_back_through_graph_and_optimiser() -> None:
    lines = (
        "net = nn.Linear(2, 1)",
        "opt = torch.optim.SGD(net.parameters(), lr=0.1)",
        "X = torch.ones(2)",
        "loss = net(X).sum()",
        "loss.backward()",
        "opt.step()",
    )
    ledger = told(*lines, drew=(1,))
    assert ledger.recipe_code("net") == ["torch.manual_seed(5)", *lines]


def test_a_recipe_brings_its_seed() -> None:
    ledger = told(
        "A = torch.rand(2)",
        "torch.manual_seed(9)",
        "B = torch.rand(2)",
        "C = torch.rand(2)",
        drew=(1, 2, 3, 4),
    )
    assert ledger.recipe_code("A") == ["torch.manual_seed(5)", "A = torch.rand(2)"]
    assert ledger.recipe_code("C") == [
        "torch.manual_seed(9)",
        "B = torch.rand(2)",
        "C = torch.rand(2)",
    ]


def test_the_newest_meaning_of_a_name_is_rebuilt() -> None:
    ledger = told("X = torch.ones(2)", "X = torch.zeros(3)", "X = X + 1", "X += 2")
    assert ledger.recipe_code("X") == ["X = torch.zeros(3)", "X = X + 1", "X += 2"]


def test_a_name_nobody_made_has_no_recipe() -> None:
    with pytest.raises(Trouble, match="No line of this session made Q"):
        told("X = torch.ones(2)").recipe("Q")


def test_what_was_created_is_undone_by_deleting() -> None:
    entry, lines = told("X = torch.ones(2)", "Y = X.cuda(0)").undo()
    assert (entry.code, lines) == ("Y = X.cuda(0)", ["del Y"])


def test_what_was_deleted_is_undone_by_its_recipe() -> None:
    entry, lines = told("X = torch.rand(2)", "Y = X * 2", "del Y", drew=(1,)).undo()
    assert entry.code == "del Y"
    assert lines == ["Y = X * 2"]


def test_what_was_overwritten_is_undone_by_its_recipe() -> None:
    _, lines = told("X = torch.ones(2)", "X = torch.zeros(3)").undo()
    assert lines == ["X = torch.ones(2)"]


def test_undoing_twice_undoes_two_lines() -> None:
    ledger = told("X = torch.ones(2)", "Y = torch.ones(3)")
    entry, (line,) = ledger.undo()
    ledger.sent(Run(3, line), undoes=entry.id)
    ledger.apply(Finished(3, 0.0))
    entry, lines = ledger.undo()
    assert (entry.code, lines) == ("X = torch.ones(2)", ["del X"])


def test_what_is_still_there_is_not_made_again() -> None:
    _, lines = told("X = torch.ones(2)", "Y = X * 2", "del Y").undo()
    assert lines == ["Y = X * 2"]


def test_random_numbers_are_drawn_again_in_their_turn() -> None:
    ledger = told("A = torch.rand(2)", "B = torch.rand(3)", "del B", drew=(1, 2))
    _, lines = ledger.undo()
    assert lines == ["torch.manual_seed(5)", "torch.rand(2)", "B = torch.rand(3)"]


@pytest.mark.parametrize("change", ["X.zero_()", "X += 1", "X[0] = 9"])
def test_what_cannot_be_brought_back_says_why(change: str) -> None:
    ledger = told("X = torch.ones(2)", "Y = X * 2", "del Y", change)
    with pytest.raises(Trouble) as refused:
        ledger.undo()
    assert refused.value.sentence == (
        "Y cannot be brought back: X, of which it was made, has become something else."
    )


def test_with_nothing_done_there_is_nothing_to_undo() -> None:
    with pytest.raises(Trouble, match="There is nothing to undo"):
        told("print(1)").undo()


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


def test_a_cancel_is_no_line() -> None:
    ledger = Ledger()
    ledger.sent(Cancel(4))
    assert ledger.entries == []
