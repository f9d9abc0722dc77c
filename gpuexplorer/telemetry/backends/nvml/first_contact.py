"""First contact: a child process touches the driver's library before this process does.

A library that is damaged, or not the driver's, ends whatever loads it: by a signal, or because
it calls exit(). Nothing inside a process can prevent that, but a child that was forked is no
loss, and how it ended says what is wrong. (A packaged program has no Python to start.)

The child makes the very calls that come next here. Cards without persistence mode take a second
or more to start for the first process that opens them, so the child keeps them open until this
process has them too, and nobody waits for that twice. A library that came through once is not
tried again until its file changes, or a start with it did not come through.

Only Linux can fork: on Windows, such a library still takes the program with it. macOS has none.
"""

import importlib
import os
import select
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import ModuleType
from typing import NoReturn

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.telemetry.backends.nvml import loading

# What takes longer is left to those who wait for this process: they say that the driver hangs.
_PATIENCE = 2.0
# Loading it is another matter: it cannot be given up here, and would stop every thread.
_LOADING_PATIENCE = 5.0
# A child that hangs ends by itself, even when nobody is left to end it.
_LONGEST_LIFE = 30

_LOADED, _CAME_BACK = b"l", b"!"  # what the child says

# By name, since Windows has few of them.
_SIGNALS = {
    "SIGSEGV": Message("it reached for memory that is not there (segmentation fault)"),
    "SIGBUS": Message("its file is shorter than it has to be (bus error)"),
    "SIGABRT": Message("it gave up by itself (abort)"),
    "SIGILL": Message("it used an instruction that this processor lacks"),
    "SIGFPE": Message("it calculated what has no result (arithmetic error)"),
}


class _SoFar:
    """What this process has seen. A process keeps the library that it loaded once."""

    def __init__(self) -> None:
        self.came_through = False
        # The window looks for cards every few seconds; the same file would end the same way.
        self.ended: dict[str, Trouble] = {}


_so_far = _SoFar()


@contextmanager
def after_a_child(contact: Callable[[], None]) -> Iterator[None]:
    """The block is this process's own first contact, and `contact` is what it will do there.

    Raises Trouble instead of entering the block when the child did not come through.
    """
    file = loading.where()
    known = None if file is None else _fingerprint(file)
    if file is None or known is None or _so_far.came_through or sys.platform != "linux":
        yield
        return
    if known in _so_far.ended:
        raise _so_far.ended[known]
    # On another computer, where Python is told to leave no files, neither do we.
    note = None if sys.dont_write_bytecode else _note_file()
    if note is not None and _read(note) == known:
        # It is gone until the block is over, so that a start that ends in it is noticed.
        with suppress(OSError):
            note.unlink()
        yield
    else:
        with _child(file, known, contact):
            yield
    _so_far.came_through = True
    if note is not None and note.is_absolute():
        with suppress(OSError):  # where it cannot be written, each start has its child
            note.parent.mkdir(parents=True, exist_ok=True)
            note.write_text(known)


@contextmanager
def _child(file: Path, known: str, contact: Callable[[], None]) -> Iterator[None]:
    """A child that has come through, or is still at it; it ends with the block."""
    try:
        pid, answer, hold = _fork(contact)
    except OSError:
        pid = answer = hold = 0  # no more processes are allowed
    if not pid:
        yield
        return
    try:
        waiting = select.poll()
        waiting.register(answer, select.POLLIN)
        if not waiting.poll(_LOADING_PATIENCE * 1000):
            os.kill(pid, signal.SIGKILL)
            _reap_later(pid)
            raise Trouble(
                "The NVIDIA driver's library {file} hangs while it is loaded: a trial run with"
                " it did not come back within {seconds:g} s.",
                "Restart the computer if this goes on; `sudo dmesg` may say what it waits for.",
                file=file,
                seconds=_LOADING_PATIENCE,
            )
        said = os.read(answer, 1)
        late = said == _LOADED and not waiting.poll(_PATIENCE * 1000)
        if not late and not (said if said == _CAME_BACK else os.read(answer, 1)):
            status = _reap(pid)
            if status is not None and _ended_by_others(status):
                yield
                return
            _so_far.ended[known] = _trouble(file, status)
            raise _so_far.ended[known]
        try:
            yield
        finally:
            if late:
                os.kill(pid, signal.SIGKILL)
            # A driver takes a moment to release cards, and nobody has to wait for that.
            _reap_later(pid)
    finally:
        os.close(answer)
        os.close(hold)


