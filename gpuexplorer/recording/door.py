"""The door: opens a recording read only and bounded in time, whoever made it; or says in a
sentence why not. What a file of version 1 holds goes into today's tables.
"""

import json
import os
import sqlite3
import sys
import threading
import time
import zlib
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from gpuexplorer.core.records import UNREADABLE
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message, mark
from gpuexplorer.recording.schema import (
    APPLICATION,
    FULL,
    SUM,
    TABLES,
    VERSION,
    Floats,
    Record,
    StripFacts,
    Turn,
    from_raw,
    put_chunk,
    put_fact,
    put_line,
    put_sums,
)
from gpuexplorer.telemetry.history import MINUTE

Row = tuple[Any, ...]  # Any: what a file holds, which may be anything

_PATIENCE = 2.0  # seconds that one question may take
_OPERATIONS = 10_000  # of SQLite's between looks at the clock
_LONGEST = 1 << 26  # bytes of one value
_SETTINGS = (
    "PRAGMA trusted_schema=OFF",
    "PRAGMA cell_size_check=ON",
    "PRAGMA mmap_size=0",
    "PRAGMA query_only=ON",
    # Else nothing is read of a file whose last pages are missing. Nothing can be written.
    "PRAGMA writable_schema=ON",
)
# SQLite's own `.recover` leaves there what belongs to no table; nothing reads it.
_MASTER = (
    "SELECT type, name, (SELECT group_concat(name || hidden) FROM pragma_table_xinfo(it.name))"
    " FROM sqlite_master AS it WHERE name NOT LIKE 'lost_and_found%'"
    " AND name NOT LIKE 'sqlite_%' ORDER BY name LIMIT 100"
)
_PLAIN = {"table", "index"}
DAMAGED = Message(
    "The file is damaged: what can be read of it is shown, and no more. SQLite's own shell may"
    " find more: `sqlite3 FILE .recover`."
)
_CHOOSE = mark("Choose a file that GPU Explorer recorded; its name usually ends in .gpurec.")
_STRANGER = (mark("{file} is no recording of GPU Explorer."), _CHOOSE)
_DAMAGED = (
    mark("{file} is damaged, and nothing of it can be read."),
    mark(
        "Take another copy of it, if there is one. SQLite's own shell may find something:"
        " `sqlite3 FILE .recover`."
    ),
)
_NOT_HERE = (
    mark("{file} cannot be read where it is."),
    mark("Copy it, and the files beside it that begin with its name, to another folder."),
)
# By what SQLite says; of all else it is damaged.
_REFUSED = {
    sqlite3.SQLITE_NOTADB: _STRANGER,
    sqlite3.SQLITE_BUSY: (
        mark("Another program keeps {file} locked."),
        mark("Close that program, or wait until it is done with the file."),
    ),
    sqlite3.SQLITE_CANTOPEN: _NOT_HERE,
    sqlite3.SQLITE_READONLY: _NOT_HERE,
    sqlite3.SQLITE_IOERR: _NOT_HERE,
}
# What SQLite would say of the damage may be damaged itself, or need all memory.
_UNASKED = (sqlite3.Error, UnicodeDecodeError, MemoryError)


class SafeFile:
    """For any thread. What cannot be read is left out, and makes it `damaged`."""

    def __init__(self, path: Path, database: sqlite3.Connection) -> None:
        self.path, self.version, self.damaged = path, VERSION, False
        self._lock = threading.Lock()
        self._deadline = 0.0
        self._sqlite = database
        database.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
        database.text_factory = lambda data: data.decode(errors="replace")
        database.set_progress_handler(lambda: time.monotonic() > self._deadline, _OPERATIONS)

    def close(self) -> None:
        with self._lock:
            self._sqlite.close()

    def ask(self, question: str, *values: object) -> list[Row]:
        """Raises one of _UNASKED, also after `close`."""
        with self._lock:
            self._deadline = time.monotonic() + _PATIENCE
            return self._sqlite.execute(question, values).fetchall()

    def rows(self, question: str, *values: object) -> list[Row]:
        """None where they cannot be read."""
        try:
            return self.ask(question, *values)
        except _UNASKED:
            self.damaged = True
            return []


