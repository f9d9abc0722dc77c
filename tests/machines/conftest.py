"""The ground for what needs root and an sshd; run by `make test-machines`, else left out."""

import os
from collections.abc import Iterator

import pytest

from tests.machines.ground import Ground, lacking


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    missing = lacking()
    if missing:
        pytest.fail(f"To try machines here, this is missing: {', '.join(missing)}.")
    made = Ground()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def ssh_knows_them(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{ground.programs}{os.pathsep}{os.environ['PATH']}")
