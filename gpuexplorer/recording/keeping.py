"""Kept: the recording that is always written, so that the window has a past at its start."""

import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, suppress
from pathlib import Path

import psutil

from gpuexplorer.core.clock import Clock
from gpuexplorer.core.records import UnreadableError, from_text
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.axis import slept
from gpuexplorer.recording.recorder import Recorder
from gpuexplorer.recording.schema import APPLICATION, LEVELS, VERSION
from gpuexplorer.recording.told import Machine, Writer
from gpuexplorer.recording.written_file import PATIENCE, Opened, make_file, ready_to_write

_DAY = 86400.0
_TIDIED_EVERY = 300  # batches
# Hours of single readings, as long as there is room.
_CLOSELY = (24, 12, 6, 3, 1)
# Of all the time there is, what goes at once where there is still no room.
_SLICE = 0.1
_GIVEN_BACK = 500  # pages of the file in one batch
_SAME = 2.0  # seconds that the start of a process is told inexactly
_AFTER = 0.001


class Kept(Recorder):
    """Goes on in the file that is there. Of the last day every reading is kept, of the days
    before buckets, and of what does not fit the oldest goes. Raises Trouble where another
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
            return make_file(self.path, anonymous=False, shrinks=True)
        with ExitStack() as undo:
            database = sqlite3.connect(self.path, timeout=PATIENCE, check_same_thread=False)
            undo.callback(database.close)
            self._check_kind(database)
            opened = ready_to_write(self.path, database)
            undo.callback(opened.room.close)
            # Two that begin at the same moment do not both find nobody.
            database.execute("BEGIN IMMEDIATE")
            _check_alone(database)
            undo.pop_all()
        return opened

    def _newest(self, database: sqlite3.Connection) -> float:
        (newest,) = database.execute(
            "SELECT max(at) FROM (SELECT ended AS at FROM run UNION SELECT at FROM turn"
            " UNION SELECT at FROM tail UNION SELECT at FROM happening UNION"
            " SELECT last FROM subject)"
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
        self._database.execute(f"PRAGMA incremental_vacuum({_GIVEN_BACK})").fetchall()

    def _tidy(self, now: float) -> None:
        oldest = now - self.days * _DAY
        self._forget(oldest)
        for hours in _CLOSELY:
            self._forget_readings(now - hours * 3600.0)
            if self._used() <= self.most_bytes:
                return
        while self._used() > self.most_bytes and now - oldest > LEVELS[-1]:
            oldest += (now - oldest) * _SLICE
            self._forget(oldest)

    def _forget_readings(self, before: float) -> None:
        """The index leads to them; none of a series that is left is looked at."""
        self._delete_pieces("0", before)
        self._database.execute(
            "DELETE FROM series WHERE subject IN"
            " (SELECT id FROM subject WHERE kind = 'process' AND last < ?)",
            (before,),
        )

    def _forget(self, before: float) -> None:
        self._delete_pieces(", ".join(map(str, (0, *LEVELS))), before)
        for table in ("happening", "said"):
            self._database.execute(f"DELETE FROM {table} WHERE at < ?", (before,))
        # What was told last before then still holds.
        self._database.execute(
            "DELETE FROM turn WHERE at < ?1 AND id NOT IN"
            " (SELECT max(id) FROM turn WHERE at < ?1 GROUP BY kind)",
            (before,),
        )
        self._database.execute("DELETE FROM run WHERE ended < ?", (before,))
        self._database.execute(
            "DELETE FROM subject WHERE kind = 'process' AND last < ?"
            " AND id NOT IN (SELECT subject FROM series)",
            (before,),
        )

    def _delete_pieces(self, levels: str, before: float) -> None:
        self._database.execute(
            "DELETE FROM piece WHERE series IN (SELECT id FROM series)"
            f" AND level IN ({levels}) AND first < ?1 AND last < ?1",
            (before,),
        )

    def _used(self) -> int:
        pages, free, size = (
            self._database.execute(f"PRAGMA {name}").fetchone()[0]
            for name in ("page_count", "freelist_count", "page_size")
        )
        return int((pages - free) * size)


def _check_alone(database: sqlite3.Connection) -> None:
    for (text,) in database.execute("SELECT writer FROM run WHERE ended IS NULL"):
        with suppress(UnreadableError):
            writer: Writer = from_text(Writer, text)
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
