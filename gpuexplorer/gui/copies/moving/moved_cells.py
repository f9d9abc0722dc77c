"""What several parts of the page say of a copy in a word or two."""

from collections.abc import Sequence
from dataclasses import dataclass

from gpuexplorer.copies.copy_book import CopyRow, NoRate
from gpuexplorer.copies.routes import Way
from gpuexplorer.core.units import Quantity, bytes_words, duration, gigabytes_per_second
from gpuexplorer.core.words import Message, mark, tr
from gpuexplorer.gui.copies.moving.moved import Moved
from gpuexplorer.gui.state.lab.devices import Devices

NO_LIMIT = mark("it is not known what this way could carry")
_SHORT = {
    NoRate.NOTHING: mark("nothing"),
    NoRate.WRONG: mark("WRONG"),
    NoRate.LATENCY: mark("latency"),
    NoRate.NOT_TIMED: mark("not timed"),
}


def where(row: CopyRow) -> list[Message]:
    """The code that copied, what ran it, and how deep inside a library it was."""
    said = [Message("Cell {cell}: {code}.", cell=row.cell, code=row.code)]
    if row.line:
        values = {"cell": row.cell, "line": row.line, "code": row.code}
        said = [Message("Cell {cell}, line {line}: {code}.", **values)]
    if row.ran != row.cell:
        said.append(Message("Cell {cell} called it.", cell=row.ran))
    if row.within:
        within, deep = row.within, max(1, row.deep)
        inside = Message.counted(
            "It was copied inside {within}, {count} call from there.",
            "It was copied inside {within}, {count} calls from there.",
            deep,
            within=within,
        )
        said.append(inside)
    if row.thread == "autograd":
        said.append(Message("A thread of PyTorch's own, which computes gradients, copied it."))
    elif row.thread:
        said.append(Message("The thread {name} copied it.", name=row.thread))
    return said


def colour_of(moved: Moved, devices: Devices) -> int | None:
    """The card's that the data comes from."""
    row = moved.row
    known = devices.get(row.card(row.source) or row.source)
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
    return row.pinned is False and not row.already_there and not row.small


def why_no_rate(row: CopyRow) -> str:
    """A sentence; empty where there is a rate."""
    match row.no_rate:
        case NoRate.NOTHING:
            return tr("Nothing to copy.")
        case NoRate.WRONG:
            return tr("It arrived WRONG.")
        case NoRate.LATENCY:
            return tr("So few bytes take as long as none: starting the copies is what costs.")
        case NoRate.NOT_TIMED:
            return tr("The card was not asked how long it took.")
        case None:
            return ""


def no_rate_words(reason: NoRate) -> tuple[str, str]:
    """To stand in the place of a rate; and shorter."""
    return tr(reason.sentence), tr(_SHORT[reason])


@dataclass(frozen=True, slots=True)
class Figures:
    """`head` is large. Shares are None where there are none, and a reason says why."""

    head: Quantity
    below: str
    share: float | None = None
    best_share: float | None = None  # of the limit too
    colour: int | None = None
    beside: str = ""  # "71 % of the narrowest wire, 31.5 GB/s"
    shorter: str = ""  # the same where there is less room
    best: str = ""  # "best 22.7"
    wrong: bool = False

    @property
    def said(self) -> str:
        parts = (str(self.head), self.below, self.beside, self.best)
        return ", ".join(part for part in parts if part)


NO_FIGURES = Figures(Quantity(""), "")


def figures_of(moved: Moved, best_rate: float | None, devices: Devices) -> Figures:
    """`best_rate`: reached before on this way, in bytes per second."""
    row = moved.row
    if row.already_there:
        return Figures(Quantity("0", "B"), tr("nothing was copied"))
    if row.wrong:
        return Figures(Quantity(tr("WRONG")), tr("it has no rate"), wrong=True)
    if row.rate is None:
        return _without_rate(moved, colour_of(moved, devices))
    colour = colour_of(moved, devices)
    parts = [] if row.seconds is None else [str(duration(row.seconds))]
    if row.copies > 1:
        parts.append(tr("{count} copies", count=row.copies))
    below = _with_modelled(parts, row)
    head = Quantity(gigabytes_per_second(row.rate), "GB/s")
    best = tr("best {rate}", rate=gigabytes_per_second(best_rate)) if best_rate else ""
    if row.share is None or row.limit is None:
        reason = "" if row.route is None else row.route.limit_reason
        return Figures(head, below, colour=colour, beside=tr(reason or NO_LIMIT), best=best)
    values = {"share": f"{row.share * 100:.0f}", "limit": gigabytes_per_second(row.limit)}
    of_limit = None if best_rate is None else best_rate / row.limit
    beside = tr("{share} % of the narrowest wire, {limit} GB/s one way", **values)
    shorter = tr("{share} % of {limit} GB/s one way", **values)
    return Figures(head, below, row.share, of_limit, colour, beside, shorter, best)


def _without_rate(moved: Moved, colour: int | None) -> Figures:
    row, each = moved.row, moved.each_seconds
    if each is None:
        return Figures(Quantity("–"), tr("it is not known how long it took"), colour=colour)
    words = Message("all latency") if row.no_rate is None else row.no_rate.sentence
    parts = [tr(words)]
    if row.seconds is None:
        parts.append(tr("of the host"))
    below = _with_modelled(parts, row)
    if not row.small:
        return Figures(duration(each), below, colour=colour)
    size = bytes_words(row.bytes // max(1, row.copies))
    shorter = tr("for {size}", size=size)
    beside = tr("for {size}: the cost of starting a copy", size=size)
    if row.copies > 1:
        values = {"count": row.copies, "size": size}
        shorter = tr("each of {count} copies of {size}", **values)
        beside = tr("each of {count} copies of {size}: the cost of starting a copy", **values)
    return Figures(duration(each), below, colour=colour, beside=beside, shorter=shorter)


def _with_modelled(parts: Sequence[str], row: CopyRow) -> str:
    return ", ".join([*parts, *([tr("modelled")] if row.modelled else [])])
