"""RecordedSession: an opened recording as the session that screens show, whose clock is the
playhead. RecordedPast is what plots get of it: readings where they are few enough to be seen,
else sums a minute; JoinedPast has the live past after it. And what a person is told it is.
"""

import math
import threading
import time
from bisect import bisect_right
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from gpuexplorer.core.axes import day_word, moment_word
from gpuexplorer.core.cards import HOST_ID, Card, CardId, Sample
from gpuexplorer.core.clock import Clock, SystemClock
from gpuexplorer.core.harmless import clean
from gpuexplorer.core.metrics import GPU_UTILIZATION, Cadence, MetricId, metrics_of
from gpuexplorer.core.words import Message, paragraph, tr, trn
from gpuexplorer.recording.recording import MOST_HAPPENINGS, Recording
from gpuexplorer.recording.schema import CPU, HOST_MEMORY, Floats, ProgramSeen
from gpuexplorer.telemetry.backend import MADE_UP
from gpuexplorer.telemetry.facts import Cards, Notes, Tell, Users, Watch
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.history import GAP, MINUTE, History, Past, condensed, headed
from gpuexplorer.telemetry.process_book import BookRow, ProcessBook, ProcessPast, Standing
from gpuexplorer.telemetry.processes import NamedProcess, ProcessFigure
from gpuexplorer.telemetry.session import LONGEST, SHORTEST, BeatCount, Session
from gpuexplorer.telemetry.topology import Topology
from gpuexplorer.telemetry.trace import Trace

RECORDED = "recording"  # the name of a source that is read from a file
# Seconds between two looks while it plays, whatever the speed.
_EVERY = 0.2
# Of a process, as the live window keeps them.
_MINUTES = 240.0
_USUAL = 1.0  # seconds from one reading to the next
_LEARNT = 200  # distances of which the middle one is the usual one
_WIDE = MINUTE / 2  # seconds of a column, from which sums are as good as readings
_LONGEST_NAME = 60
_ROUNDED = 0.001  # seconds; the axis counts since 1970


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
        # It stood there at that steady second, and has moved at that speed since.
        self._course = (ended, 0.0, 0.0)
        self._listeners: list[Callable[[], None]] = []

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
        return bool(self._course[2]) and self.now() < self.ended

    def listen(self, on_moved: Callable[[], None]) -> None:
        """Called when somebody plays, pauses or seeks, in their thread."""
        self._listeners.append(on_moved)

    def play(self, speed: float) -> None:
        """From the end it begins anew."""
        at = self.now()
        self._go(self.began if at >= self.ended else at, speed)

    def pause(self) -> None:
        self._go(self.now(), 0.0)

    def seek(self, at: float) -> None:
        """To the nearest there is; it plays on if it did."""
        speed = self._course[2] if self.playing else 0.0
        self._go(min(max(at, self.began), self.ended), speed)

    def _go(self, at: float, speed: float) -> None:
        self._course = (at, self._steady(), speed)
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
        self.elsewhere = False
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
                named = None if seen is None else [each.named for each in seen]
                self.elsewhere |= any(each.elsewhere for each in named or ())
                self._tell(Users(card.id, named))
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
        return RecordedProcesses(self.recording, self.playhead)

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
        self._seen: dict[CardId, Sequence[ProgramSeen] | None] = {}

    def take(self, card: CardId, named: Sequence[NamedProcess] | None) -> None:
        """With what else the file tells of them; None where nobody could tell."""
        at = self._playhead.now()
        seen = None if named is None else self._recording.processes(card, at)
        if seen != self._seen.get(card, ()):
            self._seen = {**self._seen, card: seen}
            there = [each for some in self._seen.values() for each in some or ()]
            self._living = tuple(each.named for each in there)
            self._rows = tuple(
                BookRow(each.named, Standing.THERE, each.since, each.named.process)
                for each in there
            )

    def keep(self, cards: Collection[CardId]) -> None:
        for gone in self._seen.keys() - set(cards):
            self.take(gone, None)

    def past(self, card: CardId, pid: int) -> ProcessPast:
        end, there = self._playhead.now(), self._seen.get(card) or ()
        subject = next((each.subject for each in there if each.facts.pid == pid), None)
        asked = (ProcessFigure.SM, ProcessFigure.MEMORY, CPU, HOST_MEMORY)
        strand = self._recording.strand(str(subject), CPU)
        told = [strand.readings(each, end - _MINUTES, end) for each in asked]
        times = told[0][0]
        unknown = np.full(times.size, math.nan)
        # What is read together has the same times, unless a piece is damaged.
        figures = [each if its.size == times.size else unknown for its, each in told]
        return ProcessPast(*(each.tolist() for each in (times, *figures)))

    def looked_at(self, card: CardId) -> float | None:
        return None if self._seen.get(card) is None else self._playhead.now()


