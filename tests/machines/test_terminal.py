"""Commands at a terminal: ssh asks there, as it always does."""

import os
import pty
import subprocess
import sys
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tests.machines.ground import PASSWORD, PATIENCE, Ground, wait_for

pytestmark = pytest.mark.machines
_PASSWORDS = ["PreferredAuthentications password"]
# Makes the terminal that it is given its own, and becomes the program.
_OWN = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
_OWN += "os.execv(sys.executable, [sys.executable, *sys.argv[1:]])"
_numbers = count()
_TOP = Path(__file__).parents[2]


class Terminal:
    """A program at a terminal of its own."""

    def __init__(self, *words: str) -> None:
        self._ours, theirs = pty.openpty()
        self.shown = b""
        self.process = subprocess.Popen(
            [sys.executable, "-c", _OWN, "-m", "gpuexplorer", *words],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=_TOP,
            start_new_session=True,
        )
        os.close(theirs)

    def wait_for(self, text: bytes) -> None:
        until = time.monotonic() + PATIENCE
        while text not in self.shown:
            assert time.monotonic() < until, self.shown
            try:
                self.shown += os.read(self._ours, 65_536)
            except OSError:  # the program has ended
                assert text in self.shown, self.shown
                return

    def type(self, text: bytes) -> None:
        os.write(self._ours, text)

    def close(self) -> None:
        os.close(self._ours)
        self.process.kill()
        self.process.wait()


@pytest.fixture
def terminal(ground: Ground) -> Iterator[Terminal]:
    """A snapshot of a machine that nobody has met, by a user with a password."""
    name = f"asked{next(_numbers)}"
    ground.user(name)
    ground.host(name, name, key="", host_key="", more=_PASSWORDS)
    made = Terminal("snapshot", "--host", name, "--simulate", "2xTitanRTX")
    yield made
    made.close()


def test_ssh_asks_at_the_terminal_of_a_command(terminal: Terminal) -> None:
    terminal.wait_for(b"(yes/no/[fingerprint])?")
    terminal.type(b"yes\n")
    terminal.wait_for(b"password:")
    terminal.type(PASSWORD.encode() + b"\n")
    terminal.wait_for(b"TITAN RTX")
    assert terminal.process.wait(PATIENCE) == 0
    assert PASSWORD.encode() not in terminal.shown


def test_ctrl_c_at_a_question_ends_the_command(terminal: Terminal) -> None:
    terminal.wait_for(b"(yes/no/[fingerprint])?")
    terminal.type(b"\x03")
    assert terminal.process.wait(PATIENCE) != 0
    assert b"Traceback" not in terminal.shown


def test_ctrl_c_ends_a_recording_of_another_machine_in_good_order(
    ground: Ground, tmp_path: Path
) -> None:
    ground.user("recorded")
    ground.host("recorded", "recorded")
    file = tmp_path / "there.gpurec"
    made = Terminal("record", str(file), "--host", "recorded", "--simulate", "2xTitanRTX")
    try:
        made.wait_for(b"Ctrl")
        wait_for(lambda: file.exists() and file.stat().st_size > 0)
        made.type(b"\x03")
        assert made.process.wait(PATIENCE) == 0
        made.wait_for(b"there.gpurec")
        assert b"Traceback" not in made.shown
        assert b"broke" not in made.shown
    finally:
        made.close()
