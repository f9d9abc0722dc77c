"""Timeline: what host and cards did in the cells of a session, laid one after another, each
engine in a lane of its own that is found through quickly among very much; and the same as a
trace that Perfetto and Chrome open.
"""

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from enum import StrEnum
from operator import attrgetter
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core import trace_format
from gpuexplorer.core.trace_format import nanoseconds
from gpuexplorer.core.words import NOTHING, Message, mark, tr
from gpuexplorer.lab.ledger import Cell, Ledger

_PIECE = 500  # events
_THREADS_OF_ENGINE = 1000  # where stretches of one engine overlap, they get rows of their own
_LONGEST = 80  # letters of a line of code
Whose = tuple[str, str]  # a device's name, and its card's UUID where that is known
Stretch = tuple[float, float]
Numbers = NDArray[np.float64]


class Engine(StrEnum):
    """What of a device was at work."""

    PYTHON = mark("Python")  # of the host: its own work, and the calls in which it waited
    COMPUTE = mark("compute")
    WAIT = mark("wait")  # of a card, for another or for an event
    COPY_IN = mark("copy in")
    COPY_OUT = mark("copy out")


COPYING = (Engine.COPY_IN, Engine.COPY_OUT)


class Track(NamedTuple):
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
    def line(self) -> str:
        """Its first line, as much as one reads at a glance."""
        code = self.code.partition("\n")[0]
        return code if len(code) <= _LONGEST else f"{code[:_LONGEST]}…"


class Bar(NamedTuple):
    """One stretch of a lane, and what stands behind it."""

    begin: float
    end: float
    busy: float  # seconds of it in which there was something, at most its length
    times: int  # what it is made of: copies, kernels, calls
    role: Role
    place: Place
    row: int | None = None  # the copy's number in the book
    waits_for: str = ""
    why: str = ""  # "pageable, blocking"


class Fold(NamedTuple):
    """Stretches to be drawn, as columns: those that begin within one pixel are one row."""

    begins: Numbers
    ends: Numbers
    longest: NDArray[np.int64]  # its number in the lane
    least: NDArray[np.uint16]  # of their marks
    paused: NDArray[np.bool_]  # most of the time


