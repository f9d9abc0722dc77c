"""CopyCells: what stands in each column of the copies of the lab."""

from collections.abc import Callable, Mapping

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.core.units import USUAL, gigabytes_per_second, memory
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.tables.cell import Cell, Gauge
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.copies.moving.cells import (
    NO_LIMIT,
    buffered,
    chip_of,
    colour_of,
    no_rate_words,
    path_words,
    why_no_rate,
)
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_LONG_PATH = 17
_BUFFERED = mark("It goes through a pinned buffer of the driver: the memory is pageable.")


class CopyCells:
    """They are asked anew with each look; `devices` and `units` say what holds then."""

    def __init__(self, best: Callable[[CopyRow], float | None]) -> None:
        """`best` is the highest rate that was reached on a copy's way."""
        self.devices: Mapping[str, BenchDevice] = {}
        self.units = USUAL
        self._best = best

    def line(self, moved: Moved) -> Cell:
        row = moved.row
        line = Message("Line {line}: {code}", line=row.line, code=row.code)
        unasked = "" if row.asked else mark("Nobody asked for this copy.")
        flag = "solid" if row.asked else "dashed"
        return Cell(str(row.line), flag=flag, hint=paragraph([unasked, line]))

    def what(self, moved: Moved) -> Cell:
        row = moved.row
        tone = Tone.TEXT if row.asked and not row.already_there else Tone.QUIET
        return Cell(moved.what, mono=True, tone=tone, hint=row.code)

    def way(self, moved: Moved) -> Cell:
        source, target = moved.row.source, moved.row.target
        ends = chip_of(source, self.devices), chip_of(target, self.devices)
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
        return _seconds(moved, moved.row.device_seconds, why_no_rate(moved.row))

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
            hint=tr("Of {limit} GB/s: {reason}", limit=limit, reason=reason),
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
        blocking = moved.row.transfer.blocking
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
