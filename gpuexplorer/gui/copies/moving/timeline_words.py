"""What a stretch of the timeline says, drawn in it or told on asking; and how long a copy is
shown that was far too quick to be seen.
"""

import math
from dataclasses import dataclass
from typing import NamedTuple

from gpuexplorer.copies.copy_book import CopyBook
from gpuexplorer.copies.timeline import Bar, Role, Timeline, Track, words_of
from gpuexplorer.core.units import duration, gigabytes_per_second
from gpuexplorer.core.words import listed, mark, paragraph, tr
from gpuexplorer.gui.copies.shared_parts import factor_words

LEAST = 1e-6  # seconds that fill the width at most
_NEARLY = 1 - 1e-6  # seconds are no round numbers to the last digit
_UNITS = ((60.0, "min"), (1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns"))
_SHOWN_SECONDS = 2.1  # for which an eye sees a copy travel, however fast it was


class TimeFrame(NamedTuple):
    """In seconds of the axis; always within the session."""

    begin: float
    end: float

    @property
    def span(self) -> float:
        return self.end - self.begin

    @property
    def middle(self) -> float:
        return (self.begin + self.end) / 2


def around(begin: float, end: float, whole: float) -> TimeFrame:
    """All of it, and a little on both sides, as far as the session goes."""
    span = min(max((end - begin) * 1.08, LEAST), whole)
    left = max(0.0, min((begin + end - span) / 2, whole - span))
    return TimeFrame(left, left + span)


def frame_words(frame: TimeFrame, whole: float, *, modelled: bool) -> str:
    """ "24.0 ms of 515 ms, from 103 ms on, modelled"."""
    words = str(duration(frame.span))
    if frame.span < whole * 0.999:
        begin, all_of_it = str(duration(frame.begin)), str(duration(whole))
        said = mark("{span} of {whole}, from {begin} on")
        words = tr(said, span=words, begin=begin, whole=all_of_it)
    return tr("{span}, modelled", span=words) if modelled else words


def ticks(frame: TimeFrame, most: int) -> tuple[float, str, list[tuple[float, str]]]:
    """Round moments with their words, the first of which has the unit. They count from a round
    moment before the frame, which comes first, with what is to be added to them: "12.3 s +".
    """
    units = _UNITS if frame.span >= 120 * _NEARLY else _UNITS[1:]
    scale, unit = next(each for each in units if frame.span >= each[0] * _NEARLY)
    least = frame.span / scale / max(1, most)
    power = 10.0 ** math.floor(math.log10(least))
    step = next(power * each for each in (1, 2, 5, 10) if power * each >= least * _NEARLY)
    coarse = scale * 10.0 ** math.ceil(math.log10(frame.span / scale * _NEARLY))
    origin = math.floor(frame.begin / coarse + 1e-6) * coarse
    first = math.ceil((frame.begin - origin) / scale / step - 1e-6)
    last = math.floor((frame.end - origin) / scale / step + 1e-6)
    found = [
        (origin + at * step * scale, _exact(at * step, step) if at else "0")
        for at in range(first, last + 1)
    ]
    if found:
        found[0] = (found[0][0], f"{found[0][1]} {unit}")
    if not origin:
        return 0.0, "", found
    scale, unit = next(each for each in units if origin >= each[0] * _NEARLY)
    return origin, f"{_exact(origin / scale, coarse / scale)} {unit} +", found


def _exact(number: float, step: float) -> str:
    """With as many digits as the step has."""
    return f"{number:.{max(0, -math.floor(math.log10(step) + 1e-9))}f}"


@dataclass(frozen=True, slots=True)
class SlowedCopy:
    """Of one copy: how long it took, and how long it is shown."""

    seconds: float

    @property
    def shown_seconds(self) -> float:
        return max(_SHOWN_SECONDS, self.seconds)

    @property
    def factor(self) -> float:
        return self.shown_seconds / self.seconds

    @property
    def words(self) -> str:
        """ "slowed ×176"."""
        if self.factor < 1.05:
            return tr("as fast as it was")
        return tr("slowed ×{factor}", factor=factor_words(self.factor))

    def done(self, share: float) -> tuple[str, str]:
        """ "7.34", of "12.04 ms"."""
        whole = duration(self.seconds)
        scale = self.seconds / float(whole.number) if float(whole.number) else 1.0
        digits = len(whole.number.partition(".")[2])
        return f"{self.seconds * share / scale:.{digits}f}", str(whole)

    def seen(self, share: float) -> str:
        """ "seen 1.3 s of 2.1 s"."""
        whole = self.shown_seconds
        return tr("seen {part:.1f} of {whole:.1f} s", part=whole * share, whole=whole)


def bar_words(track: Track, bar: Bar, book: CopyBook) -> str:
    """In the stretch, as far as there is room."""
    words, row = words_of(track, bar, book), bar.item.row
    rate = book.rows[row].rate if row is not None and bar.item.role is Role.COPIES else None
    if rate is None:
        return words
    return tr("{what}, {rate} GB/s", what=words, rate=gigabytes_per_second(rate))


def hint(track: Track, bar: Bar, book: CopyBook) -> str:
    """Several lines of text."""
    took, busy = str(duration(bar.end - bar.begin)), str(duration(bar.busy))
    if bar.times > 1:
        several = mark("{count} of them in {time}, busy for {busy}")
        took = tr(several, count=bar.times, time=took, busy=busy)
    device = tr("host") if track.device == "cpu" else track.device
    where = tr("{time}; {device}, {lane}", time=took, device=device, lane=tr(track.engine))
    place = bar.item.place
    line = tr("Cell {cell}: {code}", cell=place.cell, code=place.line)
    return f"{bar_words(track, bar, book)}\n{where}\n{line}"


def seen_words(
    timeline: Timeline, book: CopyBook, frame: TimeFrame, playhead: float | None
) -> str:
    """For screen readers: what is seen, and what goes on where the playhead stands."""
    span, begin = str(duration(frame.span)), str(duration(frame.begin))
    said = [tr("{span} from {begin} on is shown.", span=span, begin=begin)]
    if playhead is not None:
        bars = {track: timeline.lane(track).at(playhead) for track in timeline.tracks}
        what = [
            f"{tr(on.engine)}: {bar_words(on, bar, book)}" for on, bar in bars.items() if bar
        ]
        what = what or [tr("nothing is copied or computed")]
        time = str(duration(max(0.0, playhead)))
        said.append(tr("At {time}: {what}.", time=time, what=listed(what)))
    return paragraph(said)
