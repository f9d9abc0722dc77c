"""ProgramRun: one run of a person's program, and what is known beside what was watched; Line:
what each source line copied, and how long cards idled because of it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import NOTHING, Message
from gpuexplorer.lab.events import Hello, Idle, Loader, Transferred, Watched, Why
from gpuexplorer.lab.ledger import Cell

if TYPE_CHECKING:  # the window has this before anybody asks for a copy
    from gpuexplorer.copies.route import Route


class Spot(NamedTuple):
    """A line of the person's code: of a file by its whole path, or of a notebook's cell."""

    file: str
    cell: int
    line: int  # 0: not known


def no_route(source: str, target: str) -> "Route | None":
    """Nobody knows how the devices are joined."""
    return None


@dataclass(frozen=True, slots=True)
class ProgramRun:
    """A `.py` is one cell, a notebook has several. May be asked while the program runs."""

    file: Path
    cells: Sequence[Cell]
    hello: Hello | None = None
    status: int | None = None  # as its process ended; negative: the signal. None: it runs
    route: "Callable[[str, str], Route | None]" = no_route  # devices as the worker names them
    units: Units = USUAL
    processors: int | None = None  # of the computer it ran on
    machine: str | None = None  # that computer, where it was not this one

    @property
    def seen(self) -> Sequence[tuple[Cell, Watched]]:
        """The cells of which anything was watched."""
        return [(cell, cell.seen) for cell in self.cells if cell.seen is not None]

    @property
    def running(self) -> bool:
        going_on = any(each.state in ("waiting", "running") for each in self.cells)
        return going_on and self.status is None

    @property
    def cards(self) -> Sequence[str]:
        """Those that its PyTorch offers, by its names for them."""
        devices = self.hello.devices if self.hello is not None else ()
        return [
            each.name for each in devices if each.name not in ("cpu", "meta") and each.usable
        ]

    @property
    def simulated(self) -> bool:
        return self.hello is not None and self.hello.simulated

    @property
    def modelled(self) -> bool:
        return any(seen.modelled for _, seen in self.seen)

    @property
    def seconds(self) -> float | None:
        """So long it ran, as far as that was said."""
        known = [each for cell in self.cells if (each := _seconds(cell)) is not None]
        return sum(known) if known else None

    @property
    def real_seconds(self) -> float | None:
        """So long it took by the clock on the wall, where `seconds` are modelled."""
        known = [
            end.host_seconds
            for cell, seen in self.seen
            if (end := cell.finished or cell.failed) and seen.modelled and not end.modelled
        ]
        return sum(each or 0.0 for each in known) if known else None

    @property
    def seen_seconds(self) -> float:
        return sum(seen.seen_seconds for _, seen in self.seen)

    @property
    def stepping_seconds(self) -> float:
        """Those of them that came after the start."""
        return sum(max(0.0, seen.seen_seconds - seen.started) for _, seen in self.seen)

    def place(self, spot: Spot) -> Message:
        """ "train.py:84", "cell 3:2"."""
        if not spot.line:
            return Message("unknown line")
        name = _shown(spot.file, self.file.parent) if spot.file else None
        if name is None:
            return Message("cell {cell}:{line}", cell=spot.cell, line=spot.line)
        return Message("{file}:{line}", file=name, line=spot.line)


@lru_cache(maxsize=1024)
def _shown(file: str, folder: Path) -> str:
    """From the program's folder on; of files elsewhere the folder they are in."""
    path = PurePath(file)
    if path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    return PurePath(*path.parts[-2:]).as_posix()


def _seconds(cell: Cell) -> float | None:
    if cell.seen is not None:
        return cell.seen.seconds
    if cell.finished is not None:
        return cell.finished.host_seconds
    return cell.failed.host_seconds if cell.failed is not None else None


def spot_of(row: Transferred | Idle | Loader) -> Spot:
    """A file's lines are the same whichever cell called them."""
    return Spot(row.file, 0 if row.file else row.cell, row.line)


