"""Recording: an opened file, read and never written. For any thread."""

import math
import sqlite3
import time
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.harmless import LATEST, is_time, json_of, value_of
from gpuexplorer.core.metrics import METRICS, MetricId
from gpuexplorer.core.records import UNREADABLE
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.door import DAMAGED, SafeFile, opened, too_damaged
from gpuexplorer.recording.old_file import convert
from gpuexplorer.recording.schema import (
    CPU,
    HOST_MEMORY,
    PROCESSES_RHYTHM,
    REASONS,
    STATE,
    STATES,
    VERSION,
    Began,
    FileFacts,
    Machine,
    ProgramFacts,
    ProgramSeen,
    Record,
    Said,
    StripFacts,
    Topic,
    Turn,
    lay_out,
    named_of,
    reason_number,
)
from gpuexplorer.recording.strands import MOST_HAPPENINGS, Store, Strand
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.processes import ProcessFigure
from gpuexplorer.telemetry.topology import Topology

__all__ = ["MOST_HAPPENINGS", "Readings", "Recording", "Run", "open_recording"]

Told = TypeVar("Told")
_MOST_PROCESSES = 10_000
_JUST_NOW = 3.0  # seconds since the file was written
_REMEMBERED = 10_000  # texts that were read
_FORGOTTEN = 600.0  # seconds; whoever records may have to wait for a first reading
_UNTOLD = FileFacts("", anonymous=False, reasons=REASONS, states=STATES)
# Of a run whose machine cannot be read.
_UNKNOWN = Machine(
    "",
    Source("recording", Message("a recording that does not tell its source any more")),
    1.0,
    Card(HOST_ID, -1, "", None, kind=CardKind.HOST),
)


class Readings(NamedTuple):
    """Of one metric, oldest first: NaN where there was none."""

    times: Sequence[float]
    values: Sequence[float]


@dataclass(frozen=True, slots=True)
class Run:
    began: float
    ended: float  # where it has no end, its last sign of life
    whole: bool  # whether it came to its end
    machine: Machine
    failed: Message | None = None  # why it could not go on


