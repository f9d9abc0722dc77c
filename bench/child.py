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
from dataclasses import dataclass
from pathlib import Path

import psutil

_ROWS, _COLUMNS = 80, 160
_QUITTING = 3.0
_NOT_HANDED_ON = frozenset({"PYTHONDONTWRITEBYTECODE"})
OURS = (sys.executable, "-m", "gpuexplorer")


@dataclass(frozen=True, slots=True)
class Used:
    """Of the whole program, its start included."""

    cpu: float
    seconds: float
    peak_bytes: int
    told: str


def surroundings(more: Mapping[str, str]) -> dict[str, str]:
    """Compiled once, as an installed program is, whatever this shell says of it."""
    compiled = Path(tempfile.gettempdir()) / f"gpuexplorer-bench-{os.getuid()}"
    usual = {name: value for name, value in os.environ.items() if name not in _NOT_HANDED_ON}
    return {**usual, "PYTHONPYCACHEPREFIX": str(compiled), **more}


def run(
    words: Sequence[str], more: Mapping[str, str] | None = None, checkout: Path | None = None
) -> Used:
    """Runs to its end, with the program of another checkout where one is named. The settings
    are the usual ones, whatever the person chose.
    """
    other = {} if checkout is None else {"PYTHONPATH": str(checkout)}
    with tempfile.TemporaryDirectory() as folder:
        began = time.perf_counter()
        child = subprocess.Popen(
            list(words),
            env=surroundings(more or {}) | {"XDG_CONFIG_HOME": folder} | other,
            cwd=checkout,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert child.stdout is not None
        return _used(child.pid, began, child.stdout.read())


def processor_in_terminal(
    words: Sequence[str], settling: float, seconds: float, more: Mapping[str, str]
) -> float:
    """Processor seconds of a program that draws on a terminal, in a stretch after its start."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", _ROWS, _COLUMNS, 0, 0))
    child = subprocess.Popen(
        list(words),
        env=surroundings({"TERM": "xterm-256color", **more}),
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


def _used(pid: int, began: float, told: str) -> Used:
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) != 0:
        raise RuntimeError(f"A program that was to be measured ended with {status}.")
    return Used(
        usage.ru_utime + usage.ru_stime,
        time.perf_counter() - began,
        usage.ru_maxrss * 1024,
        told,
    )
