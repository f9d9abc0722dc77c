"""A program with our terminal: what is typed there, and what is sent to either of us."""

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.lab.processes import PATIENCE, needs_torch

pytestmark = [
    needs_torch,
    pytest.mark.skipif(sys.platform == "win32", reason="a terminal of another kind"),
]

COUNTING = """
import os, signal, sys, time
count = 0
def caught(number, frame):
    global count
    count += 1
for each in (signal.SIGINT, signal.SIGTERM):
    signal.signal(each, caught)
print("ready", os.getppid(), flush=True)
while not count:
    time.sleep(0.01)
time.sleep(0.3)
print("caught", count)
sys.exit(count)
"""


class Terminal:
    """With a program at it."""

    def __init__(self, folder: Path, code: str) -> None:
        self._folder = folder
        (folder / "train.py").write_text(code, "utf-8")
        self._keys, other = os.openpty()
        words = ["-m", "tests.worker.at_terminal", str(folder / "result"), "train.py"]
        home = Path(__file__).parents[2]
        self.process = subprocess.Popen(
            [sys.executable, *words],
            stdin=other,
            stdout=other,
            stderr=other,
            cwd=folder,
            env={**os.environ, "PYTHONPATH": str(home)},
            start_new_session=True,
        )
        os.close(other)
        self.shown = ""

    def until(self, text: str) -> str:
        while text not in self.shown:
            assert select.select([self._keys], [], [], PATIENCE)[0], self.shown
            self.shown += os.read(self._keys, 4096).decode()
        return self.shown

    def types(self, text: str) -> None:
        os.write(self._keys, text.encode())

    def result(self) -> dict[str, object]:
        with contextlib.suppress(OSError):
            while select.select([self._keys], [], [], PATIENCE)[0]:
                self.shown += os.read(self._keys, 4096).decode()
        assert self.process.wait(PATIENCE) == 0, self.shown
        found: dict[str, object] = json.loads((self._folder / "result").read_text())
        return found

    def close(self) -> None:
        os.close(self._keys)
        if self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    each = Terminal(tmp_path, request.param)
    yield each
    each.close()


@pytest.mark.parametrize("terminal", [COUNTING], indirect=True)
@pytest.mark.parametrize("sent", [None, signal.SIGTERM])
def test_an_interrupt_reaches_the_program_once_and_we_wait_for_its_end(
    terminal: Terminal, sent: "signal.Signals | None"
) -> None:
    """Typed, or sent to us alone."""
    terminal.until("ready")
    if sent is None:
        terminal.types("\x03")
    else:
        terminal.process.send_signal(sent)
    assert terminal.result()["status"] == 1
    assert "caught 1" in terminal.shown


@pytest.mark.parametrize(
    "terminal", ["import time\nprint('ready')\ntime.sleep(99)"], indirect=True
)
@pytest.mark.parametrize(("key", "status"), [("\x03", -2), ("\x1c", -3)])
def test_keys_that_end_a_program_end_it_alone(
    terminal: Terminal, key: str, status: int
) -> None:
    terminal.until("ready")
    terminal.types(key)
    result = terminal.result()
    assert result["status"] == status
    assert ("Traceback" in terminal.shown) == (status == -2)


@pytest.mark.parametrize(
    "terminal",
    ["import sys\nprint(sys.stdin.isatty(), sys.stdout.isatty())\nprint(input('Who? '))"],
    indirect=True,
)
def test_the_terminal_is_the_programs(terminal: Terminal) -> None:
    terminal.until("Who? ")
    terminal.types("me\n")
    result = terminal.result()
    assert terminal.shown.split() == ["True", "True", "Who?", "me", "me"]
    assert result == {"status": 0, "said": ["Hello", "Began", "Watched", "Finished"]}
