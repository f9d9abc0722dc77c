"""Recording: an opened file, read and never written. For any thread."""

import math
from array import array
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from enum import StrEnum
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.harmless import is_time, value_of
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.columns import reason_number
from gpuexplorer.recording.course import Course, Run, last_of
from gpuexplorer.recording.opening import opened, too_damaged
from gpuexplorer.recording.past_strand import PastStrand, is_late, readings_of
from gpuexplorer.recording.pieces import Pieces
from gpuexplorer.recording.safe_file import SafeFile
from gpuexplorer.recording.schema import BUCKET, CPU, HOST_MEMORY, STATE
from gpuexplorer.recording.subjects import subjects_of
from gpuexplorer.recording.told import ProgramFacts, ProgramSeen, Said, SubjectKind, Topic, Turn
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.topology import Topology

__all__ = ["Buckets", "Readings", "Recording", "Run", "open_recording"]

_MOST_STRANDS = 2000
_MOST_PROCESSES = 10_000
_SAID_AT_ONCE = 100


class Readings(NamedTuple):
    """Readings of one metric, oldest first: NaN where there was none."""

    times: Sequence[float]
    values: Sequence[float]


class Buckets(NamedTuple):
    """Buckets of one metric, oldest first; none stands for a time without readings."""

    times: Sequence[float]  # when each begins
    minima: Sequence[float]
    maxima: Sequence[float]
    means: Sequence[float]
    counts: Sequence[float]


