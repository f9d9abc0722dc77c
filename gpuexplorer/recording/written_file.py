"""The file of a recording, for who writes it: how it is made, and why it cannot be."""

import errno
import os
import sqlite3
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO, NamedTuple

import psutil

import gpuexplorer
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.schema import Writer
from gpuexplorer.recording.tables import lay_out

PATIENCE = 0.2  # for somebody else who has hold of it
_PAGES_BESIDE = 128  # so many in the log, and they go into the file
_ROOM = 4 << 20
_MEANT = 0xFF  # of an error's number; the rest says more about the place
_NONE_OR_DAMAGED = (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT)


class Opened(NamedTuple):
    """A file that is written. `room` is room on its disk, without a name, until it is closed or
    this process ends: once the disk is full, what stands in SQLite's log beside the file still
    has a place in it.
    """

    database: sqlite3.Connection
    room: IO[bytes]


def this_program() -> Writer:
    process = psutil.Process()
    return Writer(f"GPU Explorer {gpuexplorer.__version__}", process.pid, process.create_time())


def make_file(path: Path, *, anonymous: bool) -> Opened:
    """The new file, with nothing in its tables."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise Trouble(
            "{file} is there already, and a recording never replaces anything.",
            "Choose another name, or move it away.",
            file=path,
        ) from None
    except OSError as error:
        raise _not_begun(path, error) from None
    database = sqlite3.connect(path, timeout=PATIENCE, check_same_thread=False)
    try:
        database.execute("PRAGMA page_size = 8192")
        database.execute("PRAGMA auto_vacuum = INCREMENTAL")
        lay_out(database, anonymous=anonymous)
        return ready_to_write(path, database)
    except (sqlite3.Error, OSError) as error:
        database.close()
        with suppress(OSError):
            path.unlink()
        raise _not_begun(path, error) from error


def _not_begun(path: Path, error: sqlite3.Error | OSError) -> Trouble:
    """There is no file."""
    full = Message("the disk is full")
    return Trouble(
        "The recording {file} cannot be made: {reason}.",
        "Choose a folder that is there, that you may write to, and that has room.",
        file=path,
        reason=full if _is_full(error) else getattr(error, "strerror", None) or error,
    )


def ready_to_write(path: Path, database: sqlite3.Connection) -> Opened:
    """What is committed from then on is there, however this process ends."""
    database.execute("PRAGMA journal_mode = WAL")
    database.execute("PRAGMA synchronous = NORMAL")
    database.execute(f"PRAGMA wal_autocheckpoint = {_PAGES_BESIDE}")
    return Opened(database, _room_beside(path))


def _room_beside(path: Path) -> IO[bytes]:
    room = tempfile.TemporaryFile(dir=path.parent, buffering=0)  # noqa: SIM115 - to the end
    try:
        if room.write(os.urandom(_ROOM)) < _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        room.close()
        raise
    return room


def failure_of(error: sqlite3.Error | OSError) -> Message:
    """The same for who opens the file later."""
    if _is_full(error):
        return Message("The recording ended because the disk was full.")
    if isinstance(error, FileNotFoundError):
        return Message("The recording ended because its file was moved while it was written.")
    reason = error.strerror if isinstance(error, OSError) else str(error)
    return Message(
        "The recording ended because its file could not be written: {reason}.",
        reason=reason or type(error).__name__,
    )


def _is_full(error: sqlite3.Error | OSError) -> bool:
    meant = getattr(error, "sqlite_errorcode", 0) & _MEANT
    return meant == sqlite3.SQLITE_FULL or getattr(error, "errno", None) == errno.ENOSPC


def trouble_of(path: Path, error: sqlite3.Error | OSError) -> Trouble:
    meant = getattr(error, "sqlite_errorcode", 0) & _MEANT
    if meant in _NONE_OR_DAMAGED:
        return Trouble(
            "{file} is damaged, or is no recording: {reason}.",
            "Move it away, and begin another.",
            file=path,
            reason=error,
        )
    if _is_full(error):
        return Trouble(
            "The disk is full, so the recording {file} has ended.",
            "What was recorded until then is in it. Make room, and begin another.",
            file=path,
        )
    if isinstance(error, FileNotFoundError):
        return Trouble(
            "The recording {file} was moved or removed while it was written, so it has ended.",
            "Begin another.",
            file=path,
        )
    return Trouble(
        "The recording {file} could not be written further: {reason}.",
        "What was recorded until then is in it. Look at the disk, and begin another.",
        file=path,
        reason=error,
    )
