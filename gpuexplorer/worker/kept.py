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

_LAST_PATIENCE = 2.0  # for the worker to end by itself
_GLANCE, _SHORT_GLANCE = 1.0, 0.05
_SHELLS = 128


def main() -> None:
    keep()
    runpy.run_module("gpuexplorer.worker", run_name="__main__")


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
    """`ahead` leads to the worker, which alone says something."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.set_blocking(ahead, False)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda *_: _end(worker, None))
    status = _handed_on(worker, ahead)
    os.close(ahead)
    until = time.monotonic() + _LAST_PATIENCE
    while status is None and time.monotonic() < until:
        time.sleep(_SHORT_GLANCE)
        status = _status_of(worker)
    _end(worker, status)


def _handed_on(worker: int, ahead: int) -> "int | None":
    """Until somebody hangs up, or is not heard any more; or the worker ends, with a status."""
    alone = float(unpacked(os.environ.get(NAME, "")).get("alone", ALONE))
    heard = time.monotonic()
    rest = waiting = b""  # of a line that has not come whole; and what was not taken yet
    while time.monotonic() - heard < alone:
        status = _status_of(worker)
        if status is not None:
            return status
        poll = select.poll()
        poll.register(0, select.POLLIN)
        poll.register(ahead, select.POLLOUT if waiting else 0)
        ready = dict(poll.poll(_GLANCE * 1000))
        if ready.get(ahead, 0) & (select.POLLERR | select.POLLHUP):
            break  # it reads no more, and goes
        if 0 in ready:
            data = os.read(0, 1 << 16)
            if not data:
                break
            heard = time.monotonic()
            # An empty line is for us alone: a sign that somebody is there.
            *lines, rest = (rest + data).split(b"\n")
            waiting += b"".join(each + b"\n" for each in lines if each)
        if waiting:
            with contextlib.suppress(BlockingIOError):
                waiting = waiting[os.write(ahead, waiting) :]
    return None


def _status_of(worker: int) -> "int | None":
    pid, status = os.waitpid(worker, os.WNOHANG)
    return os.waitstatus_to_exitcode(status) if pid else None


def _end(worker: int, status: "int | None") -> NoReturn:
    if status is None:
        with contextlib.suppress(OSError):
            os.killpg(worker, signal.SIGKILL)
    offspring.end_all()
    status = status or 0
    os._exit(status if status >= 0 else _SHELLS - status)


if __name__ == "__main__":
    main()
