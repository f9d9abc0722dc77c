"""The time axis: at which moments of the clock there is a word, and which."""

from dataclasses import dataclass
from datetime import datetime

from gpuexplorer.core.words import mark, tr

_STEPS = (
    *(1, 2, 5, 10, 15, 30),
    *(60, 120, 300, 600, 900, 1800),
    *(3600, 7200, 10800, 21600, 43200, 86400),
)


@dataclass(frozen=True, slots=True)
class TimeTick:
    """A moment on the steady clock and the time of day that it was."""

    at: float
    text: str


def time_ticks(start: float, end: float, offset: float, most: int) -> list[TimeTick]:
    """At most about so many; `offset` makes seconds since 1970 out of steady ones."""
    step = next((s for s in _STEPS if (end - start) / s <= max(1, most)), _STEPS[-1])
    # Hours are counted where the person is, who may live half an hour off the full one.
    zone = _zone(end + offset)
    first = -(-(start + offset + zone) // step) * step
    ticks = []
    while first - zone - offset <= end:
        wall = first - zone
        ticks.append(TimeTick(wall - offset, _word(wall, step)))
        first += step
    return ticks


def moment_word(wall: float, today: float, *, tenths: bool = False) -> str:
    """The time of day; with the day where it is another than that of `today`."""
    moment = _local(wall)
    word = f"{moment:%H:%M:%S}"
    if tenths:
        word = f"{word}.{moment.microsecond // 100_000}"
    return word if moment.date() == _local(today).date() else f"{_day(moment)} {word}"


def day_word(wall: float) -> str:
    """ "22 Nov"."""
    return _day(_local(wall))


def _word(wall: float, step: int) -> str:
    moment = _local(wall)
    if step < 60:
        return f"{moment.hour:02}:{moment.minute:02}:{moment.second:02}"
    if moment.hour == moment.minute == 0:
        return _day(moment)
    return f"{moment.hour:02}:{moment.minute:02}"


def _day(moment: datetime) -> str:
    month = tr(_MONTHS[moment.month - 1])
    return tr("{day} {month}", day=moment.day, month=month)


# Not strftime's, whose language is that of the system and not that of the program.
_MONTHS = (
    *(mark("Jan"), mark("Feb"), mark("Mar"), mark("Apr"), mark("May"), mark("Jun")),
    *(mark("Jul"), mark("Aug"), mark("Sep"), mark("Oct"), mark("Nov"), mark("Dec")),
)


def _zone(wall: float) -> float:
    shift = _local(wall).utcoffset()
    return 0.0 if shift is None else shift.total_seconds()


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall).astimezone()
