"""NVIDIA's library: found, tried by a child, loaded, greeted; and what its refusals mean.

A library that is damaged, or not the driver's, ends whatever loads it: by a signal, or because
it calls exit(). Nothing inside a process can prevent that, but a child that was forked is no
loss, and how it ended says what is wrong. (A packaged program has no Python to start.)

The child makes the very calls that come next here. Cards without persistence mode take a second
or more to start for the first process that opens them, so the child keeps them open until this
process has them too, and nobody waits for that twice. A library that came through once is not
tried again until its file changes, or a start with it did not come through.

Only Linux can fork: on Windows, such a library still takes the program with it. macOS has none.
"""

import ctypes
import faulthandler
import importlib
import os
import re
import signal
import socket
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any, NoReturn

import pynvml

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.telemetry.backend import ASK_THE_DOCTOR, INSTALL_IT
from gpuexplorer.telemetry.looked_for import Place, driver_library, find_library, is_there
from gpuexplorer.telemetry.patience import Asked

_VARIABLE = "GPUEXPLORER_NVML"
_ABSENCES = {
    pynvml.NVML_ERROR_NOT_SUPPORTED: Absence.NOT_SUPPORTED,
    pynvml.NVML_ERROR_VGPU_ECC_NOT_SUPPORTED: Absence.NOT_SUPPORTED,
    pynvml.NVML_ERROR_FUNCTION_NOT_FOUND: Absence.NOT_IN_DRIVER,
    pynvml.NVML_ERROR_ARGUMENT_VERSION_MISMATCH: Absence.NOT_IN_DRIVER,
    pynvml.NVML_ERROR_DEPRECATED: Absence.NOT_IN_DRIVER,
    pynvml.NVML_ERROR_NO_PERMISSION: Absence.NO_PERMISSION,
    pynvml.NVML_ERROR_TIMEOUT: Absence.NO_ANSWER,
    pynvml.NVML_ERROR_NOT_FOUND: Absence.NO_NEW_SAMPLE,
    pynvml.NVML_ERROR_NO_DATA: Absence.NO_NEW_SAMPLE,
    pynvml.NVML_ERROR_GPU_IS_LOST: Absence.LOST,
    pynvml.NVML_ERROR_GPU_NOT_FOUND: Absence.LOST,
    pynvml.NVML_ERROR_RESET_REQUIRED: Absence.LOST,
    pynvml.NVML_ERROR_UNINITIALIZED: Absence.NO_DRIVER,
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED: Absence.NO_DRIVER,
    pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: Absence.NO_DRIVER,
}
# The whole connection is gone; and that, or one card.
DRIVER_GONE = {code for code, why in _ABSENCES.items() if why is Absence.NO_DRIVER}
GONE = {code for code, why in _ABSENCES.items() if why is Absence.LOST} | DRIVER_GONE
_TROUBLES = {
    pynvml.NVML_ERROR_LIBRARY_NOT_FOUND: (
        mark("The NVIDIA driver's library ({library}) is not installed."),
        INSTALL_IT,
    ),
    pynvml.NVML_ERROR_DRIVER_NOT_LOADED: (
        mark("The NVIDIA driver's library is here, but the driver itself is not running."),
        mark("Restart the computer, or install the driver again."),
    ),
    pynvml.NVML_ERROR_LIB_RM_VERSION_MISMATCH: (
        mark("The NVIDIA driver was updated while it runs: driver and library do not match."),
        mark("Restart the computer."),
    ),
    pynvml.NVML_ERROR_NO_PERMISSION: (
        mark("This user may not talk to the NVIDIA driver."),
        mark("Ask the administrator; on Linux the groups `video` and `render` give the right."),
    ),
}

# What takes longer is left to those who wait for this process: they say that the driver hangs.
_PATIENCE = 2.0
# Loading it is another matter: it cannot be given up here, and would stop every thread.
_LOADING_PATIENCE = 5.0
# A child that hangs ends by itself, even when nobody is left to end it.
_LONGEST_LIFE = 30
_LOADED, _CAME_BACK = b"l", b"!"  # what the child says
# The system is short of memory, or somebody ends programs: no word about the library.
_OTHERS = (signal.SIGTERM, getattr(signal, "SIGKILL", None))  # which Windows does not have
# By name, since Windows has few of them.
_SIGNALS = {
    "SIGSEGV": Message("it reached for memory that is not there (segmentation fault)"),
    "SIGBUS": Message("its file is shorter than it has to be (bus error)"),
    "SIGABRT": Message("it gave up by itself (abort)"),
}
# The window looks for cards every few seconds; the same file would end the same way.
_crashed: dict[str, Trouble] = {}


