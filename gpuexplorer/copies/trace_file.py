"""The timeline as a trace that Perfetto and Chrome open, in pieces and in order of time."""

import heapq
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.timeline import Bar, Engine, Item, Role, Timeline, Track
from gpuexplorer.core.trace_format import (
    FreeRows,
    end,
    flow_text,
    head,
    joined,
    named_process,
    named_thread,
    nanoseconds,
    slice_text,
)

_PIECE = 500  # events
_HOST_PROCESS = 1
_THREADS_OF_ENGINE = 1000  # where stretches of one engine overlap, they get rows of their own


class _Event(NamedTuple):
    nanoseconds: int
    order: int  # what lies around begins first
    text: str


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
    rows = {track: _Rows(timeline, track) for track in timeline.tracks}
    about = {
        "simulated": simulated,
        "modelled": simulated or timeline.modelled,
        "axis": "the cells of the session one after another, without the pauses between them",
    }
    if machine:
        about["machine"] = machine
    if about["modelled"]:
        about["note"] = "Times are modelled: no card was measured."
    yield head(about).encode()
    begun = False
    events = heapq.merge(
        *(_slices(timeline, book, each) for each in rows.values()),
        _flows(timeline, book, rows),
        key=lambda each: each[:2],
    )
    piece = [*_meta(rows, names or {})]
    for event in events:
        piece.append(event.text)
        if len(piece) >= _PIECE:
            yield joined(piece, begun=begun)
            begun, piece = True, []
    if piece:
        yield joined(piece, begun=begun)
    yield end().encode()


class _Rows:
    """The rows of one engine: a second and a third where its stretches overlap."""

    def __init__(self, timeline: Timeline, track: Track) -> None:
        self.track = track
        self.process = timeline.devices.index(track.whose) + _HOST_PROCESS
        lane = timeline.lane(track)
        count = 0 if lane is None else len(lane)
        self.bars: list[Bar] = [] if lane is None else [lane.bar(item) for item in range(count)]
        self.row_of: list[int] = []
        self._of_copy: dict[int, int] = {}
        free = FreeRows()
        for bar in self.bars:
            self.row_of.append(free.row(nanoseconds(bar.begin), nanoseconds(bar.end)))
            copy = timeline.item(track, bar.item).row
            if copy is not None:
                self._of_copy.setdefault(copy, bar.item)
        self.rows = max(1, len(free))

    def thread(self, row: int) -> int:
        return list(Engine).index(self.track.engine) * _THREADS_OF_ENGINE + row + 1

    def of_copy(self, copy: int) -> Bar | None:
        item = self._of_copy.get(copy)
        return None if item is None else self.bars[item]


def _meta(rows: Mapping[Track, _Rows], names: Mapping[str, str]) -> Iterator[str]:
    told: set[int] = set()
    for track, each in rows.items():
        if each.process not in told:
            told.add(each.process)
            device = "host" if track.device == HOST else track.device
            name = names.get(track.card or track.device)
            called = f"{device} {name}" if name else device
            yield from named_process(each.process, called)
        for row in range(each.rows):
            name = track.engine.value if row == 0 else f"{track.engine.value} ({row + 1})"
            yield from named_thread(each.process, each.thread(row), name)


def _slices(timeline: Timeline, book: CopyBook, rows: _Rows) -> Iterator[_Event]:
    for bar, row in zip(rows.bars, rows.row_of, strict=True):
        item = timeline.item(rows.track, bar.item)
        copy = None if item.row is None else book.rows[item.row]
        begin, until = nanoseconds(bar.begin), nanoseconds(bar.end)
        name = _name(timeline, rows.track, item, copy, bar)
        args = _args(timeline, item, copy, bar)
        place = rows.process, rows.thread(row)
        yield _Event(begin, 0, slice_text(name, item.role, place, begin, until, args))


def _flows(timeline: Timeline, book: CopyBook, rows: Mapping[Track, _Rows]) -> Iterator[_Event]:
    """From where a copy comes to where it goes; the host's end is its call."""
    events: list[_Event] = []
    for copy in book.rows:
        ends = _ends(copy, rows)
        if ends is None:
            continue
        (first, its_rows), (last, other_rows) = ends
        # Both lie within their stretches, and the arrow does not go back in time.
        leaves = max(nanoseconds(first.begin), min(nanoseconds(last.begin), _open_until(first)))
        arrives = max(nanoseconds(last.begin), min(leaves, _open_until(last)))
        if arrives < leaves:
            continue
        for phase, at, order, bar, each in (
            ("s", leaves, 1, first, its_rows),
            ("f", arrives, 2, last, other_rows),
        ):
            place = each.process, each.thread(each.row_of[bar.item])
            text = flow_text(phase, copy.what, "copy", copy.number + 1, place, at)
            events.append(_Event(at, order, text))
    events.sort(key=lambda each: each[:2])
    yield from events


def _ends(
    copy: CopyRow, rows: Mapping[Track, _Rows]
) -> tuple[tuple[Bar, _Rows], tuple[Bar, _Rows]] | None:
    found: list[tuple[Bar, _Rows]] = []
    for device, engine in ((copy.source, Engine.COPY_OUT), (copy.target, Engine.COPY_IN)):
        track = Track(device, Engine.PYTHON if device == HOST else engine, copy.card(device))
        each = rows.get(track)
        bar = None if each is None else each.of_copy(copy.number)
        if bar is None or each is None:
            return None
        found.append((bar, each))
    (first, ones), (last, others) = found
    # The host had asked and gone on before the card began: the arrow tells the asking.
    if copy.target == HOST and last.end <= first.begin:
        return (last, others), (first, ones)
    return (first, ones), (last, others)


def _name(timeline: Timeline, track: Track, item: Item, copy: CopyRow | None, bar: Bar) -> str:
    times = f" x{bar.times}" if bar.times > 1 else ""
    match item.role:
        case Role.COPIES if copy is not None:
            arrives = track.engine is Engine.COPY_IN and copy.source != HOST
            if arrives:
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
    if copy.rate is not None:
        args["rate_gbs"] = copy.rate / 1e9
    if copy.path:
        args["path"] = copy.path
    if copy.host_side:
        args["host_memory"] = copy.host_side
    if copy.intact is not None:
        args["intact"] = copy.intact
    return args


def _called(device: str) -> str:
    return "the host" if device == HOST else device


def _open_until(bar: Bar) -> int:
    """The last moment of which a viewer takes the stretch to be open: at its end, the next one
    of the row may have begun.
    """
    return max(nanoseconds(bar.begin), nanoseconds(bar.end) - 1)