def opened(path: Path) -> SafeFile:
    """Raises Trouble for what is no recording. Never opens the file by itself: closing it
    again would take away the locks of a recorder in this very process.
    """
    name = path.name
    if not os.path.exists(path):  # noqa: PTH110 - Path's own raises where a folder is closed
        raise Trouble("There is no file {file}.", "Look at its name and its folder.", file=name)
    if not os.access(path, os.R_OK):
        hint = "Ask whoever it belongs to, or copy it to a place of your own."
        raise Trouble("You may not read {file}.", hint, file=name)
    if not path.is_file():
        raise Trouble("{file} is a folder, a device or a pipe.", _CHOOSE, file=name)
    way = "mode=ro"
    if closed := not os.access(path.parent, os.W_OK):  # maybe with a log that somebody left
        vfs = f"vfs={'win32' if sys.platform == 'win32' else 'unix'}-none"
        way += f"&{vfs if path.with_name(f'{name}-wal').exists() else 'immutable=1'}"
    address = f"{path.absolute().as_uri()}?{way}"
    database = sqlite3.connect(
        address, uri=True, timeout=1.0, isolation_level=None, check_same_thread=False
    )
    file = SafeFile(path, database)
    try:
        for setting in _SETTINGS:
            database.execute(setting)
        if closed:
            # The index of its log is then in memory, and nothing written beside the file.
            database.execute("PRAGMA locking_mode=EXCLUSIVE")
        _refuse_strangers(file)
    except Trouble:
        file.close()
        raise
    except _UNASKED as error:
        file.close()
        told = _REFUSED.get(getattr(error, "sqlite_errorcode", 0) & 0xFF, _DAMAGED)
        raise Trouble(*told, file=name) from error
    return file


def _refuse_strangers(file: SafeFile) -> None:
    [(application,)] = file.ask("PRAGMA application_id")
    [(file.version,)] = file.ask("PRAGMA user_version")
    name = file.path.name
    if application != APPLICATION:
        # Nothing else is asked of it: whatever it is, it is somebody else's.
        raise Trouble(*_STRANGER, file=name)
    if file.version > VERSION:
        raise Trouble(
            "{file} was made by a newer version of GPU Explorer.",
            "Update GPU Explorer to open it.",
            file=name,
        )
    with closing(sqlite3.connect(":memory:")) as ours:
        ours.executescript(TABLES)
        found, known = file.ask(_MASTER), ours.execute(_MASTER).fetchall()
        # A view, a trigger or a column that computes would be run where it is read.
        if found != known and (file.version != 1 or {each[0] for each in found} - _PLAIN):
            raise Trouble(
                "{file} calls itself a recording of GPU Explorer, and its tables are others.",
                "It is damaged, or another program changed it. Choose another file.",
                file=name,
            )


def too_damaged(path: Path) -> Trouble:
    return Trouble(*_DAMAGED, file=path.name)


def refuse_own(target: Path, recording: Path) -> None:
    """What is made of a recording must not replace it."""
    if target.exists() and target.samefile(recording):
        hint = "Choose another name."
        raise Trouble("{file} is the recording itself.", hint, file=target.name)


_TIMES = ""  # in a file of version 1: the metric of a series that holds its times
_LARGEST = 8 * FULL * (1 + SUM)  # bytes that one of its pieces unfolds to
_Pieces = dict[float, Floats]  # by when each begins


def convert(old: SafeFile, new: sqlite3.Connection) -> None:
    """All that is in a file of version 1 goes into tables that are empty. Whatever a row holds
    is put as it is: who reads the new file checks it. Raises Trouble where it is damaged.
    """
    try:
        new.execute("BEGIN")
        owners = _put_old_facts(old, new)
        _put_old_strips(old, new, owners)
        new.execute("COMMIT")
    except (*UNREADABLE, *_UNASKED, zlib.error) as error:
        raise too_damaged(old.path) from error


