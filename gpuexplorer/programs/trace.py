"""The trace of a program, as Perfetto opens it: written while the program runs."""

from collections.abc import Callable, Iterator
from typing import BinaryIO

from gpuexplorer.copies.jobs import HOST
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
from gpuexplorer.lab.events import Event, Hello, Idle, Loader, Traced, Transferred, Watched, Why
from gpuexplorer.programs.program_run import Spot, spot_of

# The rows of a device, by the kind of a stretch, in the order in which they stand.
_TRACKS = {
    "step": "steps",
    "loader": "waits for batches",
    "wait": "waits for cards",
    "compute": "computing",
    "copy": "copies in",
    "copy out": "copies out",
    "idle": "idle",
}
_ROW_OF = {"copy": Transferred, "wait": Transferred, "idle": Idle, "loader": Loader}
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
        self._out, self._program, self._place = out, program, place
        self._names = {HOST: f"host {program}"}  # of devices
        self._numbers = {HOST: 1}  # of their processes
        self._tracks: dict[tuple[int, str], FreeRows] = {}
        self._rows: dict[tuple[type[_Row], int], _Row] = {}
        self._simulated = self._begun = False
        self._seen: Watched | None = None
        self._left_out = 0
        out.write(head().encode())

    def apply(self, event: Event) -> None:
        match event:
            case Hello():
                self._simulated = event.simulated
            case Watched():
                self._seen = event
                for device in event.devices:
                    self._names.setdefault(device.name, f"{device.name} {device.label}")
                    self._numbers.setdefault(device.name, len(self._numbers) + 1)
                rows: tuple[_Row, ...] = (*event.copies, *event.idle, *event.loaders)
                self._rows.update(((type(each), each.row), each) for each in rows)
            case Traced():
                self._left_out += event.left_out
                in_time = sorted(event.stretches, key=lambda each: each[2])
                if written := [text for each in in_time for text in self._told(each)]:
                    self._out.write(joined(written, begun=self._begun))
                    self._begun = True

    def close(self) -> None:
        """What was written is whole after this, whatever became of the program."""
        seen = self._seen
        about: dict[str, object] = {
            "program": self._program,
            "simulated": self._simulated,
            "modelled": seen is not None and seen.modelled,
            "left_out": self._left_out,
        }
        if seen is not None:
            names = ("seconds", "seen_seconds", "steps", "seen_steps")
            about |= {name: getattr(seen, name) for name in names}
        if about["modelled"]:
            about["note"] = "Times are modelled: no card was measured."
        self._out.write(end(about).encode())

    def _told(self, stretch: _Stretch) -> Iterator[str]:
        """Processes and threads are named before what they did first."""
        kind, device, begin, until, number, size = stretch
        row = self._rows.get((_ROW_OF[kind], number)) if kind in _ROW_OF else None
        name, args = "computing" if kind == "compute" else kind, dict[str, object]()
        if row is not None:
            name = " ".join(filter(None, (self._place(spot_of(row)), row.what)))
        match row:
            case Transferred():
                args = _args_of_copy(row, size, until - begin)
                if kind == "copy" and row.source == device != row.target:
                    kind = "copy out"
            case Idle():
                args = {"why": _WHY[row.why]}
            case Loader():
                args = {"processes": row.workers}
        if kind == "wait":
            args = {"waits_for": device, **args}
        if kind in ("step", "loader", "wait"):
            device = HOST
        process = self._numbers.setdefault(device, len(self._numbers) + 1)
        if not any(its == process for its, _ in self._tracks):
            yield from named_process(process, self._names.get(device, device))
        track, first, last = _TRACKS[kind], nanoseconds(begin), nanoseconds(max(begin, until))
        rows = self._tracks.setdefault((process, track), FreeRows())
        before, at = len(rows), rows.row(first, last)
        order = process * len(_TRACKS) + [*_TRACKS].index(kind)
        thread = order * _MOST_ROWS + at + 1
        if at == before:
            yield from named_thread(
                process, thread, track if at == 0 else f"{track} ({at + 1})"
            )
        yield slice_text(name, kind, (process, thread), first, last, args)


def _args_of_copy(row: Transferred, size: int, seconds: float) -> dict[str, object]:
    names = ("file", "line", "modelled", "pinned", "blocking", "direct")
    args = {
        **{name: getattr(row, name) for name in names},
        "from": row.source,
        "to": row.target,
        "asked_for": row.asked,
        "bytes": size or None,
        "rate_gbs": size / seconds / 1e9 if size and seconds > 0 else None,
    }
    return {name: value for name, value in args.items() if value is not None}
