"""What a stretch of the timeline says, drawn in it or told on asking."""

from collections.abc import Mapping

from gpuexplorer.copies.copy_row import CopyRow
from gpuexplorer.copies.lab_copies import CopyBook
from gpuexplorer.copies.lane import Bar
from gpuexplorer.copies.timeline import Engine, Item, Role, Timeline, Track
from gpuexplorer.core.units import duration, gigabytes_per_second
from gpuexplorer.core.words import listed, mark, paragraph, tr
from gpuexplorer.gui.wording.copies.moving.moved import named
from gpuexplorer.gui.wording.copies.moving.time_frame import TimeFrame
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
            return tr("asks for {what}", what=named(copy))
        case Role.WAITS:
            about = named(copy) if copy is not None else called(item.waits_for)
            if item.why:
                return tr("waits for {what}: {why}", what=about, why=item.why)
            return tr("waits for {what}", what=about)
    if track.engine is Engine.PYTHON:
        return ""
    return _first_line(timeline, item)


def hint(timeline: Timeline, book: CopyBook, track: Track, bar: Bar) -> str:
    """Several lines of text."""
    item = timeline.item(track, bar.item)
    said = label(timeline, book, track, bar) or tr("Python's own work")
    took = str(duration(bar.end - bar.begin))
    if bar.times > 1:
        took = tr(
            "{count} of them in {time}, busy for {busy}",
            count=bar.times,
            time=took,
            busy=str(duration(bar.busy)),
        )
    where = tr("host") if track.device == "cpu" else track.device
    line = tr("Line {line}: {code}", line=item.line, code=_first_line(timeline, item))
    place = tr(
        "{time}; {device}, {lane}", time=took, device=where, lane=lane_words(track.engine)
    )
    return f"{said}\n{place}\n{line}"


def seen_words(
    timeline: Timeline, book: CopyBook, frame: TimeFrame, playhead: float | None
) -> str:
    """For screen readers: what is seen, and what goes on where the playhead stands."""
    span, begin = duration(frame.span), duration(frame.begin)
    said = [tr("{span} from {begin} are seen.", span=str(span), begin=str(begin))]
    if playhead is not None:
        what = [
            f"{lane_words(track.engine)}: {words}"
            for track in timeline.tracks
            if (found := timeline.at(track, playhead)) is not None
            and (words := label(timeline, book, track, found[0]))
        ]
        time = str(duration(max(0.0, playhead)))
        if what:
            said.append(tr("At {time}: {what}.", time=time, what=listed(what)))
        else:
            said.append(tr("At {time} nothing is copied or computed.", time=time))
    return paragraph(said)


_LANES = {
    Engine.PYTHON: mark("Python"),
    Engine.COMPUTE: mark("compute"),
    Engine.COPY_IN: mark("copy in"),
    Engine.COPY_OUT: mark("copy out"),
    Engine.WAIT: mark("wait"),
}


def lane_words(engine: Engine) -> str:
    return tr(_LANES[engine])


def called(device: str) -> str:
    return tr("the host") if device == "cpu" else device


def overlapped_words(share: float | None) -> str:
    """ "37 % overlapped"; empty where the card copied nothing."""
    return "" if share is None else tr("{share:.0f} % overlapped", share=share * 100)


def name_of(device: str, devices: Mapping[str, BenchDevice]) -> str:
    known = devices.get(device)
    is_host = device == "cpu" or (known is not None and known.is_host)
    return tr("host") if is_host else device


def _copy_label(track: Track, copy: CopyRow, bar: Bar) -> str:
    what = f"{named(copy)} ×{bar.times}" if bar.times > 1 else named(copy)
    if track.engine is Engine.COPY_IN and copy.source != "cpu":
        return tr("{what} arrives", what=what)
    if track.engine is Engine.COPY_OUT:
        what = tr("{what} to {target}", what=what, target=called(copy.target))
    if copy.transfer.direct is False:
        what = tr("{copy} through the host", copy=what)
    elif copy.transfer.pinned is False and not copy.small:
        what = tr("{copy} through a buffer of the driver", copy=what)
    if not copy.rate:
        return what
    return tr("{what}, {rate} GB/s", what=what, rate=gigabytes_per_second(copy.rate))


def _first_line(timeline: Timeline, item: Item) -> str:
    code = timeline.lines[item.line - 1].code.partition("\n")[0]
    return code if len(code) <= _LONGEST else f"{code[:_LONGEST]}…"
