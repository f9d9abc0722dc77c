"""What a cell copied that nobody asked for: how often, what it cost, and what would help."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.core.units import USUAL, Units, duration, memory, plain
from gpuexplorer.core.words import NOTHING, Message, told

_READING = frozenset({"item", "float", "int", "bool", "index", "tolist", "max", "min", "sum"})
_PRINTING = frozenset({"print", "format", "display", "repr", "str"})
_COMPARING = frozenset(
    {
        "equal",
        "allclose",
        "nonzero",
        "masked_select",
        "if",
        "while",
        "assert",
        "and",
        "or",
        "not",
    }
)
_SHARING_OUT = "torch.nn.parallel"  # the module that gives each card a part of a batch
_OFTEN = 3  # times in a line, from which on it is worth a cure
_LAUNCH = 5e-6  # seconds to ask a card for anything, where none was timed
_MOVED_TWICE = 1 << 20  # bytes of pageable memory, from which on pinned memory pays

_PIN_IT = Message(
    "From pinned memory (pin_memory()) it goes straight over the wire, and with "
    "non_blocking=True the host need not wait."
)


@dataclass(frozen=True, slots=True)
class LineSum:
    """All copies of one line of code that had the same cause and the same ends."""

    cell: int  # that ran
    place: str  # of the code
    what: str
    how: str
    asked: bool
    source: str
    target: str
    bytes: int  # of all
    copies: int
    seconds: float | None  # for which they kept the host
    device_seconds: float | None
    sentence: Message
    cure: Message  # empty where there is none that is worth it
    cure_seconds: float | None  # what the copies would cost then; estimated
    rows: tuple[int, ...]  # their numbers in the book


def sums_of(book: CopyBook, cell: int, units: Units = USUAL) -> Sequence[LineSum]:
    """What that cell ran, the costliest first."""
    groups: dict[tuple[str, ...], list[CopyRow]] = {}
    for row in book.of_cell(cell):
        if not row.already_there:
            cause = (row.source, row.target, row.how, row.what, row.place)
            groups.setdefault(cause, []).append(row)
    sums = [_sum_of(book, rows, units) for rows in groups.values()]
    return sorted(sums, key=lambda each: -(each.seconds or each.device_seconds or 0.0))


def worst_of(book: CopyBook, units: Units = USUAL) -> LineSum | None:
    """The copies of all cells that nobody asked for and that kept the host longest."""
    costliest = book.costliest_hidden
    if costliest is None:
        return None
    hidden = [each for each in sums_of(book, costliest.ran, units) if not each.asked]
    return hidden[0] if hidden else None


def _sum_of(book: CopyBook, rows: Sequence[CopyRow], units: Units) -> LineSum:
    first = rows[0]
    copies = sum(row.copies for row in rows)
    size = sum(row.bytes for row in rows)
    seconds = _total([row.host_seconds for row in rows])
    device = _total([row.device_seconds for row in rows])
    cure, price = _cure(book, rows, copies, size, device, units)
    return LineSum(
        first.ran,
        first.place,
        first.what,
        first.how,
        first.asked,
        first.source,
        first.target,
        size,
        copies,
        seconds,
        device,
        _sentence(first, copies, size, seconds, units),
        cure,
        price,
        tuple(row.number for row in rows),
    )


def _sentence(
    first: CopyRow, copies: int, size: int, seconds: float | None, units: Units
) -> Message:
    """ "loss.item() moved 4 B to the host 1000 times. 38.1 of 41.0 ms went there." """
    return told(_moved(first, copies, size, units), _spent(first, seconds))


def _moved(first: CopyRow, copies: int, size: int, units: Units) -> Message:
    values = {
        "what": first.what,
        "size": str(memory(size / copies, units)),
        "source": first.source,
        "target": _called(first.target),
    }
    if HOST not in (first.source, first.target):
        return Message.counted(
            "{what} moved {size} from {source} to {target}.",
            "{what} moved {size} from {source} to {target} {count} times.",
            copies,
            **values,
        )
    del values["source"]
    return Message.counted(
        "{what} moved {size} to {target}.",
        "{what} moved {size} to {target} {count} times.",
        copies,
        **values,
    )


def _spent(first: CopyRow, seconds: float | None) -> Message:
    if seconds is None:
        return NOTHING
    if first.cell_seconds is None:
        return Message("That took {seconds}.", seconds=str(duration(seconds)))
    whole = duration(first.cell_seconds)
    part = duration(min(seconds, first.cell_seconds))
    spent = part.number if part.unit == whole.unit else str(part)
    if first.modelled:
        return Message(
            "{spent} of {whole} went there, modelled.", spent=spent, whole=str(whole)
        )
    return Message("{spent} of {whole} went there.", spent=spent, whole=str(whole))


def _cure(
    book: CopyBook,
    rows: Sequence[CopyRow],
    copies: int,
    size: int,
    device: float | None,
    units: Units,
) -> tuple[Message, float | None]:
    first = rows[0]
    to_host = first.target == HOST
    if first.asked:
        return _cure_of_asked(first, size)
    if first.within.startswith(_SHARING_OUT):
        return Message(
            "Keep one model a card, and give each its part of the batch there."
        ), None
    if first.how == "backward":
        return Message("Keep what is differentiated on one card."), None
    if first.how in ("index", "assignment") and not to_host:
        once = Message(
            "Move it to {device} once, before it is used there.", device=first.target
        )
        return once, None
    if copies < _OFTEN or not to_host:
        return NOTHING, None
    if first.how in _COMPARING or (first.how == "index" and to_host):
        compare = Message("Compare on the card, and fetch the answer once.")
        return compare, _price(book, first, device, 1)
    price = _price(book, first, None if device is None else device / copies, size)
    return _keep(first.how, price), price


def _keep(how: str, price: float | None) -> Message:
    if price is None:
        if how in _PRINTING:
            return Message("Keep what is to be printed on the card, and print it once.")
        if how in _READING:
            return Message("Keep the log on the card and move it once.")
        return Message("Keep it on the card and move it once.")
    about = _roughly(price)
    if how in _PRINTING:
        return Message(
            "Keep what is to be printed on the card, and print it once: about {price}.",
            price=about,
        )
    if how in _READING:
        return Message("Keep the log on the card and move it once: about {price}.", price=about)
    return Message("Keep it on the card and move it once: about {price}.", price=about)


def _cure_of_asked(first: CopyRow, size: int) -> tuple[Message, float | None]:
    large = size >= _MOVED_TWICE * first.copies
    if first.pinned is False and large:
        return _PIN_IT, None
    return NOTHING, None


def _price(book: CopyBook, row: CopyRow, each_seconds: float | None, size: int) -> float | None:
    """One copy of all: what one of these took, and its bytes at the best rate that is known."""
    if each_seconds is None:
        return None
    rate = book.best(row) or row.limit
    return each_seconds + 2 * _LAUNCH + (size / rate if rate else 0.0)


def _total(values: Sequence[float | None]) -> float | None:
    known = [each for each in values if each is not None]
    return sum(known) if len(known) == len(values) else None


def _called(device: str) -> str:
    return Message("the host") if device == HOST else device


def _roughly(seconds: float) -> str:
    """One digit is all that is known of it."""
    told = duration(float(f"{seconds:.1g}"))
    return f"{plain(float(told.number))} {told.unit}"
