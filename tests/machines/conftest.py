"""The ground for what needs root and an sshd; run by `make test-machines`, else left out."""

import os
from collections.abc import Iterator

import pytest

from tests.machines.ground import Ground, lacking

_figures: list[str] = []


@pytest.fixture(scope="session")
def ground() -> Iterator[Ground]:
    missing = lacking()
    if missing:
        pytest.fail(f"To try machines here, this is missing: {', '.join(missing)}.")
    made = Ground()
    yield made
    made.close()


@pytest.fixture(scope="session")
def figures() -> list[str]:
    """What was measured, and which sentences stood there; printed at the end."""
    return _figures


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if _figures:
        terminalreporter.section("what was measured, and what was said")
    for each in _figures:
        terminalreporter.write_line(each)


@pytest.fixture(autouse=True)
def ssh_knows_them(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", f"{ground.programs}{os.pathsep}{os.environ['PATH']}")
