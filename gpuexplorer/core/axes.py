"""Axes of plots: round grid lines, moments of the clock, and labels that move apart."""

import math
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import accumulate, count
from statistics import fmean
from typing import NamedTuple

from gpuexplorer.core.words import mark, tr

# From one grid line to the next: of figures, times a power of ten; of the clock, in seconds.
_STEPS = (1.0, 1.2, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 8.0)
_SECONDS = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200, 86400),
)


def round_steps(
    low: float, high: float, lines: int, *, whole: bool = False
) -> tuple[int, int, float]:
    """The first and the last multiple of a step, and that step: as small as `lines` allow. What
    begins at zero reads best in halves or quarters.
    """
    most = lines if low else 4 if lines >= 4 else 2
    smallest = math.floor(math.log10((high - low) / most))
    for step in (factor * 10.0**power for power in count(smallest) for factor in _STEPS):
        floor, ceiling = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
        if ceiling - floor <= most and (not whole or step == round(step)):
            break
    return floor, ceiling, step


class TimeTick(NamedTuple):
    """A moment on the steady clock and the time of day that it was."""

    at: float
    text: str


def time_ticks(start: float, end: float, offset: float, most: int) -> list[TimeTick]:
    """At most about so many; `offset` makes seconds since 1970 out of steady ones."""
    step = next((s for s in _SECONDS if (end - start) / s <= max(1, most)), _SECONDS[-1])
    # Hours are counted where the person is, who may live half an hour off the full one.
    zone = (_local(end + offset).utcoffset() or timedelta()).total_seconds()
    first, last = (int((each + offset + zone) // step) for each in (start, end))
    ticks = []
    for wall in (step * at - zone for at in range(first, last + 1)):
        moment = _local(wall)
        word = f"{moment:%H:%M:%S}" if step < 60 else f"{moment:%H:%M}"
        ticks.append(TimeTick(wall - offset, day_word(wall) if word == "00:00" else word))
    return [each for each in ticks if each.at >= start]


def moment_word(wall: float, today: float, *, tenths: bool = False) -> str:
    """The time of day; with the day where it is another than that of `today`."""
    moment, now = _local(wall), _local(today)
    word = f"{moment:%H:%M:%S.%f}"[: 10 if tenths else 8]
    if moment.year != now.year:
        return f"{moment:%Y-%m-%d} {word}"
    return word if moment.date() == now.date() else f"{day_word(wall)} {word}"


def day_word(wall: float) -> str:
    moment = _local(wall)
    return tr("{day} {month}", day=moment.day, month=tr(_MONTHS[moment.month - 1]))


# Not strftime's, whose language is that of the system and not that of the program.
_MONTHS = (
    *(mark("Jan"), mark("Feb"), mark("Mar"), mark("Apr"), mark("May"), mark("Jun")),
    *(mark("Jul"), mark("Aug"), mark("Sep"), mark("Oct"), mark("Nov"), mark("Dec")),
)


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall).astimezone()


def spread(wanted: Sequence[float], apart: float, lowest: float, highest: float) -> list[float]:
    """Where labels go that would like to be at `wanted`: as near to it as their neighbours
    allow, `apart` from each other, from `lowest` to `highest`. Closer where all do not fit.
    """
    gaps = len(wanted) - 1
    apart = min(apart, max(0.0, highest - lowest) / max(1, gaps))
    order = sorted(range(len(wanted)), key=wanted.__getitem__)
    # Where the first of them would be, if this one were where it wants to be.
    starts = [wanted[label] - rank * apart for rank, label in enumerate(order)]
    # Pushed up by those below, and down by those above: in the middle both have their way.
    up, down = accumulate(starts, max), [*accumulate(starts[::-1], min)][::-1]
    places = [0.0] * len(wanted)
    for rank, (label, *ends) in enumerate(zip(order, up, down, strict=True)):
        places[label] = max(lowest, min(fmean(ends), highest - gaps * apart)) + rank * apart
    return places
