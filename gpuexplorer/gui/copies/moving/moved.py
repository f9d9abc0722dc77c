"""Moved: one row of the table of copies: what a line copied, with its repeats folded."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route
from gpuexplorer.core.cards import CardId
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import BenchDevice
from gpuexplorer.gui.widgets.machine.layout import Hop, Kind, Part
from gpuexplorer.lab.wire import CopyJob

Key = tuple[int, int]  # the command, and the number of the first copy in the book


@dataclass(frozen=True, slots=True)
class Moved:
    """`row` holds the sums; its rate is that of all of them together."""

    row: CopyRow
    what: str  # "X", "b0 … b5", "loss.item()"
    numbers: tuple[int, ...]  # of the copies in the book
    found_in: str = field(default="", compare=False)  # where a filter looks

    @property
    def key(self) -> Key:
        return self.row.command, self.numbers[0]

    @property
    def times(self) -> str:
        """ "×1000"; empty for a single copy."""
        return f"×{self.row.copies}" if self.row.copies > 1 else ""

    @property
    def each_seconds(self) -> float | None:
        """One copy's: the device's time, or the host's where the device was not asked."""
        row = self.row
        seconds = row.seconds if row.seconds is not None else row.host_seconds
        if seconds is None or row.already_there:
            return None
        return seconds / max(1, row.copies)

    def found_by(self, words: Sequence[str]) -> bool:
        return all(word in self.found_in for word in words)


def folded(rows: Iterable[CopyRow]) -> Sequence[Moved]:
    """What one cell copied for the same cause and the same way is one row."""
    groups: dict[tuple[object, ...], list[CopyRow]] = {}
    for row in rows:
        cause = (row.place, row.how if row.asked else row.what, row.within, row.thread)
        kind = (row.source, row.target, row.asked, *cause, row.wrong)
        groups.setdefault((*kind, row.pinned, row.blocking, row.direct), []).append(row)
    return [_together(group) for group in groups.values()]


def named(row: CopyRow) -> str:
    """Short: the name that the line gives what it copied, else the expression."""
    name, given, rest = row.code.partition("=")
    if given and row.asked and name.strip().isidentifier() and rest.strip() == row.what:
        return name.strip()
    return row.what


def called(device: str) -> str:
    return tr("host") if device == "cpu" else device


def called_in_words(device: str) -> str:
    """Within a sentence."""
    return tr("the host") if device == "cpu" else device


def _together(rows: Sequence[CopyRow]) -> Moved:
    first = rows[0]
    whole = first if len(rows) == 1 else _summed(rows)
    names = list(dict.fromkeys(named(row) for row in rows))
    what = names[0]
    if len(names) == 2:
        what = f"{names[0]}, {names[1]}"
    elif len(names) > 2:
        what = f"{names[0]} … {names[-1]}"
    searched = (
        *names,
        first.code,
        first.how,
        tr("{source} to {target}", source=called(first.source), target=called(first.target)),
        tr("{source} to {target}", source=first.source, target=first.target),
        tr(first.host_side),
        tr(first.path),
        tr("cell {number}", number=first.place),
        first.within,
        first.thread,
    )
    found_in = "\n".join(searched).lower()
    return Moved(whole, what, tuple(row.number for row in rows), found_in=found_in)


def _summed(rows: Sequence[CopyRow]) -> CopyRow:
    return replace(
        rows[0],
        bytes=sum(each.bytes for each in rows),
        copies=sum(each.copies for each in rows),
        seconds=_total(each.seconds for each in rows),
        host_seconds=_total(each.host_seconds for each in rows),
        modelled=any(each.modelled for each in rows),
        end=rows[-1].end,
        intact=_all_intact([each.intact for each in rows]),
    )


def _total(values: Iterable[float | None]) -> float | None:
    known = list(values)
    told = [each for each in known if each is not None]
    return sum(told) if len(told) == len(known) else None


def _all_intact(told: Sequence[bool | None]) -> bool | None:
    if False in told:
        return False
    return True if told and all(told) else None


class Which(StrEnum):
    """Whether the line was written for the copy."""

    ALL = "all"
    ASKED = "asked"
    UNASKED = "unasked"

    def words(self, count: int) -> str:
        return tr(_COUNTED[self], count=count)


_COUNTED = {
    Which.ALL: mark("All {count}"),
    Which.ASKED: mark("Asked for {count}"),
    Which.UNASKED: mark("Unasked {count}"),
}


@dataclass(frozen=True, slots=True)
class CopyFilter:
    """What a person wants to see."""

    which: Which = Which.ALL
    words: str = ""

    def chosen(self, rows: Iterable[Moved]) -> Sequence[Moved]:
        """In their order."""
        words, all_of_them = self.words.lower().split(), self.which is Which.ALL
        return [
            each
            for each in rows
            if (all_of_them or each.row.asked is (self.which is Which.ASKED))
            and (not words or each.found_by(words))
        ]


