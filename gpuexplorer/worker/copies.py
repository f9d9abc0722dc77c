"""Copies: what a cell copied between devices, each with the place in it that caused it."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import replace

from gpuexplorer.lab.events import Transferred
from gpuexplorer.worker.places import ASKING, NOWHERE, Place, Spot, place
from gpuexplorer.worker.watching.tracing import Tracing

LARGEST_CHECKED = 256 << 20  # bytes, of one copy and of all of a cell
_MOST_ROWS = 1000  # of a cell; what comes from yet another place has none
_MOST_OF_PROGRAM = 20_000
_MOST_CHECKED = 1000


# Compares what arrived with what was sent, when the cell is over. None: either is gone by now,
# or was changed since.
Check = Callable[[], bool | None]


class Copies:
    """Those of one cell; those alike of one place in it are told as one. Any thread may add."""

    def __init__(self) -> None:
        self.lock = threading.RLock()  # also for whoever notes and times them
        self.tracing: Tracing | None = (
            None  # where a trace of all that is watched was asked for
        )
        self.begin()

    def begin(self, *, program: bool = False) -> None:
        """A new cell; or a program, which may make any number of copies for hours: none of
        their values are held to be compared.
        """
        with self.lock:
            self.noted = 0  # counts the copies that were seen
            self.kernels = 0  # counted up by whoever sees a card compute
            self.dropped = 0  # copies of places for which there was no row left
            self._program = program
            self._most = _MOST_OF_PROGRAM if program else _MOST_ROWS
            self._rows: dict[int, _Row] = {}
            self._changed: set[int] = set()
            self._spots: dict[int, Spot] = {}  # by row; kept, since they are known by identity
            self._numbers: dict[tuple[object, ...], int] = {}  # of rows, before they are there
            self._computed: dict[int, int] = {}  # by row: `kernels` at its last copy
            self._checks = 0
            self._checked_bytes = 0

    def note(self) -> Place:
        """Something is being copied; where. It is added once its times are known."""
        with self.lock:
            self.noted += 1
        return place()

    def wants_check(self, size: int, noted: Place) -> bool:
        """Whether the copy of so many bytes is to be checked; counts those that are."""
        with self.lock:
            more = self._checked_bytes + size
            room = more <= LARGEST_CHECKED and self._checks < _MOST_CHECKED
            wanted = noted.how() in ASKING and room and not self._program
            if wanted:
                self._checks += 1
                self._checked_bytes = more
            return wanted

    def numbered(self, copy: Transferred, noted: Place) -> "tuple[int, int]":
        """The number of its row, and 1 where a card computed since the row's last copy, else 0.
        For whoever has to know it before `add`, when the copy is asked for.
        """
        with self.lock:
            row = self._number(copy, noted)
            begins = self._computed.get(row) != self.kernels
            self._computed[row] = self.kernels
            return row, int(begins)

    def add(
        self,
        copy: Transferred,
        noted: Place,
        check: "Check | None" = None,
        numbered: "tuple[int, int] | None" = None,
    ) -> None:
        """In the order in which they were asked for. Its place is filled in here; `how` is what
        the copy did, should no word of the code say it. A lazy layer's copies hold nothing yet.
        """
        if not (copy.bytes or copy.already_there):
            return
        with self.lock:
            number, bursts = numbered or self.numbered(copy, noted)
            row = self._rows.get(number)
            if row is not None:
                row.take(copy, check, bursts)
            else:
                self._rows[number] = _Row(self._whole(copy, noted, number), check)
            self._changed.add(number)
        if self.tracing is not None and not copy.already_there:
            self.tracing.copied(copy, number)

    def changed(self, command: int) -> "tuple[Transferred, ...]":
        """Rows that are not as they were last said; while the cell or the program runs."""
        with self.lock:
            said = [self._rows[number].sum() for number in sorted(self._changed)]
            self._changed.clear()
            return tuple(replace(each, id=command) for each in said)

    def leave_unchecked(self) -> None:
        """The cell failed: nobody knows what its devices hold, or whether they answer."""
        with self.lock:
            for row in self._rows.values():
                row.leave_unchecked()

    def told(self, command: int) -> Sequence[Transferred]:
        """Once the cell is over and what it copied can be compared."""
        with self.lock:
            self._changed.clear()
            return [replace(row.told(), id=command) for row in self._rows.values()]

    def _number(self, copy: Transferred, noted: Place) -> int:
        spot = noted.spot
        way = copy.source, copy.target, copy.pinned, copy.blocking, copy.direct
        # Threads of a pool differ by their numbers alone.
        how = *way, noted.how(copy.how), noted.within, noted.thread == "autograd"
        number = self._numbers.get((*how, id(spot)))
        if number is None:
            if len(self._numbers) >= self._most:
                spot = NOWHERE
                self.dropped += copy.copies
            number = self._numbers.setdefault((*how, id(spot)), len(self._numbers) + 1)
            self._spots[number] = spot
        return number

    def _whole(self, copy: Transferred, noted: Place, number: int) -> Transferred:
        how, spot = noted.how(copy.how), self._spots[number]
        return replace(
            copy,
            row=number,
            how=how,
            what=spot.what,
            asked=how in ASKING,
            cell=spot.frame.cell,
            line=spot.frame.line,
            file=spot.frame.file,
            within=noted.within,
            deep=noted.deep,
            thread=noted.thread,
        )


class _Row:
    """One copy, or several of a kind."""

    def __init__(self, copy: Transferred, check: "Check | None") -> None:
        self._first = copy
        self._bytes, self._copies, self._end = copy.bytes, copy.copies, copy.end
        self._bursts = copy.bursts
        self._seconds, self._host_seconds = copy.seconds, copy.host_seconds
        self._intact = copy.intact
        self._checks = [] if check is None else [check]
        self._all_checked = check is not None or copy.intact is not None

    def take(self, copy: Transferred, check: "Check | None", bursts: int) -> None:
        self._bytes += copy.bytes
        self._copies += copy.copies
        self._bursts += bursts
        self._seconds = _sum(self._seconds, copy.seconds)
        self._host_seconds = _sum(self._host_seconds, copy.host_seconds)
        self._end = self._end if copy.end is None else copy.end
        if copy.intact is False:
            self._intact = False
        if check is not None:
            self._checks.append(check)
        elif copy.intact is None:
            self._all_checked = False

    def leave_unchecked(self) -> None:
        self._checks = []
        self._all_checked = False

    def told(self) -> Transferred:
        """The first time, what is held to be compared is let go of."""
        verdicts = [check() for check in self._checks]
        self._checks = []
        if False in verdicts:
            self._intact = False
        elif self._intact is not False:
            sure = self._all_checked and None not in verdicts
            self._intact = True if sure else None
            self._all_checked = sure
        return self.sum()

    def sum(self) -> Transferred:
        return replace(
            self._first,
            bytes=self._bytes,
            copies=self._copies,
            bursts=self._bursts,
            seconds=self._seconds,
            host_seconds=self._host_seconds,
            end=self._end,
            intact=self._intact,
        )


def _sum(one: "float | None", other: "float | None") -> "float | None":
    return None if one is None or other is None else one + other
