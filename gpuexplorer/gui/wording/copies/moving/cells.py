"""Cells: what each column says of a copy."""

from collections.abc import Mapping

from gpuexplorer.core.units import USUAL, Units, gigabytes_per_second, memory
from gpuexplorer.gui.theme.icons import Icon
from gpuexplorer.gui.theme.palette import Tone
from gpuexplorer.gui.wording.cell import Cell, Chip, Gauge
from gpuexplorer.gui.wording.copies.moving.columns import Column
from gpuexplorer.gui.wording.copies.moving.moved import Moved, called
from gpuexplorer.gui.wording.lab.amounts import bytes_words
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

Devices = Mapping[str, BenchDevice]
NO_LIMIT = "nobody tells what this way could carry"
NOT_CHECKED = "Nobody compared what arrived with what was sent."


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
            return _seconds(moved, moved.row.device_seconds, moved.row.no_rate)
        case Column.HOST:
            return _seconds(moved, moved.row.host_seconds, "the host's time was not told")
        case Column.RATE:
            return _rate(moved)
        case Column.SHARE:
            return _share(moved, devices)
        case Column.BEST:
            share = moved.share_of_best
            if share is None or moved.best is None:
                return Cell(hint=moved.row.no_rate or "Nothing to compare it with yet.")
            best = gigabytes_per_second(moved.best)
            return Cell(f"{share * 100:.0f}", hint=f"The best so far: {best} GB/s.")
        case Column.HOST_SIDE:
            none = "The host's memory has no part in it, or it was not told."
            return Cell(moved.row.host_side, tone=Tone.QUIET, hint="" if side(moved) else none)
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
    path = row.path
    if row.transfer.pinned is False and not row.already_there and not row.small:
        path = "buffered"
    elif "cpu" in (row.source, row.target) and not row.already_there:
        path = "direct"
    elif path.startswith("direct"):
        path = path.replace(" PCIe switch", " switch")
    short = path.removesuffix(" through host memory")
    if not path:
        return ("", "")
    return (
        f"{path}, {moved.times}" if moved.times else path,
        f"{short}, {moved.times}" if moved.times else short,
    )


def _line(moved: Moved) -> Cell:
    row = moved.row
    flag = "solid" if row.asked else "dashed"
    about = "" if row.asked else "Nobody asked for this copy. "
    return Cell(str(row.line), flag=flag, hint=f"{about}Line {row.line}: {row.code}")


def _way(moved: Moved, devices: Devices) -> Cell:
    row = moved.row
    ends = chip_of(row.source, devices), chip_of(row.target, devices)
    hint = f"From {called(row.source)} to {called(row.target)}"
    return Cell(chips=ends, joined=True, hint=hint)


def _size(moved: Moved, units: Units) -> Cell:
    words = bytes_words(moved.row.bytes, units)
    number, _, unit = words.partition(" ")
    hint = ""
    if moved.row.copies > 1:
        each = memory(moved.row.bytes / moved.row.copies, units)
        hint = f"{moved.row.copies} copies of {each}"
    return Cell(number, unit=unit, hint=hint)


def _seconds(moved: Moved, seconds: float | None, reason: str) -> Cell:
    if seconds is None or (moved.row.already_there and not seconds):
        return Cell(hint=reason[:1].upper() + reason[1:])
    row = moved.row
    if row.wrong:
        return Cell(hint="What arrives WRONG has no time worth telling.")
    hint = "Modelled" if row.modelled else ""
    if row.copies > 1:
        each = f"{ms_words(seconds / row.copies)} ms each"
        hint = f"{each}, modelled" if row.modelled else each
    return Cell(ms_words(seconds), hint=hint)


def _rate(moved: Moved) -> Cell:
    rate = moved.row.rate
    if rate is None:
        reason = moved.row.no_rate
        return Cell(hint=f"No rate: {reason}")
    return Cell(gigabytes_per_second(rate), hint="Modelled" if moved.row.modelled else "")


def _share(moved: Moved, devices: Devices) -> Cell:
    row = moved.row
    if row.wrong:
        return Cell(hint="What arrives WRONG has no rate.")
    if row.no_rate:
        return Cell(absent=(row.no_rate, row.no_rate.partition(" ")[0]), hint=_why(row.no_rate))
    if row.share is None or row.limit is None:
        reason = (row.route.limit_reason if row.route is not None else "") or NO_LIMIT
        return Cell(absent=("no limit told", "–"), hint=f"No share: {reason}.")
    limit = gigabytes_per_second(row.limit)
    return Cell(
        f"{row.share * 100:.0f}",
        gauge=Gauge(row.share, colour_of(moved, devices)),
        hint=f"Of {limit} GB/s: {row.route.limit_reason if row.route else ''}",
    )


def _why(reason: str) -> str:
    if reason == "all latency":
        return "So few bytes take as long as none: what one pays for is each beginning."
    return reason[:1].upper() + reason[1:]


def _path(moved: Moved) -> Cell:
    longer, shorter = path_words(moved)
    row = moved.row
    said = [row.path]
    if row.route is not None and row.route.note:
        said.append(row.route.note)
    if row.transfer.pinned is False and longer.startswith("buffered"):
        said.append("through a pinned buffer of the driver, since the memory is pageable")
    hint = "; ".join(each for each in said if each)
    text = longer if len(longer) <= 17 else shorter
    return Cell(text, tone=Tone.QUIET, hint=hint or "The way is not told.")


def _waited(moved: Moved) -> Cell:
    blocking = moved.row.transfer.blocking
    if blocking is None or moved.row.already_there:
        return Cell(
            hint="It was not told." if blocking is None else "There was nothing to wait for."
        )
    return Cell("yes" if blocking else "no", tone=Tone.QUIET)


def _intact(moved: Moved) -> Cell:
    row = moved.row
    if row.wrong:
        return Cell(
            "WRONG", wrong=True, tone=Tone.BAD, hint="What arrived was not what was sent."
        )
    if row.intact is None:
        return Cell(hint="" if row.already_there else NOT_CHECKED)
    return Cell(
        "", icon=Icon.CHECK, tone=Tone.GOOD, hint="Compared: it arrived as it was sent."
    )