@dataclass(slots=True)
class Line:
    """All that one source line did, as far as it was watched."""

    spot: Spot
    place: Message
    copied: list[CopyRow] = field(default_factory=list)  # the largest first
    idled: list[Idle] = field(default_factory=list)

    @property
    def what(self) -> str:
        """The expression that stands for the line; empty where none is known."""
        named: Sequence[Idle | CopyRow] = (*self.copied, *self.idled)
        return next((each.what for each in named if each.what), "")

    @property
    def copies(self) -> int:
        return sum(each.copies for each in self.copied)

    @property
    def bytes(self) -> int:
        return sum(each.bytes for each in self.copied)

    @property
    def waits(self) -> int:
        """So often the host waited for a copy."""
        return sum(each.copies for each in self.copied if each.blocking)

    @property
    def waited(self) -> float | None:
        """Seconds for which copies kept the host."""
        return _total([each.host_seconds for each in self.copied if each.blocking])

    @property
    def device_seconds(self) -> float | None:
        return _total([each.seconds for each in self.copied])

    @property
    def asked(self) -> bool | None:
        """None: some were asked for and some were hidden, or nothing was copied."""
        kinds = {each.asked for each in self.copied}
        return kinds.pop() if len(kinds) == 1 else None

    @property
    def asked_words(self) -> Message:
        if not self.copied:
            return NOTHING
        if self.asked is None:
            return Message("both")
        return Message("asked") if self.asked else Message("hidden")

    @property
    def idle(self) -> Mapping[Why, float]:
        """Seconds in which a card had nothing to do because of the line, of all cards; without
        what lay before the first step.
        """
        sums: dict[Why, float] = {}
        for each in self.idled:
            sums[each.why] = sums.get(each.why, 0.0) + each.seconds
        return sums

    @property
    def idle_seconds(self) -> float:
        return sum(each.seconds for each in self.idled)

    @property
    def way(self) -> Message:
        """From where to where; that of most bytes, where there are several."""
        ways = list(dict.fromkeys((each.source, each.target) for each in self.copied))
        if not ways:
            return NOTHING
        values = {"source": _short(ways[0][0]), "target": _short(ways[0][1])}
        if len(ways) > 1:
            return Message("{source} to {target} +{more}", more=len(ways) - 1, **values)
        return Message("{source} to {target}", **values)

    @property
    def memory(self) -> Message:
        """What memory of the host took part: pinned, pageable, or both."""
        kinds = list(dict.fromkeys(each.host_side for each in self.copied if each.host_side))
        if len(kinds) > 1:
            return Message("both")
        return kinds[0] if kinds else NOTHING

    @property
    def share(self) -> float | None:
        """Of the limit of the wire, by the copies of most bytes."""
        return self.copied[0].share if self.copied else None

    @property
    def cost(self) -> float:
        """Seconds by which lines are ordered: of host, wire or card, whichever lost most. One
        time of each is left out: what happens once is how a program begins, not what can be
        changed in it.
        """
        again = [(row, 1.0 - 1.0 / max(1, row.copies)) for row in self.copied]
        return max(
            sum((row.host_seconds or 0.0) * part for row, part in again if row.blocking),
            sum((row.seconds or 0.0) * part for row, part in again),
            sum(each.seconds - each.longest for each in self.idled),
        )


def lines_of(run: ProgramRun) -> Sequence[Line]:
    """The costliest first."""
    lines: dict[Spot, Line] = {}

    def line(spot: Spot) -> Line:
        if spot not in lines:
            lines[spot] = Line(spot, run.place(spot))
        return lines[spot]

    for cell, seen in run.seen:
        for copy in seen.copies:
            if not copy.already_there:
                line(spot_of(copy)).copied.append(row_of(run, cell, copy))
        for idle in seen.idle:
            if idle.why != Why.START and not idle.part_of:
                line(spot_of(idle)).idled.append(idle)
    for each in lines.values():
        each.copied.sort(key=lambda row: (-row.bytes, row.number))
        each.idled.sort(key=lambda idle: -idle.seconds)
    return sorted(lines.values(), key=lambda each: (-each.cost, -each.bytes, each.spot))


def row_of(run: ProgramRun, cell: Cell, copy: Transferred) -> CopyRow:
    """With its way, so that it has a rate and a share of a limit."""
    return CopyRow(
        **vars(copy),
        number=copy.row,
        ran=cell.number,
        command=cell.id,
        code=copy.what,
        whole="",
        cards=cell.cards,
        route=run.route(copy.source, copy.target),
    )


def _short(device: str) -> str:
    return Message("host") if device == HOST else device


def _total(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) if known and len(known) == len(values) else None
