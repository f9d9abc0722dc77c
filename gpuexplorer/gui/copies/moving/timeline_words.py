"""What a stretch of the timeline says, drawn in it or told on asking."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from gpuexplorer.copies.copy_book import CopyBook, CopyRow
from gpuexplorer.copies.timeline import Bar, Engine, Item, Role, Timeline, Track
from gpuexplorer.core.units import duration, gigabytes_per_second
from gpuexplorer.core.words import listed, mark, paragraph, tr
from gpuexplorer.gui.copies.moving.moved import called_in_words, named
from gpuexplorer.gui.copies.shared_parts import factor_words
from gpuexplorer.gui.state.lab.devices import BenchDevice

LEAST = 1e-6  # seconds that fill the width at most
_NEARLY = 1 - 1e-6  # seconds are no round numbers to the last digit
_MINUTES = 120.0  # seconds, from which on they are minutes
_UNITS = ((60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
SHOWN_SECONDS = 2.1  # for which an eye sees a copy travel, however fast it was


@dataclass(frozen=True, slots=True)
class TimeFrame:
    """In seconds of the axis; always within the session of which `whole` is the length."""

    begin: float
    end: float
    whole: float

    @property
    def span(self) -> float:
        return self.end - self.begin

    def grown(self, whole: float) -> "TimeFrame":
        """The session became longer."""
        return TimeFrame(self.begin, self.end, max(whole, self.end))


def around(begin: float, end: float, whole: float) -> TimeFrame:
    """All of it, and a little on both sides."""
    whole = max(whole, LEAST)
    span = min(max((end - begin) * 1.08, LEAST), whole)
    left = max(0.0, min((begin + end) / 2 - span / 2, whole - span))
    return TimeFrame(left, left + span, whole)


def all_of(whole: float) -> TimeFrame:
    whole = max(whole, LEAST)
    return TimeFrame(0.0, whole, whole)


def frame_words(frame: TimeFrame, *, modelled: bool) -> str:
    """ "24.0 ms from 103 ms of 515 ms, modelled"."""
    words = str(duration(frame.span))
    if frame.span < frame.whole * 0.999:
        words = tr(
            "{span} of {whole}, from {begin} on",
            span=words,
            begin=str(duration(frame.begin)),
            whole=str(duration(frame.whole)),
        )
    return tr("{span}, modelled", span=words) if modelled else words


def ticks(frame: TimeFrame, most: int) -> tuple[float, str, list[tuple[float, str]]]:
    """Round moments with their words, the first of which has the unit. They count from a round
    moment before the frame, which comes first, with what is to be added to them: "12.3 s +".
    """
    units = _UNITS if frame.span >= _MINUTES * _NEARLY else _UNITS[1:]
    scale, unit = next((each for each in units if frame.span >= each[0] * _NEARLY), units[-1])
    least = frame.span / scale / max(1, most)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= least * _NEARLY)
    coarse = scale * 10.0 ** math.ceil(math.log10(frame.span / scale * _NEARLY))
    origin = math.floor(frame.begin / coarse + 1e-6) * coarse
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    first = math.ceil((frame.begin - origin) / scale / step - 1e-6)
    last = math.floor((frame.end - origin) / scale / step + 1e-6)
    found = [
        (origin + at * step * scale, f"{at * step:.{digits}f}" if at else "0")
        for at in range(first, last + 1)
    ]
    if found:
        found[0] = (found[0][0], f"{found[0][1]} {unit}")
    return origin, _added(origin, coarse), found


def _added(origin: float, exact: float) -> str:
    """With as many digits as it takes to be exact."""
    if not origin:
        return ""
    units = _UNITS if exact >= _UNITS[0][0] else _UNITS[1:]
    scale, unit = next(each for each in units if origin >= each[0] * _NEARLY)
    digits = max(0, -math.floor(math.log10(exact / scale) + 1e-9))
    return f"{origin / scale:.{digits}f} {unit} +"


@dataclass(frozen=True, slots=True)
class SlowedCopy:
    """Of one copy: how long it took, and how long it is shown."""

    seconds: float

    @property
    def shown_seconds(self) -> float:
        return max(SHOWN_SECONDS, self.seconds)

    @property
    def factor(self) -> float:
        return self.shown_seconds / self.seconds

    @property
    def words(self) -> str:
        """ "slowed ×176"."""
        factor = self.factor
        if factor < 1.05:
            return tr("as fast as it was")
        return tr("slowed ×{factor}", factor=factor_words(factor))

    def done(self, share: float) -> tuple[str, str]:
        """ "7.34", of "12.04 ms"."""
        whole = duration(self.seconds)
        scale = self.seconds / float(whole.number) if float(whole.number) else 1.0
        digits = len(whole.number.partition(".")[2])
        return f"{self.seconds * share / scale:.{digits}f}", str(whole)

    def seen(self, share: float) -> str:
        """ "seen 1.3 s of 2.1 s"."""
        return tr(
            "seen {part:.1f} of {whole:.1f} s",
            part=self.shown_seconds * share,
            whole=self.shown_seconds,
        )


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
            about = named(copy) if copy is not None else called_in_words(item.waits_for)
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
    line = tr(
        "Cell {cell}: {code}",
        cell=timeline.places[item.place].cell,
        code=_first_line(timeline, item),
    )
    place = tr(
        "{time}; {device}, {lane}", time=took, device=where, lane=lane_words(track.engine)
    )
    return f"{said}\n{place}\n{line}"


def seen_words(
    timeline: Timeline, book: CopyBook, frame: TimeFrame, playhead: float | None
) -> str:
    """For screen readers: what is seen, and what goes on where the playhead stands."""
    span, begin = duration(frame.span), duration(frame.begin)
    said = [tr("{span} from {begin} on is shown.", span=str(span), begin=str(begin))]
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


def overlapped_words(share: float | None) -> str:
    """ "37 % overlapped"; empty where the card copied nothing."""
    return "" if share is None else tr("{share:.0f} % overlapped", share=share * 100)


def name_of(device: str, devices: Mapping[str, BenchDevice], card: str = "") -> str:
    """As it was called then, where it has another name now or none."""
    known = devices.get(card or device)
    is_host = device == "cpu" or (known is not None and known.is_host)
    return tr("host") if is_host else device


def _copy_label(track: Track, copy: CopyRow, bar: Bar) -> str:
    what = f"{named(copy)} ×{bar.times}" if bar.times > 1 else named(copy)
    if track.engine is Engine.COPY_IN and copy.source != "cpu":
        return tr("{what} arrives", what=what)
    if track.engine is Engine.COPY_OUT:
        what = tr("{what} to {target}", what=what, target=called_in_words(copy.target))
    if copy.direct is False:
        what = tr("{copy} through the host", copy=what)
    elif copy.pinned is False and not copy.small:
        what = tr("{copy} through a buffer of the driver", copy=what)
    if not copy.rate:
        return what
    return tr("{what}, {rate} GB/s", what=what, rate=gigabytes_per_second(copy.rate))


def _first_line(timeline: Timeline, item: Item) -> str:
    code = timeline.places[item.place].code.partition("\n")[0]
    return code if len(code) <= _LONGEST else f"{code[:_LONGEST]}…"
