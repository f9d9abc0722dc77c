"""CopyCells: what stands in each column of the copies of the lab."""

from collections.abc import Callable, Mapping
from typing import Any

from gpuexplorer.copies.copy_book import CopyRow
from gpuexplorer.core.units import USUAL, gigabytes_per_second, memory
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.copies.moving.moved import Moved, called
from gpuexplorer.gui.copies.moving.moved_cells import (
    NO_LIMIT,
    buffered,
    colour_of,
    no_rate_words,
    path_words,
    where,
    why_no_rate,
)
from gpuexplorer.gui.state.lab.devices import BenchDevice, chip_of
from gpuexplorer.gui.tables.cell import Cell, Column, Gauge
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone

_LONG_PATH = 17
_BUFFERED = mark("It goes through a pinned buffer of the driver: the memory is pageable.")


MakeCell = Callable[[Moved], Cell]
Sorts = Callable[[Moved], float | str | None]


class CopyCells:
    """They are asked anew with each look; `devices` and `units` say what holds then."""

    def __init__(self, best: Callable[[CopyRow], float | None]) -> None:
        """`best` is the highest rate that was reached on a copy's way."""
        self.devices: Mapping[str, BenchDevice] = {}
        self.units = USUAL
        self._best = best

    def cell(self, moved: Moved) -> Cell:
        row = moved.row
        unasked = "" if row.asked else mark("Nobody asked for this copy.")
        flag = "solid" if row.asked else "dashed"
        return Cell(row.place, flag=flag, hint=paragraph([unasked, *where(row)]))

    def what(self, moved: Moved) -> Cell:
        row = moved.row
        tone = Tone.TEXT if row.asked and not row.already_there else Tone.QUIET
        return Cell(moved.what, mono=True, tone=tone, hint=paragraph([row.what, *where(row)]))

    def way(self, moved: Moved) -> Cell:
        row = moved.row
        source, target = row.source, row.target
        ends = tuple(chip_of(end, self.devices, row.card(end)) for end in (source, target))
        hint = tr("From {source} to {target}", source=called(source), target=called(target))
        return Cell(chips=ends, joined=True, hint=hint)

    def size(self, moved: Moved) -> Cell:
        row, hint = moved.row, ""
        size = memory(row.bytes, self.units)
        if row.copies > 1:
            each = str(memory(row.bytes / row.copies, self.units))
            hint = tr("{count} copies of {size}", count=row.copies, size=each)
        return Cell(size.number, unit=size.unit, hint=hint)

    def device(self, moved: Moved) -> Cell:
        return _seconds(moved, moved.row.seconds, why_no_rate(moved.row))

    def host(self, moved: Moved) -> Cell:
        return _seconds(moved, moved.row.host_seconds, tr("The host's time is not known."))

    def rate(self, moved: Moved) -> Cell:
        rate = moved.row.rate
        if rate is None:
            return Cell(hint=why_no_rate(moved.row))
        hint = tr("Modelled") if moved.row.modelled else ""
        return Cell(gigabytes_per_second(rate), hint=hint)

    def share(self, moved: Moved) -> Cell:
        row = moved.row
        if row.wrong:
            return Cell(hint=tr("What arrives WRONG has no rate."))
        if row.no_rate is not None:
            return Cell(absent=no_rate_words(row.no_rate), hint=why_no_rate(row))
        reason = (row.route.limit_reason if row.route is not None else "") or Message(NO_LIMIT)
        if row.share is None or row.limit is None:
            hint = tr("No share: {reason}.", reason=reason)
            return Cell(absent=(tr("no limit known"), "–"), hint=hint)
        limit = gigabytes_per_second(row.limit)
        return Cell(
            f"{row.share * 100:.0f}",
            gauge=Gauge(row.share, colour_of(moved, self.devices)),
            hint=tr("Of {limit} GB/s one way: {reason}", limit=limit, reason=reason),
        )

    def of_best(self, moved: Moved) -> float | None:
        rate, best = moved.row.rate, self._best(moved.row)
        return rate / best if rate is not None and best else None

    def best(self, moved: Moved) -> Cell:
        share, best = self.of_best(moved), self._best(moved.row)
        if share is None or best is None:
            return Cell(hint=why_no_rate(moved.row) or tr("Nothing to compare it with yet."))
        hint = tr("The best so far: {rate} GB/s.", rate=gigabytes_per_second(best))
        return Cell(f"{share * 100:.0f}", hint=hint)

    def host_side(self, moved: Moved) -> Cell:
        side = tr(moved.row.host_side)
        none = tr("The host's memory has no part in it, or it is not known.")
        return Cell(side, tone=Tone.QUIET, hint="" if side else none)

    def path(self, moved: Moved) -> Cell:
        row = moved.row
        longer, shorter = path_words(moved)
        said = [Message("Way: {way}.", way=row.path)] if row.path else []
        if row.route is not None:
            said += row.route.notes
        if buffered(row):
            said.append(Message(_BUFFERED))
        text = longer if len(longer) <= _LONG_PATH else shorter
        return Cell(text, tone=Tone.QUIET, hint=paragraph(said) or tr("The way is not known."))

    def waited(self, moved: Moved) -> Cell:
        blocking = moved.row.blocking
        if blocking is None:
            return Cell(hint=tr("It is not known."))
        if moved.row.already_there:
            return Cell(hint=tr("There was nothing to wait for."))
        return Cell(tr("yes") if blocking else tr("no"), tone=Tone.QUIET)

    def intact(self, moved: Moved) -> Cell:
        row = moved.row
        if row.wrong:
            hint = tr("What arrived was not what was sent.")
            return Cell(tr("WRONG"), wrong=True, tone=Tone.BAD, hint=hint)
        if row.intact is None:
            not_checked = tr("What arrived was not compared with what was sent.")
            return Cell(hint="" if row.already_there else not_checked)
        hint = tr("Compared: it arrived as it was sent.")
        return Cell(icon=Icon.CHECK, tone=Tone.GOOD, hint=hint)


