"""Moments and spans of time, as the window says them, and what is true of an earlier time."""

import time
from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import NamedTuple

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.core.words import mark, tr
from gpuexplorer.telemetry.happenings import Happening, Kind

_DAYS = 2 * 86400  # from here on they are counted
NOTHING_YET = mark("nothing read yet")
NOTHING_THEN = mark("nothing was read in this time")
_BEGAN = {
    CardState.LOST: Kind.CARD_LOST,
    CardState.UNLISTED: Kind.CARD_UNLISTED,
    CardState.REFUSED: Kind.NO_ACCESS,
    CardState.ASLEEP: Kind.ASLEEP,
    CardState.NO_DRIVER: Kind.DRIVER_GONE,
    CardState.NO_CONNECTION: Kind.CONNECTION_LOST,
}


def span_words(seconds: float) -> str:
    """ "12 min", "1 h 30 min", "45 s", "7 d": two parts at most."""
    whole = max(1, round(seconds))
    for size, finest in ((600, 60), (_DAYS, 3600)):
        if whole >= size:
            whole = round(whole / finest) * finest
    days = ((86400, "d"),) if whole >= _DAYS else ()
    parts = []
    for size, unit in (*days, (3600, "h"), (60, "min"), (1, "s")):
        count, whole = divmod(whole, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2])


def moment_words(wall: float, now: float) -> str:
    """The time of day, with the day where it is not today's."""
    moment, today = _local(wall), _local(now)
    words = f"{moment:%H:%M:%S}"
    if moment.date() == today.date():
        return words
    if moment.date() == (today - timedelta(days=1)).date():
        return tr("yesterday {time}", time=words)
    return f"{moment:%Y-%m-%d} {words}"


def _local(wall: float) -> datetime:
    return datetime.fromtimestamp(wall).astimezone()


def began_with(
    happenings: Sequence[Happening], card: CardId, state: CardState
) -> Happening | None:
    """What made the card as it is; None where nobody saw it."""
    kind = _BEGAN.get(state)
    return next(
        (e for e in reversed(happenings) if e.kind is kind and e.card in {None, card}), None
    )


def since_when(
    happenings: Sequence[Happening], card: CardId, state: CardState, now: float
) -> str:
    """ "14:03:21", with the date where that was on another day; empty where nobody saw it
    begin. `now` is the time of day, in seconds since 1970.
    """
    began = began_with(happenings, card, state)
    return "" if began is None else moment_words(began.wall, now)


def midnight(wall: float) -> float:
    """When the day of this moment began, in seconds since 1970."""
    day = time.localtime(wall)
    return time.mktime((day.tm_year, day.tm_mon, day.tm_mday, 0, 0, 0, 0, 0, -1))


class Then(NamedTuple):
    """The end of the stretch that is shown, and when reading began, in steady seconds."""

    end: float
    began: float
    following: bool  # it ends now
    looking_back: bool = False  # figures beside it are of a later time

    @property
    def nothing_yet(self) -> bool:
        """All of it was before the first reading."""
        return not self.following and self.end <= self.began


def holds_then(state: CardState, since: float | None, then: Then) -> bool:
    """Whether a card was already as it is now, as far as anybody saw it begin."""
    return then.following or (since is not None and since <= then.end)


def reason_then(
    reason: str,
    card: CardId,
    state: CardState,
    happenings: Sequence[Happening],
    then: Then,
) -> str:
    """Why a line has no figures there; `reason` is why it has none now. Empty where that is
    not known: a card that is lost was not lost all the time.
    """
    if then.nothing_yet:
        return tr(NOTHING_YET)
    if state is CardState.WORKING or then.following:
        return reason
    began = began_with(happenings, card, state)
    return reason if holds_then(state, None if began is None else began.at, then) else ""