class RecordedPast:
    """A TraceSource on the recording's axis. For any thread."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self.began, self.ended = recording.began, recording.ended
        self.cards, self.memory_bytes = recording.with_readings, recording.memory_bytes

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        width = (end - start) / max(columns, 1)
        return condensed(self.past(card, metric, start, end, width), start, end, columns)

    def past(
        self, card: CardId, metric: MetricId, start: float, end: float, width: float
    ) -> Past:
        """As fine as columns of that width can show."""
        start, end = max(start, self.began), min(end, self.ended)
        strand = self._recording.strand(card, metric)
        if width >= _WIDE:
            return _of_sums(strand.sums(metric, start, end))
        before = _of_sums(strand.sums(metric, start, end, forgotten=True))
        return before.then(_of_readings(*strand.readings(metric, start, end)))

    def busy(self, columns: int) -> Trace:
        """Of all cards together, over the whole; a gap where no card gave a figure. Reads the
        file: not for the window's thread.
        """
        width = (self.ended - self.began) / columns
        times: Floats = np.linspace(self.began, self.ended, columns, endpoint=False)
        total, count = np.zeros(columns), np.zeros(columns, np.int64)
        for card in self._recording.cards():
            trace = self.trace(card.id, GPU_UTILIZATION, self.began, self.ended, columns)
            if len(trace):
                at = np.searchsorted(trace.times, times + width / 2, side="right") - 1
                means = np.where(at >= 0, trace.means[at], np.nan)
                # What was read last says nothing of the time after it.
                until = trace.times[-1] + max(trace.column_seconds, MINUTE)
                means[times + width / 2 > until] = np.nan
                total += np.nan_to_num(means)
                count += ~np.isnan(means)
        busy: Floats = total / np.where(count > 0, count, np.nan)
        return Trace(times, busy, busy, busy, np.minimum(count, 1), width)


class JoinedPast:
    """A TraceSource on the live steady clock."""

    ended: float | None = None  # it goes on

    def __init__(self, live: History, stored: Recording, clock: Clock) -> None:
        self._live, self._stored = live, RecordedPast(stored)
        axis = stored.wall(stored.ended) - stored.ended
        self._shift = axis - (clock.wall() - clock.now())
        self.began = stored.began + self._shift

    def cards(self) -> Sequence[CardId]:
        return tuple(dict.fromkeys((*self._stored.cards(), *self._live.cards())))

    def memory_bytes(self) -> int:
        return self._stored.memory_bytes() + self._live.memory_bytes()

    def trace(
        self, card: CardId, metric: MetricId, start: float, end: float, columns: int = 1500
    ) -> Trace:
        past = self._live.past(card, metric, start, end)
        # Nothing of what is kept of this very run: the live past knows it better.
        began, shift = self._live.began, self._shift
        stop = end if began is None else min(end, began - _ROUNDED)
        if self.began <= stop >= start:
            width = (end - start) / max(columns, 1)
            before = self._stored.past(card, metric, start - shift, stop - shift, width)
            past = replace(before, times=before.times + shift).then(past)
        return condensed(past, start, end, columns)


def _of_readings(times: Floats, values: Floats) -> Past:
    if not times.size:
        return Past.nothing()
    apart = np.diff(times[:_LEARNT])
    usual = float(np.median(apart)) if apart.size else _USUAL
    return Past.of_readings(headed(times, usual), values, min(usual, _USUAL))


def _of_sums(sums: Floats) -> Past:
    times, counts = sums[0], sums[-1]
    apart = np.diff(times // MINUTE, prepend=times[:1] // MINUTE)
    # A minute that is left out, or more than slow readings leave out.
    usual = float(np.median(apart)) if times.size and counts.mean() < GAP else 0.0
    broken = apart > (GAP * max(usual, 1.0) if usual else 1.0)
    return Past(times, broken, sums[1:], MINUTE)


def what_is_shown(recording: Recording) -> str:
    """Which computer, when and how many cards, and what is to be known about it: sentences."""
    machine = recording.run(recording.ended).machine
    sentence = tr(
        "Recording of {host}, {span}, {cards}",
        host=clean(machine.name, _LONGEST_NAME) or tr("a computer that is not named"),
        span=span_of(recording),
        cards=trn("{count} card", "{count} cards", len(recording.cards())),
    )
    parts = [sentence]
    if machine.source.simulated:
        parts.append(tr("simulated cards: every figure is made up"))
    if recording.anonymous:
        parts.append(tr("without names, command lines and users"))
    return paragraph([f"{'; '.join(parts)}.", *recording.notes()])


def span_of(recording: Recording) -> str:
    """ "22 Nov 14:05:10 to 15:05:10", "22 Nov 14:05:10 to 29 Nov 09:00:00"."""
    began, ended = recording.wall(recording.began), recording.wall(recording.ended)
    # Its day is said, whenever it was.
    start = f"{day_word(began)} {moment_word(began, began)}"
    return tr("{start} to {end}", start=start, end=moment_word(ended, began))
