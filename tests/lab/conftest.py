"""One worker on two simulated cards for all tests that do not lose it."""

from collections.abc import Iterator

import pytest

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
