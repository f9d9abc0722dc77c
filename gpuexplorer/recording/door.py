"""The door: whether a file is a recording that this program can read; if not, a sentence says
why. A SafeFile is one that may be: read only, bounded in time, whoever made it.
"""

import os
import sqlite3
import stat
import sys
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import Any

from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.recording.schema import APPLICATION, TABLES, VERSION

Row = tuple[Any, ...]  # Any: what a file holds, which may be anything

_PATIENCE = 2.0  # seconds that one question may take
_OPERATIONS = 10_000  # of SQLite's between looks at the clock
_LONGEST = 1 << 26  # bytes of one value
# As usual; then for a folder that cannot be written, with the log of a writer that was killed
# and without one.
_WAYS = (
    "mode=ro",
    f"mode=ro&vfs={'win32' if sys.platform == 'win32' else 'unix'}-none",
    "mode=ro&immutable=1",
)
_SETTINGS = (
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
    "PRAGMA mmap_size=0",
    "PRAGMA query_only=ON",
    # Else nothing is read of a file whose last pages are missing. Nothing can be written.
    "PRAGMA writable_schema=ON",
)
# Of version 1, which old_file.py reads.
_OLD_TABLES = """
CREATE TABLE fact (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE run (id INTEGER PRIMARY KEY, began REAL NOT NULL, ended REAL,
    writer TEXT NOT NULL, machine TEXT NOT NULL);
CREATE TABLE turn (id INTEGER PRIMARY KEY, at REAL NOT NULL, kind TEXT NOT NULL,
    value TEXT NOT NULL);
CREATE TABLE subject (id INTEGER PRIMARY KEY, kind TEXT NOT NULL, name TEXT NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, facts TEXT NOT NULL);
CREATE TABLE series (id INTEGER PRIMARY KEY, subject INTEGER NOT NULL,
    rhythm TEXT NOT NULL, metric TEXT NOT NULL);
CREATE TABLE piece (id INTEGER PRIMARY KEY, series INTEGER NOT NULL, level INTEGER NOT NULL,
    first REAL NOT NULL, last REAL NOT NULL, count INTEGER NOT NULL, data BLOB NOT NULL);
CREATE INDEX piece_of ON piece (series, level, first);
CREATE TABLE layout (id INTEGER PRIMARY KEY, subject INTEGER NOT NULL,
    rhythm TEXT NOT NULL, metrics TEXT NOT NULL);
CREATE TABLE tail (id INTEGER PRIMARY KEY, layout INTEGER NOT NULL, at REAL NOT NULL,
    data BLOB NOT NULL);
CREATE TABLE happening (id INTEGER PRIMARY KEY, at REAL NOT NULL, wall REAL NOT NULL,
    kind TEXT NOT NULL, card TEXT, sentence TEXT NOT NULL, about TEXT NOT NULL, lasted REAL);
CREATE TABLE said (id INTEGER PRIMARY KEY, at REAL NOT NULL, what TEXT NOT NULL,
    text TEXT NOT NULL);
"""
_TABLES = {1: _OLD_TABLES, VERSION: TABLES}
# SQLite's own `.recover` leaves there what belongs to no table; nothing reads it.
_MASTER = (
    "SELECT type, name, tbl_name, sql FROM sqlite_master"
    " WHERE NOT (type = 'table' AND name LIKE 'lost_and_found%') LIMIT 100"
)
DAMAGED = Message(
    "The file is damaged: what can be read of it is shown, and no more. SQLite's own shell may"
    " find more: `sqlite3 FILE .recover`."
)
_CHOOSE = mark("Choose a file that GPU Explorer recorded; its name usually ends in .gpurec.")
_NO_RIGHT = (
    mark("You may not read {file}."),
    mark("Ask whoever it belongs to, or copy it to a place of your own."),
)
# By what SQLite says; of all else it is damaged.
_REFUSED = {
    sqlite3.SQLITE_NOTADB: (mark("{file} is no recording of GPU Explorer."), _CHOOSE),
    **dict.fromkeys(
        (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED),
        (
            mark("Another program keeps {file} locked."),
            mark("Close that program, or wait until it is done with the file."),
        ),
    ),
    **dict.fromkeys(
        (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM),
        (
            mark("{file} cannot be opened where it is."),
            mark(
                "Copy it, and the files beside it that begin with its name, to another folder."
            ),
        ),
    ),
    sqlite3.SQLITE_IOERR: (
        mark("{file} cannot be read: the disk reports an error."),
        mark("Copy it to another disk, or take another copy of it."),
    ),
}
_DAMAGED = (
    mark("{file} is damaged, and nothing of it can be read."),
    mark(
        "Take another copy of it, if there is one. SQLite's own shell may find something:"
        " `sqlite3 FILE .recover`."
    ),
)
_BESIDE = ("-wal", "-shm", "-journal")