class Recording:
    """What `open_recording` gives."""

    path: Path
    anonymous: bool
    being_written: bool  # by another process, just now
    runs: Sequence[Run]
    began: float  # axis
    ended: float

    def __init__(self, file: SafeFile) -> None:
        """Raises Trouble where nothing of it can be read."""
        self.path = file.path
        self._file = file
        # One moment of a file that may be written just now.
        file.rows("BEGIN")
        self.pieces = Pieces(file)
        self._subjects = subjects_of(file, self.pieces)
        self._named = {
            subject.name: list(subject.strands.values())
            for subject in self._subjects.values()
            if subject.kind is not SubjectKind.PROCESS
        }
        self._course = Course(file, self._newest)
        facts: dict[str, str] = dict(file.rows("SELECT name, value FROM fact LIMIT 100"))
        self.anonymous = facts.get("anonymous") == "true"
        self._reasons = _members(Absence, facts.get("reasons"), Absence.NOT_YET)
        self._states = _members(CardState, facts.get("states"), CardState.WORKING)
        self._known_facts: dict[int, ProgramFacts | None] = {}
        file.rows("COMMIT")
        self.being_written = self._course.being_written
        self.runs = self._course.runs
        if not self.runs:
            raise _nothing(file)
        # Of a run that is longer than the past that is kept, its beginning is gone.
        oldest = min((each.first_sign for each in self._every()), default=0.0)
        self.ended = self.runs[-1].ended
        self.began = min(max(self.runs[0].began, oldest), self.ended)

    def close(self) -> None:
        self._file.close()

    def notes(self) -> Sequence[Message]:
        """What could not be read, and the like: sentences for a banner."""
        found = []
        if self._file.damaged:
            found.append(
                Message("The file is damaged: what can be read of it is shown, and no more.")
            )
        if self.being_written:
            found.append(
                Message("It is being written just now: open it again to see what came since.")
            )
        elif not self.runs[-1].whole:
            found.append(
                Message(
                    "What wrote it was ended before its time; the last seconds may be missing."
                )
            )
        elif self.runs[-1].failed is not None:
            found.append(self.runs[-1].failed)
        return found

    def wall(self, at: float) -> float:
        """The time of day, in seconds since 1970, of a moment of the axis."""
        return self._course.wall(at)

    def at(self, wall: float) -> float:
        """The moment of the axis at that time of day; the last one where there are several."""
        return self._course.at(wall)

    def run(self, at: float) -> Run:
        """The one that was written then, or the last before; else the first."""
        return self._course.run(at)

    def cards(self, at: float | None = None) -> Sequence[Card]:
        """Those listed then: the same object as long as they stay so. None: all there ever
        were, in the order in which they were first listed.
        """
        lists = self._course.cards
        if at is None:
            return list({card.id: card for _, cards in lists for card in cards}.values())
        return last_of(lists, at, lists[0][1] if lists else ())

    def topology(self, at: float) -> Topology | None:
        return last_of(self._course.topologies, at, None)

    def metrics(self, card: CardId) -> Sequence[MetricId]:
        """Of which there are readings, in the catalogue's order."""
        known = {metric for strand in self.strands(card) for metric in strand.metrics}
        return [metric for metric in METRICS if metric in known]

    def strands(self, card: CardId) -> Sequence[PastStrand]:
        """Of a card or the host."""
        return self._named.get(card, ())

    def with_readings(self) -> Sequence[CardId]:
        """Cards, and the host, of which there are any."""
        return [CardId(name) for name, strands in self._named.items() if strands]

    def sample(self, card: CardId, metrics: Collection[MetricId], at: float) -> Sample:
        """What was known then of each of these: its newest reading, not older than its rhythm
        lets one expect; else the reason. `Sample.at` is the newest of theirs.
        """
        missing = dict.fromkeys(metrics, Absence.NOT_ASKED)
        values: dict[MetricId, float] = {}
        late: set[MetricId] = set()
        newest, state = 0.0, CardState.WORKING
        began = self.run(at).began
        for strand in self.strands(card):
            asked = strand.metrics & missing.keys()
            found = strand.newest(at) if asked else None
            if found is None:
                outline = strand.outline(asked, at)
                values.update(outline)
                missing.update(dict.fromkeys(asked, Absence.NOT_YET))
                for metric in outline:
                    del missing[metric]
                continue
            first, times, place = found
            known, count = times[place], len(times)
            if known < began or is_late(at - known, times, place):
                missing.update(dict.fromkeys(asked, Absence.NOT_YET))
                late |= asked
                continue
            for metric in asked:
                column = strand.column(first, metric, count)
                value = math.nan if column is None else column[place]
                if value == value:  # noqa: PLR0124 - a NaN is not
                    values[metric] = value
                    del missing[metric]
                else:
                    missing[metric] = self.reason(value)
            if known >= newest:
                newest, states = known, strand.column(first, STATE, count)
                state = CardState.WORKING if states is None else self._state(states[place])
        if late and (newest or self._was_read(card, at)):  # only at these nobody looked
            missing.update(dict.fromkeys(late & missing.keys(), Absence.NOT_ASKED))
        return Sample(card, newest or at, values, missing, state)

    def _was_read(self, card: CardId, at: float) -> bool:
        began = self.run(at).began
        newest = filter(None, (strand.newest(at) for strand in self.strands(card)))
        return any(
            times[place] >= began and not is_late(at - times[place], times, place)
            for _, times, place in newest
        )

    def processes(self, card: CardId, at: float) -> Sequence[ProgramSeen] | None:
        """Who used it then; None where nobody could tell."""
        run = self.run(at)
        there = self._course.users(card, run.began, at) if at <= run.ended else None
        if not isinstance(there, list):
            return None
        seen = (self._program(number, at) for number in there[:_MOST_PROCESSES])
        return [each for each in seen if each is not None and each.facts.card == card]

    def reason(self, value: float) -> Absence:
        """Why a reading is a NaN."""
        number = reason_number(value)
        known = 0 < number <= len(self._reasons)
        return self._reasons[number - 1] if known else Absence.NOT_YET

    def happenings(self) -> Sequence[Happening]:
        """Oldest first; `at` is the axis. At most the newest 10 000."""
        return self._course.happenings

    def said(self) -> Iterator[Said]:
        """What lab and copies said, oldest first."""
        number = -1
        while rows := self._file.rows(
            "SELECT id, at, what, text FROM said WHERE id > ? ORDER BY id LIMIT ?",
            *(number, _SAID_AT_ONCE),
        ):
            for row in rows:
                match row:
                    case (int(number), float(at), str(what), str(text)) if what in tuple(
                        Topic
                    ) and is_time(at):
                        yield Said(at, Topic(what), text)
                    case _:
                        self._file.damaged = True
            if not isinstance(rows[-1][0], int) or rows[-1][0] != number:
                return

    def turns(self, kind: Turn) -> Sequence[tuple[float, object]]:
        """When, and what JSON has of it."""
        return self._course.turns(kind)

    def readings(self, card: CardId, metric: MetricId, start: float, end: float) -> Readings:
        """Every reading from start to end; nothing where only buckets are kept of that time."""
        return Readings(*readings_of(self.strands(card), metric, start, end))

    def program_readings(self, subject: int, what: str, start: float, end: float) -> Readings:
        """The same of a process on a card; `what`: a ProcessFigure, or what schema.py names."""
        known = self._subjects.get(subject)
        strands = () if known is None else list(known.strands.values())
        return Readings(*readings_of(strands, what, start, end))

    def buckets(
        self, card: CardId, metric: MetricId, start: float, end: float, level: int
    ) -> Buckets:
        """Of as many seconds as one of LEVELS says; of the newest readings there are none."""
        columns = [array("d") for _ in range(BUCKET)]
        for strand in self.strands(card):
            series = strand.series.get(metric)
            if series is None:
                continue
            for first in self.pieces.within(series, level, start, end):
                piece = self.pieces.column(series, level, first)
                if piece is None:
                    continue
                count = len(piece) // BUCKET
                starts = piece[:count]
                begin, stop = bisect_right(starts, start - level), bisect_right(starts, end)
                for each, column in enumerate(columns):
                    column.extend(piece[each * count + begin : each * count + stop])
        return Buckets(*columns)

    def _newest(self, before: float) -> float:
        """When the last sign of any card or the host was kept."""
        return max((each.last_sign(before) for each in self._every()), default=0.0)

    def _every(self) -> Iterator[PastStrand]:
        every = (strand for strands in self._named.values() for strand in strands)
        return islice(every, _MOST_STRANDS)

    def _program(self, number: object, at: float) -> ProgramSeen | None:
        if not isinstance(number, int) or number not in self._subjects:
            return None
        subject = self._subjects[number]
        facts = self._facts(number, subject.facts)
        if facts is None:
            return None
        known: dict[str, float] = {}
        for strand in subject.strands.values():
            found = strand.newest(at)
            if found is None:
                continue
            first, times, place = found
            for metric in strand.metrics:
                values = strand.column(first, metric, len(times))
                if values is not None:
                    known[metric] = values[place]
        figures = {each: known.get(each, math.nan) for each in ProcessFigure}
        cpu, memory = (known.get(each, math.nan) for each in (CPU, HOST_MEMORY))
        return ProgramSeen(
            number,
            facts,
            subject.first,
            {each: value for each, value in figures.items() if not math.isnan(value)},
            {each: self.reason(value) for each, value in figures.items() if math.isnan(value)},
            None if math.isnan(cpu) else cpu,
            None if not math.isfinite(memory) else int(memory),
        )

    def _facts(self, number: int, text: str) -> ProgramFacts | None:
        if number not in self._known_facts:
            try:
                self._known_facts[number] = value_of(ProgramFacts, text)
            except UnreadableError:
                self._file.damaged = True
                self._known_facts[number] = None
        return self._known_facts[number]

    def _state(self, value: float) -> CardState:
        known = 0 < value <= len(self._states)
        return self._states[int(value) - 1] if known else CardState.WORKING


def open_recording(path: Path) -> Recording:
    """Raises Trouble for what is no recording, or one that nothing can be read of."""
    return Recording(opened(path))


Member = TypeVar("Member", bound=StrEnum)


def _members(kind: type[Member], names: object, otherwise: Member) -> Sequence[Member]:
    """By number from 1 on, as the file says; one that this program does not know is another."""
    try:
        known = value_of(Sequence[str], names if isinstance(names, str) else "")
    except UnreadableError:
        return tuple(kind)
    return [kind(name) if name in tuple(kind) else otherwise for name in known]


def _nothing(file: SafeFile) -> Trouble:
    if file.damaged:
        return too_damaged(file.path)
    return Trouble(
        "{file} holds no recording yet.",
        "If there was a file {file}-wal beside it, put it there again; or choose another file.",
        file=file.path.name,
    )
