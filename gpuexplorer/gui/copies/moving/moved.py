"""Moved: one row of the table of copies: what a line copied, with its repeats folded."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import Devices
from gpuexplorer.gui.widgets.machine.layout import Hop, Kind, Part


@dataclass(frozen=True, kw_only=True)
class Moved(CopyRow):
    """With the sums of all repeats; its rate is that of all of them together. Its number is
    that of the first.
    """

    names: str  # "X", "b0 … b5", "loss.item()"
    numbers: tuple[int, ...]  # of the copies in the book
    found_in: str = field(compare=False)  # where a filter looks

    @property
    def times(self) -> str:
        """ "×1000"; empty for a single copy."""
        return f"×{self.copies}" if self.copies > 1 else ""

    @property
    def each_seconds(self) -> float | None:
        """One copy's: the device's time, or the host's where the device was not asked."""
        seconds = self.host_seconds if self.seconds is None else self.seconds
        return None if seconds is None or self.already_there else seconds / self.copies


def called(device: str) -> str:
    return tr("host") if device == HOST else device


def _together(rows: Sequence[CopyRow]) -> Moved:
    first = rows[0]

    def total(name: str) -> float | None:
        values = [getattr(each, name) for each in rows]
        return None if None in values else sum(values)

    names = list(dict.fromkeys(each.short for each in rows))
    what = f"{names[0]} … {names[-1]}" if len(names) > 2 else ", ".join(names)
    way, ends = mark("{source} to {target}"), (first.source, first.target)
    ways = [tr(way, source=a, target=b) for a, b in (ends, map(called, ends))]
    ways += [tr("cell {number}", number=first.place), tr(first.host_side), tr(first.path)]
    said = [*names, *ways, first.code, first.how, first.within, first.thread]
    sums = {name: total(name) for name in ("bytes", "copies", "seconds", "host_seconds")}
    unchecked = any(each.intact is None for each in rows)
    known = {
        "end": rows[-1].end,
        "modelled": any(each.modelled for each in rows),
        "intact": None if unchecked else first.intact,
        "names": what,
        "numbers": tuple(each.number for each in rows),
        "found_in": "\n".join(said).lower(),
    }
    return Moved(**vars(first) | sums | known)


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
        new = self.book.take(ledger)
        self._fold({row.ran for row in new})
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

    def holding(self, number: int | None) -> Moved | None:
        """The row in which this copy of the book stands; -1 is the newest."""
        if number is None or not -1 <= number < len(self.book) or not len(self.book):
            return None
        copy = self.book.rows[number]
        rows = self._cells.get(copy.ran, ())
        return next((each for each in rows if copy.number in each.numbers), None)

    def colour(self, copy: CopyRow) -> int | None:
        """The card's that the data comes from."""
        known = self.devices.get(copy.card(copy.source) or copy.source)
        return None if known is None else known.colour

    def hops(self, copy: CopyRow | None) -> tuple[Hop, ...]:
        """Of the drawing; empty where the way is not known, or nothing moved."""
        routes, flags = self._copies.ways.routes, self._copies.lab.flags
        if routes is None or copy is None or copy.already_there:
            return ()
        route = copy.route
        if copy.direct is False:
            route = self._copies.ways.staged(copy.source, copy.target) or route
        cards = {name: routes.card(name) for name in routes.devices}
        cards |= {name: flags.cards.get(uuid) for name, uuid in copy.cards.items()}

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
        """What one cell copied for the same cause and the same way is one row."""
        for cell in cells:
            groups = defaultdict[object, list[CopyRow]](list)
            for row in self.book.of_cell(cell):
                cause = row.place, row.how if row.asked else row.what, row.within, row.thread
                kind = row.way, row.asked, row.wrong, row.blocking, row.direct
                groups[cause, kind].append(row)
            self._cells[cell] = [_together(group) for group in groups.values()]
        self.rows = [moved for cell in sorted(self._cells) for moved in self._cells[cell]]
