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


def test_a_card_that_breaks_after_a_cell_fails_the_cell(session: Session) -> None:
    failed = session.run(BREAK).failed
    assert failed is not None
    assert failed.cause == "device broken"
    assert "the launch timed out" in failed.message


def test_a_card_that_breaks_in_a_cell_is_told_with_where_it_was(session: Session) -> None:
    failed = session.run(f"{BREAK}\ny = 1\n1 / 0").failed
    assert failed is not None
    assert failed.cause == "device broken"
    assert failed.frames[-1].line == 11


def test_the_worker_answers_what_is_asked_of_it_after_that(session: Session) -> None:
    session.run(BREAK)
    assert session.run("print(1)").failed is not None
    assert session.worker.process.running


def test_a_thing_that_cannot_be_described_does_not_end_the_worker(session: Session) -> None:
    text = "class Bad:\n    def __repr__(self): raise RuntimeError('no')\nb = Bad()"
    session.run(text)
    assert session.text("1 + 1") == "2"
