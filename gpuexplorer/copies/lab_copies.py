"""CopyBook: all copies that the cells of the lab made, kept up as the cells run."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.route import Route
from gpuexplorer.lab.events import Transferred
from gpuexplorer.lab.ledger import Cell, Ledger

Way = tuple[str, str, bool | None]


class CopyBook:
    """Rows keep their numbers and their order. Taking in costs what is new, not what is there.

    `route` gives the way between two devices as the worker names them now, or None where it is
    not known yet. Of a cell that runs again, its last run counts.
    """

    def __init__(self, route: Callable[[str, str], Route | None] | None = None) -> None:
        self._route = route
        self._forget(Ledger())

    def _forget(self, ledger: Ledger) -> None:
        self._routes: dict[tuple[str, str], Route | None] = {}
        self._rows: list[CopyRow] = []
        self._of_cell: dict[int, list[int]] = {}
        self._best: dict[Way, float] = {}
        self._costliest: int | None = None
        self._taken = 0  # so many transfers of the cell that goes on
        self._at = 0  # what began before it is over and taken in
        self._life = 0
        self._ledger = ledger

    @property
    def costliest_hidden(self) -> CopyRow | None:
        """The row that nobody asked for and that kept the host longest."""
        return None if self._costliest is None else self._rows[self._costliest]

    @property
    def rows(self) -> Sequence[CopyRow]:
        """Not to be changed; in the order in which the copies were told."""
        return self._rows

    def __len__(self) -> int:
        return len(self._rows)

    def take(self, ledger: Ledger) -> Sequence[CopyRow]:
        """What came since the last time, of cells that run as well; of another ledger all."""
        if ledger is not self._ledger:
            self._forget(ledger)
        first = len(self._rows)
        self._life = ledger.life
        while self._at < len(ledger.begun):
            cell, run = ledger.begun[self._at]
            over = cell.state not in ("waiting", "running") or cell.runs > run
            if cell.runs == run:
                self._take_cell(cell, over=over)
            if not over:
                break
            self._at, self._taken = self._at + 1, 0
        return self._rows[first:]

    def measured(self, result: CopyResult) -> None:
        """What was measured counts for the best of its way, if it is a plain copy."""
        job = result.job
        plain = job.mode == "copy" and not job.both_ways and not job.beside
        if result.rate is not None and plain and job.pieces == 1:
            pinned = bool(job.pinned) if job.touches_host else None
            self._note_best((job.source, job.target, pinned), result.rate)

    def reroute(self) -> None:
        """The wiring was told, or became another: rows of this worker get their way anew."""
        self._routes.clear()
        for number, row in enumerate(self._rows):
            if row.life == self._life:
                self._rows[number] = replace(row, route=self._way(row))

    def best(self, row: CopyRow) -> float | None:
        """The best rate that was reached on its way so far, bytes per second."""
        return self._best.get(row.way)

    def of_cell(self, number: int) -> Sequence[CopyRow]:
        """What its last run copied, by the number before the cell."""
        return [self._rows[each] for each in self._of_cell.get(number, ())]

    def cells(self) -> Iterator[int]:
        """Those that copied, in their order."""
        return iter(self._of_cell)

    def _take_cell(self, cell: Cell, *, over: bool) -> None:
        if not self._taken:
            self._of_cell.pop(cell.number, None)
        seconds = _kept_host(cell)
        for transfer in cell.transfers[self._taken :]:
            code, whole = self._line(cell, transfer)
            known = {
                **vars(transfer),
                "what": transfer.what or code,
                "cell": transfer.cell if transfer.line else cell.number,
            }
            row = CopyRow(
                **known,
                number=len(self._rows),
                ran=cell.number,
                command=cell.id,
                code=code,
                whole=whole,
                life=cell.life,
                cards=cell.cards,
            )
            row = replace(row, route=self._way(row), cell_seconds=seconds)
            self._of_cell.setdefault(cell.number, []).append(row.number)
            self._rows.append(row)
            self._compare(row)
            if row.rate is not None:
                self._note_best(row.way, row.rate)
        if over and self._taken:
            for number in self._of_cell[cell.number]:
                self._rows[number] = replace(self._rows[number], cell_seconds=seconds)
        self._taken = len(cell.transfers)

    def _line(self, cell: Cell, transfer: Transferred) -> tuple[str, str]:
        """The code that copied, and the cell in which it stands: it may be an earlier one."""
        stands = self._ledger.by_number(transfer.cell) if transfer.line else None
        whole = (stands or cell).code
        lines = whole.split("\n")
        at = transfer.line if stands is not None and transfer.line <= len(lines) else 1
        return lines[at - 1].strip(), whole

    def _way(self, row: CopyRow) -> Route | None:
        if self._route is None or row.already_there or row.life != self._life:
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
        most = self.costliest_hidden
        if most is None or (row.host_seconds or 0) > (most.host_seconds or 0):
            self._costliest = row.number

    def _note_best(self, way: Way, rate: float) -> None:
        self._best[way] = max(rate, self._best.get(way, 0.0))


def _kept_host(cell: Cell) -> float | None:
    """Until the cell was over for somebody who waits for its last copy."""
    done = cell.finished
    return None if done is None else max(done.host_seconds, done.device_seconds or 0)