def counts(rows: Sequence[Moved]) -> dict[Which, int]:
    """How many there are of each."""
    asked = sum(1 for each in rows if each.row.asked)
    return {Which.ALL: len(rows), Which.ASKED: asked, Which.UNASKED: len(rows) - asked}


class CopiesNow:
    """`take` after the ledger changed; only a cell that copied again is folded anew."""

    def __init__(self, copies: CopiesState) -> None:
        self._copies = copies
        self.book = CopyBook(copies.route)
        self._cells: dict[int, Sequence[Moved]] = {}
        self.rows: list[Moved] = []  # In the order of their cells.
        self._ledger = copies.lab.ledger
        self._measured: dict[CopyJob, CopyResult] = {}
        self._devices: dict[str, BenchDevice] = {}

    def take(self) -> Sequence[CopyRow]:
        """What came since the last time."""
        ledger = self._copies.lab.ledger
        if ledger is not self._ledger:
            self._ledger = ledger
            self._cells.clear()
            self._measured.clear()
            self.rows = []
        new = self.book.take(ledger)
        self._fold(dict.fromkeys(row.ran for row in new))
        return new

    def measured(self) -> None:
        """What was measured meanwhile counts for the best of its way."""
        for job, result in self._copies.results.items():
            if self._measured.get(job) is not result:
                self._measured[job] = result
                self.book.measured(result)

    def reroute(self) -> None:
        self.book.reroute()
        self._fold(self._cells)

    def row(self, key: Key | None) -> Moved | None:
        """As it is now."""
        number = None if key is None else key[1]
        if number is None or number >= len(self.book):
            return None
        rows = self._cells.get(self.book.rows[number].ran, ())
        return next((each for each in rows if each.key == key), None)

    def newest(self) -> Key | None:
        rows = self.book.rows
        return None if not rows else self.holding(rows[-1].number)

    def holding(self, number: int) -> Key | None:
        """The row in which this copy of the book stands."""
        cell = self.book.rows[number].ran
        for moved in self._cells.get(cell, ()):
            if number in moved.numbers:
                return moved.key
        return None

    def devices(self) -> Mapping[str, BenchDevice]:
        """By PyTorch's names now, and by the UUIDs that any worker said; the very same
        mapping as long as they look the same.
        """
        lab = self._copies.lab
        there = lab.devices()
        found = {each.name: each for each in there if each.name}
        cards = {each.card: each for each in there if each.card is not None}
        found |= {uuid: cards[card] for uuid, card in lab.flags.cards.items() if card in cards}
        if _faces(found) != _faces(self._devices):
            self._devices = found
        return self._devices

    def hops(self, row: CopyRow) -> tuple[Hop, ...]:
        """Of the drawing; empty where the way is not known, or nothing moved."""
        routes = self._copies.ways.routes
        route = self._route(row)
        if routes is None or route is None:
            return ()
        named = {name: routes.card(name) for name in routes.devices}
        named |= {
            name: self._copies.lab.flags.cards.get(uuid) for name, uuid in row.cards.items()
        }
        cards = {name: card for name, card in named.items() if card is not None}
        places = [(leg.begins, leg.ends) for leg in route.legs]
        return _hops_of(places, cards)

    def _route(self, row: CopyRow) -> Route | None:
        if row.already_there:
            return None
        if row.direct is False:
            return self._copies.ways.staged(row.source, row.target) or row.route
        return row.route

    def _fold(self, cells: Iterable[int]) -> None:
        for cell in cells:
            self._cells[cell] = folded(self.book.of_cell(cell))
        self.rows = [moved for cell in sorted(self._cells) for moved in self._cells[cell]]


def _faces(devices: Mapping[str, BenchDevice]) -> list[tuple[object, ...]]:
    return [(each.name, each.chip, each.colour, each.usable) for each in devices.values()]


def _hops_of(places: Sequence[tuple[str, str]], cards: Mapping[str, CardId]) -> tuple[Hop, ...]:
    """Of places as a route names them: "cuda:0", "memory 0", "socket 0", "junction 2"."""

    def part_at(place: str) -> Part | None:
        if place in cards:
            return Part(Kind.CARD, cards[place])
        kind, _, number = place.partition(" ")
        known = kind.upper() in Kind.__members__ and number.isdigit()
        return Part(Kind[kind.upper()], number=int(number)) if known else None

    hops = [(part_at(begin), part_at(end)) for begin, end in places]
    return tuple((a, b) for a, b in hops if a is not None and b is not None and a != b)