def _seconds(moved: Moved, seconds: float | None, reason: str) -> Cell:
    row = moved.row
    if seconds is None or (row.already_there and not seconds):
        return Cell(hint=reason)
    if row.wrong:
        return Cell(hint=tr("What arrives WRONG has no time."))
    hint = tr("Modelled") if row.modelled else ""
    if row.copies > 1:
        each = _milliseconds(seconds / row.copies)
        hint = (
            tr("{time} ms each, modelled", time=each)
            if row.modelled
            else tr("{time} ms each", time=each)
        )
    return Cell(_milliseconds(seconds), hint=hint)


def _milliseconds(seconds: float) -> str:
    """Such that figures of one column end below each other: "12.040", "0.002"."""
    if 0 < seconds < 5e-7:
        return "<0.001"
    return f"{seconds * 1e3:.3f}" if seconds < 100 else f"{seconds * 1e3:.0f}"


CELL = "cell"


_MEANINGS = {
    CELL: mark(
        "The cell whose code copied, and the line in it; in dashes where nobody asked for the "
        "copy."
    ),
    "what": mark("The name that it was given, or the expression that copied it."),
    "way": mark("H is the host, a number is a card."),
    "size": mark("Bytes, of repeats all together."),
    "device": mark("How long the device's engine took, of repeats all together."),
    "host": mark("For how long Python was kept, of repeats all together."),
    "rate": mark(
        "Bytes by the device's time. Of less than 64 KiB there is none: all is latency."
    ),
    "share": mark("Of what the narrowest wire of the way could carry one way, in theory."),
    "best": mark("Of the best rate that was reached on this way in this session."),
    "host_side": mark(
        "Whether the host's memory was pinned. From pageable memory the driver copies twice."
    ),
    "path": mark("The way of the bytes, and how often they went it."),
    "blocking": mark("Whether Python waited until the bytes had arrived."),
    "intact": mark("Whether what arrived was compared with what was sent, and was the same."),
}


def copy_columns(cells: CopyCells) -> list[Column[Moved]]:
    """What can be told of a copy, in the order in which it is offered. Repeats are one row:
    their bytes and times are told all together.
    """

    def words(
        key: str, heading: str, cell: MakeCell, sorts: Sorts, width: int, **more: Any
    ) -> Column[Moved]:
        return Column(key, heading, cell, sorts, tr(_MEANINGS[key]), width=width, **more)

    def figure(
        key: str, heading: str, cell: MakeCell, sorts: Sorts, width: int, kept: int
    ) -> Column[Moved]:
        more = {"right": True, "largest_first": True, "kept": kept}
        return words(key, heading, cell, sorts, width, **more)

    return [
        # In the order of cells, and of copies within one.
        words(CELL, tr("Cell"), cells.cell, lambda it: it.numbers[0], 56, largest_first=True),
        words("what", tr("What"), cells.what, lambda it: it.what.lower(), 112, stretches=True),
        words(
            "way", tr("From, to"), cells.way, lambda it: f"{it.row.source} {it.row.target}", 80
        ),
        figure("size", tr("Size"), cells.size, lambda it: it.row.bytes, 74, 12),
        figure("device", tr("Device ms"), cells.device, lambda it: it.row.seconds, 76, 11),
        figure("host", tr("Host ms"), cells.host, lambda it: it.row.host_seconds, 66, 10),
        figure("rate", tr("GB/s"), cells.rate, lambda it: it.row.rate, 54, 13),
        figure("share", tr("Of limit, %"), cells.share, lambda it: it.row.share, 96, 9),
        figure("best", tr("Of best, %"), cells.best, cells.of_best, 74, 3),
        words("host_side", tr("Host side"), cells.host_side, _host_side, 78, kept=6),
        words(
            "path", tr("Path"), cells.path, lambda it: path_words(it)[0] or None, 106, kept=8
        ),
        words("blocking", tr("Waited"), cells.waited, lambda it: it.row.blocking, 62, kept=2),
        # WRONG is seen in any case.
        words("intact", tr("Intact"), cells.intact, _not_intact, 68, kept=14),
    ]


def _host_side(moved: Moved) -> str | None:
    return tr(moved.row.host_side) or None


def _not_intact(moved: Moved) -> bool | None:
    """What is wrong comes first of what was checked."""
    return None if moved.row.intact is None else not moved.row.intact
