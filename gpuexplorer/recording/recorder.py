"""Recorder: writes what a session says into a file, in a thread of its own and in batches, on
an axis that goes on whatever sleep and the time of day do. Kept does so always, in one file, so
that the window has a past at its start. Listening hands them all of a session.
"""

import errno
import os
import re
import sqlite3
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Collection, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import replace
from pathlib import Path
from typing import IO

from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.records import UnreadableError, from_text
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.door import convert, opened
from gpuexplorer.recording.schema import (
    VERSION,
    Lost,
    Machine,
    Record,
    Said,
    Tables,
    Told,
    Topic,
    Turn,
    Writer,
    lay_out,
)
from gpuexplorer.telemetry.facts import Cards, Fact, Users
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.session import Session

_EVERY = 1.0  # seconds from batch to batch
# What waits for a disk that hangs takes no more than some 50 MB.
_MOST_WAITING = 20_000
_PATIENCE, _LAST_PATIENCE = 0.2, 5.0  # for somebody else who has hold of the file; at the end
_SETTINGS = (
    "PRAGMA journal_mode = WAL",
    "PRAGMA synchronous = NORMAL",
    "PRAGMA wal_autocheckpoint = 128",  # pages in the log, and they go into the file
)
_ROOM = 4 << 20
_KEPT_FILES = "*.gpurec*"  # and what SQLite writes beside them

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}
_PART = r"(\d+(?:\.\d+)?)(ms|min|[smhd]|)"
_LENGTH = re.compile(rf"(?:{_PART})+")

# The time of day drifts against a steady clock, and is set by a little now and then.
_STEP = 0.5
_NAP = 1.0
_AT_ONCE = 0.1

_DAY = 86400.0
_TIDIED_EVERY = 300  # batches
_SHARE = 0.9  # of the time there is, what stays at once where there is no room
_GIVEN_BACK = 500  # pages of the file in one batch
_LEAST_KEPT = 3600.0  # seconds
_AFTER = 0.001


def slept() -> float:
    """Seconds for which the computer slept since it started; 0.0 where no clock tells. Only
    too little where this very program was held up.
    """
    if sys.platform != "linux":
        return 0.0
    with_sleep = time.clock_gettime(time.CLOCK_BOOTTIME)
    return with_sleep - time.clock_gettime(time.CLOCK_MONOTONIC)


