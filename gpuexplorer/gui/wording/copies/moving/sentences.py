"""What is to be said of one copy: a sentence, and what would help."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.copies.copy_row import HOST, CopyRow
from gpuexplorer.copies.hidden_copies import sums_of
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.wrong_advice import advice
from gpuexplorer.core.units import USUAL, Units, duration
from gpuexplorer.gui.wording.copies.moving.cure_code import code_by_host, cure_code
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_NO_TRUST = "Until then trust nothing that went this way."
_BY_HOST = "Through host memory it may arrive: the cure does that."
_PAGEABLE = "buffered by the driver, since the host's memory is pageable"


@dataclass(frozen=True, slots=True)
class Said:
    """`code` are the lines that cure it; none where a word is all there is."""

    line: str = ""
    sentence: str = ""
    cure: str = ""
    code: tuple[str, ...] = ()
    asked: bool = True
    bad: bool = False


def said_of(
    book: CopyBook,
    moved: Moved,
    devices: Mapping[str, BenchDevice],
    units: Units = USUAL,
) -> Said:
    row = moved.row
    number = str(row.line)
    if row.wrong:
        arrived = f"{moved.what} arrived WRONG on {_named(row.target, devices)}."
        return _of_wrong(row, number, arrived)
    if row.already_there:
        there = f"{moved.what} is on {_named(row.target, devices)} already: nothing was copied."
        return Said(number, there, "The very same tensor comes back, and no time is lost.")
    found = next(
        (each for each in sums_of(book, row.line, units) if moved.numbers[0] in each.rows), None
    )
    several = found is not None and set(found.rows) != set(moved.numbers)
    sentence = _of_asked(moved, units) if found is None or row.asked else found.sentence
    cure = "" if found is None or (several and not row.asked) else found.cure
    code = cure_code(row.code, row.how, row.transfer.what, asked=row.asked) if cure else ()
    if not cure and row.small:
        cure = "So few bytes cost as much as none: the price is that a copy begins at all."
    return Said(number, sentence, cure, code, row.asked)


def _of_wrong(row: CopyRow, number: str, arrived: str) -> Said:
    staged = row.transfer.direct is False
    between = HOST not in (row.source, row.target) and row.source != row.target
    cure = f"{advice(row.source, row.target, staged=staged)} {_NO_TRUST}"
    code = code_by_host(row.code, row.transfer.what) if between and not staged else ()
    if code:
        cure = f"{cure} {_BY_HOST}"
    return Said(number, arrived, cure, code, asked=row.asked, bad=True)


def _of_asked(moved: Moved, units: Units) -> str:
    row = moved.row
    size = bytes_words(row.bytes, units)
    words = f"{moved.what} moved {size} from {_place(row.source)} to {_place(row.target)}"
    if row.copies > 1:
        words += f" in {row.copies} copies"
    if row.device_seconds is not None:
        words += f" in {duration(row.device_seconds)}"
    about = []
    if row.transfer.pinned is False and not row.small:
        about.append(_PAGEABLE)
    elif row.transfer.direct is False:
        about.append("no direct way: staged through host memory")
    if row.transfer.blocking:
        about.append("Python waited for it")
    if row.modelled:
        words += ", modelled"
    return f"{words}: {', '.join(about)}." if about else f"{words}."


def _place(device: str) -> str:
    return "the host" if device == "cpu" else device


def _named(device: str, devices: Mapping[str, BenchDevice]) -> str:
    known = devices.get(device)
    if known is None or known.is_host:
        return _place(called(device) if device != "cpu" else device)
    return device
