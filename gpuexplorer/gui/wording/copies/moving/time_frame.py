"""TimeFrame: the stretch of the timeline that is seen, in words and on the axis."""

import math
from dataclasses import dataclass

from gpuexplorer.core.units import duration
from gpuexplorer.core.words import tr

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
            "{span} from {begin} of {whole}",
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
class Slowed:
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


def factor_words(factor: float) -> str:
    """Three digits that matter, in groups: "8.2", "176", "1 410 000"."""
    if factor < 10:
        return f"{factor:.1f}"
    rounded = float(f"{factor:.3g}")
    return f"{rounded:,.0f}".replace(",", "\N{THIN SPACE}")