class Recorder:
    """`put` is for any thread and never waits; times are those of the session's clock.

    What cannot be written ends it, with a sentence in `trouble`; the file keeps what it has.
    """

    trouble: Trouble | None = None  # why it ended by itself
    size = 0  # bytes that the file will hold, as of the last batch

    def __init__(
        self,
        path: Path,
        machine: Machine,
        clock: Clock,
        *,
        anonymous: bool = False,
        on_trouble: Callable[[Trouble], None] = lambda _: None,
    ) -> None:
        """Makes the file. Raises Trouble where it is there already, or cannot be made."""
        self._path, self._clock = path, clock
        self._anonymous, self._on_trouble = anonymous, on_trouble
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, float, Told]] = []
        self._lost: Lost | None = None
        self._ended_at: float | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        made = path.exists()
        try:
            with ExitStack() as undo:
                if not made:
                    undo.callback(path.unlink, missing_ok=True)
                self._prepare()
                connected = sqlite3.connect(path, timeout=_PATIENCE, check_same_thread=False)
                self._database = undo.enter_context(closing(connected))
                # What is committed from then on is there, however this process ends.
                for setting in _SETTINGS:
                    connected.execute(setting)
                self._room = undo.enter_context(room_beside(path))
                # From the clock's seconds to the axis, and from that to the time of day.
                now, wall, self._asleep = clock.now(), clock.wall(), slept()
                began = self._began = max(wall, self._newest())
                self._shift, self._to_wall = began - now, wall - began
                self._tables = Tables(connected, began, machine, anonymous=anonymous)
                self._tables.fact(began, Turn.CLOCK, self._to_wall)
                self._tables.commit()
                self.size = self._size_now()
                undo.pop_all()
        except (sqlite3.Error, OSError) as error:
            if made:
                raise trouble_of(path, error) from error
            raise Trouble(
                "The recording {file} cannot be made: {reason}.",
                "Choose a folder that is there, that you may write to, and that has room.",
                file=path,
                reason=_reason(error),
            ) from error

    def _prepare(self) -> None:
        make_file(self._path, anonymous=self._anonymous)

    def _newest(self) -> float:
        """Until when there is something in the file."""
        return 0.0

    def _after_batch(self) -> None:
        """For what has to be done now and then."""

    @property
    def seconds(self) -> float:
        """For how long it has recorded."""
        ended = self._ended_at
        return (self._axis(self._clock.now()) if ended is None else ended) - self._began

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 2.0) -> bool:
        """Writes what is left and ends the run; False where the disk keeps it waiting."""
        self._stopping.set()
        if self._thread is None:
            self._try(self._end)
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def write_now(self) -> None:
        """The batch that waits, in this very thread; instead of `start`, for tests."""
        self._try(self._write_batch)

    def _try(self, work: Callable[[], None]) -> None:
        if self._ended_at is None:
            try:
                work()
            except (sqlite3.Error, OSError) as error:
                self._give_up(error)

    def put(self, told: Told) -> None:
        if self._ended_at is not None:
            return
        at: float = getattr(told, "at", self._clock.now())
        asleep = slept()
        with self._lock:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.append((at, asleep, told))
            else:
                before = self._lost or Lost(0, at)
                self._lost = replace(before, samples=before.samples + 1)

    def put_said(self, what: Topic, text: str) -> None:
        """A line of JSON from lab or copies."""
        self.put(Said(self._clock.now(), what, text))

    def _run(self) -> None:
        while self._ended_at is None:
            if self._stopping.wait(_EVERY):
                self._try(self._end)
            else:
                self.write_now()

    def _write_batch(self) -> None:
        try:
            self._database.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY:
                raise
            return  # it is tried again, and what comes meanwhile waits with the rest
        with self._lock:
            waiting, self._waiting = self._waiting, []
            lost, self._lost = self._lost, None
        tables = self._tables
        for at, asleep, told in waiting:
            nap = asleep - self._asleep
            if nap >= _NAP:
                self._asleep, self._shift = asleep, self._shift + nap
                tables.fact(self._axis(at), Turn.SUSPENDED, nap)
            tables.put(self._axis(at), told)
        before, wall, now = self._clock.now(), self._clock.wall(), self._clock.now()
        at, to_wall = self._axis(now), wall - (now + self._shift)
        if lost:
            tables.fact(at, Turn.LOST, replace(lost, since=self._axis(lost.since)))
        if now - before <= _AT_ONCE and abs(to_wall - self._to_wall) >= _STEP:
            self._to_wall = to_wall
            tables.fact(at, Turn.CLOCK, to_wall)
        tables.commit()
        self._after_batch()
        self.size = self._size_now()

    def _axis(self, steady: float) -> float:
        return max(self._began, steady + self._shift)

    def _size_now(self) -> int:
        """What the file will hold. Raises OSError where somebody took it away."""
        self._path.stat()
        return self._used()

    def _used(self) -> int:
        [(used,)] = self._database.execute(
            "SELECT (page_count - freelist_count) * page_size FROM pragma_page_count,"
            " pragma_freelist_count, pragma_page_size"
        )
        return int(used)

    def _end(self) -> None:
        self._be_patient(_LAST_PATIENCE)
        self._write_batch()
        self._tables.end(self._axis(self._clock.now()))
        # Where the tail was there is nothing now. `execute` would give back one page.
        self._database.executescript("PRAGMA incremental_vacuum")
        self._ended_at = self._axis(self._clock.now())
        self._close()

    def _close(self) -> None:
        """One plain file again, which no other has to lie beside."""
        self._be_patient(_PATIENCE)
        with suppress(sqlite3.OperationalError):  # somebody reads it: then it stays as it is
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()
        self._room.close()
        self.size = self._path.stat().st_size

    def _be_patient(self, seconds: float) -> None:
        self._database.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def _give_up(self, error: sqlite3.Error | OSError) -> None:
        at = self._ended_at = self._axis(self._clock.now())
        self.trouble = trouble_of(self._path, error)
        self._waiting = []
        self._room.close()
        with suppress(sqlite3.Error, OSError):
            self._database.rollback()
            self._tables.say_ended(at, self.trouble.sentence)
            self._close()
        self._database.close()
        self._on_trouble(self.trouble)


