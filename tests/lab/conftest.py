"""One worker on two simulated cards for all tests that do not lose it, and others for those."""

from collections.abc import Callable, Iterator

import pytest

from gpuexplorer.lab.start import Start
from tests.lab.processes import Worker
from tests.lab.sessions import Session


@pytest.fixture(scope="session")
def process() -> Iterator[Session]:
    session = Session()
    yield session
    session.stop()


@pytest.fixture
def session(process: Session) -> Session:
    """An empty shelf and an empty ledger."""
    process.forget()
    return process


@pytest.fixture
def worker() -> Iterator[Callable[[Start], Worker]]:
    """Starts workers, and ends them."""
    started: list[Worker] = []

    def start(how: Start) -> Worker:
        started.append(Worker(how))
        return started[-1]

    yield start
    for each in started:
        each.process.stop()
        assert not each.process.running
