"""Moved: one row of the table of copies: what a line copied, with its repeats folded."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import Devices
from gpuexplorer.gui.widgets.machine.layout import Hop, Kind, Part

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

    @property
    def each_bytes(self) -> float:
        return self.row.bytes / max(1, self.row.copies)

    @property
    def buffered(self) -> bool:
        """The driver copies it into pinned memory of its own first."""
        row = self.row
        return row.pinned is False and not row.already_there and not row.small

    @property
    def why_limit(self) -> str:
        """What its way could carry is known by this; or why it is not."""
        reason = "" if self.row.route is None else self.row.route.limit_reason
        return reason or Message("it is not known what this way could carry")

    def colour(self, devices: Devices) -> int | None:
        """The card's that the data comes from."""
        known = devices.get(self.row.card(self.row.source) or self.row.source)
        return None if known is None else known.colour


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
    return tr("host") if device == HOST else device


def called_in_words(device: str) -> str:
    """Within a sentence."""
    return tr("the host") if device == HOST else device


def _together(rows: Sequence[CopyRow]) -> Moved:
    first = whole = rows[0]
    if len(rows) > 1:
        intact = [each.intact for each in rows]
        whole = replace(
            first,
            bytes=sum(each.bytes for each in rows),
            copies=sum(each.copies for each in rows),
            seconds=_total([each.seconds for each in rows]),
            host_seconds=_total([each.host_seconds for each in rows]),
            modelled=any(each.modelled for each in rows),
            end=rows[-1].end,
            intact=False if False in intact else None if None in intact else True,
        )
    names = list(dict.fromkeys(map(named, rows)))
    what = f"{names[0]} … {names[-1]}" if len(names) > 2 else ", ".join(names)
    way, ends = mark("{source} to {target}"), (first.source, first.target)
    ways = [tr(way, source=a, target=b) for a, b in (ends, map(called, ends))]
    ways += [tr("cell {number}", number=first.place), tr(first.host_side), tr(first.path)]
    said = [*names, *ways, first.code, first.how, first.within, first.thread]
    return Moved(whole, what, tuple(row.number for row in rows), "\n".join(said).lower())


def _total(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) if len(known) == len(values) else None


class CopiesNow:
    """`take` after the ledger changed; only a cell that copied again is folded anew."""

    def __init__(self, copies: CopiesState) -> None:
        self._copies = copies
        self.book = CopyBook(copies.route)
        self.rows: list[Moved] = []  # in the order of their cells
        # By PyTorch's names now, and by the UUIDs that any worker said.
        self.devices: Devices = {}
        self._cells: dict[int, Sequence[Moved]] = {}
        self._ledger = copies.lab.ledger

    def take(self) -> Sequence[CopyRow]:
        """What came since the last time. What was measured meanwhile counts for the best."""
        ledger = self._copies.lab.ledger
        if ledger is not self._ledger:
            self._ledger = ledger
            self._cells.clear()
            self.rows = []
        new = self.book.take(ledger)
        self._fold(dict.fromkeys(row.ran for row in new))
        for result in self._copies.results.values():
            self.book.measured(result)
        there, flags = self._copies.lab.devices(), self._copies.lab.flags
        cards = {each.card: each for each in there if each.card is not None}
        known = {uuid: cards[card] for uuid, card in flags.cards.items() if card in cards}
        self.devices = {each.name: each for each in there if each.name} | known
        return new

    def reroute(self) -> None:
        self.book.reroute()
        self._fold(self._cells)

    def row(self, key: Key | None) -> Moved | None:
        """As it is now."""
        moved = None if key is None else self.holding(key[1])
        return moved if moved is not None and moved.key == key else None

    def holding(self, number: int) -> Moved | None:
        """The row in which this copy of the book stands; -1 is the newest."""
        if not -1 <= number < len(self.book) or not self.book.rows:
            return None
        row = self.book.rows[number]
        rows = self._cells.get(row.ran, ())
        return next((each for each in rows if row.number in each.numbers), None)

    def hops(self, moved: Moved | None) -> tuple[Hop, ...]:
        """Of the drawing; empty where the way is not known, or nothing moved."""
        routes, flags = self._copies.ways.routes, self._copies.lab.flags
        if routes is None or moved is None or moved.row.already_there:
            return ()
        row, route = moved.row, moved.row.route
        if row.direct is False:
            route = self._copies.ways.staged(row.source, row.target) or route
        cards = {name: routes.card(name) for name in routes.devices}
        cards |= {name: flags.cards.get(uuid) for name, uuid in row.cards.items()}

        def part_at(place: str) -> Part | None:
            """Of a place as a route names it: "cuda:0", "memory 0", "junction 2"."""
            card = cards.get(place)
            if card is not None:
                return Part(Kind.CARD, card)
            kind, _, number = place.partition(" ")
            known = kind.upper() in Kind.__members__ and number.isdigit()
            return Part(Kind[kind.upper()], number=int(number)) if known else None

        legs = () if route is None else route.legs
        ends = [(part_at(leg.begins), part_at(leg.ends)) for leg in legs]
        return tuple((a, b) for a, b in ends if a is not None and b is not None and a != b)

    def _fold(self, cells: Iterable[int]) -> None:
        for cell in cells:
            self._cells[cell] = folded(self.book.of_cell(cell))
        self.rows = [moved for cell in sorted(self._cells) for moved in self._cells[cell]]
