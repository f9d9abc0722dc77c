"""CopyBook: all copies that the lines of the lab made, kept up as the lines come."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.lab.ledger import Entry, Ledger

Way = tuple[str, str, bool | None]


class CopyBook:
    """Rows keep their numbers and their order. Taking in costs what is new, not what is there.

    `route` tells the way between two devices, or None where it is not known yet.
    """

    def __init__(self, route: Callable[[str, str], Route | None] | None = None) -> None:
        self._route = route
        self._routes: dict[tuple[str, str], Route | None] = {}
        self._rows: list[CopyRow] = []
        self._of_line: dict[int, list[int]] = {}
        self._best: dict[Way, float] = {}
        self._dearest: int | None = None
        self._taken: dict[int, int] = {}  # of a command that goes on: so many transfers
        self._at = 0  # entries before it are over and taken in

    @property
    def dearest_hidden(self) -> CopyRow | None:
        """Of those that nobody asked for, the row that kept the host longest."""
        return None if self._dearest is None else self._rows[self._dearest]

    @property
    def rows(self) -> Sequence[CopyRow]:
        """Not to be changed; in the order in which the copies were told."""
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, ledger: Ledger) -> Sequence[CopyRow]:
        """What came since the last time, of lines that run as well. One book, one ledger."""
        first = len(self._rows)
        entries = ledger.entries
        at = self._at
        while at < len(entries):
            entry = entries[at]
            over = entry.state in ("done", "failed")
            self._take_entry(entry, at + 1, over=over)
            if over and at == self._at:
                self._at += 1
            at += 1
        return self._rows[first:]

    def measured(self, result: CopyResult) -> None:
        """What was measured counts for the best of its way, if it is a plain copy."""
        job = result.job
        plain = job.mode == "copy" and not job.both_ways and not job.beside
        if result.rate is not None and plain and job.pieces == 1:
            pinned = bool(job.pinned) if job.touches_host else None
            self._note_best((job.source, job.target, pinned), result.rate)

    def reroute(self) -> None:
        """The wiring was told, or became another: every row gets its way anew."""
        self._routes.clear()
        self._rows = [replace(row, route=self._way(row)) for row in self._rows]

    def best(self, row: CopyRow) -> float | None:
        """The best rate that was reached on its way so far, bytes per second."""
        return self._best.get(row.way)

    def of_line(self, line: int) -> Sequence[CopyRow]:
        return [self._rows[number] for number in self._of_line.get(line, ())]

    def lines(self) -> Iterator[int]:
        """Those that copied, in their order."""
        return iter(self._of_line)

    def _take_entry(self, entry: Entry, line: int, *, over: bool) -> None:
        taken = self._taken.get(entry.id, 0)
        finished = entry.finished
        seconds = None if finished is None else _kept_host(entry)
        for transfer in entry.transfers[taken:]:
            row = CopyRow(len(self._rows), line, entry.id, entry.code, transfer)
            row = replace(row, route=self._way(row), line_seconds=seconds)
            self._of_line.setdefault(line, []).append(row.number)
            self._rows.append(row)
            self._compare(row)
            if row.rate is not None:
                self._note_best(row.way, row.rate)
        if not over:
            self._taken[entry.id] = len(entry.transfers)
            return
        self._taken.pop(entry.id, None)
        if taken:
            for number in self._of_line.get(line, ()):
                self._rows[number] = replace(self._rows[number], line_seconds=seconds)

    def _way(self, row: CopyRow) -> Route | None:
        if self._route is None or row.already_there:
            return None
        pair = row.source, row.target
        if pair not in self._routes:
            found = self._route(*pair)
            if found is None:
                return None  # asked again for the next
            self._routes[pair] = found
        return self._routes[pair]

    def _compare(self, row: CopyRow) -> None:
        if row.asked or row.already_there:
            return
        dearest = self.dearest_hidden
        if dearest is None or (row.host_seconds or 0) > (dearest.host_seconds or 0):
            self._dearest = row.number

    def _note_best(self, way: Way, rate: float) -> None:
        self._best[way] = max(rate, self._best.get(way, 0.0))


def _kept_host(entry: Entry) -> float | None:
    """Until the line was over for somebody who waits for its last copy."""
    finished = entry.finished
    return (
        None if finished is None else max(finished.host_seconds, finished.device_seconds or 0)
    )
