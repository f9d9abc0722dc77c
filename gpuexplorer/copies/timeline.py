"""Timeline: what host and cards did in the cells of a session, laid one after another, each
engine in a lane of its own that is found through quickly among very much; and the same as a
trace that Perfetto and Chrome open.
"""

import math
from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core import trace_format
from gpuexplorer.core.trace_format import nanoseconds
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Span
from gpuexplorer.lab.ledger import Cell, Ledger

_PIECE = 500  # events
_THREADS_OF_ENGINE = 1000  # where stretches of one engine overlap, they get rows of their own
Whose = tuple[str, str]  # a device's name, and its card's UUID where that is known
Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


class Bar(NamedTuple):
    """One stretch."""

    begin: float
    end: float
    busy: float  # seconds of it in which there was something, at most its length
    times: int  # what it is made of: copies, kernels, calls
    item: int  # its number in its lane


class Fold(NamedTuple):
    """Stretches to be drawn, as columns: those that begin within one pixel are one row."""

    begins: Numbers
    ends: Numbers
    busy: Numbers
    times: Counts
    first: Counts  # the number of the first in its lane
    after: Counts  # and that of the next row's


class Lane:
    """Stretches come in the order of their beginnings; they may overlap."""

    def __init__(self) -> None:
        # Where each begins and ends, how long it is busy, of how many, and beside computing.
        self._columns = tuple(array("d") for _ in range(5))

    def __len__(self) -> int:
        return len(self._columns[0])

    def _seen(self) -> Iterator[Numbers]:
        """Arrays that numpy looks into cannot grow: these must not outlive the call."""
        return map(np.asarray, self._columns)

    def add(
        self, begin: float, end: float, busy: float, count: int = 1, beside: float = 0.0
    ) -> None:
        """What begins before the last one did is taken to begin with it."""
        begin = max(begin, self._columns[0][-1] if len(self) else 0.0)
        values = begin, max(begin, end), busy, count, beside
        for column, value in zip(self._columns, values, strict=True):
            column.append(value)

    def bar(self, item: int) -> Bar:
        begin, end, busy, count, _ = (column[item] for column in self._columns)
        return Bar(begin, end, busy, int(count), item)

    def visible(self, begin: float, end: float, pixels: int) -> Fold:
        """What is to be drawn of a stretch that is so many pixels wide: at most about that many
        bars, however much there is.
        """
        begins, ends, busy, counts, _ = self._seen()
        cell, stop = (end - begin) / max(1, pixels), int(begins.searchsorted(end))
        at = int(np.argmax(ends[:stop] > begin)) if np.any(ends[:stop] > begin) else stop
        first = np.arange(at, stop)
        if first.size > pixels // 4 and cell > 0.0:
            # Cells lie where they lie, wherever the picture begins, so that nothing flickers.
            edges = (begin // cell + np.arange(1, pixels + 2)) * cell
            first = np.unique(np.append(at, begins.searchsorted(edges)))
            first = first[first < stop]
        if not first.size:
            return Fold(*(np.zeros(0),) * 3, *(np.zeros(0, np.int64),) * 3)
        return Fold(
            begins[first],
            np.maximum.reduceat(ends[:stop], first),
            np.add.reduceat(busy[:stop], first),
            np.add.reduceat(counts[:stop], first).astype(np.int64),
            first,
            np.append(first[1:], stop),
        )

    def longest(self, first: int, after: int) -> int:
        """The number of the longest among these."""
        begins, ends, *_ = self._seen()
        return first + int((ends - begins)[first:after].argmax())

    def at(self, moment: float) -> int | None:
        """The number of the latest that covers the moment."""
        begins, ends, *_ = self._seen()
        there = np.flatnonzero((begins <= moment) & (ends >= moment))
        return int(there[-1]) if there.size else None

    def busy_between(self, begin: float, end: float) -> tuple[float, float]:
        """Seconds, and those of them beside a computation; what only reaches into the stretch
        counts in part.
        """
        begins, ends, busy, _, beside = self._seen()
        seen = np.minimum(ends, end) - np.maximum(begins, begin)
        shares = np.clip(seen / np.maximum(ends - begins, 1e-15), 0.0, 1.0)
        return float(shares @ busy), float(shares @ beside)


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
        order = [*Engine]
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

    def stretches(self, track: Track) -> Iterator[tuple[Bar, Item]]:
        lane, items = self._lanes[track], self._items[track]
        return ((lane.bar(at), item) for at, item in enumerate(items))

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
        if at is None or times is None:
            return None
        return at.begin + times[0], at.begin + times[1]

    def under_way(self, moment: float) -> Sequence[int]:
        """The numbers of the copies that travel then, by which a picture follows the axis."""
        copying = (track for track in self._lanes if track.engine in _COPYING)
        seen = [found[1].row for track in copying if (found := self.at(track, moment))]
        return sorted({row for row in seen if row is not None})

    def overlapped(self, whose: Whose, begin: float, end: float) -> float | None:
        """Which share of its copying a card spent beside its computing; None: no copies."""
        busy = [
            lane.busy_between(begin, end)
            for track, lane in self._lanes.items()
            if track.whose == whose and track.engine in _COPYING
        ]
        copied, beside = (sum(each[at] for each in busy) for at in (0, 1))
        return min(1.0, beside / copied) if copied > 0.0 else None

    def _add(self, cell: Cell, rows: Sequence[CopyRow]) -> None:
        place, at, done = len(self._places), self.length, cell.finished
        length = _length(cell, rows)
        put = partial(self._put, at)
        computing = defaultdict[str, list[Span]](list)
        for span in sorted(cell.spans, key=lambda each: each.begin):
            times, card = (span.begin, span.end), cell.cards.get(span.device, "")
            if not span.waits_for:
                computing[span.device].append(span)
                track, item = Track(span.device, Engine.COMPUTE, card), Item(Role.RUNS, place)
                put(track, times, span.busy, span.count, item)
            elif span.device != HOST:
                item = Item(Role.WAITS, place, None, span.waits_for, span.why)
                put(Track(span.device, Engine.WAIT, card), times, span.busy, span.count, item)
        timed = [(known, row) for row in rows if (known := _stretch(row)) is not None]
        for times, row in sorted(timed, key=lambda each: each[0]):
            long = times[1] - times[0]
            busy, item = min(long, row.seconds or 0.0), Item(Role.COPIES, place, row.number)
            for device, engine in ((row.source, Engine.COPY_OUT), (row.target, Engine.COPY_IN)):
                if device != HOST:
                    covered = _covered(*times, computing[device]) / long if long else 0.0
                    track = Track(device, engine, row.card(device))
                    put(track, times, busy, row.copies, item, covered * busy)
        for stretch in _of_host(place, cell, rows):
            put(Track(HOST, Engine.PYTHON), *stretch)
        self._places.append(Place(cell.number, cell.id, cell.code, at, at + length))
        self._place_of[cell.id] = self._places[-1]
        self._begins.append(at)
        self.length = at + length
        self.modelled |= any(row.modelled for row in rows) or bool(done and done.modelled)

    def _put(
        self,
        at: float,
        track: Track,
        times: tuple[float, float],
        busy: float,
        count: int,
        item: Item,
        beside: float = 0.0,
    ) -> None:
        if not math.isfinite(sum(times) + busy + beside):
            return  # nobody knows when
        lane = self._lanes.setdefault(track, Lane())
        lane.add(at + times[0], at + times[1], busy, count, beside)
        self._items.setdefault(track, []).append(item)


_COPYING = (Engine.COPY_IN, Engine.COPY_OUT)


def _of_host(
    place: int, cell: Cell, rows: Sequence[CopyRow]
) -> Iterator[tuple[tuple[float, float], float, int, Item]]:
    """Its calls and its waits, and between them Python's own work."""
    held: list[tuple[float, float, float, int, Item]] = []
    for row in rows:
        if row.asked_at is None or row.host_seconds is None or row.already_there:
            continue
        begin, end = row.asked_at, row.asked_at + row.host_seconds
        if row.copies > 1 and row.end is not None:
            end = max(end, row.end)
        held.append((begin, end, row.host_seconds, row.copies, _call_of(row, place)))
    for span in cell.spans:
        if span.waits_for and span.device == HOST:
            item = Item(Role.WAITS, place, None, span.waits_for, span.why)
            held.append((span.begin, span.end, span.busy, span.count, item))
    free, runs = 0.0, Item(Role.RUNS, place)
    for begin, end, busy, count, item in sorted(held, key=lambda each: each[:2]):
        if begin > free:
            yield (free, begin), begin - free, 1, runs
        yield (begin, end), busy, count, item
        free = max(free, end)
    seconds = 0.0 if cell.finished is None else cell.finished.host_seconds
    if seconds > free:
        yield (free, seconds), seconds - free, 1, runs


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


def trace_pieces(
    timeline: Timeline,
    book: CopyBook,
    *,
    simulated: bool,
    names: Mapping[str, str] | None = None,
    machine: str = "",
) -> Iterator[bytes]:
    """A file, whole when joined. `names` says what cards are called, by UUID or PyTorch's name;
    `machine` where it was, if not on this computer.

    Stretches of one row never overlap, and each flow has its two ends.
    """
    modelled = simulated or timeline.modelled
    about = {
        "simulated": simulated,
        "modelled": modelled,
        "axis": "the cells of the session one after another, without the pauses between them",
        "machine": machine,
        "note": "Times are modelled: no card was measured." if modelled else "",
    }
    yield trace_format.head({name: each for name, each in about.items() if each != ""}).encode()
    # By moment; what lies around begins first.
    events: list[tuple[int, int, str]] = []
    ends: dict[
        tuple[Track, int], tuple[Bar, trace_format.Place]
    ] = {}  # where each copy leaves and arrives
    told: list[str] = []
    for process, whose in enumerate(timeline.devices, 1):
        device, card = whose
        name = (names or {}).get(card or device)
        called = "host" if device == HOST else device
        called = f"{called} {name}" if name else called
        told += trace_format.named_process(process, called)
        for track in timeline.tracks:
            if track.whose != whose:
                continue
            thread = [*Engine].index(track.engine) * _THREADS_OF_ENGINE + 1
            rows = trace_format.FreeRows()
            for bar, item in timeline.stretches(track):
                begin, end = nanoseconds(bar.begin), nanoseconds(bar.end)
                place = process, thread + rows.row(begin, end)
                copy = None if item.row is None else book.rows[item.row]
                name = _name(timeline, track, item, copy, bar)
                args = _args(timeline, item, copy, bar)
                text = trace_format.slice_text(name, item.role, place, begin, end, args)
                events.append((begin, 0, text))
                if copy is not None:
                    ends.setdefault((track, copy.number), (bar, place))
            for row in range(max(1, len(rows))):
                name = f"{track.engine} ({row + 1})" if row else track.engine.value
                told += trace_format.named_thread(process, thread + row, name)
    for copy in book.rows:
        events += _flow(copy, ends)
    events.sort(key=lambda each: each[:2])
    told += [text for _, _, text in events]
    for at in range(0, len(told), _PIECE):
        yield trace_format.joined(told[at : at + _PIECE], begun=at > 0)
    yield trace_format.end().encode()


def _flow(
    copy: CopyRow, known: Mapping[tuple[Track, int], tuple[Bar, trace_format.Place]]
) -> Iterator[tuple[int, int, str]]:
    """From where a copy comes to where it goes; the host's end is its call."""
    ends = []
    for device, engine in ((copy.source, Engine.COPY_OUT), (copy.target, Engine.COPY_IN)):
        track = Track(device, Engine.PYTHON if device == HOST else engine, copy.card(device))
        if (end := known.get((track, copy.number))) is not None:
            ends.append(end)
    if len(ends) < 2:
        return
    # The host had asked and gone on before the card began: the arrow tells the asking.
    if copy.target == HOST and ends[1][0].end <= ends[0][0].begin:
        ends.reverse()
    (first, leaving), (last, arriving) = ends
    # Both lie within their stretches, and the arrow does not go back in time.
    leaves = max(nanoseconds(first.begin), min(nanoseconds(last.begin), _open_until(first)))
    arrives = max(nanoseconds(last.begin), min(leaves, _open_until(last)))
    if arrives >= leaves:
        number, text = copy.number + 1, trace_format.flow_text
        yield leaves, 1, text("s", copy.what, "copy", number, leaving, leaves)
        yield arrives, 2, text("f", copy.what, "copy", number, arriving, arrives)


def _name(timeline: Timeline, track: Track, item: Item, copy: CopyRow | None, bar: Bar) -> str:
    times = f" x{bar.times}" if bar.times > 1 else ""
    match item.role:
        case Role.COPIES if copy is not None:
            if track.engine is Engine.COPY_IN and copy.source != HOST:
                return f"{copy.what} arrives{times}"
            return f"{copy.what} to {_called(copy.target)}{times}"
        case Role.CALLS if copy is not None:
            return f"asks for {copy.what}{times}"
        case Role.WAITS:
            why = f": {item.why}" if item.why else ""
            return f"waits for {_called(item.waits_for)}{why}{times}"
        case _:
            return timeline.places[item.place].code.partition("\n")[0]


def _args(
    timeline: Timeline, item: Item, copy: CopyRow | None, bar: Bar
) -> Mapping[str, object]:
    args: dict[str, object] = {"cell": timeline.places[item.place].cell}
    if bar.times > 1:
        args |= {"count": bar.times, "busy_s": bar.busy}
    if copy is None:
        return args
    args |= {
        "code": f"{copy.place}: {copy.code}",
        "from": copy.source,
        "to": copy.target,
        "bytes": copy.bytes,
        "asked_for": copy.asked,
        "modelled": copy.modelled,
    }
    more = {
        "rate_gbs": None if copy.rate is None else copy.rate / 1e9,
        "path": copy.path or None,
        "host_memory": copy.host_side or None,
        "intact": copy.intact,
    }
    return args | {name: each for name, each in more.items() if each is not None}


def _called(device: str) -> str:
    return "the host" if device == HOST else device


def _open_until(bar: Bar) -> int:
    """The last moment of which a viewer takes the stretch to be open: at its end, the next one
    of the row may have begun.
    """
    return max(nanoseconds(bar.begin), nanoseconds(bar.end) - 1)
