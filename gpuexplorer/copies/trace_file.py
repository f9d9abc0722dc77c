"""The timeline as a trace that Perfetto and Chrome open, in pieces and in order of time."""

from collections.abc import Iterator, Mapping

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.timeline import Bar, Engine, Item, Role, Timeline, Track
from gpuexplorer.core import trace_format
from gpuexplorer.core.trace_format import FreeRows, Place, nanoseconds

_PIECE = 500  # events
_THREADS_OF_ENGINE = 1000  # where stretches of one engine overlap, they get rows of their own


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
    ends: dict[tuple[Track, int], tuple[Bar, Place]] = {}  # where each copy leaves and arrives
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
            rows = FreeRows()
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
    copy: CopyRow, known: Mapping[tuple[Track, int], tuple[Bar, Place]]
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