class Lane:
    """Stretches come in the order of their beginnings; they may overlap."""

    def __init__(self) -> None:
        self.bars: list[Bar] = []
        self.marks = array("H")  # of each, by whoever wants to see a fold
        # Begins, ends, busy and computed seconds.
        self._columns = [array("d") for _ in range(4)]

    def add(self, bar: Bar, computed: float = 0.0) -> None:
        """What begins before the last one did is taken to begin with it. `computed`: for how
        much of its busy seconds the device computed beside it.
        """
        if self.bars and bar.begin < self.bars[-1].begin:
            begin = self.bars[-1].begin
            bar = bar._replace(begin=begin, end=max(begin, bar.end))
        for column, value in zip(self._columns, (*bar[:3], computed), strict=True):
            column.append(value)
        self.bars.append(bar)

    def visible(self, begin: float, end: float, pixels: int) -> Fold:
        """What is to be drawn of a stretch that is so many pixels wide: at most about that many
        bars, however much there is.
        """
        at, (begins, ends, busy, _) = self.between(begin, end)
        # Pixels lie where they lie, wherever the picture begins, so that nothing flickers.
        pixel = (end - begin) / max(1, pixels)
        edges = np.arange(begin // pixel, end // pixel + 1) * pixel
        first = np.append(0, begins.searchsorted(edges))
        first = first[(first < begins.size) & (np.diff(first, prepend=-1) > 0)]
        last, stops = np.maximum.reduceat(ends, first), np.append(first[1:], begins.size)
        length, longest = last - begins[first], first.copy()
        for each in np.flatnonzero((length > 2 * pixel) & (stops - first > 1)):
            longest[each] += ends[first[each] : stops[each]].argmax()
        least = np.minimum.reduceat(np.asarray(self.marks)[at : at + begins.size], first)
        paused = np.add.reduceat(busy, first) < length / 2
        return Fold(begins[first], last, at + longest, least, paused)

    def at(self, moment: float) -> Bar | None:
        """The latest that covers the moment."""
        at, (_, ends, *_) = self.between(moment, moment)
        there = np.flatnonzero(ends >= moment)
        return self.bars[at + int(there[-1])] if there.size else None

    def between(self, begin: float, end: float) -> tuple[int, Sequence[Numbers]]:
        """The number of the first that reaches into it; from there begins, ends, busy and
        computed seconds. What numpy looks into cannot grow: they must not outlive the call.
        """
        columns = [np.asarray(each) for each in self._columns]
        stop = int(columns[0].searchsorted(end, "right"))
        at = int(np.append(columns[1][:stop] >= begin, True).argmax())
        return at, [each[at:stop] for each in columns]


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
            device = track.device  # "cuda:10" comes after "cuda:2"
            at = [*Engine].index(track.engine)
            return device != HOST, len(device), device, track.card, at

        return sorted(self._lanes, key=order)

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
        found = {bar.row for lane in lanes if (bar := lane.at(moment)) is not None}
        return sorted(row for row in found if row is not None)

    def overlapped(self, whose: Whose, begin: float, end: float) -> float | None:
        """Which share of its copying a card spent beside its computing, of all copies that
        reach into this; None: no copies.
        """
        copied = beside = 0.0
        for engine in COPYING:
            lane = self.lane(Track(whose[0], engine, whose[1]))
            _, (_, _, busy, computed) = lane.between(begin, end)
            copied, beside = copied + float(busy.sum()), beside + float(computed.sum())
        return min(1.0, beside / copied) if copied else None

    def _add(self, cell: Cell, rows: Sequence[CopyRow]) -> None:
        at, done = self.length, cell.finished
        timed = [(known, row) for row in rows if (known := _stretch(row)) is not None]
        timed.sort(key=lambda each: each[0])
        over = [0.0, *(times[1] for times, _ in timed), *(span.end for span in cell.spans)]
        if done is not None:
            over += [done.host_seconds, done.device_seconds or 0.0]
        self.length = at + max(over)
        place = Place(cell.number, cell.code, at, self.length)
        self.places.append(place)
        self._place_of[cell.id] = place
        # Moments, and for how long each device had computed by then.
        computing = defaultdict[str, tuple[list[float], list[float]]](lambda: ([0.0], [0.0]))
        for span in sorted(cell.spans, key=attrgetter("begin")):
            device, times = span.device, (at + span.begin, at + span.end, span.busy, span.count)
            if not span.waits_for:
                bar, engine = Bar(*times, Role.RUNS, place), Engine.COMPUTE
                moments, sums = computing[device]
                moments += (span.begin, span.end)
                sums += (sums[-1], sums[-1] + span.busy)
            elif device != HOST:
                bar = Bar(*times, Role.WAITS, place, None, span.waits_for, span.why)
                engine = Engine.WAIT
            else:
                continue
            self._lanes[Track(device, engine, cell.cards.get(device, ""))].add(bar)
        # For how long each device computed while each copy travelled.
        ends = np.reshape([times for times, _ in timed], (-1, 2))
        computed = {
            device: np.diff(np.interp(ends, np.maximum.accumulate(moments), sums)).ravel()
            for device, (moments, sums) in computing.items()
        }
        for number, ((begin, end), row) in enumerate(timed):
            busy = min(end - begin, row.seconds or end - begin)
            bar = Bar(at + begin, at + end, busy, row.copies, Role.COPIES, place, row.number)
            density = busy / (end - begin or 1.0)
            for device, engine in ((row.source, Engine.COPY_OUT), (row.target, Engine.COPY_IN)):
                if device != HOST:
                    beside = float(computed[device][number]) if device in computed else 0.0
                    lane = self._lanes[Track(device, engine, row.card(device))]
                    lane.add(bar, density * beside)
        for bar in _of_host(place, cell, rows):
            self._lanes[Track(HOST, Engine.PYTHON)].add(bar)
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
        role, why = Role.CALLS, NOTHING
        if row.blocking:
            role, why = Role.WAITS, Message("blocking")
            if row.host_side:
                why = Message("{memory}, blocking", memory=row.host_side)
        times = at + begin, at + end, row.host_seconds, row.copies
        held.append(Bar(*times, role, place, row.number, "", why))
    for span in cell.spans:
        if span.waits_for and span.device == HOST:
            times = at + span.begin, at + span.end, span.busy, span.count
            held.append(Bar(*times, Role.WAITS, place, None, span.waits_for, span.why))
    free = at
    until = at if cell.finished is None else at + cell.finished.host_seconds
    for bar in sorted(held, key=lambda each: each[:2]):
        if bar.begin > free:
            yield Bar(free, bar.begin, bar.begin - free, 1, Role.RUNS, place)
        yield bar
        free = max(free, bar.end)
    if until > free:
        yield Bar(free, until, until - free, 1, Role.RUNS, place)


def _stretch(row: CopyRow) -> Stretch | None:
    """Since the cell's beginning. What the card was not asked for is placed by the host."""
    begin, end = row.begin, row.end
    if begin is None or end is None:
        begin, end = row.asked_at, row.host_seconds
        if begin is None or end is None:
            return None
        end += begin
    return None if row.already_there else (begin, max(begin, end))


def called_in_words(device: str) -> str:
    """Within a sentence."""
    return tr("the host") if device == HOST else device


def words_of(track: Track, bar: Bar, book: CopyBook) -> str:
    """What it is: "Z to cuda:1", "asks for Z", "waits for cuda:0: synchronize"."""
    copy = None if bar.row is None else book.rows[bar.row]
    what = called_in_words(bar.waits_for) if copy is None else copy.short
    if copy is not None and bar.times > 1:
        what = f"{what} ×{bar.times}"
    if bar.role is Role.WAITS and bar.why:
        return tr("waits for {what}: {why}", what=what, why=bar.why)
    if bar.role is Role.WAITS:
        return tr("waits for {what}", what=what)
    if copy is None:
        return bar.place.line
    if bar.role is Role.CALLS:
        return tr("asks for {what}", what=what)
    if track.engine is Engine.COPY_IN and copy.source != HOST:
        return tr("{what} arrives", what=what)
    what = tr("{what} to {target}", what=what, target=called_in_words(copy.target))
    if copy.direct is False:
        return tr("{copy} through the host", copy=what)
    if copy.buffered:
        return tr("{copy} through a buffer of the driver", copy=what)
    return what


def trace_pieces(
    timeline: Timeline,
    book: CopyBook,
    *,
    simulated: bool,
    names: Mapping[str, str] | None = None,
    machine: str = "",
) -> Iterator[bytes]:
    """A file, whole when joined. `names` says what cards are called, by UUID or PyTorch's name;
    `machine` where it was, if not on this computer. Stretches of one row never overlap.
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
    events: list[tuple[int, str]] = []
    told: list[str] = []
    processes = {whose: number for number, whose in enumerate(timeline.devices, 1)}
    for (device, card), process in processes.items():
        called = "host" if device == HOST else device
        name = f"{called} {(names or {}).get(card or device, '')}".rstrip()
        told += trace_format.named_process(process, name)
    for track in timeline.tracks:
        process = processes[track.whose]
        thread = [*Engine].index(track.engine) * _THREADS_OF_ENGINE + 1
        rows = trace_format.FreeRows()
        for bar in timeline.lane(track).bars:
            begin, end = nanoseconds(bar.begin), nanoseconds(bar.end)
            place, words = (process, thread + rows.row(begin, end)), words_of(track, bar, book)
            args = _args(bar, book)
            text = trace_format.slice_text(words, bar.role, place, begin, end, args)
            events.append((begin, text))
        for row in range(len(rows)):
            name = f"{track.engine} ({row + 1})" if row else track.engine.value
            told += trace_format.named_thread(process, thread + row, name)
    told += [text for _, text in sorted(events)]
    for at in range(0, len(told), _PIECE):
        yield trace_format.joined(told[at : at + _PIECE], begun=at > 0)
    yield trace_format.end().encode()


def _args(bar: Bar, book: CopyBook) -> Mapping[str, object]:
    args: dict[str, object] = {"cell": bar.place.cell}
    if bar.times > 1:
        args |= {"count": bar.times, "busy_s": bar.busy}
    if bar.row is None:
        return args
    copy = book.rows[bar.row]
    more = {
        "code": f"{copy.place}: {copy.code}",
        "from": copy.source,
        "to": copy.target,
        "bytes": copy.bytes,
        "asked_for": copy.asked,
        "modelled": copy.modelled,
        "rate_gbs": copy.rate and copy.rate / 1e9,
        "path": copy.path or None,
        "host_memory": copy.host_side or None,
        "intact": copy.intact,
    }
    return args | {name: each for name, each in more.items() if each is not None}
