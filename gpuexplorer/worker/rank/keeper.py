"""Keeper: a small process before the rank. A rank that hangs or is stopped hears nothing; the
keeper ends it when nobody is there any more.
"""

import contextlib
import ctypes
import os
import select
import signal
import sys
import time

from gpuexplorer.ranks.wire import ALONE

_GLANCE = 0.25
_DIE_WITH_PARENT = 1  # prctl's PR_SET_PDEATHSIG
_SHELLS = 128  # what a shell adds to the number of a signal


def keep() -> None:
    """Returns in a child, whose input is what comes here. This process ends with it."""
    told, ahead = os.pipe()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever started us ends us
    keeper = os.getpid()
    child = os.fork()
    if child:
        os.close(told)
        os.dup2(2, 1)  # the rank alone says something
        os._exit(_kept(child, ahead))
    os.close(ahead)
    os.dup2(told, 0)
    os.close(told)
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    if os.getppid() != keeper:
        os._exit(1)


def _kept(child: int, ahead: int) -> int:
    """Its status, as a shell would say it."""
    os.set_blocking(ahead, False)
    for each in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda *_: os.kill(child, signal.SIGKILL))
    heard = time.monotonic()
    while time.monotonic() - heard < ALONE:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else _SHELLS - code
        if not select.select([0], [], [], _GLANCE)[0]:
            continue
        said = os.read(0, 1 << 16)
        if not said:
            break
        heard = time.monotonic()
        with contextlib.suppress(OSError):  # it is ending, or stopped and full
            os.write(ahead, said)
    with contextlib.suppress(ProcessLookupError):
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return 0
