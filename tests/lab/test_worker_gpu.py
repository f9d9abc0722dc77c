"""On real cards: the whole worker, its process included, when cells copy, compute and fail."""

from collections.abc import Iterator

import pytest

from gpuexplorer.lab.events import Device, Spans, Transferred
from gpuexplorer.lab.ledger import Cell
from tests.lab.processes import needs_torch
from tests.lab.sessions import Session
from tests.real_cards import smi

pytestmark = [pytest.mark.gpu, needs_torch]


@pytest.fixture
def session() -> Iterator[Session]:
    """In a process of its own, that has not touched a card yet."""
    found = Session(cards=())
    try:
        if "cuda:0" not in usable(found):
            pytest.skip("no card that PyTorch can use")
        yield found
    finally:
        found.stop()


@pytest.fixture
def two(session: Session) -> Session:
    if "cuda:1" not in usable(session):
        pytest.skip("one card only")
    return session


def usable(session: Session) -> dict[str, Device]:
    devices = session.worker.listener.hello.devices
    return {each.name: each for each in devices if each.usable}


def copies_of(cell: Cell, source: str, target: str) -> list[Transferred]:
    return [each for each in cell.transfers if (each.source, each.target) == (source, target)]


def test_pytorch_and_the_driver_mean_the_same_cards(session: Session) -> None:
    theirs = smi("gpu", "uuid,name") or []
    known = [each for each in usable(session).values() if each.uuid]
    if not known:
        pytest.skip("this PyTorch does not know UUIDs")
    whole = [[f"GPU-{each.uuid}", each.label] for each in known if "MIG" not in each.label]
    assert all(each in theirs for each in whole)


def test_a_broken_card_is_told_and_a_new_worker_makes_its_shelf_again(session: Session) -> None:
    session.run("X = torch.rand(4, device='cuda:0')", "Y = X * 2", "H = torch.ones(3)")
    before = session.text("Y.tolist()")
    failed = session.run("Z = X[torch.tensor([9], device='cuda:0')]").failed
    assert failed is not None
    assert failed.cause == "device assert"
    assert failed.error in ("AcceleratorError", "RuntimeError")  # before PyTorch 2.8
    assert "device-side assert" in failed.message
    assert failed.sentence.startswith("A kernel met a value that it cannot take")
    assert failed.hint
    assert [each.line for each in failed.frames] == [1]
    assert not session.ledger.things
    session.stop()
    session.start()
    session.again(session.ledger.replay())
    assert set(session.ledger.things) == {"X", "Y", "H"}
    assert session.text("Y.tolist()") == before


def test_a_card_without_room_says_so_and_the_worker_goes_on(session: Session) -> None:
    card = usable(session)["cuda:0"]
    assert card.total_bytes is not None
    session.run("X = torch.ones(3, device='cuda:0')")
    line = f"A = torch.empty({2 * card.total_bytes}, dtype=torch.uint8, device='cuda:0')"
    failed = session.run(line).failed
    assert failed is not None
    assert (failed.cause, failed.error) == ("out of memory", "OutOfMemoryError")
    assert failed.sentence == "It does not fit into the memory that is free."
    [memory] = failed.memory
    assert memory.device == "cuda:0"
    assert 0 < (memory.free_bytes or 0) < card.total_bytes
    assert session.run("Y = X + 1").finished
    assert set(session.ledger.things) == {"X", "Y"}


def test_a_backward_through_two_cards_is_counted_whole(two: Session) -> None:
    two.run("W = torch.ones(1000, device='cuda:0').requires_grad_()")
    cell = two.run("for i in range(400): (W.cuda(1) * 2).sum().backward()")
    assert cell.finished, cell.failed
    there, back = copies_of(cell, "cuda:0", "cuda:1"), copies_of(cell, "cuda:1", "cuda:0")
    assert sum(each.copies for each in there) == 400
    assert sum(each.copies for each in back) == 400
    assert {each.how for each in back} == {"backward"}


def test_cards_that_share_a_batch_are_all_seen_to_compute(two: Session) -> None:
    two.run(
        "net = nn.DataParallel(nn.Linear(2048, 2048).cuda(0), device_ids=[0, 1])",
        "X = torch.ones(4096, 2048, device='cuda:0')",
        "net(X).sum().item()",
    )
    cell = two.run("Y = net(X)")
    assert cell.finished, cell.failed
    said = two.worker.said(Spans, cell.id)
    spans = [span for each in said if isinstance(each, Spans) for span in each.spans]
    assert {each.device for each in spans if not each.waits_for} == {"cuda:0", "cuda:1"}
    assert sum(each.bytes for each in copies_of(cell, "cuda:0", "cuda:1")) >= 2048 * 2048 * 4
