"""Recording: an opened file, read and never written. For any thread."""

import math
import sqlite3
import time
from bisect import bisect_right
from collections.abc import Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind, CardState, Sample
from gpuexplorer.core.harmless import LATEST, clean, is_time, json_of, value_of
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
_FORGOTTEN = 600.0  # seconds; whoever records may have to wait for a first reading
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
    id: int
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
        # One moment of a file that may be written just now.
        file.rows("BEGIN")
        self.store = store = Store(file)
        # When what was told, by kind and whose it is; texts are read when they are asked for.
        self._told: dict[tuple[str, str], list[tuple[float, str]]] = {}
        self._programs: dict[int, tuple[float, str]] = {}  # since when, and who
        self._strands: dict[tuple[str, bool], dict[str, Strand]] = {}
        runs: list[tuple[int, float, str]] = []
        for number, at, kind, whose, text in store.facts():
            match kind:
                case Record.RUN:
                    runs.append((number, at, text))
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
            turns.sort(key=lambda turn: turn[0])
        if not runs:
            raise _nothing(file)
        facts = self._last((Record.FILE, ""), LATEST, FileFacts)
        self.anonymous: bool = facts is not None and facts.anonymous
        self._reasons = REASONS if facts is None else facts.reasons
        self._states = STATES if facts is None else facts.states
        self.being_written = False  # by another process, just now
        self.runs = self._read_runs(sorted(runs, key=lambda run: run[1]))
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
        return min(max(0.0, at + _before(self._steps, at, 0.0)), LATEST)

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
        return _before(self._lists, at, self._lists[0][1] if self._lists else ())

    def topology(self, at: float) -> Topology | None:
        found: Topology | None = self._last((Turn.TOPOLOGY, ""), at, Topology)
        return found

    def metrics(self, card: CardId) -> Sequence[MetricId]:
        """Of which there are readings, in the catalogue's order."""
        known = {metric for strand in self.strands(card) for metric in strand.metrics}
        return [metric for metric in METRICS if metric in known]

    def strands(self, owner: str, *, process: bool = False) -> Collection[Strand]:
        """Of a card, the host, or a process by its number: one for each rhythm."""
        return self._strands.get((owner, process), {}).values()

    def strand(self, owner: str, metric: str, *, process: bool = False) -> Strand:
        """The one that has that metric; else one with nothing in it."""
        some = (e for e in self.strands(owner, process=process) if metric in e.metrics)
        return next(some, Strand(self.store))

    def readings(self, owner: str, metric: str, start: float, end: float) -> Readings:
        """Every one from start to end; nothing where only sums are kept of that time."""
        found = self.strand(owner, metric).readings(metric, start, end)
        return Readings(*(each.tolist() for each in found))

    def with_readings(self) -> Sequence[CardId]:
        """Cards, and the host, of which there are any."""
        return [CardId(owner) for owner, process in self._strands if not process]

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
                newest, number = known, int(np.nan_to_num(figures.get(STATE, 0.0)))
                state = _member(CardState, self._states, number, CardState.WORKING)
        if looked:  # only at these nobody looked
            missing.update(dict.fromkeys(unread, Absence.NOT_ASKED))
        left = {metric: why for metric, why in missing.items() if metric not in values}
        return Sample(card, newest or at, values, left, state)

    def processes(self, card: CardId, at: float) -> Sequence[ProgramSeen] | None:
        """Who used it then; None where nobody could tell."""
        run = self.run(at)
        told = self._told.get((Turn.PROCESSES, card), ())
        since, text = _before([(each[0], each) for each in told], at, (-1.0, ""))
        there = self._value(text) if run.began <= since and at <= run.ended else None
        if not isinstance(there, list):
            return None
        seen = (self._program(number, at) for number in there[:_MOST_PROCESSES])
        return [each for each in seen if each is not None and each.facts.card == card]

    def reason(self, value: float) -> Absence:
        """Why a reading is a NaN."""
        return _member(Absence, self._reasons, reason_number(value), Absence.NOT_YET)

    @cached_property
    def _happenings(self) -> Sequence[Happening]:
        found = [self._happening(each.text) for each in self.store.happenings()]
        return sorted((each for each in found if each is not None), key=lambda each: each.at)

    def happenings(self) -> Sequence[Happening]:
        """Oldest first; `at` is the axis. At most the newest 10 000."""
        return self._happenings

    def said(self) -> Iterator[Said]:
        """What lab and copies said, oldest first."""
        return (Said(each.at, Topic(each.kind), each.text) for each in self.store.said())

    # Any: JSON.
    def turns(self, kind: Turn, whose: str = "") -> Sequence[tuple[float, Any]]:
        """When, and what JSON has of it; whose the processes are."""
        read = ((at, self._value(text)) for at, text in self._told.get((kind, whose), ()))
        return [(at, value) for at, value in read if value is not None]

    def users(self, card: CardId) -> Sequence[float]:
        """When others began to use that card."""
        return [at for at, _ in self._told.get((Turn.PROCESSES, card), ())]

    def _add_strip(self, number: int, text: str) -> None:
        facts = self._value(text, StripFacts)
        if facts is not None:
            self.store.names[number] = facts.names
            of = facts.owner, facts.rhythm == PROCESSES_RHYTHM
            strands = self._strands.setdefault(of, {})
            strands.setdefault(facts.rhythm, Strand(self.store)).add(number)

    @cached_property
    def _lists(self) -> Sequence[tuple[float, Sequence[Card]]]:
        """Of cards, each the same object as long as they stay so."""
        lists: list[tuple[float, Sequence[Card]]] = []
        for at, text in self._told.get((Turn.CARDS, ""), ()):
            cards = self._value(text, Sequence[Card])
            if cards is not None:
                same = lists and lists[-1][1] == cards
                lists.append((at, lists[-1][1] if same else cards))
        return lists

    # Any: of that type.
    def _last(self, of: tuple[str, str], at: float, kind: Any) -> Any:
        """What was told last at that moment."""
        text = _before(self._told.get(of, ()), at, "")
        return self._value(text, kind) if text else None

    # Any: of that type, or whatever JSON has.
    def _value(self, text: str, of: Any = None) -> Any:
        """None where it cannot be read."""
        try:
            return json_of(text) if of is None else value_of(of, text)
        except UNREADABLE:
            self._file.damaged = True
            return None

    def _happening(self, text: str) -> Happening | None:
        told: Happening | None = self._value(text, Happening)
        if told is None or not (is_time(told.at) and is_time(told.wall)):
            return None
        named = None if told.card is None else CardId(clean(told.card))
        return told._replace(card=named, about=clean(told.about))

    def _read_runs(self, runs: Sequence[tuple[int, float, str]]) -> Sequence[Run]:
        found, ends = [], [*(began for _, began, _ in runs[1:]), LATEST]
        ended_at = {text: at for at, text in self._told.pop((Record.ENDED, ""), ())}
        failures = {
            at: self._value(text, Message) for at, text in self._told.get((Turn.FAILED, ""), ())
        }
        for (number, began, text), end in zip(runs, ends, strict=True):
            told: Began | None = self._value(text, Began)
            ended = ended_at.get(str(number), -1.0)
            whole = began <= ended <= end
            if not whole:
                turns = (at for turns in self._told.values() for at, _ in turns if at < end)
                chunks = (
                    some for (table, _), some in self.store.blocks.items() if table == "chunk"
                )
                read = (each.last for some in chunks for each in some if each.last < end)
                ended = max(began, *turns, *read)
            machine = _UNKNOWN if told is None else told.machine
            found.append(Run(number, began, ended, whole, machine, failures.get(ended)))
            self.being_written = not whole and (
                (told is not None and told.writer.is_there) or self._was_written_just_now()
            )
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
        facts: ProgramFacts | None = self._program_facts(text)
        if facts is None:
            return None
        known: dict[str, float] = {}
        for strand in self.strands(str(number), process=True):
            found = strand.newest(at, strand.metrics)
            known |= {} if found is None else found[2]
        figures = {each: known.get(each, math.nan) for each in ProcessFigure}
        cpu, memory = (known.get(each, math.nan) for each in (CPU, HOST_MEMORY))
        named = named_of(
            facts,
            {each: value for each, value in figures.items() if not math.isnan(value)},
            {each: self.reason(value) for each, value in figures.items() if math.isnan(value)},
            None if math.isnan(cpu) else cpu,
            None if not math.isfinite(memory) else int(memory),
        )
        return ProgramSeen(number, facts, since, named)

    @cached_property
    def _program_facts(self) -> Any:
        return lru_cache(10_000)(lambda text: self._value(text, ProgramFacts))


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


def _before(turns: Sequence[tuple[float, Told]], at: float, otherwise: Told) -> Told:
    """What was told last at that moment."""
    place = bisect_right(turns, at, key=lambda turn: turn[0])
    return turns[place - 1][1] if place else otherwise


# Any: Absence or CardState.
def _member(kind: Any, names: Sequence[str], number: int, otherwise: Told) -> Told:
    """By number from 1 on, as the file says; one that this program does not know is another."""
    known = 0 < number <= len(names) and names[number - 1] in tuple(kind)
    return kind(names[number - 1]) if known else otherwise


def _nothing(file: SafeFile) -> Trouble:
    if file.damaged:
        return too_damaged(file.path)
    return Trouble(
        "{file} holds no recording yet.",
        "If there was a file {file}-wal beside it, put it there again; or choose another file.",
        file=file.path.name,
    )
