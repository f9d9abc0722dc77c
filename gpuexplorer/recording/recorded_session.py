"""RecordedSession: an opened recording as the session that screens show, whose clock is the
playhead.
"""

import math
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from functools import cached_property
from typing import NamedTuple

from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.metrics import Cadence, metrics_of
from gpuexplorer.core.words import Message
from gpuexplorer.recording.recorded_past import RecordedPast
from gpuexplorer.recording.recording import MOST_HAPPENINGS, Recording
from gpuexplorer.recording.schema import CPU, HOST_MEMORY, ProgramSeen
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.facts import Cards, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.process_book import BookRow, ProcessBook, ProcessPast, Standing
from gpuexplorer.telemetry.processes import Ancestor, CardProcess, NamedProcess, ProcessFigure
from gpuexplorer.telemetry.session import LONGEST, SHORTEST, BeatCount, Session
from gpuexplorer.telemetry.topology import Topology

RECORDED = "recording"  # the name of a source that is read from a file
# Seconds between two looks while it plays, whatever the speed.
_EVERY = 0.2
# Of a process, as the live window keeps them.
_MINUTES = 240.0


class _Course(NamedTuple):
    """It stood there at that steady second, and has moved at that speed since."""

    at: float
    since: float = 0.0
    speed: float = 0.0


class Playhead(Clock):
    """`now` is on the recording's axis, and stands still until somebody plays it. It
    stops at the end by itself, and begins there. For any thread.
    """

    def __init__(
        self,
        began: float,
        ended: float,
        wall_at: Callable[[float], float],
        steady: Callable[[], float] = time.monotonic,
    ) -> None:
        self.began, self.ended = began, ended
        self.wall_at = wall_at  # the time of day of any moment of the axis
        self._steady = steady
        self._lock = threading.Lock()
        self._course = _Course(ended)  # replaced whole
        self._listeners: tuple[Callable[[], None], ...] = ()

    def now(self) -> float:
        at, since, speed = self._course
        return min(self.ended, at + (self._steady() - since) * speed) if speed else at

    def wall(self) -> float:
        return self.wall_at(self.now())

    def wait(self, event: threading.Event, seconds: float) -> bool:
        """In seconds of whoever waits."""
        return event.wait(seconds)

    @property
    def playing(self) -> bool:
        return bool(self._course.speed) and self.now() < self.ended

    def listen(self, on_moved: Callable[[], None]) -> None:
        """Called when somebody plays, pauses or seeks, in their thread."""
        self._listeners = (*self._listeners, on_moved)

    def play(self, speed: float) -> None:
        """From the end it begins anew."""
        with self._lock:
            at = self.now()
            self._go(self.began if at >= self.ended else at, speed)
        self._tell()

    def pause(self) -> None:
        with self._lock:
            self._go(self.now(), 0.0)
        self._tell()

    def seek(self, at: float) -> None:
        """To the nearest there is; it plays on if it did."""
        with self._lock:
            speed = self._course.speed if self.playing else 0.0
            self._go(min(max(at, self.began), self.ended), speed)
        self._tell()

    def _go(self, at: float, speed: float) -> None:
        self._course = _Course(at, self._steady(), speed)

    def _tell(self) -> None:
        for listener in self._listeners:
            listener()


class RecordedStream:
    """A recording as a stream: what was told then, where the playhead stands. That is read in a
    thread of its own, when it was moved or something else is wanted, and a few times a second
    while it plays; else never.
    """

    here, attempts = False, ()

    def __init__(self, recording: Recording, playhead: Playhead) -> None:
        self.recording, self.clock = recording, playhead
        self.book = RecordedProcesses(recording, playhead)
        self.looks = 0
        self._tell: Tell = lambda _: None
        self._watch = Watch()
        self._ending, self._wake = threading.Event(), threading.Event()
        self._reader: threading.Thread | None = None
        playhead.listen(self._wake.set)

    @property
    def computer(self) -> str:
        return self.recording.run(self.clock.now()).machine.name

    @property
    def host(self) -> Card:
        return self.recording.run(self.clock.now()).machine.host

    @property
    def elsewhere(self) -> bool:
        return any(row.named.elsewhere for row in self.book.rows())

    def listen(self, tell: Tell) -> None:
        self._tell = tell
        self._tell_what_stood(self.clock.now())

    def start(self) -> None:
        self._reader = threading.Thread(target=self._run, name="playhead", daemon=True)
        self._reader.start()

    def watch(self, watch: Watch) -> None:
        self._watch = watch
        self._wake.set()

    def stop(self, seconds: float) -> bool:
        self._ending.set()
        self._wake.set()
        if self._reader is not None:
            self._reader.join(seconds)
        self.recording.close()
        return self._reader is None or not self._reader.is_alive()

    def silence(self, card: CardId) -> float | None:
        return None

    def host_now(self) -> Sample:
        return self.recording.sample(HOST_ID, metrics_of(self.host), self.clock.now())

    def wiring(self) -> Topology:
        return self.recording.topology(self.clock.now()) or Topology((), (), {})

    def look(self) -> None:
        """Tell what is wanted where the playhead stands, in this very thread."""
        at = self.clock.now()
        self._tell_what_stood(at)
        for card in self.recording.cards(at):
            for cadence in Cadence:
                if metrics := metrics_of(card, (cadence,)) & self._watch.metrics:
                    self._tell(self.recording.sample(card.id, metrics, at))
            if self._watch.users:
                seen = self.recording.processes(card.id, at)
                self.book.show(card.id, seen)
                self._tell(Users(card.id, None if seen is None else [*map(_named, seen)]))
        self._tell(self.host_now())
        self.looks += 1

    def _tell_what_stood(self, at: float) -> None:
        machine = self.recording.run(at).machine
        # As it was then, but for its name; and cards are shown even where none answered.
        source = machine.source._replace(name=RECORDED, cards=True)
        self._tell(Cards(self.recording.cards(at), source))
        what = Message("This is a recording: {file}.", file=self.recording.path.name)
        made_up = [MADE_UP] if source.simulated and MADE_UP not in machine.notes else []
        self._tell(Notes([what, *self.recording.notes(), *made_up, *machine.notes]))

    def _run(self) -> None:
        last: object = None
        while not self._ending.is_set():
            self._wake.clear()
            # Asked before where it stands: what ends right now is looked at once more.
            playing = self.clock.playing
            stand = self.clock.now(), self._watch
            if stand != last:
                last = stand
                self.look()
            self._wake.wait(_EVERY if playing else None)


