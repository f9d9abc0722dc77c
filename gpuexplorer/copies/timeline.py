"""Timeline: what host and cards did in the cells of a session, laid one after another."""

import math
from array import array
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.lane import Bar, Lane
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Span
from gpuexplorer.lab.ledger import Cell, Ledger

Whose = tuple[str, str]  # a device's name, and its card's UUID where that is known


class Engine(StrEnum):
    """What of a device was at work."""

    PYTHON = "Python"  # of the host: its own work, and the calls in which it waited
    COMPUTE = "compute"
    COPY_IN = "copy in"
    COPY_OUT = "copy out"
    WAIT = "wait"  # of a card, for another or for an event


@dataclass(frozen=True, slots=True)
class Track:
    """One engine of one device."""

    device: str  # as its worker named it
    engine: Engine
    card: str = ""  # its UUID: another worker may give it another name

    @property
    def whose(self) -> Whose:
        return self.device, self.card


class Role(StrEnum):
    """What a stretch is."""

    RUNS = "runs"  # Python's own work, or kernels
    COPIES = "copies"  # or arrives, at the target
    CALLS = "calls"  # the host asked for a copy
    WAITS = "waits"


@dataclass(frozen=True, slots=True)
class Item:
    """What stands behind a stretch of a lane."""

    role: Role
    place: int  # in the timeline's places
    row: int | None = None  # the copy's number in the book
    waits_for: str = ""
    why: str = ""  # "pageable, blocking"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a run of a cell lies on the axis."""

    cell: int  # its number
    command: int
    code: str
    begin: float
    end: float