class SafeFile:
    """For any thread. What cannot be read is left out, and makes it `damaged`."""

    def __init__(
        self, path: Path, database: sqlite3.Connection, *, damaged: bool = False
    ) -> None:
        self.path, self.version, self.damaged = path, VERSION, damaged
        self._closed = False
        self._lock = threading.Lock()
        self._deadline = 0.0
        self._sqlite = database
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        database.text_factory = lambda data: data.decode(errors="replace")
        database.set_progress_handler(lambda: time.monotonic() > self._deadline, _OPERATIONS)

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._sqlite.close()

    def ask(self, question: str, *values: object) -> list[Row]:
        """Raises sqlite3.Error; nothing after `close`."""
        with self._lock:
            if self._closed:
                return []
            self._deadline = time.monotonic() + _PATIENCE
            try:
                return self._sqlite.execute(question, values).fetchall()
            except (UnicodeDecodeError, MemoryError) as error:
                # What SQLite would say of the damage is damaged itself, or needs all memory.
                raise sqlite3.DatabaseError(str(error)) from error

    def rows(self, question: str, *values: object) -> list[Row]:
        """None where they cannot be read."""
        try:
            return self.ask(question, *values)
        except sqlite3.Error:
            self.damaged = True
            return []


def opened(path: Path) -> SafeFile:
    """Raises Trouble for what is no recording. Never opens the file by itself: closing it
    again would take away the locks of a recorder in this very process.
    """
    _refuse_what_is_no_file(path)
    refused: sqlite3.Error | None = None
    for way in _WAYS:
        database = sqlite3.connect(
            f"{path.absolute().as_uri()}?{way}",
            uri=True,
            timeout=1.0,
            isolation_level=None,
            check_same_thread=False,
        )
        # Whatever the log held is not seen the last way.
        file = SafeFile(path, database, damaged=way == _WAYS[-1] and _has_log(path))
        try:
            for setting in _SETTINGS:
                database.execute(setting)
            if way == _WAYS[1]:
                # The index of its log is then in memory, and nothing written beside the file.
                database.execute("PRAGMA locking_mode=EXCLUSIVE")
            _refuse_strangers(file)
            return file
        except (sqlite3.Error, Trouble) as error:
            file.close()
            if isinstance(error, Trouble):
                raise
            refused = error
            if _kind_of(error) not in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY):
                break
    told = _REFUSED.get(_kind_of(refused), _DAMAGED)
    raise Trouble(*told, file=path.name) from refused


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
    except PermissionError:
        raise Trouble(*_NO_RIGHT, file=path.name) from None
    except (OSError, ValueError):
        hint = "Look at its name and its folder."
        raise Trouble("There is no file {file}.", hint, file=path.name) from None
    if stat.S_ISDIR(found.st_mode):
        raise Trouble("{file} is a folder.", _CHOOSE, file=path.name)
    if not stat.S_ISREG(found.st_mode):
        raise Trouble("{file} is no file but a device or a pipe.", _CHOOSE, file=path.name)
    if not os.access(path, os.R_OK):
        raise Trouble(*_NO_RIGHT, file=path.name)
    if found.st_size == 0:
        raise Trouble("{file} is empty: nothing was recorded.", _CHOOSE, file=path.name)


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
    # A view, a trigger or a column that computes would be run where it is read.
    if version not in _TABLES or _plain(file.ask(_MASTER)) != _tables(_TABLES[version]):
        raise Trouble(
            "{file} calls itself a recording of GPU Explorer, and its tables are others.",
            "It is damaged, or another program changed it. Choose another file.",
            file=name,
        )
    file.version = version


def _tables(script: str) -> list[list[str]]:
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(script)
        return _plain(ours.execute(_MASTER).fetchall())


def _plain(rows: list[Row]) -> list[list[str]]:
    return sorted(
        [" ".join(str(each).replace('"', "").split()) for each in row] for row in rows
    )


def _has_log(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _kind_of(error: sqlite3.Error | None) -> int:
    """Without the details that SQLite has in the higher bits."""
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF


def too_damaged(path: Path) -> Trouble:
    return Trouble(*_DAMAGED, file=path.name)
