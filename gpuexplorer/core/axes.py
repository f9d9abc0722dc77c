"""Axes of plots: grid lines in steps that people count in, moments of the clock, and labels
that move apart where they would touch.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from statistics import fmean

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
    """The first and the last multiple of a step, and that step.

    What begins at zero reads best in halves or quarters; else it is as close around as it gets.
    """

    counts: Iterable[int] = range(2, lines + 1)
    if low == 0:
        counts = [4 if lines >= 4 else 2]
    found = []
    for most in counts:
        smallest = math.floor(math.log10((high - low) / most))
        for step in (factor * 10.0**power for power in count(smallest) for factor in _STEPS):
            floor, ceiling = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
            if ceiling - floor <= most and (not whole or step == round(step)):
                waste = round((ceiling - floor) * step / (high - low), 6)
                found.append((waste, most, floor, ceiling, step))
                break
    return min(found)[2:]


@dataclass(frozen=True, slots=True)
class TimeTick:
    """A moment on the steady clock and the time of day that it was."""

    at: float
    text: str


def time_ticks(start: float, end: float, offset: float, most: int) -> list[TimeTick]:
    """At most about so many; `offset` makes seconds since 1970 out of steady ones."""
    step = next((s for s in _SECONDS if (end - start) / s <= max(1, most)), _SECONDS[-1])
    # Hours are counted where the person is, who may live half an hour off the full one.
    shift = _local(end + offset).utcoffset()
    zone = shift.total_seconds() if shift else 0.0
    first = -(-(start + offset + zone) // step) * step
    ticks = []
    while first - zone - offset <= end:
        moment = _local(first - zone)
        word = f"{moment:%H:%M:%S}" if step < 60 else f"{moment:%H:%M}"
        if word == "00:00":
            word = day_word(first - zone)
        ticks.append(TimeTick(first - zone - offset, word))
        first += step
    return ticks


def moment_word(wall: float, today: float, *, tenths: bool = False) -> str:
    """The time of day; with the day where it is another than that of `today`."""
    moment = _local(wall)
    word = f"{moment:%H:%M:%S.%f}"[: 10 if tenths else 8]
    return word if moment.date() == _local(today).date() else f"{day_word(wall)} {word}"


def day_word(wall: float) -> str:
    """ "22 Nov"."""
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
    order = sorted(range(len(wanted)), key=lambda label: wanted[label])
    # Labels that touch form a block, and each of its labels wants it elsewhere: it lies in the
    # middle of that.
    blocks: list[list[float]] = []
    for rank, label in enumerate(order):
        blocks.append([wanted[label] - rank * apart])
        while len(blocks) > 1 and fmean(blocks[-2]) > fmean(blocks[-1]):
            blocks[-2:] = [blocks[-2] + blocks[-1]]
    starts = [fmean(block) for block in blocks for _ in block]
    places = [0.0] * len(wanted)
    for rank, (label, start) in enumerate(zip(order, starts, strict=True)):
        places[label] = max(lowest, min(start, highest - gaps * apart)) + rank * apart
    return places
