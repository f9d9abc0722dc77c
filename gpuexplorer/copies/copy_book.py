"""CopyBook: all copies that the cells of the lab made, kept up as the cells run; and what those
that nobody asked for cost, line by line, and what would help.
"""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from gpuexplorer.copies.jobs import HOST
from gpuexplorer.copies.result import CopyResult
from gpuexplorer.copies.routes import Route, Way
from gpuexplorer.core.absence import Told
from gpuexplorer.core.units import USUAL, Units, duration, memory, seconds_words
from gpuexplorer.core.words import NOTHING, Message, mark, told
from gpuexplorer.lab.events import Transferred
from gpuexplorer.lab.ledger import Cell, Ledger

# Of fewer bytes a copy is over before any wire is full.
SMALL = 64 * 1024
_SHARING_OUT = "torch.nn.parallel"  # the module that gives each card a part of a batch
_OFTEN = 3  # times in a line, from which on it is worth a cure
_LAUNCH = 5e-6  # seconds to ask a card for anything, where none was timed
_MOVED_TWICE = 1 << 20  # bytes of pageable memory, from which on pinned memory pays
_COMPARE = Message("Compare on the card, and fetch the answer once.")
_KEEP = {
    Message("Keep the log on the card and move it once."): (
        *("item", "float", "int", "bool", "tolist", "max", "min", "sum"),
    ),
    Message("Keep what is to be printed on the card, and print it once."): (
        *("print", "format", "display", "repr", "str"),
    ),
    _COMPARE: (
        *("equal", "allclose", "nonzero", "masked_select", "index"),
        *("if", "while", "assert", "and", "or", "not"),
    ),
}
_KEEP_IT = Message("Keep it on the card and move it once.")
_PIN_IT = Message(
    "From pinned memory (pin_memory()) it goes straight over the wire, and with "
    "non_blocking=True the host need not wait."
)


class NoRate(Told):
    """Why a copy has no rate; the words are to stand behind a colon."""

    NOTHING = "nothing", Message("nothing to copy")
    WRONG = "wrong", Message("arrived WRONG")
    LATENCY = "latency", Message("all latency")
    NOT_TIMED = "not timed", Message("the card was not asked how long it took")


@dataclass(frozen=True, kw_only=True)
class CopyRow(Transferred):
    """What was told, and where it belongs. Where several copies are alike, bytes and times are
    those of all together. `what` and `cell` are known here even where the worker did not say.
    """

    number: int  # its place in the book, which it keeps
    ran: int  # the number of the cell that ran; the code may stand in an earlier one
    command: int
    code: str  # the line that copied
    whole: str  # the cell in which it stands
    life: int = 0  # of the worker in which it ran; others may give the same cards other names
    cards: Mapping[str, str] = field(default_factory=dict)  # UUIDs by that worker's names
    route: Route | None = None
    cell_seconds: float | None = None  # the host's, of the whole cell; None: it goes on yet

    @property
    def place(self) -> str:
        """ "3:2" is line 2 of cell 3; a cell of one line is its number."""
        several = self.line and "\n" in self.whole
        return f"{self.cell}:{self.line}" if several else f"{self.cell}"

    @property
    def short(self) -> str:
        """The name that the line gives what it copied, else the expression."""
        name, given, rest = self.code.partition("=")
        names = given and self.asked and name.strip().isidentifier()
        return name.strip() if names and rest.strip() == self.what else self.what

    def card(self, device: str) -> str:
        """Its UUID; empty for the host, and where PyTorch does not say it."""
        return self.cards.get(device, "")

    @property
    def wrong(self) -> bool:
        return self.intact is False

    @property
    def small(self) -> bool:
        """Its price is that it began, and not how much was copied."""
        return not self.already_there and self.bytes < SMALL * self.copies

    @property
    def no_rate(self) -> NoRate | None:
        """Why there is none; None where there is one."""
        if self.already_there:
            return NoRate.NOTHING
        if self.wrong:
            return NoRate.WRONG
        if self.small:
            return NoRate.LATENCY
        return None if self.seconds else NoRate.NOT_TIMED

    @property
    def rate(self) -> float | None:
        """Bytes per second."""
        return None if self.no_rate or not self.seconds else self.bytes / self.seconds

    @property
    def limit(self) -> float | None:
        """What the narrowest wire of its way could carry."""
        return None if self.route is None else self.route.limit

    @property
    def why_limit(self) -> str:
        """What its way could carry is known by this; or why it is not."""
        reason = "" if self.route is None else self.route.limit_reason
        return reason or Message("it is not known what this way could carry")

    @property
    def share(self) -> float | None:
        """How much of the limit was reached."""
        return self.rate / self.limit if self.rate is not None and self.limit else None

    @property
    def host_side(self) -> Message:
        """What the host's memory is; empty where none takes part, or it cannot be told."""
        if self.pinned is None:
            return NOTHING
        return Message("pinned") if self.pinned else Message("pageable")

    @property
    def buffered(self) -> bool:
        """The driver copies it into pinned memory of its own first."""
        return self.pinned is False and not self.already_there and not self.small

    @property
    def path(self) -> Message:
        if self.already_there:
            return Message("already there")
        if self.direct is False:
            return Way.STAGED.sentence
        if self.route is not None and self.route.words:
            return self.route.words
        return Message("direct") if self.direct else Way.UNKNOWN.sentence

    @property
    def way(self) -> tuple[str, str, bool | None]:
        """Copies of the same way are compared: the ends, and what memory the host's is."""
        return self.source, self.target, self.pinned