def connect(attach: bool = True) -> None:
    """Load the library and greet the driver. Raises Trouble with the reason if that fails."""
    _load()
    try:
        pynvml.nvmlInitWithFlags(0 if attach else pynvml.NVML_INIT_FLAG_NO_ATTACH)
    except pynvml.NVMLError as error:
        unknown = mark("The NVIDIA driver does not answer: {reason}."), ASK_THE_DOCTOR
        sentence, hint = _TROUBLES.get(error.value, unknown)
        if sys.platform == "darwin":
            sentence = mark("macOS has no driver for NVIDIA cards, so none can answer here.")
            hint = mark("Simulated cards work: `gpuexplorer --simulate 2xH100`.")
        file = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml"
        raise Trouble(sentence, hint, library=file, reason=message_of(error)) from error


def disconnect() -> None:
    with suppress(pynvml.NVMLError):  # it may be gone already, which is what was asked for
        pynvml.nvmlShutdown()


def function(name: str) -> Any:  # by its name alone, as ctypes knows it
    """One of the driver's own; raises NVMLError where this driver lacks it."""
    if not hasattr(pynvml.nvmlLib, name):
        raise pynvml.NVMLError(pynvml.NVML_ERROR_FUNCTION_NOT_FOUND)
    return getattr(pynvml.nvmlLib, name)


def absence_of(code: int) -> Absence:
    return _ABSENCES.get(code, Absence.REFUSED)


def message_of(error: pynvml.NVMLError) -> str:
    """The driver's own words, in lower case and without a full stop, to stand in a sentence."""
    words = ""
    with suppress(UnicodeDecodeError, AttributeError):  # the binding stumbles over some
        words = text(str(error)).rstrip(".")
    if words in ("", "None"):  # the driver has no words for a code of its own
        return Message("error number {code}", code=error.value)
    abbreviation = words[:2].isupper()
    return words if abbreviation else words[:1].lower() + words[1:]


def text(told: str) -> str:
    """A name as a person can read it, whatever the driver handed over."""
    shown = (each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in told)
    return "".join(shown).strip()


def _where() -> Path | None:
    """The file that will be loaded, found without loading it; None where there is none."""
    named = os.environ.get(_VARIABLE)
    if named and "/" in named:
        return Path(named) if is_there(Path(named)) else None
    # The loader looks for a bare name as for any other library.
    return find_library(Place(), named) if named else driver_library(Place())


def _load() -> None:
    """The binding would look for the library by its name alone: it would miss one that lies
    elsewhere, even when that is in memory already, if it does not bear that name within.
    """
    if sys.platform != "linux":
        return  # the binding knows where Windows keeps it
    with pynvml.libLoadLock:
        if pynvml.nvmlLib is not None:
            return
        named = os.environ.get(_VARIABLE)
        with suppress(OSError):
            pynvml.nvmlLib = ctypes.CDLL(named or "libnvidia-ml.so.1")
            return
        if path := named or _where():  # else the binding has an error for it
            try:
                pynvml.nvmlLib = ctypes.CDLL(str(path))
            except OSError as error:
                failed = mark("The NVIDIA driver's library cannot be loaded: {reason}.")
                raise Trouble(failed, _install_again(), reason=str(error)) from error


def _install_again() -> Message:
    if os.environ.get(_VARIABLE):
        again = mark("Unset {variable}, or install the NVIDIA driver again.")
        return Message(again, variable=_VARIABLE)
    return Message("Install the NVIDIA driver again.")


@contextmanager
def after_a_child(contact: Callable[[], None]) -> Iterator[None]:
    """The block is this process's own first contact, and `contact` is what it will do there.

    Raises Trouble instead of entering the block when the child did not come through.
    """
    file, known, note, before = _where(), "", _kept("driver-library"), ""
    with suppress(OSError):
        if file is not None:  # a driver links one name to the file of its version
            there = file.resolve()
            known = f"{there} {there.stat().st_size} {there.stat().st_mtime_ns}"
    # A process keeps the library that it loaded once.
    if file is None or not known or pynvml.nvmlLib is not None or sys.platform != "linux":
        yield
        return
    if trouble := _crashed.get(known):
        raise trouble
    with suppress(OSError, ValueError):
        before = note.read_text()
    if before == known:
        # It is gone until the block is over, so that a start that ends in it is noticed.
        with suppress(OSError):
            note.unlink()
        yield
    else:
        with _child(file, known, contact):
            yield
    with suppress(OSError):  # where it cannot be written, each start has its child
        note.parent.mkdir(parents=True, exist_ok=True)
        note.write_text(known)


