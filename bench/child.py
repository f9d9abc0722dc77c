"""A program that is measured: what it is told, how long it runs, what it used."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import sys
import tempfile
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import psutil

from tests.nvml_stub.stub import environment

_ROWS, _COLUMNS = 80, 160
_QUITTING = 3.0
OURS = (sys.executable, "-m", "gpuexplorer")
OFFSCREEN = {"QT_QPA_PLATFORM": "offscreen"}


class Used(NamedTuple):
    """Of the whole program, its start included."""

    cpu: float
    seconds: float
    told: str


def stub(cards: int) -> Mapping[str, str]:
    """What stands in the environment of a program that is to see these cards."""
    wanted = environment(f"cards={cards}")
    return {name: value for name, value in wanted.items() if os.environ.get(name) != value}


def peer(name: str) -> str:
    """Another program, beside the Python that measures."""
    return str(Path(sys.executable).with_name(name))


def run(words: Sequence[str], more: Mapping[str, str], checkout: Path | None = None) -> Used:
    """Runs to its end, with the program of another checkout where one is named. The settings
    are the usual ones, whatever the person chose.
    """
    other = {} if checkout is None else {"PYTHONPATH": str(checkout)}
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        child = subprocess.Popen(
            list(words),
            env={**_surroundings(more), "XDG_CONFIG_HOME": folder, **other},
            cwd=checkout,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        told = child.stdout.read()
        _, status, usage = os.wait4(child.pid, 0)
        seconds = time.perf_counter() - began
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"A program that was to be measured ended with {status}.")
    return Used(usage.ru_utime + usage.ru_stime, seconds, told)


def processor_in_terminal(
    words: Sequence[str], settling: float, seconds: float, more: Mapping[str, str]
) -> float:
    """Processor seconds of a program that draws on a terminal, in a stretch after its start."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    child = subprocess.Popen(
        list(words),
        env=_surroundings({"TERM": "xterm-256color", **more}),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    process = psutil.Process(child.pid)
    drawn = _drain(ours, settling)
    before = process.cpu_times()
    drawn += _drain(ours, seconds)
    after = process.cpu_times()
    os.write(ours, b"q")
    _drain(ours, _QUITTING)
    os.close(ours)
    child.wait()
    if drawn < _ROWS * _COLUMNS:
        raise RuntimeError(f"{words[0]} drew hardly anything: {drawn} letters.")
    return float(after.user + after.system - before.user - before.system)


def _drain(terminal: int, seconds: float) -> int:
    """Read what is drawn, so that nobody waits for it; how much it was."""
    drawn, until = 0, time.perf_counter() + seconds
    while (left := until - time.perf_counter()) > 0:
        if select.select([terminal], [], [], left)[0]:
            try:
                drawn += len(os.read(terminal, 1 << 16))
            except OSError:  # it has ended
                break
    return drawn


def _surroundings(more: Mapping[str, str]) -> dict[str, str]:
    """Compiled once, as an installed program is, whatever this shell says of it."""
    compiled = Path(tempfile.gettempdir()) / f"gpuexplorer-bench-{os.getuid()}"
    usual = {name: value for name, value in os.environ.items() if name[:10] != "PYTHONDONT"}
    return {**usual, "PYTHONPYCACHEPREFIX": str(compiled), **more}
