"""What a stretch of the timeline says, drawn in it or told on asking."""

from collections.abc import Mapping

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.lane import Bar
from gpuexplorer.copies.timeline import Engine, Item, Role, Timeline, Track
from gpuexplorer.core.units import duration, gigabytes_per_second
from gpuexplorer.gui.wording.copies.moving.moved import named
from gpuexplorer.gui.wording.lab.bench_device import BenchDevice

_LONGEST = 80


def label(timeline: Timeline, book: CopyBook, track: Track, bar: Bar) -> str:
    """In the stretch, as far as there is room."""
    item = timeline.item(track, bar.item)
    copy = None if item.row is None else book.rows[item.row]
    match item.role:
        case Role.COPIES if copy is not None:
            return _copy_label(track, copy, bar)
        case Role.CALLS if copy is not None:
            return f"asks for {named(copy)}"
        case Role.WAITS:
            about = named(copy) if copy is not None else called(item.waits_for)
            why = f": {item.why}" if item.why else ""
            return f"waits for {about}{why}"
    if track.engine is Engine.PYTHON:
        return ""
    return _first_line(timeline, item)


def hint(timeline: Timeline, book: CopyBook, track: Track, bar: Bar) -> str:
    """Several lines of text."""
    item = timeline.item(track, bar.item)
    said = label(timeline, book, track, bar) or "Python's own work"
    took = f"{duration(bar.end - bar.begin)}"
    if bar.times > 1:
        took = f"{bar.times} of them in {took}, busy for {duration(bar.busy)}"
    where = "host" if track.device == "cpu" else track.device
    about = f"{where}, {track.engine.value}"
    return f"{said}\n{took}; {about}\nLine {item.line}: {_first_line(timeline, item)}"


def lane_words(track: Track) -> str:
    return track.engine.value


def called(device: str) -> str:
    return "the host" if device == "cpu" else device


def overlapped_words(share: float | None) -> str:
    """ "37 % overlapped"; empty where the card copied nothing."""
    return "" if share is None else f"{share * 100:.0f} % overlapped"


def name_of(device: str, devices: Mapping[str, BenchDevice]) -> str:
    known = devices.get(device)
    return "host" if device == "cpu" or (known is not None and known.is_host) else device


def _copy_label(track: Track, copy: CopyRow, bar: Bar) -> str:
    times = f" ×{bar.times}" if bar.times > 1 else ""
    if track.engine is Engine.COPY_IN and copy.source != "cpu":
        return f"{named(copy)} arrives{times}"
    words = f"{named(copy)}{times}"
    if track.engine is Engine.COPY_OUT:
        words = f"{words} to {called(copy.target)}"
    if copy.transfer.direct is False:
        words = f"{words} through the host"
    elif copy.transfer.pinned is False and not copy.small:
        words = f"{words} through a buffer of the driver"
    return f"{words}, {gigabytes_per_second(copy.rate)} GB/s" if copy.rate else words


def _first_line(timeline: Timeline, item: Item) -> str:
    code = timeline.lines[item.line - 1].code.partition("\n")[0]
    return code if len(code) <= _LONGEST else f"{code[:_LONGEST]}…"