class CopyBook:
    """Rows keep their numbers and their order. Taking in costs what is new, not what is there.

    `route` gives the way between two devices as the worker names them now, or None where it is
    not known yet. Of a cell that runs again, its last run counts.
    """

    def __init__(self, route: Callable[[str, str], Route | None] | None = None) -> None:
        self._route = route
        self._forget(Ledger())

    def _forget(self, ledger: Ledger) -> None:
        self._ledger, self._life = ledger, ledger.life
        self._rows: list[CopyRow] = []
        self._of_cell: dict[int, list[int]] = {}
        self._best: dict[tuple[str, str, bool | None], float] = {}
        self._at = self._taken = 0  # runs that are over; transfers of the one that goes on
        # What nobody asked for and kept the host longest, as it was told.
        self.costliest_hidden: CopyRow | None = None

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
        first, self._life = len(self._rows), ledger.life
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
        alone = not job.both_ways and not job.beside and job.pieces == 1
        if result.rate is not None and job.mode == "copy" and alone:
            pinned = bool(job.pinned) if job.touches_host else None
            self._reached((job.source, job.target, pinned), result.rate)

    def reroute(self) -> None:
        """The wiring was told, or became another: rows of this worker get their way anew."""
        for number, row in enumerate(self._rows):
            if row.life == self._life:
                self._rows[number] = replace(row, route=self._way(row))

    def best(self, row: CopyRow) -> float | None:
        """The best rate that was reached on its way so far, bytes per second."""
        return self._best.get(row.way) or None

    def of_cell(self, number: int) -> Sequence[CopyRow]:
        """What its last run copied, by the number before the cell."""
        return [self._rows[each] for each in self._of_cell.get(number, ())]

    def _take_cell(self, cell: Cell, *, over: bool) -> None:
        if not self._taken:
            self._of_cell.pop(cell.number, None)
        done, seconds = cell.finished, None
        if done is not None:  # for somebody who waits for its last copy
            seconds = max(done.host_seconds, done.device_seconds or 0)
        for transfer in cell.transfers[self._taken :]:
            # The code that copied may stand in an earlier cell.
            stands = self._ledger.by_number(transfer.cell) if transfer.line else None
            whole = (stands or cell).code
            lines = whole.split("\n")
            known = stands is not None and transfer.line <= len(lines)
            code = lines[transfer.line - 1 if known else 0].strip()
            told = vars(transfer) | {
                "what": transfer.what or code,
                "cell": transfer.cell if transfer.line else cell.number,
            }
            row = CopyRow(
                **told,
                number=len(self._rows),
                ran=cell.number,
                command=cell.id,
                code=code,
                whole=whole,
                life=cell.life,
                cards=cell.cards,
                route=self._way(transfer) if cell.life == self._life else None,
                cell_seconds=seconds,
            )
            self._of_cell.setdefault(cell.number, []).append(row.number)
            self._rows.append(row)
            most = self.costliest_hidden
            hidden = not row.asked and not row.already_there
            if hidden and (most is None or (row.host_seconds or 0) > (most.host_seconds or 0)):
                self.costliest_hidden = row
            self._reached(row.way, row.rate or 0.0)
        if over and self._taken:
            for number in self._of_cell[cell.number]:
                self._rows[number] = replace(self._rows[number], cell_seconds=seconds)
        self._taken = len(cell.transfers)

    def _reached(self, way: tuple[str, str, bool | None], rate: float) -> None:
        self._best[way] = max(rate, self._best.get(way, 0.0))

    def _way(self, copy: Transferred) -> Route | None:
        if self._route is None or copy.already_there:
            return None
        return self._route(copy.source, copy.target)


