"""Kept: the recording that is always written, so that the window has a past at its start."""

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import psutil

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.records import UnreadableError, from_text
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.old_file import convert
from gpuexplorer.recording.recorder import Recorder, slept
from gpuexplorer.recording.recording import open_recording
from gpuexplorer.recording.schema import (
    APPLICATION,
    VERSION,
    Began,
    Machine,
    Record,
    Topic,
    Turn,
    Writer,
)
from gpuexplorer.recording.written_file import PATIENCE, Opened, make_file, ready_to_write

_DAY = 86400.0
_TIDIED_EVERY = 300  # batches
# Hours of single readings, as long as there is room.
_CLOSELY = (24, 12, 6, 3, 1)
# Of all the time there is, what goes at once where there is still no room.
_SLICE = 0.1
_GIVEN_BACK = 500  # pages of the file in one batch
_LEAST_KEPT = 600.0  # seconds
_SAME = 2.0  # seconds that the start of a process is told inexactly
_AFTER = 0.001


class Kept(Recorder):
    """Goes on in the file that is there. Of the last day every reading is kept, of the days
    before sums, and of what does not fit the oldest goes. Raises Trouble where another
    program writes the file, or where it is no recording.
    """

    def __init__(
        self,
        path: Path,
        machine: Machine,
        clock: Clock,
        *,
        days: int,
        most_bytes: int,
        on_trouble: Callable[[Trouble], None] = lambda _: None,
        asleep: Callable[[], float] = slept,
    ) -> None:
        self.path, self.days, self.most_bytes = path, days, most_bytes
        self._batches = 0
        super().__init__(path, machine, clock, on_trouble=on_trouble, asleep=asleep)

    def _opened(self) -> Opened:
        self.path.parent.mkdir(parents=True, exist_ok=True)
        if not self.path.exists():
            return make_file(self.path, anonymous=False)
        with ExitStack() as undo:
            database = sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
            undo.callback(database.close)
            self._check_kind(database)
            if database.execute("PRAGMA user_version").fetchone() != (VERSION,):
                _check_alone(database, "SELECT writer FROM run WHERE ended IS NULL", Writer)
                database.close()
                self._convert()
                return self._opened()
            opened = ready_to_write(self.path, database)
            undo.callback(opened.room.close)
            # Two that begin at the same moment do not both find nobody.
            database.execute("BEGIN IMMEDIATE")
            _check_alone(database, _OPEN_RUNS, Began)
            undo.pop_all()
        return opened

    def _convert(self) -> None:
        """A file of version 1 gives way to one of today's with the same in it."""
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        opened = make_file(new, anonymous=False)
        with closing(opened.database), opened.room, closing(open_recording(self.path)) as old:
            convert(old.store, opened.database)
            opened.database.execute("PRAGMA journal_mode = DELETE")
        for beside in ("-wal", "-shm"):  # would be taken for the new one's
            self.path.with_name(f"{self.path.name}{beside}").unlink(missing_ok=True)
        new.replace(self.path)

    def _newest(self, database: sqlite3.Connection) -> float:
        (newest,) = database.execute(
            "SELECT max(at) FROM (SELECT max(at) AS at FROM fact UNION SELECT max(at) FROM tail"
            " UNION SELECT max(last) FROM chunk)"
        ).fetchone()
        return 0.0 if newest is None else float(newest) + _AFTER

    def _check_kind(self, database: sqlite3.Connection) -> None:
        (application,) = database.execute("PRAGMA application_id").fetchone()
        (version,) = database.execute("PRAGMA user_version").fetchone()
        if application != APPLICATION or version > VERSION:
            raise Trouble(
                "The past cannot be kept in {file}: a newer GPU Explorer made it, or another"
                " program.",
                "Move it away, and a new one is begun.",
                file=self.path,
            )

    def _after_batch(self) -> None:
        if self._batches % _TIDIED_EVERY == 0:
            self._tidy(self._axis.now())
            self._database.commit()
        self._batches += 1
        self._database.executescript(f"PRAGMA incremental_vacuum({_GIVEN_BACK})")

    def _tidy(self, now: float) -> None:
        oldest = now - self.days * _DAY
        self._forget(oldest)
        for hours in _CLOSELY:
            self._forget_readings(now - hours * 3600.0)
            if self._used() <= self.most_bytes:
                return
        while self._used() > self.most_bytes and now - oldest > _LEAST_KEPT:
            oldest += (now - oldest) * _SLICE
            self._forget(oldest)

    def _forget_readings(self, before: float) -> None:
        for table, at in (("chunk", "last"), ("tail", "at")):
            self._delete(table, f"{at} < {before!r}")

    def _forget(self, before: float) -> None:
        """What was told last before then still holds."""
        self._forget_readings(before)
        self._delete("sums", f"last < {before!r}")
        old, quoted = f"at < {before!r}", "', '".join
        self._delete("fact", f"{old} AND kind IN ('{quoted((*Topic, Record.HAPPENING))}')")
        newest = f"SELECT max(id) FROM fact WHERE {old} GROUP BY kind, whose"
        self._delete("fact", f"{old} AND kind IN ('{quoted(Turn)}') AND id NOT IN ({newest})")
        ended = f"SELECT json FROM fact WHERE kind = '{Record.ENDED}' AND {old}"
        self._delete("fact", f"kind = '{Record.RUN}' AND CAST(id AS TEXT) IN ({ended})")
        self._delete("fact", f"kind = '{Record.ENDED}' AND {old}")
        old += f" AND id < {self._tables.run}"  # this run goes on with its own
        there = " UNION ".join(
            f"SELECT strip FROM {each}" for each in ("chunk", "sums", "tail")
        )
        self._delete("fact", f"{old} AND kind = '{Record.STRIP}' AND id NOT IN ({there})")
        named = ", ".join(map(repr, sorted(set(self._named()))))
        who = "CASE whose WHEN '' THEN CAST(id AS TEXT) ELSE whose END"
        self._delete("fact", f"{old} AND kind = '{Record.PROCESS}' AND {who} NOT IN ({named})")

    def _named(self) -> Iterator[str]:
        """The processes that somebody may still be shown."""
        asked = f"SELECT json FROM fact WHERE kind = '{Turn.PROCESSES}'"
        for (text,) in self._database.execute(asked):
            yield from map(str, json.loads(text) or ())

    def _delete(self, table: str, which: str) -> None:
        # The index alone is looked through for what is to go.
        self._database.execute(
            f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE {which})"
        )

    def _used(self) -> int:
        pages, free, size = (
            self._database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)


_OPEN_RUNS = (
    f"SELECT json FROM fact WHERE kind = '{Record.RUN}' AND CAST(id AS TEXT) NOT IN"
    f" (SELECT json FROM fact WHERE kind = '{Record.ENDED}')"
)


# Any: Writer, or what has one.
def _check_alone(database: sqlite3.Connection, asked: str, kind: Any) -> None:
    for (text,) in database.execute(asked):
        with suppress(UnreadableError):
            told = from_text(kind, text)
            writer: Writer = told.writer if isinstance(told, Began) else told
            if _runs(writer):
                raise Trouble(
                    "The past is kept by another GPU Explorer already, process {pid}; this one"
                    " keeps none.",
                    "Close the other, if this one is to keep it.",
                    pid=writer.pid,
                )


def _runs(writer: Writer) -> bool:
    """Whether that very process is there still, and not another with its number."""
    try:
        started = psutil.Process(writer.pid).create_time()
    except psutil.Error:
        return False
    return abs(started - writer.started_at) < _SAME
