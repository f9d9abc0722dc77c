"""Since when a card is as it is, out of what was noted when it happened."""

import time
from collections.abc import Sequence

from gpuexplorer.core.cards import CardId, CardState
from gpuexplorer.gui.wording.moments import moment_words
from gpuexplorer.telemetry.happenings import Happening, Kind

_BEGAN = {
    CardState.LOST: Kind.CARD_LOST,
    CardState.UNLISTED: Kind.CARD_UNLISTED,
    CardState.REFUSED: Kind.NO_ACCESS,
    CardState.ASLEEP: Kind.ASLEEP,
    CardState.NO_DRIVER: Kind.DRIVER_GONE,
}


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
