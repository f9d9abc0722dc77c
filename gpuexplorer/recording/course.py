"""Course: who wrote a recording and when, what was true from when on, and the time of day."""

import time
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import psutil

from gpuexplorer.core.cards import HOST_ID, Card, CardId, CardKind
from gpuexplorer.core.harmless import LATEST, clean, is_time, json_of, value_of
from gpuexplorer.core.records import UNREADABLE, UnreadableError
from gpuexplorer.core.words import Message
from gpuexplorer.recording.safe_file import Row, SafeFile
from gpuexplorer.recording.told import Machine, Turn, Writer
from gpuexplorer.telemetry.backend import Source
from gpuexplorer.telemetry.happenings import Happening, Kind
from gpuexplorer.telemetry.topology import Topology

Told = TypeVar("Told")
_MOST_RUNS = 10_000
_MOST_TURNS = 200_000
_MOST_READ = 5_000  # of those that are values of ours
MOST_HAPPENINGS = 10_000
_MOST_STEPS = 10_000
_JUST_NOW = 3.0  # seconds since the file was written
_SAME_START = 2.0  # clocks round differently
# Of a run whose machine cannot be read.
_UNKNOWN = Machine(
    "",
    Source("recording", Message("a recording that does not tell its source any more")),
    1.0,
    Card(HOST_ID, -1, "", None, kind=CardKind.HOST),
)


@dataclass(frozen=True, slots=True)
class Run:
    id: int
    began: float
    ended: float  # where it has no end, its last sign of life
    whole: bool  # whether it came to its end
    machine: Machine
    failed: Message | None = None  # why it could not go on