class Recording:
    """What `open_recording` gives. Times are of the axis."""

    def __init__(self, file: SafeFile) -> None:
        """Raises Trouble where nothing of it can be read."""
        self.path: Path = file.path
        self._file, self._checked = file, False
        self._value = lru_cache(_REMEMBERED)(self._read)
        # One moment of a file that may be written just now.
        file.rows("BEGIN")
        self.store = store = Store(file)
        # When what was told, by kind and whose it is; texts are read when they are asked for.
        self._told: dict[tuple[str, str], list[tuple[float, str]]] = {}
        self._programs: dict[int, tuple[float, str]] = {}  # since when, and who
        self._strands: dict[str, dict[str, Strand]] = {}  # by owner and rhythm
        runs: list[tuple[float, int, str]] = []
        for number, at, kind, whose, text in store.facts():
            match kind:
                case Record.RUN:
                    runs.append((at, number, text))
                case Record.PROCESS:
                    known = int(whose) if whose.isdecimal() else number
                    self._programs[known] = self._programs.get(known, (at, ""))[0], text
                case Record.STRIP:
                    self._add_strip(number, text)
                case _:
                    self._told.setdefault((kind, whose), []).append((at, text))
        store.find_blocks()
        file.rows("COMMIT")
        for turns in self._told.values():
            turns.sort(key=itemgetter(0))
        if not runs:
            raise _nothing(file)
        [(_, text)] = self._told.get((Record.FILE, ""), [(0.0, "")])[-1:]
        facts: FileFacts = self._value(text, FileFacts) or _UNTOLD
        self.anonymous = facts.anonymous
        self._reasons, self._states = (
            _members(Absence, facts.reasons),
            _members(CardState, facts.states),
        )
        self.runs = self._read_runs(sorted(runs))
        self._steps = [
            (at, shift)
            for at, shift in self.turns(Turn.CLOCK)
            if isinstance(shift, float | int) and is_time(at + shift)
        ]
        # Of a run that is longer than the past that is kept, its beginning is gone.
        blocks = (block.first for some in store.blocks.values() for block in some)
        oldest = min(blocks, default=0.0)
        self.began, self.ended = self.runs[0].began, self.runs[-1].ended
        if oldest - self.began > _FORGOTTEN:
            self.began = min(oldest, self.ended)

    def close(self) -> None:
        self._file.close()

    def check(self) -> None:
        """Reads all of it, once, so that `notes` tells whether it is damaged anywhere."""
        if not self._checked:
            self._checked = True
            self.store.check()

    def memory_bytes(self) -> int:
        return self.store.memory_bytes()

    def notes(self) -> Sequence[Message]:
        """What could not be read, and the like: sentences for a banner."""
        found = [DAMAGED] if self._file.damaged else []
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
        return min(max(0.0, at + _before(self._steps, at, (0.0, 0.0))[1]), LATEST)

    def at(self, wall: float) -> float:
        """The moment of the axis at that time of day; the last one where there are several."""
        began, until = self.runs[0].began, self.runs[-1].ended
        nearest = until
        for since, shift in [*reversed(self._steps), (began, 0.0)]:
            at = wall - shift
            if since <= at <= until:
                return at
            if at < since:
                nearest = since  # that time of day was skipped then
            until = since
        return nearest

    def run(self, at: float) -> Run:
        """The one that was written then, or the last before; else the first."""
        return self.runs[max(0, bisect_right(self.runs, at, key=lambda run: run.began) - 1)]

    def cards(self, at: float | None = None) -> Sequence[Card]:
        """Those listed then: the same object as long as they stay so. None: all there ever
        were, in the order in which they were first listed.
        """
        if at is None:
            return list({card.id: card for _, cards in self._lists for card in cards}.values())
        return _before(self._lists, at, (*self._lists, (0.0, ()))[0])[1]

    def topology(self, at: float) -> Topology | None:
        text = _before(self._told.get((Turn.TOPOLOGY, ""), ()), at, (0.0, ""))[1]
        found: Topology | None = self._value(text, Topology) if text else None
        return found

    def metrics(self, card: CardId) -> Sequence[MetricId]:
        """Of which there are readings, in the catalogue's order."""
        known = {metric for strand in self.strands(card) for metric in strand.metrics}
        return [metric for metric in METRICS if metric in known]

    def strands(self, owner: str) -> Collection[Strand]:
        """Of a card, the host, or a process by its number: one for each rhythm."""
        return self._strands.get(owner, {}).values()

    def strand(self, owner: str, metric: str) -> Strand:
        """The one that has that metric; else one with nothing in it."""
        some = (each for each in self.strands(owner) if metric in each.metrics)
        return next(some, Strand(self.store))

    def readings(self, owner: str, metric: str, start: float, end: float) -> Readings:
        """Every one from start to end; nothing where only sums are kept of that time."""
        found = self.strand(owner, metric).readings(metric, start, end)
        return Readings(*(each.tolist() for each in found))

    def with_readings(self) -> Sequence[CardId]:
        """Cards, and the host, of which there are any."""
        return [CardId(e) for e, some in self._strands.items() if PROCESSES_RHYTHM not in some]

    def sample(self, card: CardId, metrics: Collection[MetricId], at: float) -> Sample:
        """What was known then of each of these: its newest reading, not older than its rhythm
        lets one expect; else the reason. `Sample.at` is the newest of theirs.
        """
        missing = dict.fromkeys(metrics, Absence.NOT_ASKED)
        values: dict[MetricId, float] = {}
        unread: set[MetricId] = set()
        newest, state, looked = 0.0, CardState.WORKING, False
        began = self.run(at).began
        for strand in self.strands(card):
            asked = strand.metrics & missing.keys()
            missing.update(dict.fromkeys(asked, Absence.NOT_YET))
            found = strand.newest(at, (*asked, STATE))
            if found is None:
                values.update(strand.outline(asked, at))
                continue
            known, late, figures = found
            if late or known < began:
                unread |= asked
                continue
            looked = True
            for metric in asked & figures.keys():
                missing[metric] = self.reason(figures[metric])
                if not math.isnan(figures[metric]):
                    values[metric] = figures[metric]
            if asked and known >= newest:
                newest = known
                state = self._states.get(figures.get(STATE, 0.0), CardState.WORKING)
        if looked:  # only at these nobody looked
            missing.update(dict.fromkeys(unread, Absence.NOT_ASKED))
        left = {metric: why for metric, why in missing.items() if metric not in values}
        return Sample(card, newest or at, values, left, state)

    def processes(self, card: CardId, at: float) -> Sequence[ProgramSeen] | None:
        """Who used it then; None where nobody could tell."""
        run, told = self.run(at), self._told.get((Turn.PROCESSES, card), ())
        since, text = _before(told, at, (-1.0, ""))
        there = self._value(text) if run.began <= since and at <= run.ended else None
        if not isinstance(there, list):
            return None
        seen = (self._program(number, at) for number in there[:_MOST_PROCESSES])
        return [each for each in seen if each is not None and each.facts.card == card]

    def reason(self, value: float) -> Absence:
        """Why a reading is a NaN."""
        return self._reasons.get(reason_number(value), Absence.NOT_YET)

    @cached_property
    def _happenings(self) -> Sequence[Happening]:
        found = (self._read(text, Happening) for *_, text in self.store.happenings())
        known = [each for each in found if each and is_time(each.at) and is_time(each.wall)]
        return sorted(known, key=attrgetter("at"))

    def happenings(self) -> Sequence[Happening]:
        """Oldest first; `at` is the axis. At most the newest 10 000."""
        return self._happenings

    def said(self) -> Iterator[Said]:
        """What lab and copies said, oldest first."""
        return (Said(at, Topic(kind), text) for _, at, kind, _, text in self.store.said())

    # Any: JSON.
    def turns(self, kind: Turn, whose: str = "") -> Sequence[tuple[float, Any]]:
        """When, and what JSON has of it; whose the processes are."""
        read = ((at, self._value(text)) for at, text in self._told.get((kind, whose), ()))
        return [(at, value) for at, value in read if value is not None]

    def users(self, card: CardId) -> Sequence[float]:
        """When others began to use that card."""
        return [at for at, _ in self._told.get((Turn.PROCESSES, card), ())]

    def _add_strip(self, number: int, text: str) -> None:
        facts: StripFacts | None = self._read(text, StripFacts)
        if facts is not None:
            self.store.names[number] = facts.names
            strands = self._strands.setdefault(facts.owner, {})
            strands.setdefault(facts.rhythm, Strand(self.store)).add(number)

    @cached_property
    def _lists(self) -> Sequence[tuple[float, Sequence[Card]]]:
        """Of cards, each the same object as long as they stay so."""
        told = self._told.get((Turn.CARDS, ""), ())
        read = ((at, self._value(text, Sequence[Card])) for at, text in told)
        return [(at, cards) for at, cards in read if cards is not None]

    # Any: of that type, or whatever JSON has.
    def _read(self, text: str, of: Any = None) -> Any:
        """None where it cannot be read."""
        try:
            return json_of(text) if of is None else value_of(of, text)
        except UNREADABLE:
            self._file.damaged = True
            return None

    def _read_runs(self, runs: Sequence[tuple[float, int, str]]) -> Sequence[Run]:
        found, ends = [], [*(began for began, *_ in runs[1:]), LATEST]
        ended_at = {text: at for at, text in self._told.pop((Record.ENDED, ""), ())}
        failures = dict(self._told.get((Turn.FAILED, ""), ()))
        for (began, number, text), end in zip(runs, ends, strict=True):
            told: Began | None = self._value(text, Began)
            ended = ended_at.get(str(number), -1.0)
            whole = began <= ended <= end
            if not whole:
                turns = (at for turns in self._told.values() for at, _ in turns)
                read = (block.last for some in self.store.blocks.values() for block in some)
                ended = max(began, *(at for at in (*turns, *read) if at < end))
            failed = self._value(failures[ended], Message) if ended in failures else None
            machine = _UNKNOWN if told is None else told.machine
            found.append(Run(began, ended, whole, machine, failed))
        there = told is not None and told.writer.is_there
        # By another process, just now.
        self.being_written = not whole and (there or self._was_written_just_now())
        return found

    def _was_written_just_now(self) -> bool:
        log = self.path.with_name(f"{self.path.name}-wal")
        try:
            written = [each.stat().st_mtime for each in (self.path, log) if each.exists()]
        except OSError:
            return False
        return any(abs(time.time() - each) < _JUST_NOW for each in written)

    def _program(self, number: object, at: float) -> ProgramSeen | None:
        if not isinstance(number, int) or number not in self._programs:
            return None
        since, text = self._programs[number]
        facts: ProgramFacts | None = self._value(text, ProgramFacts)
        if facts is None:
            return None
        known: dict[str, float] = {}
        for strand in self.strands(str(number)):
            found = strand.newest(at, strand.metrics)
            known |= {} if found is None else found[2]
        figures = {each: known.get(each, math.nan) for each in ProcessFigure}
        cpu, memory = known.get(CPU, math.nan), known.get(HOST_MEMORY, math.nan)
        named = named_of(
            facts,
            {each: value for each, value in figures.items() if not math.isnan(value)},
            {each: self.reason(value) for each, value in figures.items() if math.isnan(value)},
            None if math.isnan(cpu) else cpu,
            int(memory) if math.isfinite(memory) else None,
        )
        return ProgramSeen(number, facts, since, named)


