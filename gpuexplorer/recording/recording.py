"""Recording: an opened file, read and never written; Strand: the figures that one owner told in
one rhythm, block by block, as they are asked for. For any thread.
"""

import math
import sqlite3
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import cache, lru_cache
from itertools import chain
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from gpuexplorer.core.absence import Absence
from gpuexplorer.core.cards import Card, CardId, CardState, Sample
from gpuexplorer.core.harmless import LATEST, is_time, value_of
from gpuexplorer.core.metrics import METRICS, MetricId, Unit
from gpuexplorer.core.records import UnreadableError
from gpuexplorer.core.trouble import Trouble
from gpuexplorer.core.words import Message
from gpuexplorer.recording.door import DAMAGED, SafeFile, convert, opened, too_damaged
from gpuexplorer.recording.schema import (
    CPU,
    FULL,
    HOST_MEMORY,
    KNOWN,
    PROCESSES_RHYTHM,
    REASONS,
    STATE,
    STATES,
    SUM,
    VERSION,
    Began,
    FileFacts,
    Floats,
    Lost,
    Machine,
    ProgramFacts,
    ProgramSeen,
    Record,
    Said,
    StripFacts,
    Topic,
    Turn,
    from_tail,
    lay_out,
    reason_number,
    sum_of,
    unpacked,
)
from gpuexplorer.telemetry.happenings import Happening
from gpuexplorer.telemetry.history import GAP, MINUTE, firsts, summed
from gpuexplorer.telemetry.processes import Ancestor, CardProcess, NamedProcess, ProcessFigure
from gpuexplorer.telemetry.topology import Topology

__all__ = ["MOST_HAPPENINGS", "Readings", "Recording", "Run", "open_recording"]

Told = TypeVar("Told")
_MOST_PROCESSES = 10_000
_REMEMBERED = 10_000  # texts that were read
_FORGOTTEN = 600.0  # seconds; whoever records may have to wait for a first reading
_UNTOLD = FileFacts("", anonymous=False, reasons=REASONS, states=STATES)
# Of turns, where it is another than what JSON has.
_TYPES: Mapping[Turn, Any] = {
    Turn.CARDS: Sequence[Card],
    Turn.TOPOLOGY: Topology,
    Turn.CLOCK: float,
    Turn.SUSPENDED: float,
    Turn.LOST: Lost,
}
TIMES = ""  # a block's name for its times
_MOST_TAIL, _MOST_BLOCKS = 300_000, 500_000
_KEPT, _KEPT_BLOBS = 8000, 64  # columns of half a thousand readings; what they lie in
_SHORTEST = 1.0  # rounds that somebody asked for in between do not make a second seem long
_ALONE, _NEAR = 5.0, 3
_WHOLE = frozenset({Unit.COUNT, Unit.LANES, Unit.GENERATION, Unit.FLAG, Unit.STATE})
_MOST_FACTS, MOST_HAPPENINGS = 200_000, 10_000
_SAID = ", ".join(f"'{each}'" for each in Topic)
_Fact = tuple[int, float, str, str, str]  # its number, when, its kind, whose it is, JSON


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


class Block(NamedTuple):
    """Readings of a strip, or their sums, that lie together."""

    first: float
    last: float
    strip: int
    table: str
    row: int  # -1: it was made of the tail


