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
from types import FrameType

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
        Keeper(worker, ahead).keep()
    offspring.end_with_parent()
    if os.getppid() != keeper:
        os._exit(1)
    os.setsid()
    os.close(ahead)
    os.dup2(commands, 0)
    os.close(commands)


class Keeper:
    """Never returns to what started it."""

    def __init__(self, worker: int, ahead: int) -> None:
        """`ahead` leads to the worker."""
        self._worker, self._ahead = worker, ahead
        self._status: int | None = None
        self._rest = b""  # of a line that has not come whole
        self._waiting = b""  # what the worker has not taken yet
        # The worker alone says something.
        nothing = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nothing, 1)
        os.set_blocking(ahead, False)
        for number in (signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._on_signal)

    def keep(self) -> None:
        self._hand_on()
        os.close(self._ahead)
        until = time.monotonic() + _LAST_PATIENCE
        while not self._has_ended() and time.monotonic() < until:
            time.sleep(_SHORT_GLANCE)
        self._end_all()

    def _hand_on(self) -> None:
        """Until somebody hangs up, or is not heard any more, or the worker ends."""
        alone = float(unpacked(os.environ.get(NAME, "")).get("alone", ALONE))
        heard = time.monotonic()
        while not self._has_ended() and time.monotonic() - heard < alone:
            poll = select.poll()
            poll.register(0, select.POLLIN)
            poll.register(self._ahead, select.POLLOUT if self._waiting else 0)
            ready = dict(poll.poll(_GLANCE * 1000))
            if ready.get(self._ahead, 0) & (select.POLLERR | select.POLLHUP):
                return  # it reads no more, and goes
            if 0 in ready:
                data = os.read(0, 1 << 16)
                if not data:
                    return
                heard = time.monotonic()
                self._take(data)
            if self._waiting:
                with contextlib.suppress(BlockingIOError):
                    self._waiting = self._waiting[os.write(self._ahead, self._waiting) :]

    def _take(self, data: bytes) -> None:
        """An empty line is for us alone: a sign that somebody is there."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        self._waiting += b"".join(each + b"\n" for each in lines if each)

    def _has_ended(self) -> bool:
        if self._status is None:
            pid, status = os.waitpid(self._worker, os.WNOHANG)
            if pid:
                self._status = os.waitstatus_to_exitcode(status)
        return self._status is not None

    def _end_all(self) -> None:
        if self._status is None:
            with contextlib.suppress(OSError):
                os.killpg(self._worker, signal.SIGKILL)
        offspring.end_all()
        status = self._status or 0
        os._exit(status if status >= 0 else _SHELLS - status)

    def _on_signal(self, _: int, __: "FrameType | None") -> None:
        self._end_all()


if __name__ == "__main__":
    main()
