"""Moved: one row of the table of copies: what a line copied, with its repeats folded; what is
to be said of it, what would help, and the cell's own code changed such that it copies less.
"""

import ast
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from gpuexplorer.copies.copy_book import CopyBook, CopyRow, sums_of
from gpuexplorer.copies.findings import advice
from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.timeline import called_in_words
from gpuexplorer.core.units import USUAL, Units, bytes_words, duration
from gpuexplorer.core.words import mark, paragraph, tr, trn
from gpuexplorer.gui.state.copies.copies_state import CopiesState
from gpuexplorer.gui.state.lab.devices import Devices
from gpuexplorer.gui.widgets.machine.layout import Hop, Kind, Part
from gpuexplorer.lab.cell_source import NO_PROGRAM, Edit, Source, plain

SMALL = mark("At this size, latency dominates.")
_OFTEN = 3  # copies of one line, from which on it is a loop that waits
_HELD_UP = mark(
    "Python runs one line at a time (its interpreter lock): while it waited for {device}, this "
    "line gave no card new work."
)
_READING = frozenset({"item", "tolist", "cpu", "numpy"})
_CASTING = frozenset({"float", "int", "bool"})
_MOVING = frozenset({"to", "cuda"})


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
        there, flags = self._copies.lab.devices(), self._copies.lab.course
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
        routes, flags = self._copies.ways.routes, self._copies.lab.course
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


@dataclass(frozen=True, slots=True)
class Said:
    """`code` is the cell, cured; empty where a word is all there is."""

    place: str = ""  # "3:2": line 2 of cell 3
    sentence: str = ""
    cure: str = ""
    before: str = ""  # the cell as it is
    code: str = ""
    asked: bool = True
    bad: bool = False


def said_of(book: CopyBook, moved: Moved, units: Units = USUAL) -> Said:
    place, target, source = moved.place, called_in_words(moved.target), moved.source
    whole, ends, asked = moved.whole, {"what": moved.names, "device": target}, moved.asked
    if moved.wrong:
        arrived, staged = tr("{what} arrived WRONG on {device}.", **ends), moved.direct is False
        between = HOST not in (source, moved.target) and not staged
        code = code_by_host(whole, moved.line) if between else ""
        trust = tr("Until then trust nothing that went this way.")
        by_host = tr("Through host memory it may arrive: the cure does that.") if code else ""
        cure = paragraph((advice(source, moved.target, staged=staged), trust, by_host))
        return Said(place, arrived, cure, whole, code, asked, bad=True)
    if moved.already_there:
        there = tr("{what} is on {device} already: nothing was copied.", **ends)
        return Said(place, there, tr("The very same tensor comes back, and no time is lost."))
    sums = sums_of(book, moved.ran, units)
    found = next((each for each in sums if moved.number in each.rows), None)
    told = found is not None and not asked
    if found is not None and told:
        sentence = tr(found.sentence)
    else:
        sentence = trn(
            "{what} moved {size} from {source} to {target}.",
            "{what} moved {size} from {source} to {target} in {count} copies.",
            moved.copies,
            what=moved.names,
            size=bytes_words(moved.bytes, units),
            source=called_in_words(source),
            target=target,
        )
        if moved.seconds is not None:
            took = mark("It took {time}, modelled.")
            took = took if moved.modelled else mark("It took {time}.")
            took = tr(took, time=str(duration(moved.seconds)))
            sentence = paragraph((sentence, took))
    copies = moved.copies if found is None else found.copies
    if moved.target == HOST and moved.blocking and copies >= _OFTEN:
        sentence = paragraph((sentence, tr(_HELD_UP, device=source)))
    cure, code = "", ""
    if found is not None and (told or set(found.rows) == set(moved.numbers)):
        cure = tr(found.cure)
    if cure:
        code = cure_code(whole, moved.line, moved.how, asked=asked)
    elif moved.small:
        cure = tr(SMALL)
    return Said(place, sentence, cure, whole, code, asked)


def cure_code(code: str, line: int, how: str, *, asked: bool) -> str:
    """With cheaper copies in that line; empty where no code makes them."""
    if asked:
        return _changed_moves(code, line, ".pin_memory()", ", non_blocking=True")
    return _read_once(code, line) if how in _READING | _CASTING else ""


def code_by_host(code: str, line: int) -> str:
    """Through the host's memory; empty where the line moves in another way."""
    return _changed_moves(code, line, ".cpu()", "")


def _read(code: str) -> tuple[Source, ast.Module]:
    """Empty where it is no program."""
    try:
        tree = ast.parse(plain(code))
    except NO_PROGRAM:
        tree = ast.Module([], [])
    return Source(plain(code)), tree


def _changed_moves(code: str, line: int, before: str, word: str) -> str:
    """`X.to(…)` becomes `X.cpu().to(…)`, and takes one more word. Line 0: all of them."""
    source, tree = _read(code)
    edits: list[Edit] = []
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call) or line not in (0, call.lineno):
            continue
        function, words = call.func, {each.arg for each in call.keywords}
        if not isinstance(function, ast.Attribute) or function.attr not in _MOVING:
            continue
        if ast.unparse(function.value).startswith("torch.") or "non_blocking" in words:
            continue
        begin = source.span(function)[1] - len(function.attr) - 1
        close = source.span(call)[1]
        said = source.text(call)[:-1].rstrip()
        last = word.removeprefix(", ") if said[-1:] in "(," else word
        edits += [Edit(begin, begin, before), Edit(close - 1, close - 1, last)]
    return source.changed(edits) if edits else ""


def _read_once(code: str, line: int) -> str:
    """A loop that keeps what it read, by `log.append(x)` or `log += [x]`: it stays on the card,
    and all is read at the end.
    """
    source, tree = _read(code)
    fresh = {
        target.id
        for each in tree.body
        if isinstance(each, ast.Assign) and ast.unparse(each.value) == "[]"
        for target in each.targets
        if isinstance(target, ast.Name)
    }
    loops = [each for each in tree.body if isinstance(each, ast.For | ast.While)]
    for loop, node in [(each, node) for each in loops for node in ast.walk(each)]:
        match node:
            case (
                ast.Call(
                    func=ast.Attribute(value=ast.Name(id=name), attr="append"), args=[kept]
                )
                | ast.AugAssign(target=ast.Name(id=name), value=ast.List(elts=[kept]))
            ) if name in fresh and line in (0, node.lineno):
                pass
            case _:
                continue
        match kept:
            case ast.Call(func=ast.Attribute(value=read, attr=word)) if word in _READING:
                pass
            case ast.Call(func=ast.Name(id=word), args=[read]) if word in _CASTING:
                pass
            case _:
                continue
        end = source.begins[loop.end_lineno or loop.lineno] - 1
        once = f"\n{name} = torch.stack({name}).tolist()"
        detached = Edit(*source.span(kept), f"{ast.unparse(read)}.detach()")
        return source.changed([detached, Edit(end, end, once)])
    return ""