class LineSum(NamedTuple):
    """All copies of one line of code that had the same cause and the same ends."""

    asked: bool
    copies: int
    seconds: float  # for which they kept the host, or the card
    sentence: Message
    cure: Message  # empty where there is none that is worth it
    rows: tuple[int, ...]  # their numbers in the book


def sums_of(book: CopyBook, cell: int, units: Units = USUAL) -> Sequence[LineSum]:
    """What that cell ran, the costliest first."""
    groups = defaultdict[tuple[str, ...], list[CopyRow]](list)
    for row in book.of_cell(cell):
        if not row.already_there:
            groups[row.source, row.target, row.how, row.what, row.place].append(row)
    sums = []
    for rows in groups.values():
        first, copies = rows[0], sum(row.copies for row in rows)
        size = sum(row.bytes for row in rows)
        kept, device = (
            None if None in known else sum(filter(None, known))
            for known in ([x.host_seconds for x in rows], [x.seconds for x in rows])
        )
        moved = str(memory(size / copies, units))
        said = told(_moved(first, copies, moved), _spent(first, kept))
        cure = _cure(book, first, copies, size, device)
        numbers = tuple(row.number for row in rows)
        sums.append(LineSum(first.asked, copies, kept or device or 0.0, said, cure, numbers))
    return sorted(sums, key=lambda each: -each.seconds)


def worst_of(book: CopyBook, units: Units = USUAL) -> LineSum | None:
    """The copies of all cells that nobody asked for and that kept the host longest."""
    costliest = book.costliest_hidden
    sums = () if costliest is None else sums_of(book, costliest.ran, units)
    return next((each for each in sums if not each.asked), None)


def _moved(first: CopyRow, copies: int, size: str) -> Message:
    """ "loss.item() moved 4 B to the host 1000 times." """
    ends = mark("{what} moved {size} from {source} to {target}.")
    often = mark("{what} moved {size} from {source} to {target} {count} times.")
    if HOST in (first.source, first.target):
        ends = mark("{what} moved {size} to {target}.")
        often = mark("{what} moved {size} to {target} {count} times.")
    target = Message("the host") if first.target == HOST else first.target
    values = {"what": first.what, "size": size, "source": first.source, "target": target}
    return Message.counted(ends, often, copies, **values)


def _spent(first: CopyRow, seconds: float | None) -> Message:
    """ "38.1 of 41.0 ms went there." """
    if seconds is None:
        return NOTHING
    if first.cell_seconds is None:
        return Message("That took {seconds}.", seconds=str(duration(seconds)))
    whole, part = duration(first.cell_seconds), duration(min(seconds, first.cell_seconds))
    spent = part.number if part.unit == whole.unit else str(part)
    went = mark("{spent} of {whole} went there.")
    if first.modelled:
        went = mark("{spent} of {whole} went there, modelled.")
    return Message(went, spent=spent, whole=str(whole))


def _cure(
    book: CopyBook, first: CopyRow, copies: int, size: int, device: float | None
) -> Message:
    """With the time that it takes then, where that can be told."""
    how, to_host = first.how, first.target == HOST
    if first.asked:
        pays = first.pinned is False and size >= _MOVED_TWICE * first.copies
        return _PIN_IT if pays else NOTHING
    if first.within.startswith(_SHARING_OUT):
        return Message("Keep one model a card, and give each its part of the batch there.")
    if how == "backward":
        return Message("Keep what is differentiated on one card.")
    if how in ("index", "assignment") and not to_host:
        once = mark("Move it to {device} once, before it is used there.")
        return Message(once, device=first.target)
    if copies < _OFTEN or not to_host:
        return NOTHING
    cure = next((cure for cure, words in _KEEP.items() if how in words), _KEEP_IT)
    if device is None or cure is _COMPARE:
        return cure
    # One copy of all: what one of these took, and its bytes at the best rate that is known.
    rate = book.best(first) or first.limit
    price = device / copies + 2 * _LAUNCH + (size / rate if rate else 0.0)
    words = seconds_words(float(f"{price:.1g}"))  # one digit is all that is known of it
    return told(cure, Message("That takes about {price}.", price=words))