class Kept(Recorder):
    """Goes on in the file that is there. Of the last day every reading is kept, of the days
    before sums, and of what does not fit the oldest goes. Raises Trouble where another
    program writes the file, or where it is no recording.
    """

    def __init__(
        self, path: Path, machine: Machine, clock: Clock, *, days: int, most_bytes: int
    ) -> None:
        self.days, self.most_bytes = days, most_bytes
        self._batches = 0
        super().__init__(path, machine, clock)

    def _prepare(self) -> None:
        """A file of version 1 gives way to one of today's with the same in it."""
        path = self._path
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            super()._prepare()
            return
        new = path.with_name(f"{path.name}.new")
        try:
            with closing(opened(path)) as old:
                if old.version == VERSION:
                    return
                new.unlink(missing_ok=True)
                make_file(new)
                with closing(sqlite3.connect(new, isolation_level=None)) as database:
                    convert(old, database)
        except Trouble as trouble:
            hint = "Move it away, and a new one is begun."
            raise Trouble(trouble.sentence, hint) from trouble
        for beside in ("-wal", "-shm"):  # would be taken for the new one's
            path.with_name(f"{path.name}{beside}").unlink(missing_ok=True)
        new.replace(path)

    def _newest(self) -> float:
        # Two that begin at the same moment do not both find nobody.
        self._database.execute("BEGIN IMMEDIATE")
        for (text,) in self._database.execute(_OPEN_RUNS):
            with suppress(UnreadableError):
                writer: Writer = from_text(Writer, text)
                if writer.is_there:
                    raise Trouble(
                        "The past is kept by another GPU Explorer already, process {pid}; this"
                        " one keeps none.",
                        "Close the other, if this one is to keep it.",
                        pid=writer.pid,
                    )
        [(newest,)] = self._database.execute(
            "SELECT max(at) FROM (SELECT max(at) AS at FROM fact UNION SELECT max(at) FROM tail"
            " UNION SELECT max(last) FROM chunk)"
        )
        return float(newest) + _AFTER

    def _after_batch(self) -> None:
        if self._batches % _TIDIED_EVERY == 0:
            self._tidy(self._axis(self._clock.now()))
            self._database.commit()
        self._batches += 1
        self._database.executescript(f"PRAGMA incremental_vacuum({_GIVEN_BACK})")

    def _tidy(self, now: float) -> None:
        """Where there is no room: first fewer hours of single readings, then fewer days."""
        closely, kept = _DAY, self.days * _DAY
        self._forget(now - kept)
        self._forget_readings(now - closely)
        while self._used() > self.most_bytes and kept > _LEAST_KEPT:
            if closely > _LEAST_KEPT:
                closely *= _SHARE
                self._forget_readings(now - closely)
            else:
                kept *= _SHARE
                self._forget(now - kept)

    def _forget_readings(self, before: float) -> None:
        for table, at in (("chunk", "last"), ("tail", "at")):
            self._delete(table, f"{at} < {before!r}")

    def _forget(self, before: float) -> None:
        """What was told last before then still holds."""
        self._forget_readings(before)
        self._delete("sums", f"last < {before!r}")
        past = f"at < {before!r} AND kind"
        gone, turns = ("', '".join(each) for each in ((*Topic, Record.HAPPENING), Turn))
        self._delete("fact", f"{past} IN ('{gone}')")
        newest = f"SELECT max(id) FROM fact WHERE {past} IN ('{turns}') GROUP BY kind, whose"
        self._delete("fact", f"{past} IN ('{turns}') AND id NOT IN ({newest})")
        # Runs that ended, and of those what nothing is kept of any more.
        ended = f"SELECT json FROM fact WHERE {past} = '{Record.ENDED}'"
        self._delete("fact", f"kind = '{Record.RUN}' AND CAST(id AS TEXT) IN ({ended})")
        self._delete("fact", f"{past} = '{Record.ENDED}'")
        past = f"id < {self._tables.run} AND {past}"
        there = " UNION ".join(f"SELECT strip FROM {e}" for e in ("chunk", "sums", "tail"))
        self._delete("fact", f"{past} = '{Record.STRIP}' AND id NOT IN ({there})")
        owners = f"SELECT json_extract(json, '$.owner') FROM fact WHERE kind = '{Record.STRIP}'"
        who = "iif(whose = '', CAST(id AS TEXT), whose)"
        self._delete("fact", f"{past} = '{Record.PROCESS}' AND {who} NOT IN ({owners})")

    def _delete(self, table: str, which: str) -> None:
        # The index alone is looked through for what is to go.
        self._database.execute(
            f"DELETE FROM {table} WHERE id IN (SELECT id FROM {table} WHERE {which})"
        )


