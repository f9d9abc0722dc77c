"""Programs of this computer that wait to be ended; one of them does not listen."""

import subprocess
import sys
from collections.abc import Iterator

import pytest

STUBBORN = """
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
input()
"""
WILLING = "print('ready', flush=True); input()"

Program = subprocess.Popen[bytes]


def started(code: str) -> Program:
    program = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert program.stdout is not None
    assert program.stdout.readline().strip() == b"ready"
    return program


@pytest.fixture
def willing() -> Iterator[Program]:
    with started(WILLING) as program:
        yield program
        program.kill()


@pytest.fixture
def stubborn() -> Iterator[Program]:
    with started(STUBBORN) as program:
        yield program
        program.kill()
