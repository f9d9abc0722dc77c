"""ProgramRun: one run of a person's program, and what is known beside what was watched."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, NamedTuple

from gpuexplorer.core.units import USUAL, Units
from gpuexplorer.core.words import Message
from gpuexplorer.lab.events import Hello, Idle, Loader, Transferred, Watched
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