class Course:
    """Read once. For any thread."""

    def __init__(self, file: SafeFile, newest: Callable[[float], float]) -> None:
        """`newest` tells when the last reading up to a moment was taken."""
        self._file = file
        self._turns: dict[str, list[tuple[float, str]]] = {}
        for row in file.whole("id, at, kind, value", "turn", _MOST_TURNS):
            match row:
                case (int(), float(at), str(kind), str(value)) if is_time(at):
                    self._turns.setdefault(kind, []).append((at, value))
                case _:
                    file.damaged = True
        for turns in self._turns.values():
            turns.sort(key=lambda turn: turn[0])
        self._users: tuple[str, object] = ("", None)
        self.being_written = False
        self.runs = self._read_runs(newest)
        self._steps = [
            (at, shift)
            for at, shift in self.turns(Turn.CLOCK)[-_MOST_STEPS:]
            if isinstance(shift, float | int) and is_time(at + shift)
        ]

    # Any: of that type, or whatever JSON has.
    def turns(self, kind: Turn, of: Any = None) -> list[tuple[float, Any]]:
        """When, and what was told; as a value of that type, or as JSON has it."""
        newest = self._turns.get(kind, [])[-(_MOST_TURNS if of is None else _MOST_READ) :]
        read = ((at, self._value(text, of)) for at, text in newest)
        return [(at, value) for at, value in read if value is not None]

    def run(self, at: float) -> Run:
        place = bisect_right(self.runs, at, key=lambda run: run.began)
        return self.runs[max(0, place - 1)]

    def wall(self, at: float) -> float:
        return min(max(0.0, at + last_of(self._steps, at, 0.0)), LATEST)

    def at(self, wall: float) -> float:
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

    @cached_property
    def cards(self) -> Sequence[tuple[float, Sequence[Card]]]:
        """The same object as long as they stay so."""
        lists: list[tuple[float, Sequence[Card]]] = []
        for at, cards in self.turns(Turn.CARDS, Sequence[Card]):
            same = lists and lists[-1][1] == cards
            lists.append((at, lists[-1][1] if same else cards))
        return lists

    @cached_property
    def topologies(self) -> Sequence[tuple[float, Topology]]:
        return self.turns(Turn.TOPOLOGY, Topology)

    @cached_property
    def happenings(self) -> Sequence[Happening]:
        columns = "id, at, wall, kind, card, sentence, about, lasted"
        rows = self._file.whole(columns, "happening", MOST_HAPPENINGS)
        found = [each for row in rows if (each := _happening(row)) is not None]
        self._file.damaged |= len(found) < len(rows)
        return sorted(found, key=lambda happening: happening.at)

    def users(self, card: CardId, since: float, at: float) -> object:
        """What was told last from `since` to `at` of who uses a card."""
        turns = self._turns.get(Turn.PROCESSES, [])
        place = bisect_right(turns, at, key=lambda turn: turn[0])
        if not place or turns[place - 1][0] < since:
            return None
        text = turns[place - 1][1]
        # Every card is asked for at the same moment.
        known, users = self._users
        if known != text:
            users = self._value(text)
            self._users = text, users
        return users.get(card) if isinstance(users, dict) else None

    # Any: as in `turns`.
    def _value(self, text: str, of: Any = None) -> Any:
        """None where it cannot be read."""
        try:
            return json_of(text) if of is None else value_of(of, text)
        except UNREADABLE:
            self._file.damaged = True
            return None

    def _read_runs(self, newest: Callable[[float], float]) -> Sequence[Run]:
        rows: list[Row] = []
        for row in self._file.whole("id, began, ended, writer, machine", "run", _MOST_RUNS):
            match row:
                case (int(), float(began), _, str(), str()) if is_time(began):
                    rows.append(row)
                case _:
                    self._file.damaged = True
        if not rows:
            return ()
        rows.sort(key=lambda row: row[1])
        before = [*(row[1] for row in rows[1:]), LATEST][: len(rows)]
        runs = list(self._runs(rows, before, newest))
        if not runs[-1].whole:
            self.being_written = self._is_written(rows[-1][3])
        return runs

    def _runs(
        self, rows: Sequence[Row], before: Sequence[float], newest: Callable[[float], float]
    ) -> Iterator[Run]:
        failed = dict(self.turns(Turn.FAILED, Message))
        for (number, began, ended, _, text), end in zip(rows, before, strict=True):
            try:
                machine = value_of(Machine, text)
            except UnreadableError:
                self._file.damaged = True
                machine = _UNKNOWN
            whole = isinstance(ended, float) and began <= ended <= end
            signs = [] if whole else [_latest(each, end) for each in self._turns.values()]
            last = ended if whole else max(began, newest(end), *signs)
            yield Run(number, began, last, whole, machine, failed.get(last))

    def _is_written(self, writer: str) -> bool:
        try:
            known = value_of(Writer, writer)
            process = psutil.Process(known.pid)
            if abs(process.create_time() - known.started_at) < _SAME_START:
                return True
        except (UnreadableError, psutil.Error, ValueError, OverflowError):
            pass
        path = self._file.path
        log = path.with_name(f"{path.name}-wal")
        try:
            written = [each.stat().st_mtime for each in (path, log) if each.exists()]
        except OSError:
            return False
        return any(abs(time.time() - each) < _JUST_NOW for each in written)


def last_of(turns: Sequence[tuple[float, Told]], at: float, otherwise: Told) -> Told:
    """What was told last at that moment."""
    place = bisect_right(turns, at, key=lambda turn: turn[0])
    return turns[place - 1][1] if place else otherwise


def _latest(turns: Sequence[tuple[float, str]], before: float) -> float:
    place = bisect_right(turns, before, key=lambda turn: turn[0])
    return turns[place - 1][0] if place else 0.0


def _happening(row: Row) -> Happening | None:
    match row:
        case (
            _,
            float(at),
            float(wall),
            str(kind),
            card,
            str(sentence),
            str(about),
            lasted,
        ) if (
            is_time(at)
            and is_time(wall)
            and kind in tuple(Kind)
            and isinstance(card, str | None)
            and (lasted is None or is_time(lasted))
        ):
            try:
                said = value_of(Message, sentence)
            except UnreadableError:
                return None
            named = None if card is None else CardId(clean(card))
            return Happening(at, wall, Kind(kind), named, said, clean(about), lasted)
    return None