def open_recording(path: Path) -> Recording:
    """Raises Trouble for what is no recording, or one that nothing can be read of."""
    file = opened(path)
    if file.version != VERSION:
        with closing(file) as old:
            # On the disk only where it is too large for memory; gone when it is closed.
            database = sqlite3.connect("", isolation_level=None, check_same_thread=False)
            lay_out(database)
            convert(old, database)
            file = SafeFile(path, database, damaged=old.damaged)
    return Recording(file)


def _before(
    turns: Sequence[tuple[float, Told]], at: float, otherwise: tuple[float, Told]
) -> tuple[float, Told]:
    """What was told last at that moment, and when."""
    place = bisect_right(turns, at, key=itemgetter(0))
    return turns[place - 1] if place else otherwise


def _members(kind: Iterable[Told], names: Sequence[str]) -> Mapping[float, Told]:
    """By number from 1 on, as the file says; without those that this program does not know."""
    known = {str(each): each for each in kind}
    return {number: known[name] for number, name in enumerate(names, 1) if name in known}


def _nothing(file: SafeFile) -> Trouble:
    if file.damaged:
        return too_damaged(file.path)
    return Trouble(
        "{file} holds no recording yet.",
        "If there was a file {file}-wal beside it, put it there again; or choose another file.",
        file=file.path.name,
    )
