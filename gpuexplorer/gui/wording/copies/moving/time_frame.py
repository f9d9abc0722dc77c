"""TimeFrame: the stretch of the timeline that is seen, and how it is moved and made larger."""

from dataclasses import dataclass

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr

LEAST = 1e-6  # seconds that fill the width at most


@dataclass(frozen=True, slots=True)
class TimeFrame:
    """In seconds of the axis; always within the session of which `whole` is the length."""

    begin: float
    end: float
    whole: float

    @property
    def span(self) -> float:
        return self.end - self.begin

    def share_of(self, moment: float) -> float:
        """0 at the left end, 1 at the right."""
        return (moment - self.begin) / self.span

    def at(self, share: float) -> float:
        return self.begin + self.span * share

    def zoomed(self, factor: float, at: float) -> "TimeFrame":
        """`at` stays where it is. A factor above 1 shows less, and that larger."""
        span = min(max(self.span / factor, LEAST), self.whole)
        return self._within(at - self.share_of(at) * span, span)

    def moved(self, seconds: float) -> "TimeFrame":
        return self._within(self.begin + seconds, self.span)

    def grown(self, whole: float) -> "TimeFrame":
        """The session became longer."""
        return TimeFrame(self.begin, self.end, max(whole, self.end))

    def holding(self, moment: float) -> "TimeFrame":
        """Moved only as far as it takes to see the moment."""
        if self.begin <= moment <= self.end:
            return self
        return self._within(moment - self.span / 2, self.span)

    def _within(self, begin: float, span: float) -> "TimeFrame":
        begin = max(0.0, min(begin, self.whole - span))
        return TimeFrame(begin, begin + span, self.whole)


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
            "{span} from {begin} of {whole}",
            span=words,
            begin=str(duration(frame.begin)),
            whole=str(duration(frame.whole)),
        )
    return tr("{span}, modelled", span=words) if modelled else words


def ticks(span: float, most: int) -> list[tuple[float, str]]:
    """Moments since the left end, and their words; the first has the unit."""
    step = _step(span / max(1, most))
    scale, unit = _unit(span)
    digits = 0
    while (
        digits < 3 and abs(step / scale * 10**digits - round(step / scale * 10**digits)) > 1e-6
    ):
        digits += 1
    found, at = [], 0
    while at * step <= span:
        number = f"{at * step / scale:.{digits}f}" if at else "0"
        found.append((at * step, f"{number} {unit}" if at == 0 else number))
        at += 1
    return found


def _step(least: float) -> float:
    """1, 2 or 5 times a power of ten."""
    size = 1e-9
    while size * 10 < least:
        size *= 10
    return next((size * each for each in (1, 2, 5) if size * each >= least), size * 10)


def _unit(span: float) -> tuple[float, str]:
    for scale, unit in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs")):
        if span >= scale:
            return scale, unit
    return 1e-9, "ns"
