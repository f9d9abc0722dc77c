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
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core import trace_format
from gpuexplorer.core.trace_format import nanoseconds
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.lab.ledger import Cell, Ledger

_PIECE = 500  # events
_THREADS_OF_ENGINE = 1000  # where stretches of one engine overlap, they get rows of their own
_LONGEST = 80  # letters of a line of code
Whose = tuple[str, str]  # a device's name, and its card's UUID where that is known
Stretch = tuple[float, float]
Numbers = NDArray[np.float64]
Counts = NDArray[np.int64]


class Engine(StrEnum):
    """What of a device was at work."""

    PYTHON = mark("Python")  # of the host: its own work, and the calls in which it waited
    COMPUTE = mark("compute")
    WAIT = mark("wait")  # of a card, for another or for an event
    COPY_IN = mark("copy in")
    COPY_OUT = mark("copy out")


COPYING = (Engine.COPY_IN, Engine.COPY_OUT)


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


class Place(NamedTuple):
    """Where a run of a cell lies on the axis."""

    cell: int  # its number
    code: str
    begin: float
    end: float

    @property
    def seconds(self) -> float:
        return self.end - self.begin

    @property
    def line(self) -> str:
        """Its first line, as much as one reads at a glance."""
        code = self.code.partition("\n")[0]
        return code if len(code) <= _LONGEST else f"{code[:_LONGEST]}…"


class Item(NamedTuple):
    """What stands behind a stretch of a lane."""

    role: Role
    place: Place
    row: int | None = None  # the copy's number in the book
    waits_for: str = ""
    why: str = ""  # "pageable, blocking"


class Bar(NamedTuple):
    """One stretch."""

    begin: float
    end: float
    busy: float  # seconds of it in which there was something, at most its length
    times: int  # what it is made of: copies, kernels, calls
    item: Item


class Fold(NamedTuple):
    """Stretches to be drawn, as columns: those that begin within one pixel are one row."""

    begins: Numbers
    ends: Numbers
    longest: Counts  # its number in the lane
    least: Counts  # of their marks
    most: Counts
    paused: NDArray[np.bool_]  # most of the time