_OPEN_RUNS = (
    "SELECT json_extract(json, '$.writer') FROM fact"
    f" WHERE kind = '{Record.RUN}' AND json_valid(json) AND CAST(id AS TEXT) NOT IN"
    f" (SELECT json FROM fact WHERE kind = '{Record.ENDED}')"
)


class KeptFiles:
    """Where they lie: one for real cards, and one for each set of simulated ones, since their
    figures never mix.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def of(self, session: Session) -> Path:
        name = "cards"
        if session.simulated:
            cards = str(session.source.label.values.get("cards", "")).lower()
            name = f"simulated-{re.sub('[^a-z0-9]+', '-', cards)[:80].strip('-')}"
        return self.folder / f"{name}.gpurec"

    def size(self) -> int:
        """Bytes on the disk, of all of them."""
        sizes = 0
        for path in self.folder.glob(_KEPT_FILES):
            with suppress(OSError):  # gone meanwhile
                sizes += path.stat().st_size
        return sizes

    def remove(self) -> None:
        for path in self.folder.glob(_KEPT_FILES):
            try:
                path.unlink()
            except OSError:
                raise Trouble(
                    "{file} cannot be removed.", "Another program may have it open.", file=path
                ) from None


class Listening:
    """From when it is made until `stop`; of these cards, or of all. Asks for the wiring too, in
    a thread that may hang.
    """

    def __init__(
        self, session: Session, recorder: Recorder, only: Collection[CardId] = ()
    ) -> None:
        self._session, self._recorder, self._only = session, recorder, only
        session.attach(self._take)
        self._take_cards(session.cards())

    def stop(self) -> None:
        self._session.detach(self._take)

    def _take(self, fact: Fact) -> None:
        match fact:
            case Cards(cards=cards):
                self._take_cards(cards)
            case Sample() | Users() | Happening() if self._concerns(fact.card):
                self._recorder.put(fact)

    def _concerns(self, card: CardId | None) -> bool:
        return not self._only or card in (*self._only, None, HOST_ID)

    def _take_cards(self, cards: Sequence[Card]) -> None:
        listed = [card for card in cards if self._concerns(card.id)]
        self._recorder.put(Cards(listed, self._session.source))
        self.wiring = Asked(self._ask_for_wiring)

    def _ask_for_wiring(self) -> None:
        told = self._session.stream.wiring()
        links = [
            each for each in told.links if self._concerns(each.a) and self._concerns(each.b)
        ]
        cards = [card for card in told.cards if self._concerns(card)]
        self._recorder.put(replace(told, cards=cards, links=links))


def length(text: str) -> float | None:
    """Seconds: of 90, 90s, 1h30m. None where it says none."""
    if not _LENGTH.fullmatch(text):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PART, text))


def machine_of(session: Session) -> Machine:
    """Where it is recorded; asks the host."""
    notes = tuple(session.notes())
    return Machine(session.computer, session.source, session.interval, session.host, notes)


def make_file(path: Path, *, anonymous: bool = False) -> None:
    """With nothing in its tables."""
    try:
        os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    except FileExistsError:
        raise Trouble(
            "{file} is there already, and a recording never replaces anything.",
            "Choose another name, or move it away.",
            file=path,
        ) from None
    with closing(sqlite3.connect(path)) as database:
        lay_out(database, anonymous=anonymous)


def room_beside(path: Path) -> IO[bytes]:
    """Room on the disk, without a name, until it is closed or this process ends: once the disk
    is full, what stands in SQLite's log beside the file still has a place in it.
    """
    room = tempfile.TemporaryFile(dir=path.parent, buffering=0)  # noqa: SIM115 - to the end
    try:
        if room.write(os.urandom(_ROOM)) < _ROOM:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
    except OSError:
        room.close()
        raise
    return room


def trouble_of(path: Path, error: sqlite3.Error | OSError) -> Trouble:
    """Its sentence is also for who opens the file later."""
    if isinstance(error, FileNotFoundError):
        sentence = Message("The recording ended: its file was moved or removed meanwhile.")
        return Trouble(sentence, "Begin another.")
    return Trouble(
        Message("The recording ended: {reason}.", reason=_reason(error)),
        "What was recorded until then is in {file}. Look at the disk, and begin another.",
        file=path,
    )


def _reason(error: sqlite3.Error | OSError) -> str:
    # The rest of its number says more about the place.
    full = getattr(error, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_FULL
    if full or getattr(error, "errno", None) == errno.ENOSPC:
        return Message("the disk is full")
    return getattr(error, "strerror", None) or str(error)