def _put_old_facts(old: SafeFile, new: sqlite3.Connection) -> dict[int, tuple[float, str]]:
    """Of each subject since when there is one, and who it is."""
    new.execute("DELETE FROM fact")
    told = old.ask("SELECT json_group_object(name, json(value)) FROM fact")
    put_line(new, 0.0, Record.FILE, told[0][0])
    asked = "SELECT began, json_object('writer', json(writer), 'machine', json(machine)), ended"
    for began, text, ended in old.ask(f"{asked} FROM run"):
        number = put_line(new, began, Record.RUN, text)
        if ended is not None:
            put_fact(new, ended, Record.ENDED, number)
    owners, processes = {}, {}
    for number, first, kind, name, facts in old.ask(
        "SELECT id, first, kind, name, facts FROM subject"
    ):
        if kind == "process":
            processes[number] = put_line(new, first, Record.PROCESS, facts)
        owners[number] = first, str(processes.get(number, name))
    for at, kind, text in old.ask("SELECT at, kind, value FROM turn"):
        if kind != Turn.PROCESSES:
            put_line(new, at, kind, text)
            continue
        for card, numbers in json.loads(text).items():
            users = None if numbers is None else [processes.get(each, 0) for each in numbers]
            put_fact(new, at, kind, users, card)
    fields = ("at", "wall", "kind", "card", "about", "lasted")
    columns = ", ".join(f"'{each}', {each}" for each in fields)
    asked = f"SELECT at, json_object({columns}, 'sentence', json(sentence)) FROM happening"
    for at, text in old.ask(asked):
        put_line(new, at, Record.HAPPENING, text)
    return owners


def _put_old_strips(
    old: SafeFile, new: sqlite3.Connection, owners: dict[int, tuple[float, str]]
) -> None:
    """Of each subject and rhythm: its series, column beside column."""
    series: dict[tuple[int, str], dict[str, int]] = {}
    asked = "SELECT id, subject, rhythm, metric FROM series"
    for number, subject, rhythm, metric in old.ask(asked):
        series.setdefault((subject, rhythm), {})[metric] = number
    for (subject, rhythm), numbers in series.items():
        first, owner = owners[subject]
        begun = _pieces(old, numbers.pop(_TIMES, -1), 0)
        strip = put_fact(new, first, Record.STRIP, StripFacts(owner, rhythm, [*numbers]))
        readings = [_pieces(old, number, 0) for number in numbers.values()]
        for begin, [times] in begun.items():
            nothing = np.full((1, times.size), np.nan)
            figures = np.vstack([some.get(begin, nothing) for some in readings])
            put_chunk(new, strip, times, figures)
        minutes = [_pieces(old, number, round(MINUTE)) for number in numbers.values()]
        starts, sums = _old_sums(minutes)
        # They were told from the minute's beginning on, which may lie before its readings.
        first = min(begun, default=np.inf)
        starts[(starts < first) & (starts + MINUTE > first)] = first
        for at in range(0, starts.size, FULL):
            put_sums(new, strip, starts[at : at + FULL], sums[:, :, at : at + FULL])


def _pieces(old: SafeFile, series: int, level: int) -> _Pieces:
    """By when each begins: its readings in one row, or its minutes and their sums."""
    asked = "SELECT first, count, data FROM piece WHERE series = ? AND level = ? ORDER BY first"
    return {
        first: from_raw(zlib.decompressobj().decompress(data, _LARGEST)).reshape(-1, count)
        for first, count, data in old.ask(asked, series, level)
        if count
    }


def _old_sums(minutes: list[_Pieces]) -> tuple[Floats, Floats]:
    """Each metric may have others."""
    found = [
        np.concatenate([np.empty((1 + SUM, 0)), *some.values()], axis=1) for some in minutes
    ]
    starts = np.unique(np.concatenate([np.empty(0), *(each[0] for each in found)]))
    figures = np.full((len(found), SUM, starts.size), np.nan)
    figures[:, -1] = 0.0
    for place, each in enumerate(found):
        figures[place][:, starts.searchsorted(each[0])] = each[1:]
    return starts, figures
