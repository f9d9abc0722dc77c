"""The figures of one copy below the drawing: its rate, its share of the wire, its time."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second
from gpuexplorer.core.words import Message, tr
from gpuexplorer.gui.wording.copies.moving.cells import NO_LIMIT, colour_of
from gpuexplorer.gui.wording.copies.moving.moved import Moved
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice


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


def figures_of(moved: Moved, devices: Mapping[str, BenchDevice]) -> Figures:
    row = moved.row
    if row.already_there:
        return Figures(Quantity("0", "B"), tr("nothing was copied"))
    if row.wrong:
        return Figures(Quantity(tr("WRONG")), tr("it has no rate"), wrong=True)
    if row.rate is None:
        return _without_rate(moved, colour_of(moved, devices))
    colour = colour_of(moved, devices)
    parts = [] if row.device_seconds is None else [str(duration(row.device_seconds))]
    if row.copies > 1:
        parts.append(tr("{count} copies", count=row.copies))
    below = _with_modelled(parts, row)
    head = Quantity(gigabytes_per_second(row.rate), "GB/s")
    best = tr("best {rate}", rate=gigabytes_per_second(moved.best)) if moved.best else ""
    if row.share is None or row.limit is None:
        reason = "" if row.route is None else row.route.limit_reason
        return Figures(head, below, colour=colour, beside=tr(reason or NO_LIMIT), best=best)
    values = {"share": f"{row.share * 100:.0f}", "limit": gigabytes_per_second(row.limit)}
    of_limit = None if moved.best is None else moved.best / row.limit
    beside = tr("{share} % of the narrowest wire, {limit} GB/s", **values)
    shorter = tr("{share} % of {limit} GB/s", **values)
    return Figures(head, below, row.share, of_limit, colour, beside, shorter, best)


def _without_rate(moved: Moved, colour: int | None) -> Figures:
    row, each = moved.row, moved.each_seconds
    if each is None:
        return Figures(Quantity("–"), tr("it is not known how long it took"), colour=colour)
    words = Message("all latency") if row.no_rate is None else row.no_rate.words
    parts = [tr(words)]
    if row.device_seconds is None:
        parts.append(tr("of the host"))
    below = _with_modelled(parts, row)
    if not row.small:
        return Figures(duration(each), below, colour=colour)
    size = bytes_words(row.bytes // max(1, row.copies))
    shorter = tr("for {size}", size=size)
    beside = tr("for {size}: the price is that a copy begins", size=size)
    if row.copies > 1:
        values = {"count": row.copies, "size": size}
        shorter = tr("each of {count} copies of {size}", **values)
        beside = tr(
            "each of {count} copies of {size}: the price is that a copy begins", **values
        )
    return Figures(duration(each), below, colour=colour, beside=beside, shorter=shorter)


def _with_modelled(parts: Sequence[str], row: CopyRow) -> str:
    return ", ".join([*parts, *([tr("modelled")] if row.modelled else [])])
