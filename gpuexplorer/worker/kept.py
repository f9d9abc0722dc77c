"""Kept: how a worker runs on another computer. Nobody there can end it by a signal, and code
that hangs hears nothing; so a small process stands before it, hands on what comes, and ends it
with all that it started when nobody is there any more.
"""

import contextlib
import os
import runpy
import select
import signal
import time
from typing import NoReturn

from gpuexplorer.lab import offspring
from gpuexplorer.lab.start import ALONE, NAME, unpacked

_LAST_PATIENCE = 2  # seconds, for the worker to end by itself
_GLANCE = 0.25
_SHELLS = 128


def keep() -> None:
    """Returns in a child, whose input is what comes here; this process ends with it."""
    commands, ahead = os.pipe()
    keeper = os.getpid()
    offspring.adopt()
    worker = os.fork()
    if worker:
        os.close(commands)
        _keep(worker, ahead)
    offspring.end_with_parent()
    if os.getppid() != keeper:
        os._exit(1)
    os.setsid()
    os.close(ahead)
    os.dup2(commands, 0)
    os.close(commands)


def _keep(worker: int, ahead: int) -> NoReturn:
    """Until the worker ends; or somebody hangs up, or is not heard any more. `ahead` leads to
    the worker, which alone says something.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.set_blocking(ahead, False)
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGALRM):
        signal.signal(number, lambda *_: _end(worker))
    alone = float(unpacked(os.environ.get(NAME, "")).get("alone", ALONE))
    until = time.monotonic() + alone
    waiting, ended, status = b"", 0, 0
    while not ended and time.monotonic() < until:
        ready, free, _ = select.select([0], [ahead] if waiting else [], [], _GLANCE)
        if ready:
            data = os.read(0, 1 << 16)
            if not data:
                break
            until = time.monotonic() + alone
            waiting += data
        if free:
            try:
                waiting = waiting[os.write(ahead, waiting) :]
            except BrokenPipeError:  # it reads no more, and goes
                break
        ended, status = os.waitpid(worker, os.WNOHANG)
    os.close(ahead)
    if not ended:
        signal.alarm(_LAST_PATIENCE)
        _, status = os.waitpid(worker, 0)
    _end(worker, os.waitstatus_to_exitcode(status))


def _end(worker: int, status: int = 0) -> NoReturn:
    with contextlib.suppress(OSError):
        os.killpg(worker, signal.SIGKILL)
    offspring.end_all()
    os._exit(status if status >= 0 else _SHELLS - status)


if __name__ == "__main__":
    keep()
    runpy.run_module("gpuexplorer.worker", run_name="__main__")
