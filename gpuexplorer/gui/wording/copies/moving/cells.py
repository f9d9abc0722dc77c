"""Cells: what each column says of a copy."""

from collections.abc import Mapping

from gpuexplorer.copies.copy_row import CopyRow, NoRate
from gpuexplorer.copies.route import Way
from gpuexplorer.core.units import USUAL, Units, gigabytes_per_second, memory
from gpuexplorer.core.words import Message, mark, paragraph, tr
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cell import Cell, Chip, Gauge
from gpuexplorer.gui.wording.copies.moving.columns import Column
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

Devices = Mapping[str, BenchDevice]
NO_LIMIT = mark("it is not known what this way could carry")
NOT_CHECKED = mark("What arrived was not compared with what was sent.")


def cell(moved: Moved, column: Column, devices: Devices, units: Units = USUAL) -> Cell:
    match column:
        case Column.LINE:
            return _line(moved)
        case Column.WHAT:
            row = moved.row
            tone = Tone.TEXT if row.asked and not row.already_there else Tone.QUIET
            return Cell(moved.what, mono=True, tone=tone, hint=row.code)
        case Column.WAY:
            return _way(moved, devices)
        case Column.SIZE:
            return _size(moved, units)
        case Column.DEVICE:
            return _seconds(moved, moved.row.device_seconds, why_no_rate(moved.row))
        case Column.HOST:
            return _seconds(moved, moved.row.host_seconds, tr("The host's time is not known."))
        case Column.RATE:
            return _rate(moved)
        case Column.SHARE:
            return _share(moved, devices)
        case Column.BEST:
            share = moved.share_of_best
            if share is None or moved.best is None:
                return Cell(
                    hint=why_no_rate(moved.row) or tr("Nothing to compare it with yet.")
                )
            best = gigabytes_per_second(moved.best)
            return Cell(
                f"{share * 100:.0f}", hint=tr("The best so far: {rate} GB/s.", rate=best)
            )
        case Column.HOST_SIDE:
            none = tr("The host's memory has no part in it, or it is not known.")
            return Cell(
                tr(moved.row.host_side), tone=Tone.QUIET, hint="" if side(moved) else none
            )
        case Column.PATH:
            return _path(moved)
        case Column.BLOCKING:
            return _waited(moved)
        case Column.INTACT:
            return _intact(moved)


def side(moved: Moved) -> str:
    return moved.row.host_side


def chip_of(device: str, devices: Devices) -> Chip:
    """H for the host; the number of a card in its colour."""
    known = devices.get(device)
    if known is not None:
        return Chip(known.chip or device, known.colour)
    return Chip("H" if device == "cpu" else device.partition(":")[2] or device, None)


def colour_of(moved: Moved, devices: Devices) -> int | None:
    """Of the data: that of the card it comes from."""
    known = devices.get(moved.row.source)
    return None if known is None else known.colour


def ms_words(seconds: float) -> str:
    """Such that figures of one column end below each other: "12.040", "0.002"."""
    if 0 < seconds < 5e-7:
        return "<0.001"
    return f"{seconds * 1e3:.3f}" if seconds < 100 else f"{seconds * 1e3:.0f}"


def path_words(moved: Moved) -> tuple[str, ...]:
    """At falling length."""
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


def _line(moved: Moved) -> Cell:
    row = moved.row
    flag = "solid" if row.asked else "dashed"
    hint = tr("Line {line}: {code}", line=row.line, code=row.code)
    if not row.asked:
        hint = paragraph((tr("Nobody asked for this copy."), hint))
    return Cell(str(row.line), flag=flag, hint=hint)


def _way(moved: Moved, devices: Devices) -> Cell:
    row = moved.row
    ends = chip_of(row.source, devices), chip_of(row.target, devices)
    hint = tr("From {source} to {target}", source=called(row.source), target=called(row.target))
    return Cell(chips=ends, joined=True, hint=hint)


def _size(moved: Moved, units: Units) -> Cell:
    size = memory(moved.row.bytes, units)
    hint = ""
    if moved.row.copies > 1:
        each = memory(moved.row.bytes / moved.row.copies, units)
        hint = tr("{count} copies of {size}", count=moved.row.copies, size=str(each))
    return Cell(size.number, unit=size.unit, hint=hint)


def _seconds(moved: Moved, seconds: float | None, reason: str) -> Cell:
    if seconds is None or (moved.row.already_there and not seconds):
        return Cell(hint=reason)
    row = moved.row
    if row.wrong:
        return Cell(hint=tr("What arrives WRONG has no time."))
    hint = tr("Modelled") if row.modelled else ""
    if row.copies > 1:
        each = ms_words(seconds / row.copies)
        hint = tr("{time} ms each", time=each)
        if row.modelled:
            hint = tr("{time} ms each, modelled", time=each)
    return Cell(ms_words(seconds), hint=hint)


def _rate(moved: Moved) -> Cell:
    rate = moved.row.rate
    if rate is None:
        return Cell(hint=why_no_rate(moved.row))
    hint = tr("Modelled") if moved.row.modelled else ""
    return Cell(gigabytes_per_second(rate), hint=hint)


def _share(moved: Moved, devices: Devices) -> Cell:
    row = moved.row
    if row.wrong:
        return Cell(hint=tr("What arrives WRONG has no rate."))
    if row.no_rate is not None:
        words, short = tr(row.no_rate.words), tr(_SHORT[row.no_rate])
        return Cell(absent=(words, short), hint=why_no_rate(row))
    reason = (row.route.limit_reason if row.route is not None else "") or Message(NO_LIMIT)
    if row.share is None or row.limit is None:
        hint = tr("No share: {reason}.", reason=reason)
        return Cell(absent=(tr("no limit known"), "–"), hint=hint)
    limit = gigabytes_per_second(row.limit)
    return Cell(
        f"{row.share * 100:.0f}",
        gauge=Gauge(row.share, colour_of(moved, devices)),
        hint=tr("Of {limit} GB/s: {reason}", limit=limit, reason=reason),
    )


_SHORT = {
    NoRate.NOTHING: mark("nothing"),
    NoRate.WRONG: mark("WRONG"),
    NoRate.LATENCY: mark("latency"),
    NoRate.NOT_TIMED: mark("not timed"),
}


def _path(moved: Moved) -> Cell:
    longer, shorter = path_words(moved)
    row = moved.row
    said = [tr("Way: {way}.", way=row.path)] if row.path else []
    if row.route is not None:
        said += row.route.notes
    if buffered(row):
        said.append(
            tr("It goes through a pinned buffer of the driver, since the memory is pageable.")
        )
    text = longer if len(longer) <= 17 else shorter
    return Cell(text, tone=Tone.QUIET, hint=paragraph(said) or tr("The way is not known."))


def _waited(moved: Moved) -> Cell:
    blocking = moved.row.transfer.blocking
    if blocking is None or moved.row.already_there:
        return Cell(
            hint=tr("It is not known.")
            if blocking is None
            else tr("There was nothing to wait for.")
        )
    return Cell(tr("yes") if blocking else tr("no"), tone=Tone.QUIET)


def _intact(moved: Moved) -> Cell:
    row = moved.row
    if row.wrong:
        return Cell(
            tr("WRONG"),
            wrong=True,
            tone=Tone.BAD,
            hint=tr("What arrived was not what was sent."),
        )
    if row.intact is None:
        return Cell(hint="" if row.already_there else tr(NOT_CHECKED))
    return Cell(
        "", icon=Icon.CHECK, tone=Tone.GOOD, hint=tr("Compared: it arrived as it was sent.")
    )