def _kept(name: str) -> Path:
    """A file of ours that the next start looks at. One that cannot be, where we leave none:
    without a home, and on another computer, where Python is told to write nothing either.
    """
    cache = Path(os.path.expanduser(os.environ.get("XDG_CACHE_HOME") or "~/.cache"))  # noqa: PTH111 - does not raise
    here = cache.is_absolute() and not sys.dont_write_bytecode
    return (cache if here else Path(os.devnull)) / "gpuexplorer" / name


@contextmanager
def _child(file: Path, known: str, contact: Callable[[], None]) -> Iterator[None]:
    """A child that has come through, or is still at it; it ends with the block."""
    # Python warns of locks that other threads held when it was forked. The child takes none of
    # theirs: it starts nothing, and calls the driver's library, which nobody has loaded yet.
    warnings.filterwarnings("ignore", ".* use of fork\\(\\) may lead to", DeprecationWarning)
    ours, theirs = socket.socketpair()
    with ours, theirs:
        try:
            pid = os.fork()
        except OSError:  # no more processes are allowed
            yield
            return
        if not pid:
            _be_the_child(contact, theirs)
        theirs.close()
        # A driver takes a moment to release cards, and nobody has to wait for that.
        ended = Asked(partial(os.waitpid, pid, 0))
        if (said := _heard(ours, _LOADING_PATIENCE)) is None:
            raise Trouble(
                "The NVIDIA driver's library {file} hangs while it is loaded: a trial run"
                " with it did not come back within {seconds:g} s.",
                "Restart the computer if this goes on; `sudo dmesg` may say what it waits for.",
                file=file,
                seconds=_LOADING_PATIENCE,
            )
        if said == _LOADED:
            said = _heard(ours, _PATIENCE)
        if said != b"":  # it came back, or it is late
            yield
            return
        code = None
        with suppress(ChildProcessError):  # a system that keeps no word of how it ended
            ended.answered_within(_PATIENCE)
            code = os.waitstatus_to_exitcode(ended.result()[1])
        if code is not None and -code in _OTHERS:
            yield
            return
        _crashed[known] = _trouble(file, code)
        raise _crashed[known]


def _be_the_child(contact: Callable[[], None], theirs: socket.socket) -> NoReturn:
    try:
        limits = importlib.import_module("resource")  # which Windows does not have
        limits.setrlimit(limits.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started it
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_LONGEST_LIFE)
        # One that hangs must not keep a terminal, a pipe or a window's connection open.
        nowhere = os.open(os.devnull, os.O_RDWR)
        for standard in (0, 1, 2):
            os.dup2(nowhere, standard)
        os.closerange(3, theirs.fileno())
        os.closerange(theirs.fileno() + 1, 65536)
        with suppress(Exception):  # a refusal is no crash: this process hears it and says it
            _load()
            theirs.send(_LOADED)
            contact()
        theirs.send(_CAME_BACK)
        theirs.recv(1)  # until the other end is closed
    finally:
        os._exit(0)


def _heard(ours: socket.socket, seconds: float) -> bytes | None:
    """Nothing at all where it ended, None where it says nothing in that time."""
    ours.settimeout(seconds)
    try:
        return ours.recv(1)
    except TimeoutError:
        return None


def _trouble(file: Path, code: int | None) -> Trouble:
    how = Message("it ended the program without a word")
    if code is not None and code >= 0:
        how = Message("it ended the program with exit status {code}", code=code)
    elif code is not None:
        other = Message("the program was ended by signal {number}", number=-code)
        how = _SIGNALS.get(signal.Signals(-code).name, other)
    return Trouble(
        "The NVIDIA driver's library {file} is not usable. A trial run with it crashed: {how}.",
        told(Message("Most likely the file is damaged or not the driver's."), _install_again()),
        file=file,
        how=how,
    )


@cache
def crash_of_last_time() -> Message:
    """How the library ended the program that read it last, where it did; told once. From now on
    this process would leave word of that too.
    """
    note, left, moment = _kept("driver-crash"), "", 0.0
    if faulthandler.is_enabled() or _where() is None:
        return NOTHING
    with suppress(OSError):
        left, moment = note.read_text("utf-8", "replace"), note.stat().st_mtime
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        # Open as long as this process lives.
        file = os.open(note, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    except OSError:
        return NOTHING
    faulthandler.enable(file, all_threads=False)
    said = r'Fatal Python error: (.+)(?s:.*?)\n +File "(.*)", line \d+ in (\w+)'
    crash = re.search(said, left)
    if crash is None or "nvml" not in crash[2]:
        return NOTHING
    return Message(
        "The NVIDIA driver's library ended this program on {moment} ({how}, in {call}). Install"
        " the driver again if this goes on; what was recorded until then is kept.",
        moment=time.strftime("%Y-%m-%d %H:%M", time.localtime(moment)),
        how=crash[1],
        call=crash[3],
    )
