"""A card that breaks: the worker says so, whatever it is asked next, and does not die of it."""

from collections.abc import Iterator

import pytest

from tests.lab.processes import needs_torch
from tests.lab.sessions import Session

pytestmark = needs_torch

# What a card with a broken context answers to everything.
BREAK = """
def broken(*_):
    raise RuntimeError("CUDA error: the launch timed out and was terminated")

torch._C._cuda_hasPrimaryContext = lambda index: True
torch.cuda.device_count = lambda: 1
torch.cuda.is_initialized = lambda: True
torch.cuda.synchronize = torch.cuda.mem_get_info = broken
"""


@pytest.fixture
def session() -> Iterator[Session]:
    found = Session(cards=())
    yield found
    found.stop()


@pytest.mark.parametrize(("more", "line"), [("", 3), ("\ny = 1\n1 / 0", 11)])
def test_a_card_that_breaks_is_told_and_the_worker_goes_on(
    session: Session, more: str, line: int
) -> None:
    failed = session.run(BREAK + more).failed
    assert failed is not None
    assert failed.cause == "device broken"
    assert "the launch timed out" in failed.message
    assert failed.frames[-1].line == line
    assert session.run("print(1)").failed is not None
    assert session.worker.process.running
