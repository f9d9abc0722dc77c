"""The trace of a program, as Perfetto opens it: written while the program runs."""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from typing import BinaryIO

from gpuexplorer.copies.copy_row import HOST
from gpuexplorer.core.trace_format import (
    FreeRows,
    end,
    head,
    joined,
    named_process,
    named_thread,
    nanoseconds,
    slice_text,
)
from gpuexplorer.lab.events import (
    Device,
    Event,
    Hello,
    Idle,
    Loader,
    Traced,
    Transferred,
    Watched,
    Why,
)
from gpuexplorer.programs.program_run import Spot, spot_of

_PIECE = 500  # events
_COPIES_IN, _COPIES_OUT = "copies in", "copies out"
# The rows of a device, by the kind of a stretch, in the order in which they stand.
_TRACKS = {
    "step": "steps",
    "loader": "waits for batches",
    "wait": "waits for cards",
    "compute": "computing",
    "copy": _COPIES_IN,
    "copy out": _COPIES_OUT,
    "idle": "idle",
}
_ORDER = tuple(_TRACKS.values())
_MOST_ROWS = 1000  # of one of these: where stretches overlap, they get rows of their own
_WHY = {
    Why.READ: "the host had waited for the card, and asked it for nothing further",
    Why.LOADER: "the host waited for the next batch",
    Why.HOST: "the host did something else",
    Why.START: "no step had begun",
}
_Stretch = tuple[str, str, float, float, int, int]
_Row = Transferred | Idle | Loader


class TraceFile:
    """Takes all that the worker says, in its order. What it keeps does not grow with time.

    `place` says what a line of code is called. Raises OSError where the file takes no more.
    """

    def __init__(self, out: BinaryIO, program: str, place: Callable[[Spot], str]) -> None:
        self._out = out
        self._program = program
        self._place = place
        self._tracks = _Tracks(program)
        self._rows: dict[tuple[type[_Row], int], _Row] = {}
        self._simulated = False
        self._seen: Watched | None = None
        self._left_out = 0
        self._begun = False
        out.write(head().encode())

    def apply(self, event: Event) -> None:
        match event:
            case Hello():
                self._simulated = event.simulated
            case Watched():
                self._seen = event
                self._tracks.devices(event.devices)
                rows: tuple[_Row, ...] = (*event.copies, *event.idle, *event.loaders)
                self._rows.update(((type(each), each.row), each) for each in rows)
            case Traced():
                self._left_out += event.left_out
                self._write(event.stretches)
            case _:
                pass

    def close(self) -> None:
        """What was written is whole after this, whatever became of the program."""
        self._out.write(end(self._about()).encode())

    def _about(self) -> Mapping[str, object]:
        seen = self._seen
        about: dict[str, object] = {
            "program": self._program,
            "simulated": self._simulated,
            "modelled": seen is not None and seen.modelled,
            "left_out": self._left_out,
        }
        if seen is not None:
            about |= {
                "seconds": seen.seconds,
                "seen_seconds": seen.seen_seconds,
                "steps": seen.steps,
                "seen_steps": seen.seen_steps,
            }
        if about["modelled"]:
            about["note"] = "Times are modelled: no card was measured."
        return about

    def _write(self, stretches: Iterable[_Stretch]) -> None:
        piece: list[str] = []
        for stretch in sorted(stretches, key=lambda each: each[2]):
            piece += self._told(stretch)
            if len(piece) >= _PIECE:
                self._put(piece)
                piece = []
        if piece:
            self._put(piece)

    def _put(self, piece: list[str]) -> None:
        self._out.write(joined(piece, begun=self._begun))
        self._begun = True

    def _told(self, stretch: _Stretch) -> Iterator[str]:
        kind, device, begin, until, number, size = stretch
        name = kind
        args: dict[str, object] = {}
        match kind:
            case "copy" | "wait":
                row = self._rows.get((Transferred, number))
                if isinstance(row, Transferred):
                    if kind == "copy" and row.source == device != row.target:
                        kind = "copy out"
                    name, args = self._named(row), _args_of_copy(row, size, until - begin)
            case "idle":
                row = self._rows.get((Idle, number))
                if isinstance(row, Idle):
                    name, args = self._named(row), {"why": _WHY[row.why]}
            case "loader":
                row = self._rows.get((Loader, number))
                if isinstance(row, Loader):
                    name, args = self._named(row), {"processes": row.workers}
            case "compute":
                name = "computing"
        whose = HOST if kind in ("step", "loader", "wait") else device
        if kind == "wait":
            args = {"waits_for": device, **args}
        first, last = nanoseconds(begin), nanoseconds(max(begin, until))
        place = yield from self._tracks.place(whose, _TRACKS[kind], first, last)
        yield slice_text(name, kind, place, first, last, args)

    def _named(self, row: _Row) -> str:
        place = self._place(spot_of(row))
        return f"{place} {row.what}" if row.what else place


def _args_of_copy(row: Transferred, size: int, seconds: float) -> dict[str, object]:
    args: dict[str, object] = {
        "file": row.file,
        "line": row.line,
        "from": row.source,
        "to": row.target,
        "asked_for": row.asked,
        "modelled": row.modelled,
    }
    if size:
        args["bytes"] = size
    if size and seconds > 0:
        args["rate_gbs"] = size / seconds / 1e9
    known = {"pinned": row.pinned, "blocking": row.blocking, "direct": row.direct}
    return args | {name: value for name, value in known.items() if value is not None}


class _Tracks:
    """Which row a stretch stands on. Each is named before its first one."""

    def __init__(self, program: str) -> None:
        self._names = {HOST: f"host {program}"}
        self._order = [HOST]
        self._named: set[str] = set()
        self._rows: dict[tuple[str, str], FreeRows] = {}

    def devices(self, devices: Iterable[Device]) -> None:
        for each in devices:
            if each.name != HOST:
                self._order.append(each.name)
                self._names[each.name] = f"{each.name} {each.label}"

    def place(
        self, device: str, track: str, begin: int, until: int
    ) -> Generator[str, None, tuple[int, int]]:
        """The numbers of its process and thread; what has to be said of them first."""
        if device not in self._order:
            self._order.append(device)
        process = self._order.index(device) + 1
        if device not in self._named:
            self._named.add(device)
            yield from named_process(process, self._names.get(device, device))
        rows = self._rows.setdefault((device, track), FreeRows())
        before, row = len(rows), rows.row(begin, until)
        at = process * len(_ORDER) + _ORDER.index(track)
        thread = at * _MOST_ROWS + row + 1
        if row == before:
            name = track if row == 0 else f"{track} ({row + 1})"
            yield from named_thread(process, thread, name)
        return process, thread