class Lane:
    """Stretches come in the order of their beginnings; they may overlap."""

    def __init__(self) -> None:
        self.items: list[Item] = []
        self.marks = array("H")  # of each item, by whoever wants to see a fold
        self._numbers = array("d")  # of one after another

    def add(self, begin: float, end: float, busy: float, times: int, item: Item) -> None:
        """What begins before the last one did is taken to begin with it."""
        if math.isfinite(begin + end + busy):  # else nobody knows when
            begin = max(begin, self._numbers[-4] if self.items else 0.0)
            self._numbers.extend((begin, max(begin, end), busy, times))
            self.items.append(item)

    def bar(self, number: int) -> Bar:
        begin, end, busy, times = self._numbers[4 * number : 4 * number + 4]
        return Bar(begin, end, busy, int(times), self.items[number])

    def visible(self, begin: float, end: float, pixels: int) -> Fold:
        """What is to be drawn of a stretch that is so many pixels wide: at most about that many
        bars, however much there is.
        """
        at, (begins, ends, busy, times) = self.between(begin, end)
        # Pixels lie where they lie, wherever the picture begins, so that nothing flickers.
        pixel = (end - begin) / max(1, pixels)
        first = np.flatnonzero(np.diff(begins // pixel, prepend=-1.0))
        last = np.maximum.reduceat(ends, first)
        reaching = np.flatnonzero(ends == np.repeat(last, np.diff(first, append=ends.size)))
        paused = np.add.reduceat(busy, first) < (last - begins[first]) / 2
        marks = np.asarray(self.marks)[at : at + ends.size].astype(np.int64)
        return Fold(
            begins[first],
            last,
            at + reaching[reaching.searchsorted(first)],
            np.minimum.reduceat(marks, first),
            np.maximum.reduceat(marks, first),
            paused & (np.add.reduceat(times, first) > 1),
        )

    def at(self, moment: float) -> Bar | None:
        """The latest that covers the moment."""
        at, (_, ends, *_) = self.between(moment, moment)
        there = np.flatnonzero(ends >= moment)
        return self.bar(at + int(there[-1])) if there.size else None

    def between(self, begin: float, end: float) -> tuple[int, Numbers]:
        """The number of the first that reaches into it; from there begins, ends, busy seconds
        and times. What numpy looks into cannot grow: they must not outlive the call.
        """
        columns = np.asarray(self._numbers).reshape(-1, 4).T
        stop = int(columns[0].searchsorted(end, "right"))
        at = int(np.append(columns[1, :stop] >= begin, True).argmax())
        return at, columns[:, at:stop]


class Timeline:
    """One axis in seconds: the pauses a person makes between two cells are left out.

    Taking in costs what is new; what is asked of a stretch does not grow with the session.
    """

    def __init__(self) -> None:
        self._forget(None)

    def _forget(self, ledger: Ledger | None) -> None:
        self._ledger = ledger
        self._lanes = defaultdict[Track, Lane](Lane)
        self.places: list[Place] = []
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

        def order(track: Track) -> tuple[object, ...]:
            number = track.device.rpartition(":")[2]
            rank = int(number) if number.isdigit() else 0
            return track.device != HOST, rank, *track.whose, [*Engine].index(track.engine)

        return sorted((track for track, lane in self._lanes.items() if lane.items), key=order)

    @property
    def devices(self) -> Sequence[Whose]:
        return list(dict.fromkeys(each.whose for each in self.tracks))

    def lane(self, track: Track) -> Lane:
        """Empty where it did nothing."""
        return self._lanes.get(track) or Lane()

    def places_between(self, begin: float, end: float) -> Sequence[Place]:
        begins = attrgetter("begin")
        first = max(0, bisect_right(self.places, begin, key=begins) - 1)
        return self.places[first : bisect_right(self.places, end, key=begins)]

    def cell_of(self, row: CopyRow) -> Place | None:
        """None: the cell that copied it goes on yet."""
        return self._place_of.get(row.command)

    def place_of(self, row: CopyRow) -> Stretch | None:
        """From the first byte to the last; None where nobody knows."""
        at, times = self.cell_of(row), _stretch(row)
        if at is None or times is None:
            return None
        return at.begin + times[0], at.begin + times[1]

    def under_way(self, moment: float) -> Sequence[int]:
        """The numbers of the copies that travel then, by which a picture follows the axis."""
        lanes = [lane for track, lane in self._lanes.items() if track.engine in COPYING]
        found = {bar.item.row for lane in lanes if (bar := lane.at(moment)) is not None}
        return sorted(row for row in found if row is not None)

    def overlapped(self, whose: Whose, begin: float, end: float) -> float | None:
        """Which share of its copying a card spent beside its computing; None: no copies."""
        computing = self.lane(Track(whose[0], Engine.COMPUTE, whose[1]))
        _, (begins, ends, busy, _) = computing.between(begin, end)
        moments = np.maximum.accumulate(np.append(0.0, np.stack((begins, ends), 1)))
        # For how long it had computed by then.
        computed = np.append(0.0, np.stack((busy.cumsum() - busy, busy.cumsum()), 1))
        copied = beside = 0.0
        for engine in COPYING:
            copying = self.lane(Track(whose[0], engine, whose[1]))
            _, (begins, ends, busy, _) = copying.between(begin, end)
            first, last = np.clip((begins, ends), begin, end)
            density = busy / np.maximum(ends - begins, 1e-15)
            both = np.interp(last, moments, computed) - np.interp(first, moments, computed)
            copied += float(np.sum(density * (last - first)))
            beside += float(np.sum(density * both))
        return min(1.0, beside / copied) if copied > 0.0 else None

    def _add(self, cell: Cell, rows: Sequence[CopyRow]) -> None:
        at, done = self.length, cell.finished
        timed = [(known, row) for row in rows if (known := _stretch(row)) is not None]
        ends = [0.0, *(times[1] for times, _ in timed), *(span.end for span in cell.spans)]
        if done is not None:
            ends += [done.host_seconds, done.device_seconds or 0.0]
        self.length = at + max(filter(math.isfinite, ends))
        place = Place(cell.number, cell.code, at, self.length)
        self.places.append(place)
        self._place_of[cell.id] = place
        for span in sorted(cell.spans, key=lambda each: each.begin):
            engine, item = Engine.COMPUTE, Item(Role.RUNS, place)
            if span.waits_for:
                engine = Engine.WAIT
                item = Item(Role.WAITS, place, None, span.waits_for, span.why)
            if not span.waits_for or span.device != HOST:
                lane = self._lanes[Track(span.device, engine, cell.cards.get(span.device, ""))]
                lane.add(at + span.begin, at + span.end, span.busy, span.count, item)
        for (begin, end), row in sorted(timed, key=lambda each: each[0]):
            item = Item(Role.COPIES, place, row.number)
            busy = min(end - begin, row.seconds or 0.0)
            for device, engine in ((row.source, Engine.COPY_OUT), (row.target, Engine.COPY_IN)):
                if device != HOST:
                    lane = self._lanes[Track(device, engine, row.card(device))]
                    lane.add(at + begin, at + end, busy, row.copies, item)
        for bar in _of_host(place, cell, rows):
            self._lanes[Track(HOST, Engine.PYTHON)].add(*bar)
        self.modelled |= any(row.modelled for row in rows) or bool(done and done.modelled)


def _of_host(place: Place, cell: Cell, rows: Sequence[CopyRow]) -> Iterator[Bar]:
    """Its calls and its waits, and between them Python's own work."""
    at, held = place.begin, list[Bar]()
    for row in rows:
        if row.asked_at is None or row.host_seconds is None or row.already_there:
            continue
        begin, end = row.asked_at, row.asked_at + row.host_seconds
        if row.copies > 1 and row.end is not None:
            end = max(end, row.end)
        item = Item(Role.CALLS, place, row.number)
        if row.blocking:
            why = Message("{memory}, blocking", memory=row.host_side)
            why = why if row.host_side else Message("blocking")
            item = Item(Role.WAITS, place, row.number, "", why)
        held.append(Bar(at + begin, at + end, row.host_seconds, row.copies, item))
    for span in cell.spans:
        if span.waits_for and span.device == HOST:
            item = Item(Role.WAITS, place, None, span.waits_for, span.why)
            held.append(Bar(at + span.begin, at + span.end, span.busy, span.count, item))
    free, runs = at, Item(Role.RUNS, place)
    for bar in sorted(held, key=lambda each: each[:2]):
        if bar.begin > free:
            yield Bar(free, bar.begin, bar.begin - free, 1, runs)
        yield bar
        free = max(free, bar.end)
    until = at if cell.finished is None else at + cell.finished.host_seconds
    if until > free:
        yield Bar(free, until, until - free, 1, runs)


def _stretch(row: CopyRow) -> Stretch | None:
    """Since the cell's beginning. What the card was not asked for is placed by the host."""
    begin, end = row.begin, row.end
    if begin is None or end is None:
        begin, end = row.asked_at, row.host_seconds
        if begin is None or end is None:
            return None
        end += begin
    if row.already_there or not math.isfinite(begin + end):
        return None
    return begin, max(begin, end)


def words_of(track: Track, bar: Bar, book: CopyBook) -> str:
    """What it is: "Z to cuda:1", "asks for Z", "waits for cuda:0: synchronize"."""
    item, several = bar.item, f" ×{bar.times}" if bar.times > 1 else ""
    copy = None if item.row is None else book.rows[item.row]
    if item.role is Role.WAITS:
        about = _called(item.waits_for) if copy is None else copy.short + several
        if item.why:
            return tr("waits for {what}: {why}", what=about, why=item.why)
        return tr("waits for {what}", what=about)
    if copy is None:
        return item.place.line
    what = copy.short + several
    if item.role is Role.CALLS:
        return tr("asks for {what}", what=what)
    if track.engine is Engine.COPY_IN and copy.source != HOST:
        return tr("{what} arrives", what=what)
    what = tr("{what} to {target}", what=what, target=_called(copy.target))
    if copy.direct is False:
        return tr("{copy} through the host", copy=what)
    if copy.pinned is False and not copy.small:
        return tr("{copy} through a buffer of the driver", copy=what)
    return what


def _called(device: str) -> str:
    return tr("the host") if device == HOST else device


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
    ends: dict[tuple[Track, int], tuple[Bar, trace_format.Place]] = {}
    told: list[str] = []
    processes = {whose: number for number, whose in enumerate(timeline.devices, 1)}
    for (device, card), process in processes.items():
        called = "host" if device == HOST else device
        name = f"{called} {(names or {}).get(card or device, '')}".rstrip()
        told += trace_format.named_process(process, name)
    for track in timeline.tracks:
        process = processes[track.whose]
        thread = [*Engine].index(track.engine) * _THREADS_OF_ENGINE + 1
        lane, rows = timeline.lane(track), trace_format.FreeRows()
        for bar in map(lane.bar, range(len(lane.items))):
            begin, end = nanoseconds(bar.begin), nanoseconds(bar.end)
            place = process, thread + rows.row(begin, end)
            words, args = words_of(track, bar, book), _args(bar, book)
            text = trace_format.slice_text(words, bar.item.role, place, begin, end, args)
            events.append((begin, 0, text))
            if bar.item.row is not None:
                ends.setdefault((track, bar.item.row), (bar, place))
        for row in range(len(rows)):
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
        ends += [known[track, copy.number]] if (track, copy.number) in known else []
    if len(ends) < 2:
        return
    # The host had asked and gone on before the card began: the arrow tells the asking.
    if copy.target == HOST and ends[1][0].end <= ends[0][0].begin:
        ends.reverse()
    (first, leaving), (last, arriving) = ends
    # Both lie within their stretches, and the arrow does not go back in time. At its end the
    # next stretch of a row may have begun.
    leaves, begins = nanoseconds(first.begin), nanoseconds(last.begin)
    arrives = max(leaves, begins)
    if arrives < max(begins + 1, nanoseconds(last.end)):
        number, text = copy.number + 1, trace_format.flow_text
        yield leaves, 1, text("s", copy.what, "copy", number, leaving, leaves)
        yield arrives, 2, text("f", copy.what, "copy", number, arriving, arrives)


def _args(bar: Bar, book: CopyBook) -> Mapping[str, object]:
    args: dict[str, object] = {"cell": bar.item.place.cell}
    if bar.times > 1:
        args |= {"count": bar.times, "busy_s": bar.busy}
    if bar.item.row is None:
        return args
    copy = book.rows[bar.item.row]
    more = {
        "code": f"{copy.place}: {copy.code}",
        "from": copy.source,
        "to": copy.target,
        "bytes": copy.bytes,
        "asked_for": copy.asked,
        "modelled": copy.modelled,
        "rate_gbs": None if copy.rate is None else copy.rate / 1e9,
        "path": copy.path or None,
        "host_memory": copy.host_side or None,
        "intact": copy.intact,
    }
    return args | {name: each for name, each in more.items() if each is not None}