class RecordedSession(Session):
    """Its clock is the playhead."""

    stream: RecordedStream

    def __init__(self, recording: Recording, playhead: Playhead | None = None) -> None:
        """Reads from the file: not for the window's thread."""
        self.recording = recording
        self.playhead = playhead or Playhead(recording.began, recording.ended, recording.wall)
        machine = recording.run(recording.ended).machine
        interval = min(max(machine.interval, SHORTEST), LONGEST)
        self._happenings = recording.happenings()
        self._happened_at = [each.at for each in self._happenings]
        self.older_unread = len(self._happenings) >= MOST_HAPPENINGS
        super().__init__(RecordedStream(recording, self.playhead), interval)
        self.desk = SystemClock()
        self.past = RecordedPast(recording)

    @cached_property
    def process_book(self) -> ProcessBook:
        return self.stream.book

    def happenings(self) -> Sequence[Happening]:
        """What the file tells up to the playhead; nothing is compared anew."""
        return self._happenings[: bisect_right(self._happened_at, self.playhead.now())]

    def beats(self) -> BeatCount:
        """Looks into the file; of those none is missed."""
        return BeatCount(self.stream.looks)

    def look(self) -> None:
        self.stream.look()


class RecordedProcesses(ProcessBook):
    """Who used which card where the playhead stands. Nothing is looked up on this computer."""

    def __init__(self, recording: Recording, playhead: Playhead) -> None:
        super().__init__(playhead)
        self._recording, self._playhead = recording, playhead
        self._told: dict[CardId, Sequence[BookRow] | None] = {}
        self._subjects: dict[tuple[CardId, int], int] = {}

    def take(self, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        """`show` says more of them."""

    def show(self, card: CardId, seen: Sequence[ProgramSeen] | None) -> None:
        """What was known of this card; None where nobody could tell."""
        told = None if seen is None else [_row(each) for each in seen]
        self._subjects.update({(card, each.facts.pid): each.subject for each in seen or ()})
        if told != self._told.get(card):
            self._told = {**self._told, card: told}
            self._rows = tuple(row for rows in self._told.values() for row in rows or ())
            self._living = tuple(row.named for row in self._rows)

    def keep(self, cards: Collection[CardId]) -> None:
        for gone in self._told.keys() - set(cards):
            self.show(gone, None)

    def rows(self) -> Sequence[BookRow]:
        return self._rows

    def living(self) -> Sequence[NamedProcess]:
        return self._living

    def past(self, card: CardId, pid: int) -> ProcessPast:
        end, subject = self._playhead.now(), self._subjects.get((card, pid))
        if subject is None:
            return ProcessPast()
        asked = (ProcessFigure.SM, ProcessFigure.MEMORY, CPU, HOST_MEMORY)
        told = [
            self._recording.program_readings(subject, each, end - _MINUTES, end)
            for each in asked
        ]
        times = told[0].times
        unknown = [math.nan] * len(times)
        # What is read together has the same times, unless a piece is damaged.
        figures = [each.values if len(each.times) == len(times) else unknown for each in told]
        return ProcessPast(times, *figures)

    def looked_at(self, card: CardId) -> float | None:
        return None if self._told.get(card) is None else self._playhead.now()


def _row(seen: ProgramSeen) -> BookRow:
    named = _named(seen)
    return BookRow(named, Standing.THERE, seen.since, named.process)


def _named(seen: ProgramSeen) -> NamedProcess:
    """As it was told then; nobody asks this computer who has that number now."""
    facts = seen.facts
    process = CardProcess(
        facts.card,
        facts.pid,
        facts.use,
        seen.values,
        seen.missing,
        simulated_command=(facts.command or "") if facts.simulated else None,
        simulated_user=facts.user if facts.simulated else None,
    )
    return NamedProcess(
        process,
        facts.resolved,
        facts.reason,
        facts.user,
        facts.command,
        seen.cpu,
        seen.memory_bytes,
        facts.started_at,
        facts.container,
        facts.ours,
        facts.of_this_user,
        tuple(Ancestor(pid, command) for pid, command in facts.ancestors),
        elsewhere=facts.elsewhere,
    )
