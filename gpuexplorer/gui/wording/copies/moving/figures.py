"""The figures of one copy below the drawing: its rate, its share of the wire, its time."""

from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.core.units import Quantity, duration, gigabytes_per_second
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
    modelled = ", modelled" if row.modelled else ""
    if row.already_there:
        return Figures(Quantity("0", "B"), "nothing was copied")
    if row.wrong:
        return Figures(Quantity("WRONG"), "it has no rate", wrong=True)
    colour = colour_of(moved, devices)
    took = row.device_seconds
    if row.rate is None:
        each = moved.each_seconds
        if each is None:
            return Figures(Quantity("–"), "nobody told how long it took", colour=colour)
        whose = "" if took is not None else ", of the host"
        below = f"{'all latency' if row.small else row.no_rate}{whose}{modelled}"
        if not row.small:
            return Figures(duration(each), below, colour=colour)
        size = bytes_words(row.bytes // max(1, row.copies))
        of = f"each of {row.copies} copies of {size}" if row.copies > 1 else f"for {size}"
        why = f"{of}: the price is that a copy begins"
        return Figures(duration(each), below, colour=colour, beside=why, shorter=of)
    time = "" if took is None else str(duration(took))
    many = f", {row.copies} copies" if row.copies > 1 else ""
    head = Quantity(gigabytes_per_second(row.rate), "GB/s")
    below = f"{time}{many}{modelled}"
    best = f"best {gigabytes_per_second(moved.best)}" if moved.best else ""
    if row.share is None or row.limit is None:
        reason = "" if row.route is None else row.route.limit_reason
        return Figures(head, below, colour=colour, beside=reason or NO_LIMIT, best=best)
    limit = gigabytes_per_second(row.limit)
    of_limit = None if moved.best is None else moved.best / row.limit
    share = f"{row.share * 100:.0f} % of"
    beside, shorter = f"{share} the narrowest wire, {limit} GB/s", f"{share} {limit} GB/s"
    return Figures(head, below, row.share, of_limit, colour, beside, shorter, best)
