"""SafeFile: the SQLite file of a recording, read only, bounded in time, whoever made it and
whatever state it is in.
"""

import sqlite3
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from gpuexplorer.recording.schema import TABLES

Row = tuple[Any, ...]  # Any: what a file holds, which may be anything

_PATIENCE = 2.0  # seconds that one question may take
_SKIPPED = 8  # rows, where none can be read; more after so many tries
_TRIES = 1000
_OPERATIONS = 10_000  # of SQLite's between looks at the clock
_LONGEST = 1 << 26  # bytes of one value
# As usual; then for a folder that cannot be written, with the log of a writer that was killed
# and without one.
WAYS = (
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


class _Connection:
    """That of one thread."""

    def __init__(self, path: Path, way: str) -> None:
        self.lock = threading.Lock()
        self.deadline = 0.0
        self.sqlite = sqlite3.connect(
            f"{path.absolute().as_uri()}?{way}",
            uri=True,
            timeout=1.0,
            isolation_level=None,
            check_same_thread=False,
        )
        self.sqlite.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        self.sqlite.text_factory = _text
        self.sqlite.set_progress_handler(self._is_late, _OPERATIONS)
        for setting in _SETTINGS:
            self.sqlite.execute(setting)
        if way == WAYS[1]:
            # The index of its log is then kept in memory, and nothing written beside the file.
            self.sqlite.execute("PRAGMA locking_mode=EXCLUSIVE")

    def _is_late(self) -> bool:
        return time.monotonic() > self.deadline


class SafeFile:
    """For any thread. What cannot be read is left out, and makes it `damaged`."""

    def __init__(self, path: Path, way: str) -> None:
        """Raises sqlite3.Error where that way does not lead into it."""
        self.path, self.way = path, way
        self.damaged = False
        self._closed = False
        # By the number of the thread, which another one gets when that has ended.
        self._connections: dict[int, _Connection] = {}
        self._opening = threading.Lock()

    def close(self) -> None:
        with self._opening:
            self._closed = True
            for connection in self._connections.values():
                with connection.lock:
                    connection.sqlite.close()

    def ask(self, question: str, *values: object) -> list[Row]:
        """Raises sqlite3.Error."""
        rows: list[Row] = []
        error = self._read(rows, question, values)
        if error is not None:
            raise error
        return rows

    def rows(self, question: str, *values: object) -> list[Row]:
        """As far as they can be read."""
        rows: list[Row] = []
        if self._read(rows, question, values) is not None:
            self.damaged = True
        return rows

    def whole(self, columns: str, table: str, most: int, where: str = "TRUE") -> list[Row]:
        """The newest rows of a table, oldest first; what lies behind a damaged page as well.
        The first column is its id.
        """
        rows: list[Row] = []
        question = f"SELECT {columns} FROM {table} WHERE {where}"
        newest_first = "ORDER BY id DESC LIMIT ?"
        error = self._read(rows, f"{question} {newest_first}", (most,))
        rows.reverse()
        if error is None or self._closed:
            return rows
        self.damaged = True
        older: list[Row] = []
        before = rows[0][0] if rows else sys.maxsize
        after, tries, until = 0, 0, time.monotonic() + _PATIENCE / 4
        while error is not None and after < before and time.monotonic() < until:
            some: list[Row] = []
            between = "AND id > ? AND id < ? ORDER BY id LIMIT ?"
            error = self._read(some, f"{question} {between}", (after, before, most))
            tries += 1
            for row in some:
                if after < row[0] < before:  # a damaged page may say anything
                    older.append(row)
                    after, tries = row[0], 0
            # Behind the page that cannot be read there are others.
            after += _SKIPPED << max(0, tries - _TRIES)
        return (older + rows)[-most:]

    def _read(
        self, rows: list[Row], question: str, values: Sequence[object]
    ) -> sqlite3.Error | None:
        """Puts what can be read into `rows`, and nothing after `close`."""
        try:
            connection = self._mine()
            if connection is None:
                return None
            with connection.lock:
                if not self._closed:
                    connection.deadline = time.monotonic() + _PATIENCE
                    with closing(connection.sqlite.execute(question, values)) as cursor:
                        rows.extend(cursor)
        except sqlite3.Error as error:
            return error
        except (UnicodeDecodeError, MemoryError) as error:
            # What SQLite would say of the damage is damaged itself, or asks for all there is.
            return sqlite3.DatabaseError(str(error))
        return None

    def _mine(self) -> _Connection | None:
        connection = self._connections.get(threading.get_ident())
        if connection is None:
            with self._opening:
                if self._closed:
                    return None
                connection = _Connection(self.path, self.way)
                self._connections[threading.get_ident()] = connection
        return connection


def as_ours(found: Sequence[Row]) -> bool:
    """Whether these rows of `sqlite_master` are the tables of a recording, and nothing else: a
    view, a trigger or a column that computes would be run where it is read.
    """
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(TABLES)
        return sorted(map(_plain, found)) == sorted(map(_plain, ours.execute(MASTER)))


MASTER = "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 100"


def _plain(row: Row) -> list[str]:
    return [" ".join(str(each).split()) for each in row]


def _text(data: bytes) -> str:
    return data.decode(errors="replace")
