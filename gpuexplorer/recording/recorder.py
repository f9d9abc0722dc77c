"""Recorder: writes what a session says into a file, in a thread of its own and in batches, on
an axis that goes on whatever sleep and the time of day do; Listening hands it all of a session.
"""

import re
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.clock import Clock
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.recording.schema import Lost, Machine, Topic, Turn
from gpuexplorer.recording.tables import AnonymousTables, Tables
from gpuexplorer.recording.written_file import (
    PATIENCE,
    Opened,
    failure_of,
    make_file,
    this_program,
    trouble_of,
)
from gpuexplorer.telemetry.facts import Fact, Users
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.patience import Asked
from gpuexplorer.telemetry.processes import NamedProcess
from gpuexplorer.telemetry.session import Session
from gpuexplorer.telemetry.topology import Topology

_EVERY = 1.0  # seconds from batch to batch
# What waits for a disk that hangs takes no more than some 50 MB.
_MOST_WAITING = 20_000
_LAST_PATIENCE = 5.0  # for somebody else who has hold of the file at the end

_SECONDS = {"ms": 1e-3, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": 86400.0, "": 1.0}
_PART = r"(\d+(?:\.\d+)?)(ms|min|[smhd]|)"
_LENGTH = re.compile(rf"(?:{_PART})+")

_Write = Callable[[float], object]

# The time of day drifts against a steady clock, and is set by a little now and then.
_STEP = 0.5
_NAP = 1.0
_AT_ONCE = 0.1


def slept() -> float:
    """Seconds for which the computer slept since it started; 0.0 where no clock tells. Only
    too little where this very program was held up.
    """
    if sys.platform != "linux":
        return 0.0
    with_sleep = time.clock_gettime(time.CLOCK_BOOTTIME)
    return with_sleep - time.clock_gettime(time.CLOCK_MONOTONIC)


class Axis:
    """From the steady seconds of a clock to the axis. For one thread."""

    def __init__(self, clock: Clock, not_before: float, asleep: float) -> None:
        now, wall = clock.now(), clock.wall()
        self._clock = clock
        self._asleep = asleep
        self.began = max(wall, not_before)
        self._shift = self.began - now
        self.to_wall = wall - self.began

    def of(self, steady: float) -> float:
        return max(self.began, steady + self._shift)

    def now(self) -> float:
        return self.of(self._clock.now())

    def woke(self, asleep: float) -> float:
        """For how long the computer slept since the last look, which the axis goes on by."""
        nap = asleep - self._asleep
        if nap < _NAP:
            return 0.0
        self._asleep = asleep
        self._shift += nap
        return nap

    def stepped(self) -> bool:
        """Whether the time of day is another than counted; then `to_wall` is as it is now."""
        before = self._clock.now()
        wall, now = self._clock.wall(), self._clock.now()
        to_wall = wall - (now + self._shift)
        if now - before > _AT_ONCE or abs(to_wall - self.to_wall) < _STEP:
            return False
        self.to_wall = to_wall
        return True


class Recorder:
    """`put…` is for any thread and never waits; times are those of the session's clock.

    What cannot be written ends it, with a sentence in `trouble`; the file keeps what it has.
    """

    def __init__(
        self,
        path: Path,
        machine: Machine,
        clock: Clock,
        *,
        anonymous: bool = False,
        on_trouble: Callable[[Trouble], None] = lambda _: None,
        asleep: Callable[[], float] = slept,
    ) -> None:
        """Makes the file. Raises Trouble where it is there already, or cannot be made."""
        self._path = path
        self._clock = clock
        self._on_trouble = on_trouble
        self._slept = asleep
        self._lock = threading.Lock()
        self._waiting: list[tuple[float, float, _Write]] = []
        self._lost, self._lost_since = 0, 0.0
        self._size = 0
        self._trouble: Trouble | None = None
        self._ended_at: float | None = None
        self._stopping = threading.Event()
        self._thread: threading.Thread | None = None
        self._anonymous = anonymous
        try:
            self._begin(machine)
        except (sqlite3.Error, OSError) as error:
            raise trouble_of(path, error) from error

    def _begin(self, machine: Machine) -> None:
        self._database, self._room = self._opened()
        try:
            newest = self._newest(self._database)
            self._axis = Axis(self._clock, newest, self._slept())
            make = AnonymousTables if self._anonymous else Tables
            self._tables = make(self._database, self._axis.began, this_program(), machine)
            self._tables.turn(self._axis.began, Turn.CLOCK, self._axis.to_wall)
            self._tables.commit()
            self._size = self._size_now()
        except BaseException:
            self._database.close()
            self._room.close()
            raise

    def _opened(self) -> Opened:
        return make_file(self._path, anonymous=self._anonymous)

    def _newest(self, _: sqlite3.Connection) -> float:
        """After that the run begins."""
        return 0.0

    def _after_batch(self) -> None:
        """For what has to be done now and then."""

    @property
    def trouble(self) -> Trouble | None:
        """Why it ended by itself."""
        return self._trouble

    @property
    def shift(self) -> float:
        """To be added to seconds of the axis for those of the session's clock."""
        return self._clock.now() - self._axis.now()

    @property
    def seconds(self) -> float:
        """For how long it has recorded."""
        ended = self._ended_at
        return (self._axis.now() if ended is None else ended) - self._axis.began

    @property
    def size(self) -> int:
        """Bytes on the disk, as of the last batch."""
        return self._size

    def start(self) -> None:
        self._thread = threading.Thread(target=self._run, name="recorder", daemon=True)
        self._thread.start()

    def stop(self, seconds: float = 2.0) -> bool:
        """Writes what is left and ends the run; False where the disk keeps it waiting."""
        self._stopping.set()
        if self._thread is None:
            self._end()
            return True
        self._thread.join(seconds)
        return not self._thread.is_alive()

    def write_now(self) -> None:
        """The batch that waits, in this very thread; instead of `start`, for tests."""
        if self._ended_at is not None:
            return
        try:
            self._write_batch()
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def put(self, sample: Sample) -> None:
        """Of a card or of the host."""
        self._put(sample.at, lambda at: self._tables.sample(at, sample))

    def put_processes(self, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        """Who uses the card as of a look; None where nobody can tell."""
        self._put_now(lambda at: self._tables.processes(at, card, named))

    def put_happening(self, happening: Happening) -> None:
        self._put(happening.at, lambda at: self._tables.happening(at, happening))

    def put_cards(self, cards: Sequence[Card]) -> None:
        """Those that are listed from now on; kept where they are others than before."""
        self._put_now(lambda at: self._tables.cards(at, cards))

    def put_topology(self, topology: Topology) -> None:
        self._put_now(lambda at: self._tables.topology(at, topology))

    def put_said(self, what: Topic, text: str) -> None:
        """A line of JSON from lab or copies."""
        self._put_now(lambda at: self._tables.said(at, what, text))

    def _put_now(self, write: _Write) -> None:
        self._put(self._clock.now(), write)

    def _put(self, at: float, write: _Write) -> None:
        if self._ended_at is not None:
            return
        asleep = self._slept()
        with self._lock:
            if len(self._waiting) < _MOST_WAITING:
                self._waiting.append((at, asleep, write))
                return
            if not self._lost:
                self._lost_since = at
            self._lost += 1

    def _run(self) -> None:
        while self._ended_at is None:
            if self._stopping.wait(_EVERY):
                self._end()
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
            lost, self._lost = self._lost, 0
        for at, asleep, write in waiting:
            nap = self._axis.woke(asleep)
            if nap:
                self._tables.turn(self._axis.of(at), Turn.SUSPENDED, nap)
            write(self._axis.of(at))
        now = self._axis.now()
        if lost:
            self._tables.turn(now, Turn.LOST, Lost(lost, self._axis.of(self._lost_since)))
        if self._axis.stepped():
            self._tables.turn(now, Turn.CLOCK, self._axis.to_wall)
        self._tables.commit()
        self._after_batch()
        self._size = self._size_now()

    def _size_now(self) -> int:
        """Raises OSError where somebody took the file away."""
        log = self._path.with_name(f"{self._path.name}-wal")
        return self._path.stat().st_size + (log.stat().st_size if log.exists() else 0)

    def _end(self) -> None:
        if self._ended_at is None:
            self._be_patient(_LAST_PATIENCE)
            self.write_now()
        if self._ended_at is not None:
            return
        try:
            self._tables.end(self._axis.now())
            # Where the tail was there is nothing now. `execute` would give back one page.
            self._database.executescript("PRAGMA incremental_vacuum")
            self._ended_at = self._axis.now()
            self._close()
        except (sqlite3.Error, OSError) as error:
            self._give_up(error)

    def _close(self) -> None:
        """One plain file again, which no other has to lie beside."""
        self._be_patient(PATIENCE)
        with suppress(sqlite3.OperationalError):  # somebody reads it: then it stays as it is
            self._database.execute("PRAGMA journal_mode = DELETE")
        self._database.close()
        self._room.close()
        self._size = self._size_now()

    def _be_patient(self, seconds: float) -> None:
        self._database.execute(f"PRAGMA busy_timeout = {round(seconds * 1000)}")

    def _give_up(self, error: sqlite3.Error | OSError) -> None:
        at = self._ended_at = self._axis.now()
        self._waiting = []
        self._room.close()
        with suppress(sqlite3.Error, OSError):
            self._database.rollback()
            self._tables.forget_waiting()
            self._tables.say_ended(at, failure_of(error))
            self._close()
        with suppress(sqlite3.Error):
            self._database.close()
        self._trouble = trouble = trouble_of(self._path, error)
        self._on_trouble(trouble)


class Listening:
    """From when it is made until `stop`; of these cards, or of all. Asks for the wiring too, in
    a thread that may hang.
    """

    def __init__(
        self, session: Session, recorder: Recorder, only: frozenset[CardId] | None = None
    ) -> None:
        self._session, self._recorder, self._only = session, recorder, only
        self._listed: Sequence[Card] | None = None
        self._wiring: Asked[None] | None = None
        self._wired: Sequence[Card] | None = None
        self._look_at_cards()
        session.attach(self._take)

    def stop(self) -> None:
        self._session.detach(self._take)

    def wiring_told(self, seconds: float) -> bool:
        """Whether that thread has its answer, or gets it within so many seconds."""
        return self._wiring is not None and self._wiring.answered_within(seconds)

    def _take(self, fact: Fact) -> None:
        match fact:
            case Sample(card=card):
                self._look_at_cards()
                if self._concerns(card):
                    self._recorder.put(fact)
            case Users(card=card, processes=named) if self._concerns(card):
                self._recorder.put_processes(card, named)
            case Happening(card=card) if card is None or self._concerns(card):
                self._recorder.put_happening(fact)

    def _concerns(self, card: CardId) -> bool:
        return self._only is None or card in self._only or card == HOST_ID

    def _look_at_cards(self) -> None:
        cards = self._session.cards()
        if cards is not self._listed:
            self._listed = cards
            self._recorder.put_cards([card for card in cards if self._concerns(card.id)])
        if cards is not self._wired and (self._wiring is None or self._wiring.answered):
            self._wired = cards
            self._wiring = Asked(self._ask_for_wiring)

    def _ask_for_wiring(self) -> None:
        told = self._session.stream.wiring()
        links = [
            each for each in told.links if self._concerns(each.a) and self._concerns(each.b)
        ]
        cards = [card for card in told.cards if self._concerns(card)]
        self._recorder.put_topology(replace(told, cards=cards, links=links))


def length(text: str) -> float | None:
    """Seconds: of 90, 90s, 1h30m. None where it says none."""
    if not _LENGTH.fullmatch(text):
        return None
    return sum(float(number) * _SECONDS[unit] for number, unit in re.findall(_PART, text))


def machine_of(session: Session, *, anonymous: bool) -> Machine:
    """Where it is recorded; asks the host."""
    return Machine(
        "" if anonymous else session.computer,
        session.source,
        session.interval,
        session.host,
        () if anonymous else tuple(session.notes()),
    )
