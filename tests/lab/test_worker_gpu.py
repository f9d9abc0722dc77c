"""On real cards: the whole worker, its process included, when cells copy, compute and fail."""

from collections.abc import Iterator

import pytest

from gpuexplorer.lab.events import Device
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


def usable(session: Session) -> dict[str, Device]:
    devices = session.worker.listener.hello.devices
    return {each.name: each for each in devices if each.usable}


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
