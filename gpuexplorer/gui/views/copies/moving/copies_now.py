"""CopiesNow: the copies of the lab's lines with their repeats folded, kept up as they come."""

from collections.abc import Iterable, Mapping, Sequence

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.widgets.machine.ways import Hop, place_things
from gpuexplorer.gui.wording.copies.moving.moved import Key, Moved, folded, with_best
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice
from gpuexplorer.lab.copy_job import CopyJob


class CopiesNow:
    """`take` after the ledger changed; only a line that copied again is folded anew."""

    def __init__(self, copies: CopiesState) -> None:
        self._copies = copies
        self.book = CopyBook(copies.route)
        self._lines: dict[int, Sequence[Moved]] = {}
        self._rows: list[Moved] = []
        self._measured: dict[CopyJob, CopyResult] = {}
        self._devices: dict[str, BenchDevice] = {}

    def take(self) -> Sequence[CopyRow]:
        """What came since the last time."""
        new = self.book.take(self._copies.lab.ledger)
        self._fold(dict.fromkeys(row.line for row in new))
        return new

    def measured(self) -> None:
        """What was measured meanwhile counts for the best of its way."""
        for job, result in self._copies.results.items():
            if self._measured.get(job) is not result:
                self._measured[job] = result
                self.book.measured(result)

    def reroute(self) -> None:
        self.book.reroute()
        self._fold(self._lines)

    @property
    def rows(self) -> Sequence[Moved]:
        """In the order of their lines."""
        return self._rows

    def row(self, key: Key | None) -> Moved | None:
        """As it is now, with the best of its way."""
        number = None if key is None else key[1]
        if number is None or number >= len(self.book):
            return None
        rows = self._lines.get(self.book.rows[number].line, ())
        found = next((each for each in rows if each.key == key), None)
        return None if found is None else with_best(found, self.book.best(found.row))

    def newest(self) -> Key | None:
        rows = self.book.rows
        return None if not rows else self.holding(rows[-1].number)

    def holding(self, number: int) -> Key | None:
        """The row in which this copy of the book stands."""
        line = self.book.rows[number].line
        for moved in self._lines.get(line, ()):
            if number in moved.numbers:
                return moved.key
        return None

    def devices(self) -> Mapping[str, BenchDevice]:
        """The very same mapping as long as they look the same."""
        found = {each.name: each for each in self._copies.lab.devices() if each.name}
        if _faces(found) != _faces(self._devices):
            self._devices = found
        return self._devices

    def hops(self, row: CopyRow) -> tuple[Hop, ...]:
        """Of the drawing; empty where the way is not known, or nothing moved."""
        routes = self._copies.ways.routes
        route = self._route(row)
        if routes is None or route is None:
            return ()
        cards = {
            name: card for name in routes.devices if (card := routes.card(name)) is not None
        }
        places = [(leg.begins, leg.ends) for leg in route.legs]
        return tuple(place_things(places, cards))

    def _route(self, row: CopyRow) -> Route | None:
        if row.already_there:
            return None
        if row.transfer.direct is False:
            return self._copies.ways.staged(row.source, row.target) or row.route
        return row.route

    def _fold(self, lines: Iterable[int]) -> None:
        for line in lines:
            self._lines[line] = folded(self.book.of_line(line))
        self._rows = [moved for line in sorted(self._lines) for moved in self._lines[line]]


def _faces(devices: Mapping[str, BenchDevice]) -> list[tuple[object, ...]]:
    return [(each.name, each.chip, each.colour, each.usable) for each in devices.values()]