class Strand:
    """All that a card, the host or a process told in one rhythm, whatever was asked when."""

    def __init__(self, recording: "Recording") -> None:
        self._column = recording.column
        self.blocks: dict[str, list[Block]] = {"chunk": [], "sums": []}
        self.metrics: set[MetricId] = set()
        self._blocks = cache(self._in_turn)

    def _in_turn(self, table: str) -> Sequence[Block]:
        """One after the other, without those that begin in another one."""
        found: list[Block] = []
        for each in sorted(self.blocks[table]):
            if each.last >= each.first and (not found or each.first >= found[-1].last):
                found.append(each)
        return found

    def within(self, start: float, end: float, table: str = "chunk") -> Sequence[Block]:
        """Those that may reach into that stretch."""
        blocks = self._blocks(table)
        first = max(0, bisect_left(blocks, start, key=itemgetter(0)) - 1)
        return blocks[first : bisect_right(blocks, end, key=itemgetter(0))]

    @property
    def forgotten(self) -> float:
        """Until then only sums are kept."""
        blocks = self._blocks("chunk")
        return float(np.nextafter(blocks[0].first, 0.0)) if blocks else LATEST

    def columns(
        self, block: Block, metric: str, start: float, end: float
    ) -> tuple[Floats, Floats]:
        """From start to end its times, and one row of figures, or SUM rows; nothing where they
        cannot be read.
        """
        times, column = self._column(block, TIMES), self._column(block, metric)
        rows = SUM if block.table == "sums" else 1
        if column.size != rows * times.size:
            times = column = np.empty(0)
        # What was added since it was found is in the tail too.
        last = times.searchsorted(min(end, block.last), side="right")
        some = slice(times.searchsorted(start), last)
        return times[some], column.reshape(rows, -1)[:, some]

    def _figures(self, table: str, metric: str, start: float, end: float) -> Floats:
        nothing = np.empty(0), np.empty((SUM if table == "sums" else 1, 0))
        blocks = self.within(start, end, table)
        found = [nothing, *(self.columns(block, metric, start, end) for block in blocks)]
        times, figures = zip(*found, strict=True)
        return np.vstack((np.concatenate(times), np.concatenate(figures, axis=1)))

    def readings(self, metric: str, start: float, end: float) -> Floats:
        """When, and what: of every reading from start to end."""
        return self._figures("chunk", metric, start, end)

    def sums(self, metric: str, start: float, end: float, *, forgotten: bool = False) -> Floats:
        """When each minute begins, the least, the most, the mean, and of how many readings:
        of those that reach past the start and begin by the end; or only those of a time of
        which the readings are forgotten.
        """
        first = float(np.nextafter(start - MINUTE, LATEST))
        last = min(end, self.forgotten) if forgotten else end
        whole = self._figures("sums", metric, first, last)
        there: Floats = whole[:, whole[SUM] > 0]
        return there

    def newest(
        self, at: float, names: Collection[str]
    ) -> tuple[float, bool, dict[str, float]] | None:
        """Of the newest reading at that time: when it was, whether it is older than those
        around it let one expect, and its figures; without those that cannot be read.
        """
        for block in reversed(self.within(at, at)):
            times = self._column(block, TIMES)
            place = int(times.searchsorted(at, side="right")) - 1
            if place >= 0:
                columns = ((name, self._column(block, name)) for name in names)
                figures = {
                    name: float(each[place])
                    for name, each in columns
                    if each.size == times.size
                }
                apart = np.sort(np.diff(times[max(0, place - _NEAR) : place + _NEAR]))
                usual = apart[apart.size // 2] if apart.size else _ALONE
                late = at - times[place] > GAP * max(usual, _SHORTEST)
                return float(times[place]), bool(late), figures
        return None

    def outline(self, metrics: Collection[MetricId], at: float) -> Mapping[MetricId, float]:
        """What sums tell where readings are kept no more: what stayed as it was, and the mean
        of what can have one.
        """
        found = {}
        for metric in metrics:
            for _, low, high, mean, _ in self.sums(metric, at, at, forgotten=True).T[-1:]:
                if low == high or (metric in METRICS and METRICS[metric].unit not in _WHOLE):
                    found[metric] = float(mean)
        return found


class Recording:
    """What `open_recording` gives. Times are of the axis."""

    def __init__(self, file: SafeFile) -> None:
        """Raises Trouble where nothing of it can be read."""
        self.path: Path = file.path
        self._file = file
        self._value = lru_cache(_REMEMBERED)(self._read)
        # One moment of a file that may be written just now.
        file.rows("BEGIN")
        self.close, self.happenings = file.close, cache(self._read_happenings)
        self.column = lru_cache(_KEPT)(self._read_column)
        self._blob = lru_cache(_KEPT_BLOBS)(self._read_blob)
        self._tail: dict[Block, Mapping[str, Floats]] = {}  # made of it
        self._names: dict[int, Sequence[str]] = {}  # of each strip
        self._of_strip: dict[int, Strand] = {}
        # When what was told, by kind and whose it is; texts are read when they are asked for.
        self._told: dict[tuple[str, str], list[tuple[float, str]]] = {}
        self._strands: dict[str, dict[str, Strand]] = {}  # by owner and rhythm
        left = f"kind NOT IN ({_SAID}) ORDER BY id DESC LIMIT {_MOST_FACTS}"
        for number, at, kind, whose, text in reversed(self._facts(left)):
            if kind == Record.STRIP:
                self._add_strip(number, text)
            own = kind in (Record.RUN, Record.PROCESS) and not whose
            key = kind, str(number) if own else whose
            self._told.setdefault(key, []).append((at, text))
        self._find_blocks()
        file.rows("COMMIT")
        for turns in self._told.values():
            turns.sort(key=itemgetter(0))
        self.runs = self._read_runs()
        if not self.runs:
            if file.damaged:
                raise too_damaged(file.path)
            raise Trouble(
                "{file} holds no recording yet.",
                "If there was a file {file}-wal beside it, put it there again; or choose"
                " another file.",
                file=file.path.name,
            )
        [(_, text)] = self._told.get((Record.FILE, ""), [(0.0, "")])[-1:]
        facts: FileFacts = self._value(text, FileFacts) or _UNTOLD
        self.anonymous = facts.anonymous
        self._reasons = _members(Absence, facts.reasons)
        self._states = _members(CardState, facts.states)
        # Of cards, each the same object as long as they stay so.
        self._lists: Sequence[tuple[float, Sequence[Card]]] = self.turns(Turn.CARDS)
        self._steps: Sequence[tuple[float, float]] = [
            (at, shift) for at, shift in self.turns(Turn.CLOCK) if is_time(at + shift)
        ] or [(0.0, 0.0)]
        # Of a run that is longer than the past that is kept, its beginning is gone.
        oldest = min((block.first for block in self._all_blocks()), default=0.0)
        self.began, self.ended = self.runs[0].began, self.runs[-1].ended
        if oldest - self.began > _FORGOTTEN:
            self.began = min(oldest, self.ended)

    def notes(self) -> Sequence[Message]:
        """What could not be read, and the like: sentences for a banner."""
        last = self.runs[-1].failed
        if self.being_written:
            last = Message(
                "It is being written just now: open it again to see what came since."
            )
        elif not self.runs[-1].whole:
            last = Message(
                "What wrote it was ended before its time, or writes it elsewhere just now; its"
                " end may be missing."
            )
        damaged = DAMAGED if self._file.damaged else None
        return [each for each in (damaged, last) if each is not None]

    def wall(self, at: float) -> float:
        """The time of day, in seconds since 1970, of a moment of the axis."""
        return min(max(0.0, at + _before(self._steps, at, (0.0, 0.0))[1]), LATEST)

    def at(self, wall: float) -> float:
        """The moment of the axis at that time of day; the last one where there are several."""
        nearest = until = self.runs[-1].ended
        for since, shift in reversed(self._steps):
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
        found: Topology | None = _before(self.turns(Turn.TOPOLOGY), at, (0.0, None))[1]
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
        return next(some, Strand(self))

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
        newest, state, began = 0.0, CardState.WORKING, self.run(at).began
        for strand in self.strands(card):
            asked = strand.metrics & missing.keys()
            found = strand.newest(at, (*asked, STATE))
            if found is None:
                missing |= dict.fromkeys(asked, Absence.NOT_YET)
                values |= strand.outline(asked, at)
                continue
            known, late, figures = found
            if late:
                continue
            missing |= dict.fromkeys(asked, Absence.NOT_YET)
            if known < began:
                continue
            for metric in asked & figures.keys():
                missing[metric] = self.reason(figures[metric])
                if not math.isnan(figures[metric]):
                    values[metric] = figures[metric]
            if asked and known >= newest:
                newest = known
                state = self._states.get(figures.get(STATE, 0.0), CardState.WORKING)
        left = {metric: why for metric, why in missing.items() if metric not in values}
        return Sample(card, newest or at, values, left, state)

    def processes(self, card: CardId, at: float) -> Sequence[ProgramSeen] | None:
        """Who used it then; None where nobody could tell."""
        run, told = self.run(at), self._told.get((Turn.PROCESSES, card), ())
        since, text = _before(told, at, (-1.0, ""))
        if not run.began <= since <= at <= run.ended:
            return None
        there: Sequence[int] | None = self._value(text, Sequence[int] | None)
        if there is None:
            return None
        seen = (self._program(number, at) for number in there[:_MOST_PROCESSES])
        return [each for each in seen if each is not None and each.facts.card == card]

    def reason(self, value: float) -> Absence:
        """Why a reading is a NaN."""
        return self._reasons.get(reason_number(value), Absence.NOT_YET)

    def _read_happenings(self) -> Sequence[Happening]:
        """Oldest first; `at` is the axis. At most the newest 10 000."""
        told = self._told.get((Record.HAPPENING, ""), ())[-MOST_HAPPENINGS:]
        found = (self._read(text, Happening) for _, text in told)
        known = [each for each in found if each and is_time(each.at) and is_time(each.wall)]
        return sorted(known, key=attrgetter("at"))

    def said(self) -> Iterator[Said]:
        """What lab and copies said, oldest first: a few at a time, for as long as somebody
        asks.
        """
        last = -1
        while some := self._facts(f"kind IN ({_SAID}) AND id > {last} ORDER BY id LIMIT 100"):
            last = some[-1][0]
            yield from (Said(at, Topic(kind), text) for _, at, kind, _, text in some)

    def _facts(self, which: str) -> list[_Fact]:
        """Those that are as they were written."""
        found = []
        asked = "SELECT id, at, kind, whose, json, sum FROM fact WHERE"
        for row in self._file.rows(f"{asked} {which}"):
            match row:
                case (int(), float(at), str(), str(), str(), int(check)) if is_time(
                    at
                ) and check == sum_of(*row[1:5]):
                    found.append(row[:5])
                case _:
                    self._file.damaged = True
        return found

    # Any: of the type that _TYPES has for it.
    def turns(self, kind: Turn) -> Sequence[tuple[float, Any]]:
        """When, and what was told."""
        told, of = self._told.get((kind, ""), ()), _TYPES.get(kind, Any)
        read = ((at, self._value(text, of)) for at, text in told)
        return [(at, value) for at, value in read if value is not None]

    def users(self, card: CardId) -> Sequence[float]:
        """When others began to use that card."""
        return [at for at, _ in self._told.get((Turn.PROCESSES, card), ())]

    def _add_strip(self, number: int, text: str) -> None:
        facts: StripFacts | None = self._read(text, StripFacts)
        if facts is not None:
            self._names[number] = facts.names
            strands = self._strands.setdefault(facts.owner, {})
            strand = strands.setdefault(facts.rhythm, Strand(self))
            strand.metrics |= {MetricId(each) for each in facts.names} - {STATE}
            self._of_strip[number] = strand

    def _find_blocks(self) -> None:
        """What is packed from then on was read in the tail."""
        for table in ("chunk", "sums"):
            asked = f"SELECT first, last, strip, '{table}', id FROM {table}"
            for row in self._file.rows(f"{asked} LIMIT {_MOST_BLOCKS}"):
                self._add(Block(*row))
        found: defaultdict[int, list[tuple[float, bytes]]] = defaultdict(list)
        asked = f"SELECT strip, at, data, sum FROM tail ORDER BY id LIMIT {_MOST_TAIL}"
        for row in self._file.rows(asked):
            match row:
                case (int(strip), float(at), bytes(data), int(check)) if (
                    is_time(at)
                    and check == sum_of(*row[:3])
                    and 0 < len(data) == 8 * len(self._names.get(strip, ()))
                ):
                    found[strip].append((at, data))
                case _:
                    self._file.damaged = True
        for strip, told in found.items():
            times, values = from_tail(told)
            sums = times[firsts(times)], summed(times, values).reshape(len(values), -1)
            for table, its, columns in (("chunk", times, values), ("sums", *sums)):
                block = Block(float(its[0]), float(its[-1]), strip, table, -1)
                named = dict(zip(self._names[strip], columns, strict=True))
                self._tail[block] = {**named, TIMES: its}
                self._add(block)

    def _add(self, block: Block) -> None:
        if is_time(block.first) and is_time(block.last) and block.strip in self._of_strip:
            self._of_strip[block.strip].blocks[block.table].append(block)
        else:
            self._file.damaged = True

    def check(self) -> None:
        """Reads all of it, which takes a while: whoever hands it on does."""
        self._file.damaged |= self._file.rows("PRAGMA quick_check(1)") != [("ok",)]
        for block in self._all_blocks():
            for name in (TIMES, *self._names[block.strip]):
                self._read_column(block, name)

    def _all_blocks(self) -> Iterator[Block]:
        for strand in dict.fromkeys(self._of_strip.values()):
            yield from chain(*strand.blocks.values())

    def memory_bytes(self) -> int:
        """Of what is kept of the file's."""
        return 8 * FULL * self.column.cache_info().currsize

    def _read_column(self, block: Block, name: str) -> Floats:
        """Of a metric, or TIMES, which are in order; empty where it is damaged, or is none."""
        nothing, names = np.empty(0), (TIMES, *self._names[block.strip])
        if block in self._tail:
            return self._tail[block].get(name, nothing)
        data = self._blob(block.table, block.row) if name in names else None
        if data is None:  # or forgotten meanwhile
            return nothing
        try:
            column = unpacked(block.strip, block.first, data, names.index(name))
            whole = np.concatenate(([0.0], column, [LATEST]))
            if name or (column.size and (np.diff(whole) >= 0).all()):
                return column
        except ValueError:
            pass
        self._file.damaged = True
        return nothing

    def _read_blob(self, table: str, row: int) -> bytes | None:
        rows = self._file.rows(f"SELECT CAST(data AS BLOB) FROM {table} WHERE id = ?", row)
        return rows[0][0] if rows else None

    # Any: of that type.
    def _read(self, text: str, of: Any) -> Any:
        """None where it cannot be read."""
        try:
            return value_of(of, text)
        except UnreadableError:
            self._file.damaged = True
            return None

    def _read_runs(self) -> Sequence[Run]:
        runs = [(key[1], *told[-1]) for key, told in self._told.items() if key[0] == Record.RUN]
        runs.sort(key=itemgetter(1))
        found, ends = [], [*(began for _, began, _ in runs[1:]), LATEST]
        ended_at = {text: at for at, text in self._told.pop((Record.ENDED, ""), ())}
        failures = dict(self._told.get((Turn.FAILED, ""), ()))
        self.being_written = False  # by another process, just now
        for (number, began, text), end in zip(runs, ends, strict=False):
            told: Began | None = self._value(text, Began)
            if told is None:
                continue
            ended = ended_at.get(number, -1.0)
            whole = began <= ended <= end
            if not whole:
                turns = (at for turns in self._told.values() for at, _ in turns)
                read = (block.last for block in self._all_blocks())
                ended = max(began, *(at for at in (*turns, *read) if at < end))
            failed = self._value(failures[ended], Message) if ended in failures else None
            found.append(Run(began, ended, whole, told.machine, failed))
            self.being_written = not whole and end == LATEST and told.writer.is_there
        return found

    def _program(self, number: int, at: float) -> ProgramSeen | None:
        told = self._told.get((Record.PROCESS, str(number)), [(0.0, "null")])
        since, text = told[0][0], told[-1][1]
        facts: ProgramFacts | None = self._value(text, ProgramFacts | None)
        if facts is None:
            return None
        known: dict[str, float] = {}
        for strand in self.strands(str(number)):
            found = strand.newest(at, strand.metrics)
            known |= {} if found is None else found[2]
        values, missing = {}, {}
        for each in ProcessFigure:
            value = known.get(each, math.nan)
            if math.isnan(value):
                missing[each] = self.reason(value)
            else:
                values[each] = value
        cpu, memory = known.get(CPU, math.nan), known.get(HOST_MEMORY, math.nan)
        # As it was told then; nobody asks this computer who has that number now.
        invented = (facts.command or "", facts.user) if facts.simulated else (None, None)
        named = NamedProcess(
            CardProcess(facts.card, facts.pid, facts.use, values, missing, *invented),
            **{each: getattr(facts, each) for each in KNOWN},
            cpu=None if math.isnan(cpu) else cpu,
            memory_bytes=int(memory) if math.isfinite(memory) else None,
            ancestors=tuple(Ancestor(pid, command) for pid, command in facts.ancestors),
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
            file = SafeFile(path, database)
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
