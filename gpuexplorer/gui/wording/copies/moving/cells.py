"""What several parts of the page say of a copy in a word or two."""

from collections.abc import Mapping

from gpuexplorer.copies.copy_row import CopyRow, NoRate
from gpuexplorer.copies.route import Way
from gpuexplorer.core.words import mark, tr
from gpuexplorer.gui.tables.cell import Chip
from gpuexplorer.gui.wording.copies.moving.moved import Moved
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

Devices = Mapping[str, BenchDevice]
NO_LIMIT = mark("it is not known what this way could carry")
_SHORT = {
    NoRate.NOTHING: mark("nothing"),
    NoRate.WRONG: mark("WRONG"),
    NoRate.LATENCY: mark("latency"),
    NoRate.NOT_TIMED: mark("not timed"),
}


def chip_of(device: str, devices: Devices) -> Chip:
    """H for the host; the number of a card in its colour."""
    known = devices.get(device)
    if known is not None:
        return Chip(known.chip or device, known.colour)
    return Chip("H" if device == "cpu" else device.partition(":")[2] or device, None)


def colour_of(moved: Moved, devices: Devices) -> int | None:
    """The card's that the data comes from."""
    known = devices.get(moved.row.source)
    return None if known is None else known.colour


def path_words(moved: Moved) -> tuple[str, str]:
    """In full, and shorter where that is possible."""
    row = moved.row
    path, short = tr(row.path), tr(row.path)
    if row.already_there:
        pass
    elif buffered(row):
        path = short = tr("buffered")
    elif "cpu" in (row.source, row.target):
        path = short = tr("direct")
    elif row.kind_of_way is Way.SWITCH:
        path = short = tr("direct over one switch")
    elif row.kind_of_way is Way.SWITCHES:
        path = short = tr("direct over several switches")
    elif row.kind_of_way is Way.STAGED:
        short = tr("staged")
    if not path:
        return ("", "")
    return (
        f"{path}, {moved.times}" if moved.times else path,
        f"{short}, {moved.times}" if moved.times else short,
    )


def buffered(row: CopyRow) -> bool:
    """The driver copies it into pinned memory of its own first."""
    return row.transfer.pinned is False and not row.already_there and not row.small


def why_no_rate(row: CopyRow) -> str:
    """A sentence; empty where there is a rate."""
    match row.no_rate:
        case NoRate.NOTHING:
            return tr("Nothing to copy.")
        case NoRate.WRONG:
            return tr("It arrived WRONG.")
        case NoRate.LATENCY:
            return tr("So few bytes take as long as none: the price is each beginning.")
        case NoRate.NOT_TIMED:
            return tr("The card was not asked how long it took.")
        case None:
            return ""


def no_rate_words(reason: NoRate) -> tuple[str, str]:
    """To stand in the place of a rate; and shorter."""
    return tr(reason.words), tr(_SHORT[reason])
