"""Whether a file is a recording that this program can read; if not, a sentence says why."""

import errno
import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import mark
from gpuexplorer.recording.safe_file import MASTER, WAYS, SafeFile, as_ours
from gpuexplorer.recording.schema import APPLICATION, VERSION

_CHOOSE = mark("Choose a file that GPU Explorer recorded; its name usually ends in .gpurec.")
_NOT_THERE = {
    errno.ENOENT: (mark("There is no file {file}."), mark("Look at its name and its folder.")),
    errno.ENOTDIR: (mark("There is no file {file}."), mark("Look at its name and its folder.")),
    errno.ELOOP: (mark("{file} is a link that leads to itself."), mark("Choose another file.")),
    errno.ENAMETOOLONG: (mark("There is no file of that name."), mark("Look at its name.")),
}
_NO_RIGHT = (
    mark("You may not read {file}."),
    mark("Ask whoever it belongs to, or copy it to a place of your own."),
)
_BESIDE = ("-wal", "-shm", "-journal")


def opened(path: Path) -> SafeFile:
    """Raises Trouble for what is no recording. Never opens the file by itself: closing it
    again would take away the locks of a recorder in this very process.
    """
    _refuse_what_is_no_file(path)
    refused: sqlite3.Error | None = None
    for way in WAYS:
        file = SafeFile(path, way)
        try:
            _refuse_strangers(file)
        except sqlite3.Error as error:
            file.close()
            refused = error
            if _kind_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                break
        except Trouble:
            file.close()
            raise
        else:
            # Whatever the log held is not seen the last way.
            file.damaged = way == WAYS[-1] and _has_log(path)
            return file
    raise _trouble(path, refused) from refused


def refuse_own(target: Path, recording: Path) -> None:
    """What is made of a recording must not replace it, nor a log that holds the last of it."""
    own = [recording, *(recording.with_name(f"{recording.name}{end}") for end in _BESIDE)]
    if target.exists() and any(each.exists() and target.samefile(each) for each in own):
        raise Trouble(
            "{file} is the recording itself or a part of it, and is left as it is.",
            "Choose another name.",
            file=target.name,
        )


def _refuse_what_is_no_file(path: Path) -> None:
    try:
        found = path.stat()
    except (OSError, ValueError) as error:
        number = error.errno if isinstance(error, OSError) else errno.ENOENT
        sentence, hint = _NOT_THERE.get(number or 0, _NO_RIGHT)
        raise Trouble(sentence, hint, file=path.name) from None
    if stat.S_ISDIR(found.st_mode):
        raise Trouble("{file} is a folder.", _CHOOSE, file=path.name)
    if not stat.S_ISREG(found.st_mode):
        raise Trouble("{file} is no file but a device or a pipe.", _CHOOSE, file=path.name)
    if not os.access(path, os.R_OK):
        raise Trouble(*_NO_RIGHT, file=path.name)
    if found.st_size == 0:
        raise Trouble("{file} is empty: nothing was recorded.", _CHOOSE, file=path.name)
    for ending in _BESIDE:
        beside = path.with_name(f"{path.name}{ending}")
        with suppress(OSError):
            if not stat.S_ISREG(beside.stat().st_mode):
                # SQLite would wait for a pipe for ever.
                raise Trouble(
                    "{file} cannot be opened: {beside} beside it is no file.",
                    "Move it away.",
                    file=path.name,
                    beside=beside.name,
                )


def _refuse_strangers(file: SafeFile) -> None:
    [(application,)] = file.ask("PRAGMA application_id")
    [(version,)] = file.ask("PRAGMA user_version")
    name = file.path.name
    if application != APPLICATION:
        # Nothing else is asked of it: whatever it is, it is somebody else's.
        raise Trouble("{file} is no recording of GPU Explorer.", _CHOOSE, file=name)
    if isinstance(version, int) and version > VERSION:
        raise Trouble(
            "{file} was made by a newer version of GPU Explorer.",
            "Update GPU Explorer to open it.",
            file=name,
        )
    # Where older versions differ, their tables are compared with theirs, and read as these.
    if version != VERSION or not as_ours(file.ask(MASTER)):
        raise Trouble(
            "{file} calls itself a recording of GPU Explorer, and its tables are others.",
            "It is damaged, or another program changed it. Choose another file.",
            file=name,
        )


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _kind_of(error: sqlite3.Error | None) -> int:
    """Without the details that SQLite has in the higher bits."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def _trouble(path: Path, error: sqlite3.Error | None) -> Trouble:
    match _kind_of(error):
        case sqlite3.SQLITE_NOTADB:
            return Trouble("{file} is no recording of GPU Explorer.", _CHOOSE, file=path.name)
        case sqlite3.SQLITE_BUSY | sqlite3.SQLITE_LOCKED:
            return Trouble(
                "Another program keeps {file} locked.",
                "Close that program, or wait until it is done with the file.",
                file=path.name,
            )
        case sqlite3.SQLITE_CANTOPEN | sqlite3.SQLITE_READONLY | sqlite3.SQLITE_PERM:
            return Trouble(
                "{file} cannot be opened where it is.",
                "Copy it, and the files beside it that begin with its name, to another folder.",
                file=path.name,
            )
        case sqlite3.SQLITE_IOERR:
            return Trouble(
                "{file} cannot be read: the disk reports an error.",
                "Copy it to another disk, or take another copy of it.",
                file=path.name,
            )
    return too_damaged(path)


def too_damaged(path: Path) -> Trouble:
    return Trouble(
        "{file} is damaged, and nothing of it can be read.",
        "Take another copy of it, if there is one.",
        file=path.name,
    )