def _fork(contact: Callable[[], None]) -> tuple[int, int, int]:
    """The child's number, where its answer is read, and what holds it as long as it is open."""
    answers, answer = os.pipe()
    held, hold = os.pipe()
    # Python warns of locks that other threads held when it was forked. The child takes none of
    # theirs: it starts nothing, and calls the driver's library, which nobody has loaded yet.
    warnings.filterwarnings("ignore", ".* use of fork\\(\\) may lead to", DeprecationWarning)
    limits = importlib.import_module("resource")  # which Windows does not have
    pid = os.fork()
    if pid == 0:
        _be_the_child(contact, limits, answer, held)
    os.close(answer)
    os.close(held)
    return pid, answers, hold


def _be_the_child(
    contact: Callable[[], None], limits: ModuleType, answer: int, held: int
) -> NoReturn:
    try:
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the one who started it
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        signal.alarm(_LONGEST_LIFE)
        limits.setrlimit(limits.RLIMIT_CORE, (0, 0))
        _keep_only(answer, held)
        with suppress(Exception):  # a refusal is no crash: this process hears it and says it
            loading.load()
            os.write(answer, _LOADED)
            contact()
        os.write(answer, _CAME_BACK)
        os.read(held, 1)  # until the other end is closed
    finally:
        os._exit(0)


def _keep_only(*kept: int) -> None:
    """A child that hangs must not keep a terminal, a pipe or a window's connection open."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    after = 3
    for each in sorted(kept):
        os.closerange(after, each)
        after = each + 1
    os.closerange(after, 65536)


def _reap_later(pid: int) -> None:
    threading.Thread(target=_reap, args=(pid,), name="reap", daemon=True).start()


def _reap(pid: int) -> int | None:
    """How it ended, as waitpid says it; None where the system does not keep that."""
    try:
        return os.waitpid(pid, 0)[1]
    except ChildProcessError:
        return None


def _ended_by_others(status: int) -> bool:
    """The system is short of memory, or somebody ends programs: no word about the library."""
    return os.WIFSIGNALED(status) and os.WTERMSIG(status) in (signal.SIGKILL, signal.SIGTERM)


def _trouble(file: Path, status: int | None) -> Trouble:
    how = Message("it ended the program without a word")
    if status is not None and os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        other = Message("the program was ended by signal {number}", number=number)
        how = _SIGNALS.get(signal.Signals(number).name, other)
    elif status is not None:
        code = os.waitstatus_to_exitcode(status)
        how = Message("it ended the program with exit status {code}", code=code)
    hint = Message(
        "Most likely the file is damaged or not the driver's. Install the driver again."
    )
    if os.environ.get(loading.LIBRARY_VARIABLE):
        hint = Message(
            "Most likely the file is damaged or not the driver's. Unset {variable}, or install "
            "the NVIDIA driver again.",
            variable=loading.LIBRARY_VARIABLE,
        )
    return Trouble(
        "The NVIDIA driver's library {file} is not usable. A trial run with it crashed: {how}.",
        hint,
        file=file,
        how=how,
    )


def _fingerprint(file: Path) -> str | None:
    """The same as long as the file is. A driver links one name to the file of its version."""
    try:
        there = file.resolve()
        found = there.stat()
    except OSError:
        return None
    return f"{there} {found.st_size} {found.st_mtime_ns}"


def _note_file() -> Path:
    """Names the library that came through last."""
    cache = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    # Where there is no home, it stays "~" and is no absolute path.
    return Path(os.path.expanduser(cache)) / "gpuexplorer" / "driver-library"  # noqa: PTH111


def _read(note: Path) -> str:
    try:
        return note.read_text()
    except (OSError, ValueError):
        return ""