class Timeline:
    """One axis in seconds: the pauses a person makes between two cells are left out.

    Taking in costs what is new; what is asked of a stretch does not grow with the session.
    """

    def __init__(self) -> None:
        self._forget(None)

    def _forget(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._lanes: dict[Track, Lane] = {}
        self._items: dict[Track, list[Item]] = {}
        self._places: list[Place] = []
        self._begins = array("d")
        self._place_of: dict[int, Place] = {}  # of a cell's last run, by its command
        self._at = 0
        self.modelled = False  # some of its times are
        self.length = 0.0

    def take(self, ledger: Ledger, book: CopyBook) -> bool:
        """Whether any cell is over that was not; the book must have taken them. Of another
        ledger all is taken anew.
        """
        if ledger is not self._ledger:
            self._forget(ledger)
        before = self._at
        while self._at < len(ledger.begun):
            cell, run = ledger.begun[self._at]
            again = cell.runs > run
            if cell.state in ("waiting", "running") and not again:
                break
            self._at += 1
            if cell.number and not again:  # the imports of cell 0 are nobody's work
                self._add(cell, book.of_cell(cell.number))
        return self._at > before

    @property
    def tracks(self) -> Sequence[Track]:
        """Those in which there is something: the host's, then each card's in order."""
        order = list(Engine)
        return sorted(
            self._lanes,
            key=lambda each: (*_rank(each.device), each.card, order.index(each.engine)),
        )

    @property
    def devices(self) -> Sequence[Whose]:
        return list(dict.fromkeys(each.whose for each in self.tracks))

    @property
    def places(self) -> Sequence[Place]:
        return self._places

    def lane(self, track: Track) -> Lane | None:
        return self._lanes.get(track)

    def item(self, track: Track, number: int) -> Item:
        return self._items[track][number]

    def at(self, track: Track, moment: float) -> tuple[Bar, Item] | None:
        """What covers the moment."""
        lane = self._lanes.get(track)
        number = None if lane is None else lane.at(moment)
        if lane is None or number is None:
            return None
        return lane.bar(number), self._items[track][number]

    def places_between(self, begin: float, end: float) -> Sequence[Place]:
        first = max(0, bisect_right(self._begins, begin) - 1)
        return self._places[first : bisect_right(self._begins, end)]

    def cell_of(self, row: CopyRow) -> Place | None:
        """None: the cell that copied it goes on yet."""
        return self._place_of.get(row.command)

    def place_of(self, row: CopyRow) -> tuple[float, float] | None:
        """From the first byte to the last; None where nobody knows."""
        at, times = self.cell_of(row), _stretch(row)
        return (
            None if at is None or times is None else (at.begin + times[0], at.begin + times[1])
        )

    def under_way(self, moment: float) -> Sequence[int]:
        """The numbers of the copies that travel then, by which a picture follows the axis."""
        found = []
        for track in self._lanes:
            if track.engine in (Engine.COPY_IN, Engine.COPY_OUT):
                seen = self.at(track, moment)
                if seen is not None and seen[1].row is not None:
                    found.append(seen[1].row)
        return sorted(set(found))

    def overlapped(self, whose: Whose, begin: float, end: float) -> float | None:
        """Which share of its copying a card spent beside its computing; None: no copies."""
        lanes = [
            self._lanes[track]
            for engine in (Engine.COPY_IN, Engine.COPY_OUT)
            if (track := Track(whose[0], engine, whose[1])) in self._lanes
        ]
        copied = sum(each.busy_between(begin, end) for each in lanes)
        beside = sum(each.beside_between(begin, end) for each in lanes)
        return min(1.0, beside / copied) if copied > 0.0 else None

    def _add(self, cell: Cell, rows: Sequence[CopyRow]) -> None:
        place = len(self._places)
        computing: dict[str, list[Span]] = {}
        for span in cell.spans:
            if not span.waits_for:
                computing.setdefault(span.device, []).append(span)
        at, length = self.length, _length(cell, rows)
        for device, spans in computing.items():
            card = _card(cell, device)
            for span in sorted(spans, key=lambda each: each.begin):
                item, track = Item(Role.RUNS, place), Track(device, Engine.COMPUTE, card)
                self._put(track, at, span.begin, span.end, span.busy, span.count, item)
        self._add_copies(at, place, rows, computing)
        for span in sorted(cell.spans, key=lambda each: each.begin):
            if span.waits_for and span.device != HOST:
                item = Item(Role.WAITS, place, None, span.waits_for, span.why)
                track = Track(span.device, Engine.WAIT, _card(cell, span.device))
                self._put(track, at, span.begin, span.end, span.busy, span.count, item)
        self._add_host(at, place, cell, rows)
        self._places.append(Place(cell.number, cell.id, cell.code, at, at + length))
        self._place_of[cell.id] = self._places[-1]
        self._begins.append(at)
        self.length = at + length
        self.modelled = self.modelled or any(row.modelled for row in rows)
        self.modelled = self.modelled or bool(cell.finished and cell.finished.modelled)

    def _add_copies(
        self,
        at: float,
        place: int,
        rows: Sequence[CopyRow],
        computing: dict[str, list[Span]],
    ) -> None:
        timed = [(times, row) for row in rows if (times := _stretch(row)) is not None]
        for (begin, end), row in sorted(timed, key=lambda each: each[0]):
            busy = min(end - begin, row.device_seconds or 0.0)
            item = Item(Role.COPIES, place, row.number)
            ends = ((row.source, Engine.COPY_OUT), (row.target, Engine.COPY_IN))
            for device, engine in ends:
                if device != HOST:
                    beside = _covered(begin, end, computing.get(device, ()))
                    share = beside / (end - begin) if end > begin else 0.0
                    track = Track(device, engine, row.card(device))
                    self._put(track, at, begin, end, busy, row.copies, item, share * busy)

    def _add_host(self, at: float, place: int, cell: Cell, rows: Sequence[CopyRow]) -> None:
        """Its calls and its waits, and between them Python's own work."""
        held: list[tuple[float, float, float, int, Item]] = []
        for row in rows:
            if row.asked_at is None or row.host_seconds is None or row.already_there:
                continue
            end = row.asked_at + row.host_seconds
            if row.copies > 1 and row.end is not None:
                end = max(end, row.end)
            held.append((row.asked_at, end, row.host_seconds, row.copies, _call_of(row, place)))
        for span in cell.spans:
            if span.waits_for and span.device == HOST:
                item = Item(Role.WAITS, place, None, span.waits_for, span.why)
                held.append((span.begin, span.end, span.busy, span.count, item))
        track = Track(HOST, Engine.PYTHON)
        free = 0.0
        for begin, end, busy, count, item in sorted(held, key=lambda each: each[:2]):
            if begin > free:
                self._put(track, at, free, begin, begin - free, 1, Item(Role.RUNS, place))
            self._put(track, at, begin, end, busy, count, item)
            free = max(free, end)
        seconds = 0.0 if cell.finished is None else cell.finished.host_seconds
        if seconds > free:
            self._put(track, at, free, seconds, seconds - free, 1, Item(Role.RUNS, place))

    def _put(
        self,
        track: Track,
        at: float,
        begin: float,
        end: float,
        busy: float,
        count: int,
        item: Item,
        beside: float = 0.0,
    ) -> None:
        if not math.isfinite(begin + end + busy + beside):
            return  # nobody knows when
        lane = self._lanes.setdefault(track, Lane())
        lane.add(at + begin, at + end, busy, count, beside)
        self._items.setdefault(track, []).append(item)


def _card(cell: Cell, device: str) -> str:
    return cell.cards.get(device, "")


def _rank(device: str) -> tuple[int, int, str]:
    number = device.rpartition(":")[2]
    return device != HOST, int(number) if number.isdigit() else 0, device


def _stretch(row: CopyRow) -> tuple[float, float] | None:
    """Since the cell's beginning. What the card was not asked for is placed by the host."""
    if row.already_there:
        return None
    begin, end = row.begin, row.end
    if begin is None or end is None:
        if row.asked_at is None or row.host_seconds is None:
            return None
        begin, end = row.asked_at, row.asked_at + row.host_seconds
    return (begin, max(begin, end)) if math.isfinite(begin + end) else None


def _call_of(row: CopyRow, place: int) -> Item:
    if not row.blocking:
        return Item(Role.CALLS, place, row.number)
    card = row.target if row.source == HOST else row.source
    why = Message("blocking")
    if row.host_side:
        why = Message("{memory}, blocking", memory=row.host_side)
    return Item(Role.WAITS, place, row.number, card, why)


def _length(cell: Cell, rows: Sequence[CopyRow]) -> float:
    finished = cell.finished
    ends = [0.0]
    if finished is not None:
        ends += [finished.host_seconds, finished.device_seconds or 0.0]
    ends += [times[1] for row in rows if (times := _stretch(row)) is not None]
    ends += [span.end for span in cell.spans]
    return max(filter(math.isfinite, ends))


def _covered(begin: float, end: float, spans: Sequence[Span]) -> float:
    """Seconds of a stretch in which something was computed."""
    total = 0.0
    for span in spans:
        seen = min(end, span.end) - max(begin, span.begin)
        if seen > 0.0:
            total += seen * min(1.0, span.busy / (span.end - span.begin))
    return total
